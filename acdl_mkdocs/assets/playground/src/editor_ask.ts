/** What the editor asks the engine: what a word is, what could follow, and how problems are shown. */

import { autocompletion, snippet, type Completion as Offered, type CompletionContext, type CompletionResult } from "@codemirror/autocomplete";
import type { Diagnostic } from "@codemirror/lint";
import type { Extension } from "@codemirror/state";
import { hoverTooltip, type EditorView } from "@codemirror/view";
import { make, parsed, spoken } from "./dom";
import type { Action, Completion, Methods, Problem } from "./engine_types";

export interface Engine {
  isReady: boolean;
  call<M extends keyof Methods>(method: M, params: Methods[M][0]): Promise<Methods[M][1]>;
}

/** What the engine is to know of the text, beside where in it the question is. */
export type Asking = Methods["look"][0] & { state: string };

export type Apply = (view: EditorView, action: Action) => void;

/** `$1` and `${1:name}` of language servers as CodeMirror writes places to fill in. */
function places(insert: string): string {
  return insert.replace(/\$(\d+)/g, (_, number: string) => (number === "0" ? "${}" : `\${${number}}`));
}

const KINDS: Record<string, string> = { field: "property", template: "constant", fragment: "class", spec: "class", role: "keyword" };

function offered(given: Completion): Offered {
  return {
    label: given.label,
    detail: given.detail,
    type: KINDS[given.kind] ?? given.kind,
    sortText: given.sort,
    apply: given.isSnippet ? snippet(places(given.insert)) : given.insert,
    ...(given.documentation ? { info: given.documentation } : {}),
  };
}

async function options(engine: Engine, about: () => Asking, context: CompletionContext): Promise<CompletionResult | null> {
  const typed = context.matchBefore(/[@$\p{L}\p{N}_.]+/u);
  if (!engine.isReady || (!context.explicit && !typed)) return null;
  try {
    const { items } = await engine.call("complete", { ...about(), text: context.state.doc.toString(), at: context.pos });
    const first = items[0];
    if (!first || context.aborted) return null;
    const from = Math.min(...items.map((item) => item.from));
    return { from, options: items.map(offered), validFor: /^[@$\p{L}\p{N}_]*$/u };
  } catch {
    return null; // a newer question took its place
  }
}

export function asking(engine: Engine, about: () => Asking): Extension {
  return [
    autocompletion({ override: [(context) => options(engine, about, context)], icons: false }),
    hoverTooltip(async (view, at) => {
      if (!engine.isReady) return null;
      const said = await engine.call("hover", { ...about(), text: view.state.doc.toString(), at }).catch(() => null);
      if (!said) return null;
      const dom = make("div", { class: "hover" });
      dom.append(parsed(said.html));
      return { pos: said.from, end: said.to, above: true, create: () => ({ dom }) };
    }),
  ];
}

/** A problem as the editor shows it: squiggle, message, name of the rule with its page, and buttons that fix it. */
export function shown(problem: Problem, apply: Apply): Diagnostic {
  return {
    from: problem.from,
    to: problem.to,
    severity: problem.severity,
    message: problem.message,
    renderMessage: () => {
      const words = make("div", {}, ...spoken(problem.message), " ", ruleOf(problem));
      for (const help of problem.help) words.append(make("p", { class: "help" }, ...spoken(help)));
      return words;
    },
    actions: problem.actions.map((action) => ({ name: action.title.replaceAll("`", ""), apply: (view) => apply(view, action) })),
  };
}

/** The name of a rule, as a link to its page if there is one. */
export function ruleOf(problem: { name: string; url?: string }): HTMLElement {
  if (!problem.url) return make("code", {}, problem.name);
  return make("a", { href: problem.url, target: "_blank", rel: "noopener", title: "About this rule" }, problem.name);
}
