/** Asks the engine whenever something has changed, and gives the answers to the panels that are seen.
 *
 * The figure follows each key; what is beside it follows when the fingers rest.
 */

import { byId, later, make } from "./dom";
import { Stopped, Superseded } from "./engine_client";
import { shown, type Asking, type Engine } from "./editor_ask";
import { setColours } from "./editor_marks";
import type { Action, Look, Method, Methods, Problem, Settings, StateProblem } from "./engine_types";
import { Figure, framed } from "./figure";
import { notice, reason } from "./notices";
import { outline } from "./outline";
import { CodePoints } from "./positions";
import { Problems, type Listed } from "./problems";
import { Sent } from "./sent";
import type { Name, Texts } from "./texts";

const REST_MS = 120;

export interface WorkOptions {
  engine: Engine;
  texts: Texts;
  site: { ruleUrl: string };
  /** Show a text to the reader: its tab, on narrow screens its part of the page. */
  reveal: (name: Name) => void;
}

export class Work {
  private readonly figure: Figure;
  private readonly sent: Sent;
  private readonly problems: Problems;
  private readonly lookLater = later(() => this.beside(), REST_MS);
  private view = "tab-figure";
  private drawn = "";
  private drawnText: string | null = null;
  private places = new CodePoints("");
  private inText: Problem[] = [];
  private listedText: string | null = null;
  private inState: StateProblem[] = [];
  private readonly stopped = new Map<Method, { asked: string; why: Stopped }>();

  constructor(private readonly options: WorkOptions) {
    const { texts } = options;
    const ways = {
      onLight: (lit: { from: number; to: number } | null) => texts.spec.light(this.isCurrent ? lit : null),
      onChoose: ({ from, to }: { from: number; to: number }) => this.choose(from, to),
    };
    this.figure = new Figure(ways);
    this.sent = new Sent({ ...ways, onChange: () => this.beside(), first: () => texts.at });
    this.problems = new Problems({
      list: byId("problems-list"), title: byId<HTMLButtonElement>("problems-fold"), counts: byId("counts"),
      onChoose: (listed) => this.go(listed),
      onFix: (action) => this.fix(action),
    });
  }

  private get isCurrent(): boolean {
    return this.drawnText === this.options.texts.spec.text;
  }

  /** What the engine is to know beside the texts. */
  get settings(): Settings {
    const { site, texts } = this.options;
    const range = texts.range === "inclusive" || texts.range === "half-open" ? { range: texts.range } as const : {};
    return { ...range, ...(site.ruleUrl ? { ruleUrl: site.ruleUrl } : {}) };
  }

  /** What every question about the text says. */
  get about(): Asking {
    const { texts } = this.options;
    return { text: texts.spec.text, spec: texts.chosen, state: texts.state.text, files: texts.files, settings: this.settings };
  }

  /** Something else is open: it begins where it says, or at its last point. */
  opened(): void {
    this.sent.forget();
    byId<HTMLSelectElement>("examples").value = this.options.texts.example;
  }

  changed(name: Name): void {
    if (name === "spec") void this.look();
    else this.lookLater();
  }

  show(view: string): void {
    this.view = view;
    this.beside();
  }

  cursor(): void {
    if (this.isCurrent) this.figure.mark(this.options.texts.spec.at);
  }

  focusProblem(): boolean {
    return this.problems.focusAt(this.options.texts.spec.at);
  }

  /** Apply the fix of a problem, if the text is still the one that the list is about. */
  fix(action: Action): void {
    if (this.listedText !== this.options.texts.spec.text) return;
    this.options.texts.spec.change(action.edits, "input.fix");
    this.options.reveal("spec");
    this.options.texts.spec.view.focus();
  }

  /** Show the figure that the site was built with, until the engine has drawn one. */
  preview(svg: string): void {
    if (!this.drawn) this.figure.show(svg, new CodePoints(this.options.texts.spec.text));
  }

  async look(): Promise<void> {
    const { text } = this.options.texts.spec;
    try {
      const look = await this.ask("look", this.about);
      this.saw(look, text);
    } catch (problem) {
      this.failed(problem);
    }
  }

  private saw(look: Look, text: string): void {
    const { spec } = this.options.texts;
    this.places = new CodePoints(text);
    delete byId("figure").dataset["preview"];
    byId("stale").hidden = look.svg !== "" || !this.drawn;
    if (look.svg || !text.trim()) {
      this.drawn = look.svg;
      this.drawnText = text;
      this.figure.show(look.svg, this.places);
    }
    if (text === spec.text) {
      this.inText = look.diagnostics;
      this.listedText = text;
      spec.setProblems(look.diagnostics.map((each) => shown(each, (_, action) => this.fix(action))));
      spec.view.dispatch({ effects: setColours.of(look.tokens.map(([from, to, kind]) => ({ from, to, kind }))) });
      this.offerSpecs(look);
      this.list();
      if (spec.view.hasFocus) this.cursor();
    }
    this.lookLater();
  }

