/* Says that the effect beside a draft is that of an earlier draft, once something is typed. */
"use strict";

(() => {
  let tried = null;
  const form = () => document.querySelector("form[data-policy-form]");
  const typed = () => {
    const left = ["csrfmiddlewaretoken", "new_field", "reason", "seen_name", "seen_number"];
    return JSON.stringify([...new FormData(form())].filter(([name]) => !left.includes(name)));
  };
  const compare = () => {
    const note = document.querySelector("[data-effect-stale]");
    if (note && form() && tried !== null) note.hidden = tried === typed();
  };
  document.addEventListener("DOMContentLoaded", () => {
    if (form() && document.querySelector("[data-effect-stale]")) tried = typed();
  });
  document.addEventListener("htmx:beforeRequest", (event) => {
    const element = event.detail.elt;
    if (element instanceof HTMLButtonElement && element.value === "try" && form()) tried = typed();
  });
  document.addEventListener("input", compare);
  document.addEventListener("change", compare);
  document.addEventListener("htmx:afterSwap", (event) => {
    compare();
    // On a small screen the effect stands below the draft: who asked for it is taken there.
    const asked = event.detail.requestConfig && event.detail.requestConfig.elt;
    const effect = document.getElementById("effect");
    if (asked instanceof HTMLButtonElement && asked.value === "try" && effect && effect.getBoundingClientRect().top > window.innerHeight * 0.8) effect.scrollIntoView();
  });
})();
