/** The list of problems below the text, and their number in words. */

import { button, later, make, plural, say, spoken } from "./dom";
import { ruleOf } from "./editor_ask";
import type { Action, Problem, StateProblem } from "./engine_types";

export interface Listed {
  where: "spec" | "state";
  line: number;
  problem: (Problem | StateProblem) & { url?: string; actions?: Action[] };
}

export interface ProblemsOptions {
  list: HTMLElement;
  title: HTMLButtonElement;
  counts: HTMLElement;
  onChoose: (listed: Listed) => void;
  onFix: (action: Action) => void;
}

const REST_MS = 1000; // how many there are is read out when someone stops to think, not at each key
const SIGNS = { error: "✕", warning: "!", info: "i" };

export class Problems {
  private shown = "";
  private listed: readonly Listed[][] = [];
  private readonly tellLater = later(() => say(this.options.counts, this.options.title.textContent ?? ""), REST_MS);

  constructor(private readonly options: ProblemsOptions) {
    const { title, list } = options;
    title.addEventListener("click", () => {
      const isOpen = title.getAttribute("aria-expanded") !== "true";
      title.setAttribute("aria-expanded", String(isOpen));
      list.hidden = !isOpen;
    });
  }

  show(listed: readonly Listed[]): void {
    const key = JSON.stringify(listed);
    if (key === this.shown) return; // focus stays where it is
    this.shown = key;
    this.listed = folded(listed);
    this.options.title.textContent = count(this.listed.map(([first]) => first!));
    this.tellLater();
    this.options.list.replaceChildren(...this.listed.map((each) => this.item(each)));
  }

  /** Go to the first button of the problem at that place: its fix, if it has one. */
  focusAt(at: number): boolean {
    const index = this.listed.findIndex((each) => each.some(({ where, problem }) => where === "spec" && problem.from <= at && at <= problem.to));
    const item = this.options.list.children[index];
    if (!item) return false;
    this.options.list.hidden = false;
    this.options.title.setAttribute("aria-expanded", "true");
    (item.querySelector<HTMLElement>(".fix") ?? item.querySelector<HTMLElement>("button"))?.focus();
    return true;
  }

  private item([listed, ...others]: Listed[]): HTMLElement {
    if (!listed) return make("li");
    const { problem, line, where } = listed;
    const place = where === "state" ? `State, line ${line}` : `Line ${line}`;
    const go = button("", () => this.options.onChoose(listed), { class: "go" });
    go.append(
      make("span", { class: "sign", "aria-hidden": "true" }, SIGNS[problem.severity]),
      make("span", { class: "quiet" }, `${place}: `),
      make("span", { class: "hidden" }, `${problem.severity}: `),
      ...spoken(problem.message),
    );
    const item = make("li", { class: problem.severity }, go, " ", ruleOf(problem));
    for (const action of problem.actions ?? []) {
      const fix = button("", () => this.options.onFix(action), { class: "fix" });
      fix.append(...spoken(action.title));
      item.append(" ", fix);
    }
    for (const help of problem.help) item.append(make("p", { class: "help" }, ...spoken(help)));
    if (others.length) {
      const messages = others.map(({ problem: { message } }) => make("p", {}, ...spoken(message)));
      item.append(make("details", { class: "help" }, make("summary", {}, `${others.length} more like this`), ...messages));
    }
    return item;
  }
}

/** Those of one rule about the same words, as a step of a loop has them at each point, belong together. */
function folded(listed: readonly Listed[]): Listed[][] {
  const groups = new Map<string, Listed[]>();
  for (const each of listed) {
    const { where, problem: { from, to, name, severity, actions } } = each;
    const key = actions?.length ? String(groups.size) : JSON.stringify([where, from, to, name, severity]);
    const group = groups.get(key);
    if (group) group.push(each);
    else groups.set(key, [each]);
  }
  return [...groups.values()];
}

function count(listed: readonly Listed[]): string {
  const number = (severity: string): number => listed.filter(({ problem }) => problem.severity === severity).length;
  const parts = [
    number("error") ? plural(number("error"), "error") : "",
    number("warning") ? plural(number("warning"), "warning") : "",
    number("info") ? plural(number("info"), "note") : "",
  ].filter(Boolean);
  return parts.join(", ") || "No problems";
}
