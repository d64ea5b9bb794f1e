/** Light, dark, or as the system prefers. */

import { byId } from "./dom";
import { recall, remember } from "./memory";

const NAME = "acdl-playground-theme";

export function theme(): void {
  const choice = byId<HTMLSelectElement>("theme");
  const follow = (wanted: string): void => {
    if (wanted === "light" || wanted === "dark") document.documentElement.dataset["theme"] = wanted;
    else delete document.documentElement.dataset["theme"];
  };
  const known = recall(NAME) ?? "auto";
  choice.value = known;
  follow(known);
  choice.addEventListener("change", () => {
    follow(choice.value);
    remember(NAME, choice.value);
  });
}
