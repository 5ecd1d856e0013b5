/* Keys, session, drafts: what every page shares. No inline scripts, no eval; works with the strict content security policy. */
"use strict";

(() => {
  const isTyping = (el) =>
    el instanceof HTMLElement && (el.isContentEditable || el.matches("input:not([type=checkbox]):not([type=radio]):not([type=button]):not([type=submit]), textarea, select"));

  // Keys: an element with data-key is pressed by that key; letters by what they write, so that AZERTY works.
  const visible = (el) => el.getClientRects().length > 0 && !el.disabled;
  const keyed = () => [...document.querySelectorAll("[data-key]")].filter(visible);

  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.isComposing) return;
    const chord = (event.ctrlKey || event.metaKey) && !event.altKey;
    if (chord && event.key === "Enter") {
      const form = event.target instanceof Element ? event.target.closest("form") : null;
      const button = (form && form.querySelector("[data-save]")) || document.querySelector("[data-save-page]") || document.querySelector("[data-save]");
      if (button) {
        event.preventDefault();
        button.click();
      }
      return;
    }
    if (document.querySelector("dialog[open]")) return;
    if (event.key === "Escape" && isTyping(event.target)) {
      event.target.blur(); // what was selected in it stays selected, and the keys of the page work again
      return;
    }
    if (isTyping(event.target) || event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === "?") {
      event.preventDefault();
      showKeys();
      return;
    }
    const wanted = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const hit = keyed().find((el) => el.dataset.key === (event.shiftKey && event.key.length > 1 ? "Shift+" + wanted : wanted));
    if (!hit) return;
    event.preventDefault();
    if (hit.matches("input[type=text], input:not([type]), textarea, select")) hit.focus();
    else hit.click();
  });

  // What a button says, without the key drawn on it.
  function words(el) {
    const copy = el.cloneNode(true);
    for (const kbd of copy.querySelectorAll("kbd")) kbd.remove();
    return copy.textContent.replace(/\s+/g, " ").trim();
  }

  function showKeys() {
    const dialog = document.getElementById("keys");
    if (!dialog) return;
    const list = dialog.querySelector("tbody");
    list.replaceChildren();
    const rows = keyed().map((el) => [el.dataset.key, el.dataset.keyLabel || el.getAttribute("aria-label") || words(el)]);
    if (document.querySelector("[data-save], [data-save-page]")) rows.push(["Ctrl Enter", "Save, from inside a text box too"]);
    rows.push(["?", "This list"]);
    for (const [key, what] of rows) {
      const row = list.insertRow();
      const kbd = document.createElement("kbd");
      kbd.textContent = key;
      row.insertCell().append(kbd);
      row.insertCell().textContent = what;
    }
    dialog.showModal();
  }
  document.addEventListener("click", (event) => {
    const target = event.target instanceof Element ? event.target : null;
    if (!target) return;
    if (target.closest("[data-show-keys]")) showKeys();
    const opener = target.closest("[data-open-dialog]");
    if (opener) {
      const dialog = document.getElementById(opener.dataset.openDialog);
      if (dialog) dialog.showModal();
    }
    if (target.closest("[data-close-dialog]")) target.closest("dialog").close();
    const confirmed = target.closest("[data-confirm]");
    if (confirmed && !window.confirm(confirmed.dataset.confirm)) event.preventDefault();
    const copied = target.closest("[data-copy]");
    if (copied) navigator.clipboard.writeText(copied.dataset.copy);
  });

  // Session: say what happened, keep what was typed, let the person sign in elsewhere and save again.
  const cookie = (name) => {
    const found = document.cookie.split("; ").find((part) => part.startsWith(name + "="));
    return found ? decodeURIComponent(found.slice(name.length + 1)) : "";
  };
  function banner(text, link) {
    const box = document.getElementById("banner");
    box.replaceChildren(document.createTextNode(text + " "));
    if (link) {
      const a = document.createElement("a");
      a.href = link.href;
      a.target = "_blank";
      a.textContent = link.text;
      box.append(a);
    }
    box.hidden = false;
  }
  document.addEventListener("htmx:configRequest", (event) => {
    event.detail.headers["X-CSRFToken"] = cookie("csrftoken"); // as it is now: another tab may have signed in again
    delete event.detail.parameters.csrfmiddlewaretoken; // the form's own may be of an earlier sign-in, and would be asked first
  });
  document.addEventListener("htmx:afterRequest", (event) => {
    if (event.detail.successful) document.getElementById("banner").hidden = true;
  });
  document.addEventListener("htmx:responseError", (event) => {
    const status = event.detail.xhr.status;
    const failed = event.detail.requestConfig && event.detail.requestConfig.verb === "get" ? "Not loaded" : "Not saved";
    const login = { href: document.body.dataset.loginUrl, text: "Sign in in a new tab" };
    if (status === 401) banner(failed + ": your session has ended. What you typed is still here. Sign in, then try again.", login);
    else if (status === 403 && event.detail.xhr.getResponseHeader("X-CSRF-Failed")) banner("Not saved: you have signed in again elsewhere. What you typed is still here: save once more.", null);
    else if (status === 403) banner(failed + ": you may not do this.", null);
    else if (status === 404) banner(failed + ": this no longer exists.", null);
    else if (status !== 409 && status !== 422) banner(failed + ": the server could not do it (" + status + "). What you typed is still here.", null);
  });
  document.addEventListener("htmx:sendError", () => banner("Not saved: the server cannot be reached. What you typed is still here; save again when it can.", null));
  // Conflicts and form errors carry the fragment that shows them.
  document.addEventListener("htmx:beforeSwap", (event) => {
    if (event.detail.xhr.status === 422 || event.detail.xhr.status === 409) {
      event.detail.shouldSwap = true;
      event.detail.isError = false;
    }
  });

  // Drafts: what is typed in a form with data-draft stays in this browser until the server has it.
  const draftKey = (form) => "aem-draft:" + form.dataset.draft;
  const formState = (form) => JSON.stringify([...new FormData(form)].filter(([name, value]) => typeof value === "string" && name !== "csrfmiddlewaretoken"));
  // Under which revision it was typed makes no difference: once saved, the form says the same under the next one.
  const sameTyping = (one, other) => {
    const typed = (fields) => JSON.stringify(fields.filter(([name]) => !name.endsWith("revision")));
    return typed(one) === typed(other);
  };
  function keepDraft(form) {
    try {
      localStorage.setItem(draftKey(form), JSON.stringify({ at: Date.now(), fields: JSON.parse(formState(form)) }));
    } catch {
      /* storage full or forbidden: the server's copy remains */
    }
  }
  document.addEventListener("input", (event) => {
    const form = event.target instanceof Element ? event.target.closest("form[data-draft]") : null;
    if (!form) return;
    keepDraft(form);
    mark(form, "unsaved", "not saved yet");
  });
  function mark(form, cls, text) {
    const box = form.querySelector("[data-save-status]");
    if (!box) return;
    box.className = cls;
    box.textContent = text;
  }
  window.aem = { isTyping, banner, clearDraft: (name) => localStorage.removeItem("aem-draft:" + name) };
  document.addEventListener("draftSaved", (event) => window.aem.clearDraft(event.detail.value || event.detail.draft));

  function offerDrafts(root) {
    for (const form of root.querySelectorAll("form[data-draft]")) {
      // What the server sent back unsaved, with a row more or with errors, is the draft as it is now.
      if (form.hasAttribute("data-draft-live")) {
        form.dataset.draftSeen = "1";
        keepDraft(form);
        continue;
      }
      const stored = localStorage.getItem(draftKey(form));
      if (!stored || form.dataset.draftSeen) continue;
      form.dataset.draftSeen = "1";
      const draft = JSON.parse(stored);
      if (sameTyping(draft.fields, JSON.parse(formState(form)))) {
        localStorage.removeItem(draftKey(form));
        continue;
      }
      const note = document.createElement("p");
      note.className = "why note";
      note.append("You typed something here on " + new Date(draft.at).toLocaleString() + " that was not saved. ");
      const take = document.createElement("button");
      take.type = "button";
      take.textContent = "Take it back";
      take.addEventListener("click", () => {
        // A form whose rows come and go is drawn again by the server with what was typed.
        if (form.hasAttribute("data-draft-render")) {
          const target = form.getAttribute("hx-target");
          window.htmx.ajax("POST", form.getAttribute("action"), { target, swap: "outerHTML", values: { ...Object.fromEntries(draft.fields), do: "render" } });
          return;
        }
        for (const el of form.elements) if (el.type === "checkbox" || el.type === "radio") el.checked = draft.fields.some(([n, v]) => n === el.name && v === el.value);
        const seen = new Map();
        for (const [name, value] of draft.fields) {
          const fields = [...form.elements].filter((el) => el.name === name && !["checkbox", "radio", "hidden"].includes(el.type));
          const at = seen.get(name) || 0;
          if (fields[at]) fields[at].value = value;
          seen.set(name, at + 1);
        }
        note.remove();
        form.dispatchEvent(new Event("draft-restored", { bubbles: true }));
      });
      const drop = document.createElement("button");
      drop.type = "button";
      drop.textContent = "Forget it";
      drop.addEventListener("click", () => {
        localStorage.removeItem(draftKey(form));
        note.remove();
      });
      note.append(take, " ", drop);
      form.prepend(note);
    }
  }
  document.addEventListener("DOMContentLoaded", () => offerDrafts(document));
  document.addEventListener("htmx:afterSwap", (event) => offerDrafts(event.target.parentElement || document));

  // On a small screen the menu scrolls sideways: where one is stays in sight.
  document.addEventListener("DOMContentLoaded", () => {
    const here = document.querySelector("header.bar nav a[aria-current]");
    if (here) here.parentElement.scrollLeft = here.offsetLeft - here.parentElement.offsetLeft - 40;
  });

  // Forms that filter a list submit themselves.
  document.addEventListener("change", (event) => {
    const form = event.target instanceof Element ? event.target.closest("form[data-auto-submit]") : null;
    if (form) form.requestSubmit();
  });
})();
