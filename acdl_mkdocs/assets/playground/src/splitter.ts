/** The bar between two panes: dragged, or moved by arrow keys; how wide the first is, is remembered. */

import { recall, remember } from "./memory";

const NAME = "acdl-playground-split";
const STEP_PERCENT = 2;

export function splitter(bar: HTMLElement, panes: HTMLElement): void {
  const least = Number(bar.getAttribute("aria-valuemin"));
  const most = Number(bar.getAttribute("aria-valuemax"));
  let share = 45;

  const move = (wanted: number): void => {
    share = Math.min(most, Math.max(least, wanted));
    panes.style.setProperty("--share", `${share}%`);
    bar.setAttribute("aria-valuenow", String(Math.round(share)));
    bar.setAttribute("aria-valuetext", `${Math.round(share)} %`);
  };

  move(Number(recall(NAME)) || share);
  bar.addEventListener("keydown", (event) => {
    const wanted = { ArrowLeft: share - STEP_PERCENT, ArrowRight: share + STEP_PERCENT, Home: least, End: most }[event.key];
    if (wanted === undefined) return;
    event.preventDefault();
    move(wanted);
    remember(NAME, String(share));
  });
  bar.addEventListener("pointerdown", (event) => {
    event.preventDefault();
    bar.setPointerCapture(event.pointerId);
    bar.focus();
  });
  bar.addEventListener("pointermove", (event) => {
    if (!bar.hasPointerCapture(event.pointerId)) return;
    const { left, width } = panes.getBoundingClientRect();
    move(((event.clientX - left) / width) * 100);
  });
  bar.addEventListener("pointerup", () => remember(NAME, String(share)));
  bar.addEventListener("dblclick", () => {
    move(45);
    remember(NAME, String(share));
  });
}
