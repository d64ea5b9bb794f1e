/** Short messages above the text, each with what can be done about it; read out politely. */

import { button, byId, make } from "./dom";
import { Refused } from "./engine_client";

export interface Choice {
  label: string;
  run: () => void;
}

const SHORT_MS = 4000;
/** What went wrong stays until someone has read it, and so does the proof of an inferred spec. */
const STAYING = ["failed", "link", "unkept", "inferred"];

/** Say something; one of a sort at a time. Without a choice it goes away by itself, unless it says what went wrong. */
export function notice(sort: string, words: string, ...choices: Choice[]): void {
  const isStaying = STAYING.includes(sort);
  const before = shown(sort);
  if (isStaying && before?.firstChild?.textContent === words) return;
  before?.remove();
  const box = make("p", { class: "notice", "data-sort": sort }, words);
  const close = (): void => box.remove();
  for (const { label, run } of choices) {
    box.append(" ", button(label, () => {
      close();
      run();
    }));
  }
  if (choices.length || isStaying) box.append(" ", button("×", close, { "aria-label": "Dismiss", class: "close" }));
  else window.setTimeout(close, SHORT_MS);
  byId("notices").append(box);
}

export function dismiss(sort: string): void {
  shown(sort)?.remove();
}

export function isShown(sort: string): boolean {
  return shown(sort) !== null;
}

function shown(sort: string): Element | null {
  return byId("notices").querySelector(`[data-sort="${sort}"]`);
}

/** Why something could not be done, with the cure if one is known. */
export function reason(problem: unknown): string {
  if (problem instanceof Refused && problem.refusal.cure) return `${problem.message}; ${problem.refusal.cure}`;
  return problem instanceof Error ? problem.message : String(problem);
}
