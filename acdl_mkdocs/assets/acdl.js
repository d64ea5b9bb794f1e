// Conveniences for ACDL figures: every use of a name lights up with it, and comments can be hidden.
// Everything hangs on events of the document, so pages that load by instant navigation need nothing more.
(() => {
  "use strict";
  const NAMES = ".acdl-r, .acdl-l, .acdl-i, .acdl-f";
  // A name as the language reads it: letters of any script, and the joiners that some need inside.
  const NAME = /[@$]?[\p{L}\p{Nl}_][\p{L}\p{M}\p{N}_\u200c\u200d]*/u;
  const named = (node) => (NAME.exec(node.textContent) || [""])[0];
  let lit = [];

  const clear = () => {
    for (const node of lit) node.classList.remove("acdl-lit");
    lit = [];
  };

  const light = (event) => {
    clear();
    const target = event.target instanceof Element ? event.target : null;
    const figure = target && target.closest("svg.acdl-svg");
    if (!figure) return;
    const node = target.closest(NAMES) || (target.closest("a") && target.closest("a").querySelector(NAMES));
    const name = node && named(node);
    if (!name) return;
    lit = [...figure.querySelectorAll(NAMES)].filter((other) => named(other) === name);
    for (const other of lit) other.classList.add("acdl-lit");
  };

  const offer = (event) => {
    const target = event.target instanceof Element ? event.target : null;
    const figure = target && target.closest("figure.acdl");
    if (!figure || figure.querySelector(".acdl-fold") || !figure.querySelector("svg .acdl-c")) return;
    const button = document.createElement("button");
    button.type = "button";
    button.className = "acdl-fold";
    button.textContent = "//";
    button.title = "Hide or show comments";
    button.setAttribute("aria-label", "Hide comments");
    button.setAttribute("aria-pressed", "false");
    figure.prepend(button);
  };

  const fold = (event) => {
    const button = event.target instanceof Element ? event.target.closest("button.acdl-fold") : null;
    if (!button) return;
    const isFolded = button.closest("figure.acdl").classList.toggle("acdl-folded");
    button.setAttribute("aria-pressed", String(isFolded));
  };

  document.addEventListener("pointerover", (event) => { light(event); offer(event); });
  document.addEventListener("focusin", (event) => { light(event); offer(event); });
  document.addEventListener("focusout", clear);
  document.addEventListener("click", fold);
})();
