/** Keys of the whole page, and the list of them. */

import { byId, make } from "./dom";

export interface Key {
  /** As `KeyboardEvent.key`, in lower case, after `mod-`, `shift-` and `alt-`. `mod` is Ctrl, or Cmd on a Mac. */
  keys: string[];
  what: string;
  /** `false`: there was nothing to do, and the browser does what it always does. */
  run?: () => boolean | void;
}

const IS_MAC = /Mac|iP(hone|ad)/.test(navigator.platform);

function pressed(event: KeyboardEvent): string {
  const hasMod = IS_MAC ? event.metaKey : event.ctrlKey;
  // Alt changes the letter on a Mac: the key is meant.
  const key = event.altKey && event.code.startsWith("Key") ? event.code.slice(3) : event.key;
  const isSign = key.length === 1 && key.toLowerCase() === key.toUpperCase();
  return `${hasMod ? "mod-" : ""}${event.shiftKey && !isSign ? "shift-" : ""}${event.altKey ? "alt-" : ""}${key.toLowerCase()}`;
}

function isTyping(event: KeyboardEvent): boolean {
  const target = event.composedPath()[0];
  return target instanceof HTMLElement && (target.isContentEditable || target.matches("input:not([type=checkbox]), textarea, select"));
}

export function keys(known: readonly Key[]): void {
  window.addEventListener("keydown", (event) => {
    const said = pressed(event);
    if (said.length === 1 && isTyping(event)) return;
    const key = known.find((each) => each.run && each.keys.includes(said));
    if (!key?.run || key.run() === false) return;
    event.preventDefault();
    event.stopPropagation();
  }, { capture: true });
  byId("keys-list").replaceChildren(...known.flatMap((each) => [
    make("dt", {}, ...each.keys.flatMap((name, index) => [index ? " or " : "", make("kbd", {}, spelled(name))])),
    make("dd", {}, each.what),
  ]));
}

function spelled(name: string): string {
  const parts = name === "-" ? ["-"] : name.split("-");
  return parts.map((part) => (part === "mod" ? (IS_MAC ? "⌘" : "Ctrl") : part.length === 1 ? part.toUpperCase() : part[0]!.toUpperCase() + part.slice(1))).join(" + ");
}
