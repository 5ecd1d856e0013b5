/* Merging goldens: a key that is pressed while an answer is on its way waits for it, and then presses what stands there. */
"use strict";

(() => {
  const waiting = [];
  let left = 0;
  const isTyping = (el) => el instanceof Element && el.matches("textarea, select, input:not([type=checkbox]):not([type=radio])");

  document.addEventListener("htmx:beforeRequest", () => left++);
  document.addEventListener("htmx:afterRequest", () => {
    left = Math.max(0, left - 1);
    setTimeout(next); // once the answer stands in the page
  });

  function next() {
    if (left || !waiting.length) return;
    const { key, code } = waiting.shift();
    document.body.dispatchEvent(new KeyboardEvent("keydown", { key, code, bubbles: true, cancelable: true }));
    setTimeout(next);
  }

  document.addEventListener("keydown", (event) => {
    if (!left || !event.isTrusted || event.ctrlKey || event.altKey || event.metaKey || isTyping(event.target)) return;
    if ([...event.key].length !== 1 || event.key === " ") return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (!event.repeat) waiting.push({ key: event.key, code: event.code });
  }, true);
})();
