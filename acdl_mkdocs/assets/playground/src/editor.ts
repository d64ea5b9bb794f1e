/** A code editor in a shadow root, where style sheets can be added without loosening the policy of the page.
 *
 * It knows CodeMirror and nothing of ACDL: what is particular comes as extensions.
 */

import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab, isolateHistory } from "@codemirror/commands";
import { bracketMatching, foldGutter, foldKeymap, indentOnInput } from "@codemirror/language";
import { lintKeymap, setDiagnostics, type Diagnostic } from "@codemirror/lint";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { Annotation, Compartment, EditorSelection, EditorState, type Extension, type Transaction } from "@codemirror/state";
import {
  crosshairCursor, drawSelection, dropCursor, EditorView, highlightActiveLine, highlightActiveLineGutter,
  highlightSpecialChars, keymap, lineNumbers, rectangularSelection,
} from "@codemirror/view";
import { look } from "./editor_look";
import { marks, setLit, type Lit } from "./editor_marks";

/** Not typed: set by the page, as when an example is opened. */
export const SetByPage = Annotation.define<boolean>();

export interface EditorOptions {
  parent: HTMLElement;
  label: string;
  placeholder?: string;
  extensions?: Extension;
  onChange: (isTyped: boolean) => void;
  onCursor?: () => void;
}

/** Browsers give the style of what is typed over to what takes its place, as an attribute that the policy of the page
 * forbids: so text that takes the place of other text is put there by the editor. */
const typingOver = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { data, inputType, isComposing } = event;
    const { main } = view.state.selection;
    if (inputType !== "insertText" || !data || isComposing || main.empty) return false;
    const insert = (): Transaction =>
      view.state.update(view.state.replaceSelection(data), { userEvent: "input.type", scrollIntoView: true });
    const handlers = view.state.facet(EditorView.inputHandler);
    if (!handlers.some((handle) => handle(view, main.from, main.to, data, insert))) view.dispatch(insert());
    return true;
  },
});

export class Editor {
  readonly view: EditorView;
  private readonly language = new Compartment();
  private readonly past = new Compartment();

  constructor(options: EditorOptions) {
    const host = document.createElement("div");
    host.className = "code";
    options.parent.append(host);
    const root = host.attachShadow({ mode: "open" });
    this.view = new EditorView({
      parent: root,
      root,
      state: EditorState.create({
        extensions: [
          options.extensions ?? [],
          this.language.of([]),
          this.past.of(history()),
          basics(),
          EditorView.contentAttributes.of({ "aria-label": options.label, spellcheck: "false", autocapitalize: "off" }),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) options.onChange(!update.transactions.some((each) => each.annotation(SetByPage)));
            if (update.docChanged || update.selectionSet) options.onCursor?.();
          }),
        ],
      }),
    });
  }

  get text(): string {
    return this.view.state.doc.toString();
  }

  get at(): number {
    return this.view.state.selection.main.head;
  }

  /** Line and column of the cursor, as people count them. */
  get position(): { line: number; column: number } {
    const line = this.view.state.doc.lineAt(this.at);
    return { line: line.number, column: this.at - line.from + 1 };
  }

  /** Put another text in place; it can be undone. Only what differs is changed, so that the cursor stays where it was. */
  set(text: string): void {
    const before = this.text;
    if (text === before) return;
    let start = 0;
    const most = Math.min(before.length, text.length);
    while (start < most && before[start] === text[start]) start += 1;
    let end = 0;
    while (end < most - start && before[before.length - 1 - end] === text[text.length - 1 - end]) end += 1;
    const changes = { from: start, to: before.length - end, insert: text.slice(start, text.length - end) };
    this.view.dispatch({ changes, annotations: [SetByPage.of(true), isolateHistory.of("full")] });
  }

  /** Put a text in place that is about something else: undoing does not lead back to what was there before. */
  begin(text: string): void {
    this.set(text);
    this.view.dispatch({ effects: this.past.reconfigure([]) });
    this.view.dispatch({ effects: this.past.reconfigure(history()) });
  }

  change(edits: readonly { from: number; to: number; text: string }[], userEvent: string): void {
    const changes = edits.map(({ from, to, text }) => ({ from, to, insert: text }));
    this.view.dispatch({ changes, userEvent, annotations: isolateHistory.of("full"), scrollIntoView: true });
  }

  select(from: number, to: number, has_focus = true): void {
    const { length } = this.view.state.doc;
    const selection = EditorSelection.single(Math.min(from, length), Math.min(to, length));
    this.view.dispatch({ selection, effects: EditorView.scrollIntoView(selection.main, { y: "center" }) });
    if (has_focus) this.view.focus();
  }

  light(lit: Lit | null): void {
    const { length } = this.view.state.doc;
    const isInside = lit !== null && lit.from < lit.to && lit.to <= length;
    this.view.dispatch({ effects: setLit.of(isInside ? lit : null) });
  }

  setProblems(problems: readonly Diagnostic[]): void {
    const { length } = this.view.state.doc;
    const inside = problems.map((each) => ({ ...each, from: Math.min(each.from, length), to: Math.min(each.to, length) }));
    this.view.dispatch(setDiagnostics(this.view.state, inside));
  }

  setLanguage(language: Extension): void {
    this.view.dispatch({ effects: this.language.reconfigure(language) });
  }
}

function basics(): Extension {
  return [
    lineNumbers(),
    highlightActiveLineGutter(),
    highlightSpecialChars(),
    foldGutter({ openText: "▾", closedText: "▸" }),
    drawSelection(),
    dropCursor(),
    EditorState.allowMultipleSelections.of(true),
    EditorState.tabSize.of(4),
    indentOnInput(),
    bracketMatching(),
    closeBrackets(),
    autocompletion({ icons: false }),
    rectangularSelection(),
    crosshairCursor(),
    highlightActiveLine(),
    highlightSelectionMatches(),
    search({ top: true }),
    marks,
    typingOver,
    keymap.of([
      ...closeBracketsKeymap, ...completionKeymap, ...searchKeymap, ...historyKeymap, ...foldKeymap, ...lintKeymap,
      indentWithTab, ...defaultKeymap,
    ]),
    look,
  ];
}
