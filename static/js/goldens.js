/* The workbench: the list and the conversation follow the turn in the form; selected words become a claim. */
"use strict";

(() => {
  const mark = (elements, isCurrent) => {
    for (const el of elements) {
      if (isCurrent(el)) el.setAttribute("aria-current", "true");
      else el.removeAttribute("aria-current");
    }
  };

  const isWide = () => window.matchMedia("(min-width: 821px)").matches;

  function show(turn, { scroll }) {
    const wanted = String(turn);
    mark(document.querySelectorAll("#turns a[data-turn]"), (el) => el.dataset.turn === wanted);
    const entry = document.querySelector("#turns a[aria-current]");
    if (entry && scroll) entry.scrollIntoView({ block: "nearest", inline: "nearest" });
    for (const field of document.querySelectorAll("[data-current-turn]")) field.value = wanted;
    let message = null;
    for (const el of document.querySelectorAll("#conversation .msg")) {
      const isCurrent = el.dataset.messageTurn === wanted;
      el.classList.toggle("current", isCurrent);
      if (isCurrent) message = el;
    }
    // On a small screen the form comes before the conversation: there the form stays in view.
    if (message && scroll && isWide()) message.scrollIntoView({ block: "center" });
  }

  document.addEventListener("turnShown", (event) => {
    const { turn } = event.detail;
    const changed = new URLSearchParams(location.search).get("turn") !== String(turn);
    history.replaceState(null, "", "?turn=" + turn);
    for (const said of document.querySelectorAll("main > .messages")) said.remove();
    show(turn, { scroll: changed });
    if (changed) {
      const card = document.getElementById("turn");
      card.parentElement.scrollTop = 0;
      if (!isWide()) card.scrollIntoView({ block: "start" });
    }
  });

  document.addEventListener("DOMContentLoaded", () => {
    const current = document.getElementById("current");
    if (current && current.value) show(current.value, { scroll: new URLSearchParams(location.search).has("turn") });
  });

  // A list that was loaded again marks the turn of its request; the form may be further by now.
  document.addEventListener("htmx:afterSwap", (event) => {
    if (event.target.id === "turns" || event.detail.elt.id === "turns") {
      const current = document.getElementById("current");
      if (current && current.value) show(current.value, { scroll: false });
    }
  });

  // After a turn was shown, keys work at once and a screen reader says where one is; a field that asks for it comes first.
  // The field that a complaint stands beside.
  function fieldOf(complaint) {
    const fields = "input:not([type=hidden]), select, textarea";
    const invalid = complaint.parentElement.querySelector("[aria-invalid=true]");
    const before = complaint.previousElementSibling;
    return invalid || (before && (before.matches(fields) ? before : before.querySelector(fields)));
  }

  // A choice that draws the form anew keeps its place in it.
  let chosen = "";
  document.addEventListener("change", (event) => {
    const el = event.target;
    chosen = el instanceof HTMLSelectElement && el.hasAttribute("hx-post") ? el.name : "";
  });
  document.addEventListener("htmx:afterSettle", (event) => {
    const card = event.detail.elt.id === "turn" ? event.detail.elt : null;
    if (!card) return;
    const refusal = card.querySelector(".errorlist");
    const wrong = refusal && fieldOf(refusal);
    const place = chosen && card.querySelector('select[name="' + CSS.escape(chosen) + '"]');
    chosen = "";
    if (refusal) {
      refusal.scrollIntoView({ block: "center" });
      if (wrong) wrong.focus({ preventScroll: true });
      return;
    }
    if (card.contains(document.activeElement)) return;
    const target = place || card.querySelector("[data-focus]");
    if (target) target.focus({ preventScroll: true });
  });

  // Handing in asks first where turns were not looked at, by the numbers as they are now.
  document.addEventListener(
    "click",
    (event) => {
      const submit = event.target instanceof Element ? event.target.closest("#submit") : null;
      const { done, of, open } = (document.getElementById("turns") || document.body).dataset;
      if (!submit || done === undefined) return;
      const left = [];
      if (Number(done) < Number(of)) left.push(say("You have saved {done} of {of} turns.", { done, of }));
      if (Number(open) === 1) left.push(say("1 suggestion is still open."));
      else if (Number(open) > 1) left.push(say("{open} suggestions are still open.", { open }));
      if (left.length) submit.dataset.confirm = [...left, say("Submit all the same?")].join(" ");
      else delete submit.dataset.confirm;
    },
    true,
  );

  // A folded part that a key has opened is worked at once.
  document.addEventListener("click", (event) => {
    const summary = event.target instanceof Element ? event.target.closest("summary[data-opens]") : null;
    if (!summary) return;
    const byKey = event.detail === 0 && document.activeElement !== summary;
    if (summary.parentElement.open && !byKey) return; // it is being closed
    if (summary.parentElement.open) event.preventDefault();
    setTimeout(() => document.getElementById(summary.dataset.opens).focus());
  });

  // Another accepted value goes to the parameter in which the cursor last was, else to the first that lists values.
  let lastParam = {};
  const openTurn = () => document.getElementById("current").value;
  const nameIn = (card) => (card.querySelector("input.name") || {}).value;
  const remember = (event) => {
    const card = event.target instanceof Element ? event.target.closest("#turn-form fieldset.param") : null;
    if (card) lastParam = { card, name: nameIn(card), turn: openTurn() };
  };
  document.addEventListener("focusin", remember);
  document.addEventListener("input", remember);
  document.addEventListener(
    "click",
    (event) => {
      const button = event.target instanceof Element ? event.target.closest("[data-value-button]") : null;
      if (!button) return;
      const cards = [...button.form.querySelectorAll("fieldset.param")];
      const { card, name } = lastParam.turn === openTurn() ? lastParam : {};
      const wanted = cards.find((el) => el === card) || cards.find((el) => name && nameIn(el) === name);
      const add = (wanted || button.form).querySelector('fieldset.param button[value^="add-value:"]');
      if (add) button.value = add.value;
      else event.preventDefault(); // it comes from a result, or may be anything: no value is listed there
    },
    true,
  );

  // Words selected in the conversation or in the expected reply become the claim. The press of a mouse button takes
  // the selection away, so it is read before.
  function selectedWords(source) {
    const selection = window.getSelection();
    const conversation = document.getElementById("conversation");
    const inConversation = conversation && selection.anchorNode && conversation.contains(selection.anchorNode);
    const read = inConversation ? selection.toString() : "";
    const typed = source ? source.value.slice(source.selectionStart, source.selectionEnd) : "";
    return (read.trim() || typed).replace(/\s+/g, " ").trim();
  }
  let pressed = null;
  const claimButton = (event) => (event.target instanceof Element ? event.target.closest("[data-claim-button]") : null);
  document.addEventListener(
    "pointerdown",
    (event) => {
      const button = claimButton(event);
      pressed = button ? selectedWords(button.form.querySelector("[data-claim-source]")) : null;
    },
    true,
  );
  document.addEventListener(
    "click",
    (event) => {
      const button = claimButton(event);
      if (!button) return;
      button.value = "add-claim:" + (pressed || selectedWords(button.form.querySelector("[data-claim-source]")));
      pressed = null;
    },
    true,
  );
})();
