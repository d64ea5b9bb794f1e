// Fences of Markdown as figures, in a renderer that cannot wait: what is drawn already is shown, what is not is asked
// for, and the preview is told when it has come. Knows nothing of VS Code.

import type { DrawnFence, FenceParams } from "./protocol";

/** The fences that are drawn, as the documentation tools know them. */
export const LANGUAGES = ["acdl", "acdl-diff", "acdl-gallery", "acdl-inspect", "acdl-playbook", "acdl-variants", "laic", "pml"] as const;
const MOST_KEPT = 200;
const HEADER = /^\s*(?:\{\s*)?\.?([\w-]+)/;

export interface Token {
  info: string;
  content: string;
  markup: string;
  map: [number, number] | null;
}

type Rule = (tokens: Token[], at: number, options: unknown, env: unknown, self: { renderAttrs(token: Token): string }) => string;

export interface MarkdownIt {
  renderer: { rules: Record<string, Rule | undefined> };
  utils: { escapeHtml(text: string): string };
}

type Entry = { html: string | undefined; isAsked: boolean };

/** Draws fences with `ask`, keeps what came, and calls `refresh` when something new can be shown. */
export class Fences {
  private readonly entries = new Map<string, Entry>();
  /** What was drawn of the same text on another line: shown until its own has come. */
  private readonly last = new Map<string, string>();

  constructor(
    private readonly ask: (params: FenceParams) => Promise<DrawnFence | undefined>,
    private readonly refresh: () => void,
    private readonly isOn: () => boolean = () => true,
  ) {}

  /** Forget nothing that is shown, but ask again for everything: other texts have changed. */
  outdate(): void {
    for (const entry of this.entries.values()) entry.isAsked = false;
  }

  /** The figure if it is there; what was drawn last stays until a new one has come. */
  html(params: FenceParams): string | undefined {
    const { uri, header, text, line } = params;
    const like = JSON.stringify([uri, header, text]);
    const key = JSON.stringify([like, line]); // a panel says the line
    const entry = this.entries.get(key) ?? { html: this.last.get(like), isAsked: false };
    putLast(this.entries, key, entry);
    if (!entry.isAsked) {
      entry.isAsked = true;
      void this.draw(params, entry, like);
    }
    return entry.html;
  }

  private async draw(params: FenceParams, entry: Entry, like: string): Promise<void> {
    try {
      const drawn = await this.ask(params);
      if (drawn && drawn.html !== entry.html) {
        entry.html = drawn.html;
        putLast(this.last, like, drawn.html);
        this.refresh();
      } else if (!drawn) {
        entry.isAsked = false; // no server yet
      }
    } catch (reason) {
      entry.html = undefined;
      entry.isAsked = false;
      console.error("acdl: a fence could not be drawn", reason);
    }
  }

  /** A plugin of markdown-it. */
  extend<Markdown extends MarkdownIt>(markdown: Markdown): Markdown {
    const { rules } = markdown.renderer;
    const usual = rules["fence"];
    rules["fence"] = (tokens, at, options, env, self) => {
      const token = tokens[at]!;
      const otherwise = (): string =>
        usual?.(tokens, at, options, env, self) ?? `<pre><code>${markdown.utils.escapeHtml(token.content)}</code></pre>`;
      if (!this.isOn() || !isDrawn(token.info)) return otherwise();
      const uri = uriOf(env);
      const line = token.map ? { line: token.map[0] } : {};
      const html = this.html({ uri, header: token.markup + token.info, text: token.content, ...line });
      return `<div${self.renderAttrs(token)}>${html ?? otherwise()}</div>\n`;
    };
    return markdown;
  }
}

/** Set a value of a map that keeps the ones that were used last. */
function putLast<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.delete(key);
  map.set(key, value);
  if (map.size > MOST_KEPT) map.delete(map.keys().next().value!);
}

export function isDrawn(info: string): boolean {
  const language = HEADER.exec(info)?.[1]?.toLowerCase();
  return LANGUAGES.some((each) => each === language);
}

/** The document that the built-in preview renders; empty where a renderer does not say. */
function uriOf(env: unknown): string {
  const document = (env as { currentDocument?: { toString(): string } } | undefined)?.currentDocument;
  return document?.toString() ?? "";
}
