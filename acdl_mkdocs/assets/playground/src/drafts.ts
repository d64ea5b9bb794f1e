/** What someone has written, kept in the browser: a draft for each tab, and the newest of those before.
 *
 * No tab writes over the draft of another: each has a name of its own, which a lock of the browser holds for it.
 */

import { asFiles, asTexts, forget, kept, recall, remember } from "./memory";

/** What the page is about: the texts, and which of them was an example. */
export interface Draft {
  text: string;
  state: string;
  old: string;
  example: string;
  spec: string;
  /** What ranges mean where the text does not say it, if an example wants that. */
  range: string;
  /** The point that is shown first. */
  at: string;
  /** Texts that `// acdl: use` names, by name. */
  files: Record<string, string>;
  /** Not empty if someone wrote in it. */
  typed: string;
}

/** A draft that can be opened again. */
export interface Kept {
  name: string;
  draft: Draft;
  /** When it was written last, in milliseconds since 1970. */
  written: number;
}

const PREFIX = "acdl-playground-draft-";
const OWN = "acdl-playground-draft"; // of this tab, also if nobody wrote in it
const MOST = 6;
const EMPTY: Draft = { text: "", state: "", old: "", example: "", spec: "", range: "", at: "", files: {}, typed: "" };

export class Drafts {
  private name = "";
  private last = "";
  private readonly held = new Set<string>();

  /** What this tab had before it was loaded again, else the newest draft of all; `null` on a first visit. */
  async begin(): Promise<Draft | null> {
    const before = newest();
    this.name = before && (await this.isFree(before.name, before.isOwn)) ? before.name : fresh();
    void this.isFree(this.name, true);
    this.last = before ? JSON.stringify(before.draft) : "";
    return before?.draft ?? null;
  }

  /** Whether it is kept for another visit, which only what someone wrote is. */
  keep(draft: Draft): boolean {
    const content = JSON.stringify(draft);
    if (content === this.last) return true; // it is as old as it was
    const entry = JSON.stringify({ ...draft, name: this.name, written: String(Date.now()) });
    remember(OWN, entry, "sessionStorage");
    this.last = content;
    if (!draft.typed) return true;
    const others = all().filter(({ name }) => name !== this.name);
    for (const { name } of others.splice(MOST - 1)) forget(PREFIX + name);
    while (!remember(PREFIX + this.name, entry)) {
      const oldest = others.pop();
      if (!oldest) {
        this.last = "";
        return false;
      }
      forget(PREFIX + oldest.name);
    }
    return true;
  }

  /** Keep a draft that something else takes the place of, which is a draft of its own; gives the name of the first. */
  setAside(draft: Draft): string {
    this.last = "";
    this.keep(draft);
    return this.renew();
  }

  /** Go on with a draft, unless another tab does. */
  async resume(name: string): Promise<void> {
    if (await this.isFree(name, false)) this.name = name;
    else this.renew();
  }

  private renew(): string {
    const before = this.name;
    this.name = fresh();
    void this.isFree(this.name, true);
    return before;
  }

  /** The drafts that this tab does not show, the newest first, each text once. */
  others(shown: Draft): Kept[] {
    const seen = new Set([words(shown)]);
    return all().filter(({ name, draft }) => {
      const key = words(draft);
      if (name === this.name || seen.has(key) || !draft.text.trim()) return false;
      return Boolean(seen.add(key));
    });
  }

  // Without locks, as on pages that are not served securely, nobody knows of other tabs.
  private isFree(name: string, otherwise: boolean): Promise<boolean> {
    if (this.held.has(name)) return Promise.resolve(true);
    if (!("locks" in navigator)) return Promise.resolve(otherwise);
    return new Promise((resolve) => {
      const hold = (lock: Lock | null): Promise<void> | void => {
        resolve(lock !== null);
        if (!lock) return;
        this.held.add(name);
        return new Promise(() => undefined); // until the tab is closed
      };
      navigator.locks.request(PREFIX + name, { ifAvailable: true }, hold).catch(() => resolve(otherwise));
    });
  }
}

/** What this tab had before it was loaded again, else the newest draft of all. */
export function newest(): (Kept & { isOwn: boolean }) | null {
  const own = read(recall(OWN, "sessionStorage"));
  const found = own ?? all()[0];
  return found ? { ...found, isOwn: own !== null } : null;
}

function all(): Kept[] {
  const found = kept(PREFIX).map((name) => read(recall(name))).filter((each) => each !== null);
  return found.sort((one, other) => other.written - one.written);
}

function fresh(): string {
  return `${Date.now().toString(36)}-${Math.random().toString(36).slice(2, 8)}`;
}

/** Drafts with the same words are one to a person. */
export function words({ text = "", state = "", old = "" }: Partial<Draft>): string {
  return JSON.stringify([text, state, old]);
}

function read(entry: string | null): Kept | null {
  if (!entry) return null;
  try {
    const value = JSON.parse(entry) as unknown;
    const { name = "", written = "", ...texts } = asTexts(value);
    return name ? { name, written: Number(written) || 0, draft: { ...EMPTY, ...texts, files: asFiles(value) } } : null;
  } catch {
    return null;
  }
}
