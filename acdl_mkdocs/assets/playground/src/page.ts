/** The page: its parts made and connected, while the engine loads. */

import "../../acdl-steps.js";
import welcome from "../welcome.acdl";
import welcomeState from "../welcome.state.yaml";
import { EditorView } from "@codemirror/view";
import { closing, copied, sharing } from "./dialogs";
import { button, byId } from "./dom";
import { asking } from "./editor_ask";
import { ASSETS, engine } from "./engine";
import { called, fileName, files, firstFence, save, type Opened } from "./files";
import { keys } from "./keys";
import { acdl } from "./language";
import { dismiss, notice, reason } from "./notices";
import { keepOffline } from "./offline";
import { png } from "./png";
import { asked, decode } from "./share";
import { example, manifest, megabytes, menu, type Example } from "./site";
import { Tabs } from "./tabs";
import { Texts, type Name } from "./texts";
import { Work } from "./work";

const DRAWING = /^[ \t]*role[ \t]*:[ \t]*(system|user|assistant|tool)\b/im;

byId("unserved").remove();
const site = { ruleUrl: "" };
const texts = new Texts({
  onOpen: () => work.opened(),
  onChange: (name) => {
    if (name === "spec") byId("take-example").hidden = byId("compare-example").hidden = !texts.example;
    work.changed(name);
  },
  onCursor: () => {
    const { line, column } = texts.spec.position;
    byId("position").textContent = `${line}:${column}`;
    work.cursor();
  },
  specExtensions: [asking(engine, () => work.about), EditorView.domEventHandlers({ paste: (event, view) => pasted(event, view) })],
});

const parts = new Tabs(document.querySelector<HTMLElement>(".switch")!, (name) => {
  byId("panes").dataset["part"] = name === "to-see" ? "see" : "write";
});
const sources = new Tabs(byId("write").querySelector<HTMLElement>("[role=tablist]")!, () => work.changed("state"));
const views = new Tabs(byId("see").querySelector<HTMLElement>("[role=tablist]")!, (name) => {
  work.show(name);
  if (name === "tab-sent" && !texts.state.text.trim()) void sources.show("tab-state");
});

function reveal(name: Name): void {
  parts.show("to-write");
  if (sources.shown !== `tab-${name}`) sources.show(`tab-${name}`);
}

const work: Work = new Work({ engine, texts, site, reveal });
engine.onReady = () => void work.look(); // also after it has started anew

// ------------------------------------------------------------------------------------------------------- what is open

function opened(key: string, given: Example): void {
  texts.open({
    text: given.text, state: given.state ?? "", old: given.old ?? "", spec: given.spec ?? "", range: given.range ?? "",
    at: given.at ?? "", files: given.files ?? {}, example: key,
  }, `${given.title} is open.`);
  if (given.svg) work.preview(given.svg);
  if (given.old) views.show("tab-changes");
}

let lastOpening = 0;

/** Begin to open a text that has to come first; tells then whether it is still the last one, as texts come in any order. */
function beginOpening(): () => boolean {
  const mine = ++lastOpening;
  return () => mine === lastOpening;
}

async function openExample(key: string, isLast = beginOpening()): Promise<void> {
  const given = await example(key);
  if (!isLast()) return;
  if (given) opened(key, given);
  else notice("link", `The example “${key}” does not exist or cannot be loaded. Choose another one from the list.`);
}

async function openShared(code: string, isLast: () => boolean): Promise<void> {
  const shared = await decode(code);
  if (!isLast()) return;
  texts.open(shared, "Opened the text from the link.");
  if (shared.old) views.show("tab-changes");
}

/** Open what the address names; whether it names something. */
async function openAddress(): Promise<boolean> {
  const { code, example: key } = asked(location.hash);
  if (!code && !key) return false;
  dismiss("link");
  const isLast = beginOpening();
  try {
    await (code ? openShared(code, isLast) : openExample(key!, isLast));
  } catch (problem) {
    if (isLast()) notice("link", reason(problem));
    return false;
  }
  return texts.spec.text !== "";
}

/** Write the spec of a recording. */
async function openRun(name: string, text: string): Promise<void> {
  const { text: spec, state, notes } = await engine.call("infer", { name, text });
  reveal("spec");
  texts.open({ text: spec, state }, `Wrote a spec from ${name}.`);
  notice("inferred", notes.join(" · "));
}

