/* Checks while somebody types: hints go beside their fields, the sum into the bar with the buttons, and a check that fails says nothing over what is typed. */
"use strict";

(() => {
  const isQuiet = (event) => event.target instanceof Element && event.target.hasAttribute("data-quiet");

  // The banner is about saving. A check in the background neither shows nor hides it; only a lost session is told.
  for (const name of ["htmx:sendError", "htmx:responseError", "htmx:afterRequest"])
    document.addEventListener(
      name,
      (event) => {
        if (!isQuiet(event)) return;
        const status = event.detail.xhr ? event.detail.xhr.status : 0;
        if (name === "htmx:responseError" && status === 401) return;
        event.stopPropagation();
        if (name !== "htmx:afterRequest") tell(status);
      },
      true,
    );

  function tell(status) {
    const box = document.getElementById("try");
    if (!box) return;
    const note = document.createElement("p");
    note.className = "pad muted";
    note.textContent = status ? say("This could not be checked ({status}). Saving works all the same.", { status }) : say("Not checked: the server cannot be reached.");
    box.replaceChildren(note);
  }

  // What the golden is compared with stays as it was chosen.
  document.addEventListener("htmx:configRequest", (event) => {
    const chosen = isQuiet(event) && document.querySelector("#try input[name=against]");
    if (chosen) event.detail.parameters.against = chosen.value;
  });

  // What was found goes to its place in the form that was checked; the fields themselves are left alone.
  document.addEventListener("htmx:afterSwap", (event) => {
    const box = event.target instanceof Element && event.target.id === "try" ? event.target : null;
    if (!box) return;
    const line = box.querySelector("[data-line]");
    const bar = document.querySelector("[data-check-line]");
    if (line && bar && bar.textContent.trim() !== line.textContent.trim()) bar.replaceChildren(...line.childNodes);
    if (line) line.remove();
    const found = box.querySelector("[data-hints]");
    if (!found) return;
    const current = document.getElementById("current");
    if (found.dataset.hints === (current && current.value ? current.value : "whole"))
      for (const hint of found.children) {
        const place = document.getElementById("hint-" + hint.dataset.hint);
        if (place && place.innerHTML !== hint.innerHTML) place.replaceChildren(...hint.childNodes);
      }
    found.remove();
  });
})();