  private offerSpecs({ specs }: Look): void {
    const select = byId<HTMLSelectElement>("spec");
    const names = specs.map(({ name }) => name);
    const prompts = specs.filter(({ kind }) => kind === "prompt").map(({ name }) => name);
    byId("one-of").hidden = prompts.length < 2 || prompts.includes(this.options.texts.chosen);
    byId("one-of").textContent = `1 of ${prompts.length} specs; choose another one under Spec`;
    byId("spec-choice").hidden = names.length < 2;
    if ([...select.options].slice(1).map((option) => option.value).join() !== names.join()) {
      select.replaceChildren(make("option", { value: "" }, "All"), ...names.map((name) => make("option", { value: name }, name)));
    }
    select.value = names.includes(this.options.texts.chosen) ? this.options.texts.chosen : "";
  }

  private list(): void {
    const { spec, state } = this.options.texts;
    const lineOf = (where: "spec" | "state", from: number): number => {
      const { doc } = (where === "spec" ? spec : state).view.state;
      return doc.lineAt(Math.min(from, doc.length)).number;
    };
    const listed: Listed[] = this.inText.map((problem) => ({ where: "spec", line: lineOf("spec", problem.from), problem }));
    for (const problem of this.inState) {
      const where = problem.where === "state" ? "state" : "spec";
      listed.push({ where, line: lineOf(where, problem.from), problem });
    }
    this.problems.show(listed);
  }

  private go({ where, problem }: Listed): void {
    this.options.reveal(where);
    this.options.texts[where].select(problem.from, problem.to);
  }

  private choose(from: number, to: number): void {
    if (!this.isCurrent) return;
    this.options.reveal("spec");
    this.options.texts.spec.select(from, to);
  }

  // -------------------------------------------------------------------------------------- what is beside the figure

  private beside(): void {
    const views: Record<string, () => Promise<void>> = {
      "tab-sent": () => this.evaluate(),
      "tab-changes": () => this.compare(),
      "tab-words": () => this.words(),
      "tab-outline": () => this.outline(),
    };
    const isWritingState = !byId("panel-state").hidden;
    const ask = views[this.view] ?? (isWritingState ? () => this.evaluate() : null);
    ask?.().catch((problem: unknown) => this.failed(problem));
  }

  // What took too long is not asked again, as by an engine that starts anew, before something of it is changed.
  private async ask<M extends Method>(method: M, params: Methods[M][0]): Promise<Methods[M][1]> {
    const asked = JSON.stringify(params);
    const before = this.stopped.get(method);
    if (before?.asked === asked) throw before.why;
    try {
      return await this.options.engine.call(method, params);
    } catch (problem) {
      if (problem instanceof Stopped) this.stopped.set(method, { asked, why: problem });
      throw problem;
    }
  }

  private async evaluate(): Promise<void> {
    const { texts } = this.options;
    const [text, state] = [texts.spec.text, texts.state.text];
    if (!state.trim()) {
      this.noteState([]);
      return this.sent.say("To see the messages, the spec needs a state: sample values for what it reads. Write one under ", make("em", {}, "State"),
        ", or generate one there.");
    }
    if (!byId("sent").firstChild) this.sent.say("Evaluating …");
    const asked = { ...this.about, ...this.sent.asked };
    const evaluated = await this.ask("evaluate", asked).catch((problem: unknown) => {
      if (problem instanceof Superseded) throw problem;
      this.sent.say(reason(problem));
      return null;
    });
    if (!evaluated || text !== texts.spec.text || state !== texts.state.text) return;
    this.noteState(evaluated.problems);
    if (evaluated.points.length) this.sent.show(evaluated, this.drawn, this.places);
    else this.sent.say("The state has errors; see the list of problems.");
  }

  private noteState(problems: StateProblem[]): void {
    this.inState = problems;
    const here = problems.filter(({ where }) => where === "state");
    this.options.texts.state.setProblems(here.map((problem) => shown({ ...problem, related: [], actions: [], url: "" }, () => undefined)));
    this.list();
  }

  private async compare(): Promise<void> {
    const { texts } = this.options;
    const panel = byId("changes");
    const [text, old] = [texts.spec.text, texts.old.text];
    for (const name of ["swap", "end-compare"]) byId(name).hidden = !old.trim();
    if (!old.trim()) {
      panel.replaceChildren(make("p", { class: "hint" }, "Take a snapshot, continue writing, and see your changes here; or paste an older text under ",
        make("em", {}, "Before"), "."));
      return;
    }
    const found = await this.ask("diff", { old, new: text, files: texts.files, settings: this.settings });
    if (text !== texts.spec.text || old !== texts.old.text) return;
    const verdict = found.isEmpty
      ? "Nothing changed"
      : found.summary;
    panel.replaceChildren(
      make("p", { class: "verdict" }, verdict),
      ...(found.isEmpty ? [] : [framed(found.html), asWords(found.text)]),
    );
  }

  private async words(): Promise<void> {
    const found = await this.ask("export", { ...this.about, format: "text" });
    byId("words").textContent = found.data;
  }

  private async outline(): Promise<void> {
    const { texts } = this.options;
    const { text } = texts.spec;
    const { symbols } = await this.ask("symbols", this.about);
    if (text === texts.spec.text) byId("outline").replaceChildren(outline(symbols, (from, to) => this.choose(from, to)));
  }

  private failed(problem: unknown): void {
    if (problem instanceof Superseded) return;
    notice("failed", reason(problem));
  }
}

function asWords(text: string): HTMLElement {
  const pre = make("pre", { class: "acdl-text", tabindex: 0, role: "region", "aria-label": "Changes as text" }, text);
  return make("details", { class: "more-text" }, make("summary", {}, "As text"), pre);
}
