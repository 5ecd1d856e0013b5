/* Keys, session, drafts: what every page shares. No inline scripts, no eval; works with the strict content security policy. */
"use strict";

// The texts of scripts in the language of the page, which brings them along; English is what is written here.
const WORDS = JSON.parse(document.getElementById("words")?.textContent || "{}");
window.say = (text, values = {}) => (WORDS[text] || text).replace(/\{(\w+)\}/g, (all, name) => (name in values ? values[name] : all));

(() => {
  const isTyping = (el) =>
    el instanceof HTMLElement && (el.isContentEditable || el.matches("input:not([type=checkbox]):not([type=radio]):not([type=button]):not([type=submit]), textarea, select"));

  // Keys: an element with data-key is pressed by that key. What the key writes counts, not where it lies, so that every
  // layout works; capitals are no other keys, with Shift or with CapsLock.
  const visible = (el) => el.getClientRects().length > 0 && !el.disabled;
  const keyed = () => [...document.querySelectorAll("[data-key]")].filter(visible);
  const letter = (text) => ([...text].length === 1 ? text.normalize("NFC").toLowerCase() : "");
  function keysOf(event) {
    const found = [letter(event.key)];
    // Where digits need Shift (AZERTY), the row of digits gives them without it too.
    if (!event.shiftKey && /^Digit\d$/.test(event.code)) found.push(event.code.slice(5));
    // A layout without Latin letters: where the letter lies.
    if (/^Key[A-Z]$/.test(event.code) && /^\p{L}$/u.test(event.key) && !/\p{Script=Latin}/u.test(event.key)) found.push(event.code.slice(3).toLowerCase());
    return found.filter(Boolean);
  }
  // Composing (also a dead key, which writes nothing yet) is typing; AltGr is how some layouts write a sign.
  const composes = (event) => event.isComposing || event.keyCode === 229;
  const isChord = (event) => (event.ctrlKey || event.altKey || event.metaKey) && !event.getModifierState("AltGraph");

  // What saves the form that one is in: the button that says so, else its main one, else its only one. Never another form's.
  function saveOf(form) {
    const buttons = [...form.elements].filter((el) => el.matches("button:not([type=button]):not([type=reset]), input[type=submit]") && visible(el) && !el.matches(".visually-hidden"));
    const main = buttons.filter((el) => el.matches(".primary"));
    return buttons.find((el) => el.matches("[data-save]")) || (main.length === 1 ? main[0] : buttons.length === 1 ? buttons[0] : null);
  }
  function saveOfPage() {
    const named = [...document.querySelectorAll("[data-save]")].filter(visible);
    return named.length === 1 ? named[0] : null;
  }

  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || composes(event) || typeof event.key !== "string") return; // filling in a form has none
    const target = event.target instanceof Element ? event.target : document.body;
    const open = document.querySelector("dialog[open]");
    if ((event.ctrlKey || event.metaKey) && !event.altKey && event.key === "Enter") {
      const form = target.closest("form");
      const button = form ? saveOf(form) : open ? null : saveOfPage();
      if (!button) return;
      event.preventDefault();
      if (!event.repeat) button.click();
      return;
    }
    if (target.matches("[data-press-key]")) {
      takeKey(event, target);
      return;
    }
    if (open) return;
    if (event.key === "Escape" && isTyping(target)) {
      target.blur(); // what was selected in it stays selected, and the keys of the page work again
      return;
    }
    if (isTyping(target) || isChord(event)) return;
    if (event.key === "?") {
      event.preventDefault();
      showKeys();
      return;
    }
    const here = keyed();
    let hit = null;
    for (const key of keysOf(event)) {
      const found = here.filter((el) => el.dataset.key === key);
      hit = hit || found.find((el) => el.dataset.action) || found[0];
    }
    if (!hit) return;
    event.preventDefault();
    // A key that is held down moves on, and presses no button twice; nor does one while its form is on its way.
    if (event.repeat && !hit.matches("a")) return;
    if (hit.matches(".htmx-request") || (hit.form && hit.form.matches(".htmx-request"))) return;
    press(hit);
  });

  function press(el) {
    if (el instanceof HTMLLabelElement && el.control) el.control.focus();
    else if (el.matches("input[type=text], input[type=search], input:not([type]), textarea, select")) el.focus();
    else el.click();
  }

  // A box that takes the next key as its value, and sends it: one's own keys are chosen so.
  function takeKey(event, box) {
    if (isChord(event) || ["Tab", "Escape", "Enter", "Shift", "CapsLock", "Dead"].includes(event.key)) {
      if (event.key === "Escape") box.blur();
      return;
    }
    const off = event.key === "Backspace" || event.key === "Delete";
    if (!off && !letter(event.key)) return;
    event.preventDefault();
    box.value = off ? "" : letter(event.key);
    const sender = off ? box.form.querySelector("button[value=off]") : box.form.querySelector("button:not([value])");
    if (sender) sender.click();
  }

  // A button that leads from one box to the next one to write in, and to the first again after the last.
  let visited = null;
  document.addEventListener("click", (event) => {
    const button = event.target instanceof Element ? event.target.closest("[data-focus-next]") : null;
    if (!button) return;
    const boxes = [...(button.form || document).querySelectorAll(button.dataset.focusNext)].filter((el) => visible(el) && el.type !== "hidden");
    if (!boxes.length) return;
    const at = boxes.indexOf(visited);
    visited = boxes[(at + 1) % boxes.length];
    visited.focus();
    if (visited instanceof HTMLInputElement) visited.select();
  });

  // What a button says, without the key drawn on it.
  function words(el) {
    const copy = el.cloneNode(true);
    for (const kbd of copy.querySelectorAll("kbd")) kbd.remove();
    return copy.textContent.replace(/\s+/g, " ").trim();
  }

  // A box to write in says nothing itself: its label does.
  const nameOf = (el) => (el.labels && el.labels.length ? words(el.labels[0]) : el.getAttribute("placeholder") || "");

  function showKeys() {
    const dialog = document.getElementById("keys");
    if (!dialog) return;
    const groups = new Map();
    const add = (group, key, what) => groups.set(group, [...(groups.get(group) || []), [key, what]]);
    for (const el of keyed()) add(el.dataset.keyGroup || say("This page"), el.dataset.key, el.dataset.keyLabel || el.getAttribute("aria-label") || words(el) || nameOf(el));
    if ([...document.forms].some((form) => form.querySelector("textarea, [data-save]") && saveOf(form))) add(say("Everywhere"), say("Ctrl Enter"), say("Save, from inside a text box too (⌘ Enter on a Mac)"));
    add(say("Everywhere"), say("Esc"), say("Leave a text box"));
    add(say("Everywhere"), "?", say("This list"));
    const table = dialog.querySelector("table");
    table.replaceChildren();
    for (const [group, rows] of groups) {
      const body = table.createTBody();
      const head = document.createElement("th");
      head.colSpan = 2;
      head.scope = "rowgroup";
      head.textContent = group;
      body.insertRow().append(head);
      for (const [key, what] of rows) {
        const row = body.insertRow();
        const kbd = document.createElement("kbd");
        kbd.textContent = key;
        row.insertCell().append(kbd);
        row.insertCell().textContent = what;
      }
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
  const loginLink = () => ({ href: document.body.dataset.loginUrl, text: say("Sign in in a new tab") });
  let isSessionGone = false;
  function sessionGone(isLoading = false) {
    isSessionGone = true;
    const loading = say("Not loaded: your session has ended. What you typed is still here. Sign in, then try again.");
    const saving = say("Not saved: your session has ended. What you typed is still here. Sign in, then try again.");
    banner(isLoading ? loading : saving, loginLink());
  }
  function sessionBack() {
    if (!isSessionGone) return;
    isSessionGone = false;
    banner(say("You are signed in again. What you typed is still here, and not saved yet: save it now."), null);
  }
  document.addEventListener("htmx:configRequest", (event) => {
    event.detail.headers["X-CSRFToken"] = cookie("csrftoken"); // as it is now: another tab may have signed in again
    delete event.detail.parameters.csrfmiddlewaretoken; // the form's own may be of an earlier sign-in, and would be asked first
  });
  document.addEventListener("htmx:afterRequest", (event) => {
    if (!event.detail.successful) return;
    isSessionGone = false;
    document.getElementById("banner").hidden = true;
  });
  document.addEventListener("htmx:responseError", (event) => {
    const status = event.detail.xhr.status;
    const isLoading = Boolean(event.detail.requestConfig) && event.detail.requestConfig.verb === "get";
    if (status === 401) sessionGone(isLoading);
    else if (status === 403 && event.detail.xhr.getResponseHeader("X-CSRF-Failed")) banner(say("Not saved: you have signed in again elsewhere. What you typed is still here: save once more."), null);
    else if (status === 403) banner(isLoading ? say("Not loaded: you may not do this.") : say("Not saved: you may not do this."), null);
    else if (status === 404) banner(isLoading ? say("Not loaded: this no longer exists.") : say("Not saved: this no longer exists."), null);
    else if (status !== 409 && status !== 422) banner(isLoading ? say("Not loaded: the server could not do it ({status}). What you typed is still here.", { status }) : say("Not saved: the server could not do it ({status}). What you typed is still here.", { status }), null);
  });
  const unreachable = say("Not saved: the server cannot be reached. What you typed is still here; save again when it can.");
  document.addEventListener("htmx:sendError", () => banner(unreachable, null));
  // Conflicts and form errors carry the fragment that shows them.
  document.addEventListener("htmx:beforeSwap", (event) => {
    if (event.detail.xhr.status === 422 || event.detail.xhr.status === 409) {
      event.detail.shouldSwap = true;
      event.detail.isError = false;
    }
  });

  // Drafts: what is typed in a form with data-draft stays in this browser and, a moment later, on the server, until it is saved.
  const me = () => document.body.dataset.user || "";
  const draftKey = (name) => "aem-draft:" + me() + ":" + name;
  const formState = (form) => [...new FormData(form)].filter(([name, value]) => typeof value === "string" && name !== "csrfmiddlewaretoken");
  // Under which revision it was typed makes no difference: once saved, the form says the same under the next one.
  const isRevision = (name) => /(^|_)revision$|^seen_/.test(name);
  const sameTyping = (one, other) => {
    const typed = (fields) => JSON.stringify(fields.filter(([name]) => !isRevision(name)));
    return typed(one) === typed(other);
  };
  const inBrowser = {
    read(name) {
      try {
        return JSON.parse(localStorage.getItem(draftKey(name)));
      } catch {
        return null;
      }
    },
    keep(name, fields) {
      try {
        localStorage.setItem(draftKey(name), JSON.stringify({ at: Date.now(), fields }));
      } catch {
        /* storage full or forbidden: the server's copy remains */
      }
    },
    forget: (name) => localStorage.removeItem(draftKey(name)),
  };

  const onServer = (() => {
    const SOON = 1500;
    const AT_LEAST_EVERY = 10000;
    const waiting = new Map(); // by name: what is to be sent, since when, and the timer
    const sending = new Map();
    const known = new Set(); // what the server has of this page
    const address = () => document.body.dataset.draftUrl;

    async function post(name, fields, { keepalive = false, again = true } = {}) {
      const body = JSON.stringify({ name, user: me(), fields });
      const headers = { "Content-Type": "application/json", "X-CSRFToken": cookie("csrftoken"), "HX-Request": "true" };
      let response;
      try {
        // What goes on while a page is left may be 64 kB at most.
        response = await fetch(address(), { method: "POST", body, headers, keepalive: keepalive && body.length < 60000 });
      } catch {
        return fields === null || retry(name, fields); // the browser has it; once the server can be reached it follows
      }
      if (response.status === 401) {
        sessionGone();
        return fields === null || retry(name, fields);
      }
      if (response.status === 403 && response.headers.get("X-CSRF-Failed") && again) return post(name, fields, { keepalive, again: false });
      if (response.status === 409) return banner(say("Not saved: {person} has signed in in this browser since you opened this page. What you typed is still here. Sign in again as yourself, then save.", { person: await response.text() }), loginLink());
      if (response.ok) {
        if (fields === null) known.delete(name);
        else known.add(name);
        sessionBack();
      }
      return response.ok;
    }
    const retry = (name, fields) => {
      if (!waiting.has(name)) waiting.set(name, { fields, since: Date.now(), timer: 0 });
      return false;
    };
    async function flush(name, options) {
      const entry = waiting.get(name);
      if (!entry) return;
      clearTimeout(entry.timer);
      waiting.delete(name);
      if (sending.has(name)) await sending.get(name); // in the order in which it was typed
      const sent = post(name, entry.fields, options);
      sending.set(name, sent);
      await sent;
      if (sending.get(name) === sent) sending.delete(name);
    }
    return {
      keep(name, fields) {
        if (!address() || !me()) return;
        const entry = waiting.get(name) || { since: Date.now(), timer: 0 };
        clearTimeout(entry.timer);
        entry.fields = fields;
        entry.timer = setTimeout(() => flush(name), Math.max(0, Math.min(SOON, entry.since + AT_LEAST_EVERY - Date.now())));
        waiting.set(name, entry);
      },
      cancel(name) {
        const entry = waiting.get(name);
        if (entry) clearTimeout(entry.timer);
        waiting.delete(name);
      },
      async forget(name) {
        this.cancel(name);
        if (sending.has(name)) await sending.get(name);
        if (known.has(name)) await post(name, null);
      },
      async ask() {
        const response = await fetch(address(), { headers: { "HX-Request": "true" } }).catch(() => null);
        if (response && response.ok) sessionBack();
        return response ? response.status : 0;
      },
      flushAll(options) {
        for (const name of [...waiting.keys()]) flush(name, options);
      },
      async read(name) {
        if (!address() || !me() || waiting.has(name)) return null;
        try {
          const response = await fetch(address() + "?" + new URLSearchParams({ name, user: me() }), { headers: { "HX-Request": "true" } });
          const draft = response.ok ? (await response.json()).draft : null;
          if (draft) known.add(name);
          return draft;
        } catch {
          return null;
        }
      },
    };
  })();

  function keepDraft(form) {
    const fields = formState(form);
    inBrowser.keep(form.dataset.draft, fields);
    onServer.keep(form.dataset.draft, fields);
  }
  function forgetDraft(name) {
    inBrowser.forget(name);
    onServer.forget(name);
  }
  document.addEventListener("input", (event) => {
    const form = event.target instanceof Element ? event.target.closest("form[data-draft]") : null;
    if (!form) return;
    keepDraft(form);
    mark(form, "unsaved", say("not saved yet"));
  });
  function mark(form, cls, text) {
    const box = form.querySelector("[data-save-status]");
    if (!box) return;
    box.className = cls;
    box.textContent = text;
  }
  window.aem = { isTyping, banner, saveOf, clearDraft: forgetDraft };
  document.addEventListener("draftSaved", (event) => forgetDraft(event.detail.value || event.detail.draft));
  // A form that is sent as a page: with the token as it is now, another tab may have signed in again; and what was written
  // for long only while there is a session, so that nothing typed is left behind for a sign-in page.
  document.addEventListener("submit", async (event) => {
    const form = event.target;
    if (!(form instanceof HTMLFormElement) || form.method !== "post" || form.hasAttribute("hx-post") || event.defaultPrevented) return;
    const token = form.querySelector("input[name=csrfmiddlewaretoken]");
    if (token && cookie("csrftoken")) token.value = cookie("csrftoken");
    if (!form.matches("[data-draft]") || !me()) return;
    if (form.dataset.sent) {
      onServer.cancel(form.dataset.draft); // it is saved, or comes back as it was typed
      return;
    }
    event.preventDefault();
    const status = await onServer.ask();
    if (status === 401) return sessionGone();
    if (!status) return banner(unreachable, null);
    form.dataset.sent = "1";
    form.requestSubmit(event.submitter);
    delete form.dataset.sent;
  });
  window.addEventListener("pagehide", () => onServer.flushAll({ keepalive: true }));
  document.addEventListener("visibilitychange", () => onServer.flushAll({ keepalive: document.hidden }));
  window.addEventListener("focus", () => {
    onServer.flushAll();
    if (isSessionGone) onServer.ask();
  });
  window.addEventListener("online", () => onServer.flushAll());

  function takeBack(form, fields) {
    // A form whose rows come and go is drawn again by the server with what was typed.
    if (form.hasAttribute("data-draft-render")) {
      const values = {};
      for (const [name, value] of fields) values[name] = name in values ? [].concat(values[name], value) : value;
      window.htmx.ajax("POST", form.getAttribute("action"), { target: form.getAttribute("hx-target"), swap: "outerHTML", values: { ...values, do: "render" } });
      return;
    }
    for (const el of form.elements) if (el.type === "checkbox" || el.type === "radio") el.checked = fields.some(([n, v]) => n === el.name && v === el.value);
    const seen = new Map();
    for (const [name, value] of fields) {
      // With the revision under which it was typed, so that what somebody saved since is shown and not overwritten.
      const boxes = [...form.elements].filter((el) => el.name === name && !["checkbox", "radio"].includes(el.type) && (el.type !== "hidden" || isRevision(name)));
      const at = seen.get(name) || 0;
      if (boxes[at]) boxes[at].value = value;
      seen.set(name, at + 1);
    }
    keepDraft(form);
    mark(form, "unsaved", say("not saved yet"));
    form.dispatchEvent(new Event("draft-restored", { bubbles: true }));
  }

  function offer(form, draft, sentence, forget) {
    const note = document.createElement("p");
    note.className = "why note";
    note.dataset.draftNote = "";
    note.append(sentence(new Date(draft.at).toLocaleString(document.documentElement.lang || undefined)), " ");
    const button = (text, act) => {
      const made = document.createElement("button");
      made.type = "button";
      made.textContent = text;
      made.addEventListener("click", act);
      note.append(made, " ");
    };
    button(say("Take it back"), () => {
      for (const other of form.querySelectorAll("[data-draft-note]")) other.remove();
      takeBack(form, draft.fields);
    });
    button(say("Forget it"), () => {
      forget();
      note.remove();
    });
    form.prepend(note);
  }

  async function offerDraft(form) {
    const name = form.dataset.draft;
    // What the server sent back unsaved, with a row more or with errors, is the draft as it is now.
    if (form.hasAttribute("data-draft-live")) {
      keepDraft(form);
      return;
    }
    const shown = formState(form);
    let local = inBrowser.read(name);
    if (local && sameTyping(local.fields, shown)) {
      inBrowser.forget(name);
      local = null;
    }
    const typed = (when) => say("You typed something here on {when} that was not saved.", { when });
    const typedElsewhere = (when) => say("You typed something here on {when}, as the server kept it, that was not saved.", { when });
    if (local) offer(form, local, typed, () => forgetDraft(name));
    const kept = await onServer.read(name);
    if (!kept || !form.isConnected) return;
    if (sameTyping(kept.fields, shown)) onServer.forget(name);
    else if (!local || !sameTyping(kept.fields, local.fields)) offer(form, kept, local ? typedElsewhere : typed, () => onServer.forget(name));
  }
  function offerDrafts(root) {
    for (const form of root.querySelectorAll("form[data-draft]")) {
      if (form.dataset.draftSeen) continue;
      form.dataset.draftSeen = "1";
      offerDraft(form);
    }
  }
  document.addEventListener("DOMContentLoaded", () => offerDrafts(document));
  document.addEventListener("htmx:afterSwap", (event) => offerDrafts(event.target.parentElement || document));

  // On a small screen the menu scrolls sideways: where one is stays in sight.
  document.addEventListener("DOMContentLoaded", () => {
    const here = document.querySelector("header.bar nav a[aria-current]");
    if (here) here.parentElement.scrollLeft = here.offsetLeft - here.parentElement.offsetLeft - 40;
  });

  // What is wider than its place is scrolled by key too: Tab comes to it, and it is named like the part it stands in.
  function reachScrollers() {
    for (const el of document.querySelectorAll(".scroll-x, .call, .strip")) {
      const wide = el.scrollWidth > el.clientWidth + 1;
      if (!wide || el.hasAttribute("tabindex") || el.querySelector("a[href], button, input, select, textarea, summary")) continue;
      const part = el.closest("section, details");
      const title = part ? part.querySelector("h2, h3, summary") : null;
      el.tabIndex = 0;
      el.setAttribute("role", "group");
      el.setAttribute("aria-label", title ? words(title) : say("Table"));
    }
  }
  for (const moment of ["DOMContentLoaded", "htmx:afterSettle", "toggle"]) document.addEventListener(moment, reachScrollers, true);
  window.addEventListener("resize", reachScrollers);

  // A status is read aloud where it changes in a place that was there before: what comes with a page, or with a part that
  // is put in anew, is said again in such a place.
  let toSay = [];
  function announce(root) {
    if (root.closest("[role=status], [role=alert], [aria-live]")) return;
    const found = [...root.querySelectorAll("[role=status]")].filter(visible).map(words).filter(Boolean);
    if (found.length && !toSay.length) setTimeout(readAloud, 100); // an answer may bring several parts
    toSay.push(...found);
  }
  function readAloud() {
    document.getElementById("said").textContent = [...new Set(toSay)].join(". ");
    toSay = [];
  }
  document.addEventListener("DOMContentLoaded", () => {
    const place = document.createElement("div");
    place.id = "said";
    place.className = "visually-hidden";
    place.setAttribute("role", "status");
    document.body.append(place);
    const told = document.querySelector("ul.messages");
    if (told) announce(told.parentElement);
  });
  document.addEventListener("htmx:afterSettle", (event) => {
    const asked = event.detail.requestConfig;
    if (asked && asked.verb !== "get" && event.target instanceof Element) announce(event.target);
  });

  // Forms that filter a list submit themselves.
  document.addEventListener("change", (event) => {
    const form = event.target instanceof Element ? event.target.closest("form[data-auto-submit]") : null;
    if (form) form.requestSubmit();
  });
})();