function openFile({ name, kind, text }: Opened): void {
  if (kind === "run") return void openRun(name, text).catch(said);
  if (kind === "state") {
    reveal("state");
    texts.open({ ...texts.draft, state: text }, `${name} is open.`);
    return;
  }
  if (kind === "spec" && texts.use(name, text)) return;
  const spec = kind === "page" ? firstFence(text) : text;
  if (spec === null) return notice("failed", `${name} has no ACDL block; a block begins with \`\`\`acdl`);
  reveal("spec");
  texts.open({ text: spec, state: texts.state.text }, `${name} is open.`);
}

// ------------------------------------------------------------------------------------------------------------ actions

function said(problem: unknown): void {
  notice("failed", reason(problem));
}

async function format(): Promise<void> {
  const { text } = texts.spec;
  const { edits } = await engine.call("format", work.about);
  if (text !== texts.spec.text) return;
  if (edits.length) texts.spec.change(edits, "input.format");
  notice("format", edits.length ? "Formatted" : "Already formatted");
}

async function drawn(kind: "svg" | "text" | "json"): Promise<{ name: string; mime: string; data: string }> {
  return engine.call("export", { ...work.about, format: kind });
}

async function download(kind: "svg" | "text" | "json"): Promise<void> {
  const { name, mime, data } = await drawn(kind);
  save(name.toLowerCase(), data, mime);
}

async function picture(): Promise<void> {
  const isDark = getComputedStyle(document.body).colorScheme === "dark"
    || (!document.documentElement.dataset["theme"] && matchMedia("(prefers-color-scheme: dark)").matches);
  const settings = { ...work.settings, theme: isDark ? "dark" as const : "light" as const };
  const { name, data } = await engine.call("export", { ...work.about, format: "svg", settings });
  save(name.toLowerCase().replace(/\.svg$/, ".png"), await png(data, ASSETS, isDark ? "#111" : "#fff"));
}

async function copySvg(): Promise<void> {
  const isCopied = await copied((await drawn("svg")).data);
  notice("copied", isCopied ? "SVG copied" : "This browser does not allow copying: save the SVG instead");
}

function print(): void {
  views.show("tab-figure");
  window.print();
}

const saveSpec = (): void => save(`${fileName(texts.spec.text)}.acdl`, texts.spec.text);
const openDialog = files({ onOpen: openFile, onRefused: (why) => notice("failed", why) });
const ACTIONS: Record<string, () => void | Promise<void>> = {
  open: openDialog,
  new: () => {
    texts.open({ typed: "" }, "Opened a new text.");
    reveal("spec");
    texts.spec.view.focus();
  },
  save: saveSpec,
  "save-state": () => save(`${fileName(texts.spec.text)}.state.yaml`, texts.state.text, "application/yaml"),
  svg: () => download("svg"),
  png: picture,
  text: () => download("text"),
  json: () => download("json"),
  "copy-svg": copySvg,
  print,
};

const fileMenu = byId("file-menu");
fileMenu.addEventListener("click", (event) => {
  const action = ACTIONS[(event.target as HTMLElement).dataset["do"] ?? ""];
  if (!action) return;
  fileMenu.hidePopover();
  void Promise.resolve(action()).catch(said);
});
fileMenu.addEventListener("beforetoggle", () => {
  const { others } = texts;
  const title = byId("drafts-title");
  byId("drafts").hidden = !others.length;
  byId("drafts").replaceChildren(title, ...others.map((kept) => button(called(kept), () => {
    fileMenu.hidePopover();
    void texts.resume(kept).then(() => reveal("spec"));
  })));
});
fileMenu.addEventListener("toggle", () => {
  const { left, bottom } = byId("file").getBoundingClientRect();
  fileMenu.style.insetInlineStart = `${Math.max(8, Math.min(left, innerWidth - fileMenu.offsetWidth - 8))}px`;
  fileMenu.style.insetBlockStart = `${bottom + 4}px`;
});

const share = sharing(() => {
  const { text, state, old, spec, range, at, files } = texts.draft;
  return { text, state, old, spec, range, at, files };
}, saveSpec);
const keysDialog = closing(byId<HTMLDialogElement>("keys-dialog"));

async function makeState(): Promise<void> {
  const { state } = await engine.call("new_state", work.about);
  texts.open({ ...texts.draft, state }, "A sample state was generated.");
  texts.state.view.focus();
}

function compareWith(text: string): void {
  texts.old.set(text);
  parts.show("to-see");
  views.show("tab-changes");
}

async function takeExample(): Promise<void> {
  const given = await example(texts.example);
  if (given) compareWith(given.text);
}

