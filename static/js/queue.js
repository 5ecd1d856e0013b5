/* Ticking rows of the queue: all of a page, a stretch with Shift, and from row to row by key. Without it, boxes are ticked one by one. */
"use strict";

(() => {
  const boxes = () => [...document.querySelectorAll("input[name=c]")];
  let last = null;

  function count() {
    const ticked = boxes().filter((box) => box.checked).length;
    const said = document.querySelector("[data-ticked]");
    if (said) said.textContent = "(" + ticked + ")";
    const all = document.querySelector("[data-tick-all]");
    if (all) {
      all.checked = ticked > 0 && ticked === boxes().length;
      all.indeterminate = ticked > 0 && !all.checked;
    }
    const scope = document.querySelector("input[name=scope][value=ticked]");
    return { ticked, scope };
  }

  document.addEventListener("click", (event) => {
    const target = event.target instanceof Element ? event.target : null;
    if (!target) return;
    if (target.matches("[data-tick-all]")) {
      for (const box of boxes()) box.checked = target.checked;
      const { ticked, scope } = count();
      if (ticked && scope) scope.checked = true;
    }
    if (target.matches("input[name=c]")) {
      const known = boxes();
      if (event.shiftKey && last && known.includes(last)) {
        const [from, to] = [known.indexOf(last), known.indexOf(target)].sort((a, b) => a - b);
        for (const box of known.slice(from, to + 1)) box.checked = target.checked;
      }
      last = target;
      const { scope } = count();
      if (scope) scope.checked = true;
    }
    const mover = target.closest("[data-row]");
    if (mover) {
      const known = boxes();
      const at = known.indexOf(document.activeElement instanceof Element && document.activeElement.matches("input[name=c]") ? document.activeElement : last);
      const to = known[Math.max(0, Math.min(known.length - 1, at < 0 ? 0 : at + Number(mover.dataset.row)))];
      if (to) {
        last = to;
        to.focus();
        to.scrollIntoView({ block: "nearest" });
      }
    }
  });
  document.addEventListener("DOMContentLoaded", () => {
    const all = document.querySelector("[data-tick-all]");
    if (all) all.hidden = false;
    count();
  });
})();
