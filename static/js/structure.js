/* What builds on what: picking a value and what uses it, choosing turns whose order is free, arcs, and what is at hand. */
"use strict";

(() => {
  document.documentElement.classList.add("js");
  const byId = (id) => document.getElementById(id);
  const isElement = (target) => target instanceof Element;
  const current = () => (byId("current") ? byId("current").value : "");

  // --- the list follows the turn in the form: its arcs stand out, and the key chooses its box -------------------------
  function follow() {
    const now = current();
    for (const arc of document.querySelectorAll("#turns .arcs [data-ends]")) arc.classList.toggle("on", arc.dataset.ends.split(" ").includes(now));
    for (const box of document.querySelectorAll("#turns input[name=turns]")) {
      if (box.value === now) {
        box.dataset.key = box.dataset.key || keyOfChoice();
        box.dataset.keyLabel = say("Choose this turn, for the order");
      } else {
        delete box.dataset.key;
      }
    }
    const pick = byId("pick");
    if (pick && now) pick.action = pick.dataset.turns + now + "/values/";
    for (const link of document.querySelectorAll("a[data-hand]")) {
      const url = new URL(link.href);
      if (now) url.searchParams.set("turn", now);
      link.href = url.pathname + url.search;
    }
  }
  let choiceKey = "";
  function keyOfChoice() {
    return choiceKey || ".";
  }
  document.addEventListener("DOMContentLoaded", () => {
    const box = document.querySelector("#turns input[name=turns][data-key]");
    if (box) choiceKey = box.dataset.key;
    follow();
  });
  document.addEventListener("turnShown", follow);
  document.addEventListener("htmx:afterSettle", (event) => {
    if (event.detail.elt.id === "turns") follow();
  });

  // --- choosing turns: a span with Shift, or one dragged onto another -------------------------------------------------
  const boxOf = (pk) => document.querySelector('#turns input[name=turns][value="' + CSS.escape(pk) + '"]');
  const boxes = () => [...document.querySelectorAll("#turns input[name=turns]")];
  let anchor = "";
  document.addEventListener(
    "click",
    (event) => {
      const row = isElement(event.target) ? event.target.closest("#turns .turnlist li") : null;
      const box = row && row.querySelector("input[name=turns]");
      if (!box) return;
      if (!event.shiftKey) {
        anchor = box.value;
        return;
      }
      const all = boxes();
      const from = all.indexOf(boxOf(anchor || current()) || box);
      const to = all.indexOf(box);
      for (const one of all.slice(Math.min(from, to), Math.max(from, to) + 1)) one.checked = true;
      if (event.target !== box) {
        event.preventDefault();
        event.stopImmediatePropagation();
        getSelection().removeAllRanges();
      }
    },
    true,
  );
  // A list that is loaded again after a save keeps what was chosen meanwhile; and it does not come in the way of the
  // answer to a change of the order that was asked for since, which is a newer list.
  let kept = [];
  let isOrdering = false;
  const isOrder = (event) => event.detail.requestConfig.path.endsWith("/order/");
  document.addEventListener("htmx:beforeSend", (event) => {
    if (isOrder(event)) isOrdering = true;
  });
  document.addEventListener("htmx:afterRequest", (event) => {
    if (isOrder(event)) isOrdering = false;
  });
  document.addEventListener("htmx:beforeSwap", (event) => {
    if (event.detail.target.id !== "turns") return;
    if (!isOrder(event) && isOrdering) event.detail.shouldSwap = false;
    kept = isOrder(event) ? [] : boxes().filter((box) => box.checked).map((box) => box.value);
  });
  document.addEventListener("htmx:afterSwap", (event) => {
    if (event.detail.target.id !== "turns" && event.detail.elt.id !== "turns") return;
    for (const box of boxes()) box.checked = box.checked || kept.includes(box.value);
    kept = [];
  });
  let dragged = "";
  const entryOf = (event) => (isElement(event.target) ? event.target.closest("#turns a[data-turn]") : null);
  const clearDrop = () => {
    for (const el of document.querySelectorAll("#turns .drop-here")) el.classList.remove("drop-here");
  };
  document.addEventListener("dragstart", (event) => {
    const entry = entryOf(event);
    dragged = entry && boxOf(entry.dataset.turn) ? entry.dataset.turn : "";
    if (dragged) event.dataTransfer.effectAllowed = "link";
  });
  document.addEventListener("dragover", (event) => {
    const entry = dragged ? entryOf(event) : null;
    clearDrop();
    if (!entry || entry.dataset.turn === dragged || !boxOf(entry.dataset.turn)) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = "link";
    entry.classList.add("drop-here");
  });
  document.addEventListener("drop", (event) => {
    const entry = dragged ? entryOf(event) : null;
    if (!entry || entry.dataset.turn === dragged) return;
    event.preventDefault();
    for (const one of boxes()) one.checked = one.value === dragged || one.value === entry.dataset.turn;
    document.querySelector('#order button[value="free"]').click();
  });
  document.addEventListener("dragend", () => {
    clearDrop();
    dragged = "";
  });

  // The open turn was put into a group, or out of one: what is typed in it is kept, and saved under the new revision.
  document.addEventListener("turnMoved", (event) => {
    const { turn, revision, group } = event.detail;
    const form = byId("turn-form");
    if (!form || current() !== String(turn)) return;
    const status = form.querySelector("[data-save-status]");
    const isTyped = status && status.classList.contains("unsaved");
    form.querySelector("[name=revision]").value = revision;
    const field = form.querySelector("[name=group]");
    if (field) field.value = group;
    const url = form.getAttribute("action");
    if (isTyped) window.htmx.ajax("POST", url, { source: form, target: "#turn", swap: "outerHTML", values: { do: "render" } });
    else window.htmx.ajax("GET", url, { target: "#turn", swap: "outerHTML" });
  });

  // --- a value, then what uses it -------------------------------------------------------------------------------------
  document.addEventListener("submit", (event) => {
    if (!(event.target instanceof HTMLFormElement) || event.target.id !== "pick" || !byId("values")) return;
    event.preventDefault();
    const button = event.submitter;
    const url = (button && button.getAttribute("formaction")) || event.target.action;
    const values = button && button.name ? { [button.name]: button.value } : {};
    const form = byId("turn-form");
    // What is typed in the form goes along: the fields that stand there now may use the value.
    const isOpen = form && url.includes("/turns/" + current() + "/");
    const source = isOpen ? { source: form } : {};
    window.htmx.ajax(isOpen ? "POST" : "GET", url, { ...source, target: "#values-body", swap: "outerHTML", values });
  });
  document.addEventListener("htmx:afterSettle", (event) => {
    if (event.detail.elt.id !== "values-body") return;
    const dialog = byId("values");
    if (!dialog.open) dialog.showModal();
    const search = dialog.querySelector("input[type=search]");
    const first = dialog.querySelector("[data-digit]");
    (first || search || dialog.querySelector("[data-focus]")).focus();
    dialog.scrollTop = 0;
  });
  document.addEventListener("click", (event) => {
    const choice = isElement(event.target) ? event.target.closest("#values [data-take]") : null;
    if (!choice || choice.dataset.turn !== current() || !byId("turn-form")) return;
    event.preventDefault();
    byId("values").close();
    const form = byId("turn-form");
    const button = document.createElement("button");
    button.name = "do";
    button.value = "take-value:" + choice.dataset.take;
    button.hidden = true;
    form.append(button);
    button.click();
  });
  document.addEventListener("keydown", (event) => {
    const dialog = byId("values");
    if (!dialog || !dialog.open || event.ctrlKey || event.altKey || event.metaKey || window.aem.isTyping(event.target)) return;
    const choice = /^[1-9]$/.test(event.key) ? dialog.querySelector('[data-digit="' + event.key + '"]') : null;
    if (!choice) return;
    event.preventDefault();
    choice.click();
  });
  document.addEventListener("input", (event) => {
    const list = isElement(event.target) && event.target.dataset.filter ? document.querySelector(event.target.dataset.filter) : null;
    if (!list) return;
    const wanted = event.target.value.trim().toLowerCase();
    for (const item of list.querySelectorAll("li")) item.hidden = !item.textContent.toLowerCase().includes(wanted);
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !isElement(event.target) || !event.target.dataset.filter) return;
    event.preventDefault();
    const found = document.querySelector(event.target.dataset.filter + " li:not([hidden]) button");
    if (found) found.click();
  });

  // --- at hand: one part beside the conversation, opened and closed by its key, found again where it was left ----------
  const store = (name, value) => {
    try {
      if (value === undefined) return sessionStorage.getItem("aem-hand:" + name);
      if (value === null) sessionStorage.removeItem("aem-hand:" + name);
      else sessionStorage.setItem("aem-hand:" + name, value);
    } catch {
      /* storage forbidden: it opens at its beginning */
    }
    return null;
  };
  const golden = () => byId("hand").dataset.golden;
  function closeHand() {
    const hand = byId("hand");
    const part = hand.dataset.part;
    store(golden(), null);
    const empty = document.createElement("section");
    empty.id = "hand";
    empty.hidden = true;
    empty.dataset.golden = hand.dataset.golden;
    const hadFocus = hand.contains(document.activeElement);
    hand.replaceWith(empty);
    mark();
    const button = hadFocus && document.querySelector('a[data-hand="' + part + '"]');
    if (button) button.focus({ preventScroll: true });
    const url = new URL(location.href);
    url.searchParams.delete("hand");
    history.replaceState(null, "", url.pathname + url.search);
  }
  function mark() {
    const part = byId("hand").dataset.part;
    for (const link of document.querySelectorAll("a[data-hand]")) {
      if (link.dataset.hand === part) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
  }
  let wantsFocus = false;
  document.addEventListener(
    "click",
    (event) => {
      const link = isElement(event.target) ? event.target.closest("a[data-hand], a[data-hand-close]") : null;
      if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
      if (!link.dataset.hand || link.dataset.hand === byId("hand").dataset.part) {
        event.preventDefault();
        event.stopImmediatePropagation();
        closeHand();
      } else {
        wantsFocus = true;
      }
    },
    true,
  );
  function settle() {
    const body = document.querySelector("#hand .hand-body");
    mark();
    if (!body) return;
    const { part } = byId("hand").dataset;
    store(golden(), part);
    const place = Number(store(golden() + ":" + part));
    const wanted = body.querySelector("details[open] .chip.info");
    if (place) body.scrollTop = place;
    else if (wanted) body.scrollTop = wanted.closest("details").offsetTop - body.offsetTop - 8;
    if (wantsFocus) body.focus({ preventScroll: true });
    wantsFocus = false;
  }
  document.addEventListener("htmx:afterSettle", (event) => {
    if (event.detail.elt.id === "hand") settle();
  });
  document.addEventListener(
    "scroll",
    (event) => {
      if (isElement(event.target) && event.target.classList.contains("hand-body")) {
        store(golden() + ":" + byId("hand").dataset.part, String(Math.round(event.target.scrollTop)));
      }
    },
    true,
  );
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && isElement(event.target) && event.target.closest("#hand")) closeHand();
  });
  document.addEventListener("DOMContentLoaded", () => {
    if (!byId("hand")) return;
    if (byId("hand").dataset.part) {
      settle();
      return;
    }
    const part = store(golden());
    const link = part && document.querySelector('a[data-hand="' + CSS.escape(part) + '"]');
    if (link) window.htmx.ajax("GET", link.getAttribute("hx-get"), { target: "#hand", swap: "outerHTML", values: { current: current() } });
  });
})();