const BUTTONS: Record<string, () => void | Promise<void>> = {
  format,
  share,
  keys: () => keysDialog.showModal(),
  "make-state": makeState,
  "take-old": () => compareWith(texts.spec.text),
  "take-example": takeExample,
  "keep-old": () => compareWith(texts.spec.text),
  "compare-example": takeExample,
  swap: () => {
    const [spec, old] = [texts.spec.text, texts.old.text];
    texts.spec.set(old);
    texts.old.set(spec);
  },
  "end-compare": () => {
    texts.old.set("");
    views.show("tab-figure");
  },
  "copy-words": async () => {
    const isCopied = await copied(byId("words").textContent ?? "");
    notice("copied", isCopied ? "Text copied" : "Press Ctrl+C to copy it");
  },
};
for (const [name, action] of Object.entries(BUTTONS)) {
  byId(name).addEventListener("click", () => void Promise.resolve(action()).catch(said));
}
byId<HTMLSelectElement>("spec").addEventListener("change", (event) => {
  texts.chosen = (event.target as HTMLSelectElement).value;
  void work.look();
});

/** A drawing, as copied from a paper: it can be made into ACDL. */
function pasted(event: ClipboardEvent, view: EditorView): boolean {
  const words = event.clipboardData?.getData("text/plain").replaceAll("\r\n", "\n") ?? "";
  if (!DRAWING.test(words) || !engine.isReady) return false;
  const { from } = view.state.selection.main;
  void engine.call("convert", { text: words }).then(({ isDrawing, text }) => {
    if (!isDrawing || !text) return;
    notice("pasted", "This looks like a drawing of a spec.", {
      label: "Convert it to ACDL",
      run: () => {
        const to = from + words.length;
        if (view.state.sliceDoc(from, to) === words) texts.spec.change([{ from, to, text }], "input.convert");
      },
    });
  }).catch(() => undefined); // it stays what was pasted
  return false;
}

function nextPane(): void {
  const order = ["write", "see"];
  const isWriting = byId("write").contains(document.activeElement);
  const next = order[isWriting ? 1 : 0]!;
  parts.show(`to-${next}`);
  if (next === "write") texts[sources.shown.slice("tab-".length) as Name].view.focus();
  else byId("see").querySelector<HTMLElement>("[role=tab][aria-selected=true]")?.focus();
}

keys([
  { keys: ["?"], what: "Show this list", run: () => keysDialog.showModal() },
  { keys: ["f6"], what: "Switch between text and figure", run: nextPane },
  { keys: ["shift-alt-f"], what: "Format the text", run: () => void format().catch(said) },
  { keys: ["mod-s"], what: "Format the text (this browser saves it automatically)", run: () => void format().catch(said) },
  { keys: ["mod-."], what: "Show fixes at the cursor", run: () => work.focusProblem() },
  { keys: ["f8"], what: "Next problem" },
  { keys: ["mod-space"], what: "Complete at the cursor" },
  { keys: ["mod-f"], what: "Search the text" },
  { keys: ["mod-/"], what: "Comment or uncomment lines" },
  { keys: ["escape"], what: "Then Tab: leave the editor (Tab alone indents)" },
  { keys: ["+", "-", "0", "1"], what: "In the figure: zoom in, zoom out, fit the width, actual size" },
]);

// ---------------------------------------------------------------------------------------------------------- the start

for (const skip of document.querySelectorAll<HTMLAnchorElement>("a.skip")) {
  skip.addEventListener("click", (event) => {
    event.preventDefault();
    const to = skip.dataset["to"]!;
    parts.show(`to-${to}`);
    if (to !== "write") byId(to).focus();
    else void hasText.then(() => {
      if ([skip, document.body].includes(document.activeElement as HTMLElement)) texts.spec.view.focus();
    });
  });
}
window.addEventListener("hashchange", () => void openAddress());

async function useManifest(): Promise<void> {
  const about = await manifest();
  if (!about) return;
  site.ruleUrl = about.rule_url;
  engine.bytes = megabytes(about.transfer_bytes);
  texts.spec.setLanguage(acdl(about.words));
  texts.old.setLanguage(acdl(about.words));
}

/** Put the first text into the editor, which is hidden until then. A damaged manifest is like none. */
async function openFirst(): Promise<void> {
  const last = await texts.begin();
  const [isOpen] = await Promise.all([openAddress(), useManifest().catch(() => undefined)]);
  if (!isOpen) texts.open(last?.text.trim() ? last : { text: welcome, state: welcomeState });
  byId("first").remove();
}

const hasText = openFirst();

async function start(): Promise<void> {
  await hasText;
  void menu((key) => void openExample(key)).then(() => {
    byId<HTMLSelectElement>("examples").value = texts.example;
  });
  void work.look();
  await engine.settled;
  void keepOffline((reload) => notice("new", "A newer version of this page is available.", { label: "Reload", run: reload }));
}

void start();
