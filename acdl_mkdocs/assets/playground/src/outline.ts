/** What is in the text, as nested lists of links into it. */

import { button, make } from "./dom";
import type { SymbolOf } from "./engine_types";

export function outline(symbols: readonly SymbolOf[], onChoose: (from: number, to: number) => void): HTMLElement {
  const list = make("ul", { class: "outline" });
  for (const each of symbols) {
    const name = button(each.name, () => onChoose(each.nameFrom, each.nameTo), { class: "go" });
    const item = make("li", {}, name);
    if (each.detail) item.append(" ", make("span", { class: "quiet" }, each.detail));
    if (each.children.length) item.append(outline(each.children, onChoose));
    list.append(item);
  }
  return list;
}
