/** The three texts of the page: spec, state and what is compared with; kept in the browser while someone writes. */

import { yaml } from "@codemirror/lang-yaml";
import { syntaxHighlighting } from "@codemirror/language";
import type { Extension } from "@codemirror/state";
import { placeholder } from "@codemirror/view";
import { tagHighlighter, tags } from "@lezer/highlight";
import { byId, later } from "./dom";
import { Editor } from "./editor";
import { Drafts, words, type Draft, type Kept } from "./drafts";
import { uses } from "./files";
import { dismiss, isShown, notice } from "./notices";

const KEEP_MS = 250;
const YAML = tagHighlighter([
  { tag: tags.definition(tags.propertyName), class: "acdl-v" },
  { tag: tags.propertyName, class: "acdl-v" },
  { tag: tags.string, class: "acdl-s" },
  { tag: tags.comment, class: "acdl-c" },
  { tag: tags.keyword, class: "acdl-k" },
  { tag: tags.number, class: "acdl-n" },
]);

export type Name = "spec" | "state" | "old";

export interface TextsOptions {
  /** Something else is open. */
  onOpen: () => void;
  onChange: (name: Name) => void;
  onCursor: () => void;
  specExtensions: Extension;
}

export class Texts {
  readonly spec: Editor;
  readonly state: Editor;
  readonly old: Editor;
  /** Key of the example that the text began as. */
  example = "";
  /** The spec that is shown, of several. */
  chosen = "";
  /** What ranges mean where the text does not say it; empty: as the engine takes them. */
  range = "";
  /** The point that is shown first. */
  at = "";
  /** Texts that `// acdl: use` names, by name: those of an example. */
  files: Record<string, string> = {};
  private isTyped = false;
  private last: Draft | null = null;
  private aside = "";
  private readonly drafts = new Drafts();
  private readonly keepLater = later(() => this.keep(), KEEP_MS);

  constructor(private readonly options: TextsOptions) {
    const changed = (name: Name) => (isTyped: boolean): void => {
      if (isTyped) this.typed();
      this.keepLater();
      options.onChange(name);
    };
    this.spec = new Editor({
      parent: byId("panel-spec"), label: "Spec, as ACDL. Escape, then Tab, leaves the text.",
      extensions: options.specExtensions, onChange: changed("spec"), onCursor: options.onCursor,
    });
    const look = [yaml(), syntaxHighlighting(YAML), placeholder("acdl_state: 1 …")];
    this.state = new Editor({
      parent: byId("panel-state"), label: "State, as YAML. Escape, then Tab, leaves the text.",
      extensions: look, onChange: changed("state"),
    });
    this.old = new Editor({
      parent: byId("panel-old"), label: "Text to compare with, as ACDL. Escape, then Tab, leaves the text.",
      extensions: placeholder("Paste the older text here"), onChange: changed("old"),
    });
    // What was typed last is kept even if the page is closed at once.
    window.addEventListener("pagehide", () => this.keep());
    document.addEventListener("visibilitychange", () => this.keep());
  }

  /** What was written at the last visit. */
  async begin(): Promise<Draft | null> {
    this.last = await this.drafts.begin();
    return this.last;
  }

  get draft(): Draft {
    return {
      text: this.spec.text, state: this.state.text, old: this.old.text, example: this.example, spec: this.chosen,
      range: this.range, at: this.at, files: this.files, typed: this.isTyped ? "yes" : "",
    };
  }

  /** What was written before, or is written in other tabs. */
  get others(): Kept[] {
    return this.drafts.others(this.draft);
  }

  /** Open texts; what was written before is set aside and can be brought back. */
  open(wanted: Partial<Draft>, said = ""): void {
    const given = { ...wanted, text: lines(wanted.text), state: lines(wanted.state), old: lines(wanted.old) };
    const before = this.spec.text || !this.last ? this.draft : this.last;
    const isLost = Boolean(said) && before.typed !== "" && before.text.trim() !== "" && words(before) !== words(given);
    if (isLost) this.aside = this.drafts.setAside(before);
    dismiss("failed");
    // How a text is read is set before the text: the engine looks at it as soon as it is there.
    this.example = given.example ?? "";
    this.chosen = given.spec ?? "";
    this.range = given.range ?? "";
    this.at = given.at ?? "";
    this.files = given.files ?? {};
    this.options.onOpen();
    const isOther = this.spec.text !== given.text;
    // What the words are read with cannot be undone: nor can they, where they are about something else.
    for (const [editor, text] of [[this.state, given.state], [this.old, given.old], [this.spec, given.text]] as const) {
      if (isOther) editor.begin(text);
      else editor.set(text);
    }
    if (isOther) this.spec.select(0, 0, false); // another text is read from its start
    else this.options.onChange("spec"); // the same text may be read otherwise, or be another spec of it
    this.isTyped = Boolean(given.typed);
    this.keep();
    if (!isLost && !(said && isShown("opened"))) return;
    notice("opened", `${said} Your previous text was saved.`, { label: "Restore it", run: () => this.bringBack() });
  }

  /** Read a file with the text, if that uses it; whether it does. */
  use(name: string, text: string): boolean {
    if (![this.spec.text, ...Object.values(this.files)].some((each) => uses(each, name))) return false;
    this.open({ ...this.draft, files: { ...this.files, [name]: text } });
    notice("used", `Loaded ${name}, which this text uses`);
    return true;
  }

  /** Go on with what was written before. */
  async resume({ name, draft }: Kept): Promise<void> {
    if (this.isTyped) this.keep();
    await this.drafts.resume(name);
    forgetAddress();
    this.open(draft);
  }

  private bringBack(): void {
    const kept = this.others.find(({ name }) => name === this.aside);
    if (kept) void this.resume(kept);
  }

  private typed(): void {
    this.isTyped = true;
    dismiss("failed");
    forgetAddress();
  }

  private keep(): void {
    if (!this.drafts.keep(this.draft)) notice("unkept", "This browser cannot save drafts. Save a file before you leave.");
  }
}

/** As the editor has the ends of lines. */
function lines(text = ""): string {
  return text.replaceAll(/\r\n?/g, "\n");
}

/** What an address names is no longer what the page shows: a reload must not bring it back over what was written. */
function forgetAddress(): void {
  if (location.hash) history.replaceState(history.state, "", location.pathname + location.search);
}
