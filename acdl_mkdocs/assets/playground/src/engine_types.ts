/** What the engine takes and gives: one entry a method, the same words as in `frontends/playground/engine.py`.
 *
 * Places are offsets in UTF-16 units, as CodeMirror and JavaScript count them.
 */

export interface Edit { from: number; to: number; text: string }

export interface Action { title: string; edits: Edit[] }

export type Severity = "error" | "warning" | "info";

export interface Problem {
  from: number;
  to: number;
  severity: Severity;
  /** Name of the rule. */
  name: string;
  message: string;
  /** Each can be pasted. */
  help: string[];
  /** What else the problem is about. */
  related: { from: number; to: number; message: string }[];
  actions: Action[];
  /** Of the page that explains the rule; empty if the site has none. */
  url: string;
}

export interface SymbolOf {
  name: string;
  detail: string;
  kind: string;
  from: number;
  to: number;
  nameFrom: number;
  nameTo: number;
  children: SymbolOf[];
}

export interface Look {
  /** `<figure class="acdl">...</figure>` as on pages, without a title bar. */
  svg: string;
  diagnostics: Problem[];
  /** Prompts first, then fragments. */
  specs: { name: string; kind: "prompt" | "string-fragment" | "roles-fragment"; from: number; to: number }[];
  /** Every word that has colours: from, to, class. */
  tokens: [number, number, string][];
  /** Milliseconds that it took. */
  ms: number;
}

export interface Hover { from: number; to: number; markdown: string; html: string }

export interface Completion {
  label: string;
  kind: string;
  /** May have `$1` places if `isSnippet`. */
  insert: string;
  isSnippet: boolean;
  from: number;
  to: number;
  detail: string;
  documentation: string;
  sort: string;
}

export interface StateProblem {
  /** In the text of the state (`state`), in the spec (`text`), or the name of a file. */
  where: string;
  from: number;
  to: number;
  severity: Severity;
  name: string;
  message: string;
  help: string[];
}

export interface Evaluated {
  /** The messages, as on pages. */
  html: string;
  problems: StateProblem[];
  /** Points of the state, in order: `"1"`, `"2.1"`. */
  points: string[];
  at: string;
  /** Body of a request, if `provider` was given: JSON, or XML of PML. */
  body: string;
  /** What the format cannot say. */
  notes: string[];
  /** Model tokens of the messages, estimated. */
  tokens: number;
}

export interface Diffed {
  /** The figure of both, or that of the old text. */
  svg: string;
  /** The figure of the new text, side by side. */
  other: string;
  /** The verdict in a sentence. */
  summary: string;
  html: string;
  text: string;
  isEmpty: boolean;
  isEqualSent: boolean;
  nEdits: number;
}

export interface Exported { name: string; mime: string; data: string }

export interface Settings {
  range?: "half-open" | "inclusive";
  theme?: "auto" | "light" | "dark";
  width?: number;
  comments?: boolean;
  /** `{rule}` is in place of its name. */
  ruleUrl?: string;
  /** Whether a difference leaves out long parts that are the same. */
  fold?: boolean;
}

export interface Methods {
  look: [About & { spec?: string }, Look];
  hover: [About & { at: number; state?: string }, Hover | null];
  complete: [About & { at: number; state?: string }, { items: Completion[] }];
  tokens: [{ text: string }, { tokens: [number, number, string][] }];
  actions: [About & { from: number; to: number }, { actions: Action[] }];
  symbols: [About, { symbols: SymbolOf[] }];
  format: [About & { from?: number; to?: number }, { edits: Edit[]; text: string }];
  evaluate: [
    About & {
      spec?: string;
      state: string;
      at?: string;
      missing?: "error" | "placeholder" | "empty";
      /** Key in `WIRES`, or `json` or `text`. */
      provider?: string;
    },
    Evaluated,
  ];
  new_state: [About & { spec?: string }, { state: string }];
  diff: [
    { old: string; new: string; mode?: "unified" | "side-by-side"; files?: Record<string, string>; settings?: Settings },
    Diffed,
  ];
  export: [About & { format: "svg" | "text" | "json" | "html"; spec?: string }, Exported];
  infer: [{ name: string; text: string }, { text: string; state: string; isProven: boolean; notes: string[] }];
  convert: [{ text: string }, { text: string; isDrawing: boolean; diagnostics: Problem[] }];
}

export type Method = keyof Methods;

/** Why a method could not do it. */
export interface Refusal { message: string; cure: string }

/** From the page to the worker. */
export type Request = { seq: number; method: Method; params: unknown };

/** What questions about a text have in common. */
export interface About {
  text: string;
  /** Texts whose fragments it may use, by name. */
  files?: Record<string, string>;
  settings?: Settings;
}

/** What is loading. */
export type Stage = "runtime" | "package" | "ready";

/** From the worker to the page. */
export type Reply =
  | { seq: number; result: unknown }
  | { seq: number; error: Refusal }
  | { stage: Stage; done: number; total: number }
  | { failed: Refusal };
