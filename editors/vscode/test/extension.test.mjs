// The whole extension among fakes of VS Code, with the real server as a process: what a person does, and what they see.
// ACDL_SERVER is the server as JSON: program and arguments. Without it there is nothing to talk to.
import assert from "node:assert/strict";
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, beforeEach, test } from "node:test";
import { fileURLToPath } from "node:url";
import { load } from "./load.mjs";

const words = process.env.ACDL_SERVER ? JSON.parse(process.env.ACDL_SERVER) : undefined;
const options = { skip: words ? false : "ACDL_SERVER is not set", timeout: 600_000 };
const onUnix = { ...options, skip: options.skip || (process.platform === "win32" && "the stand-ins are shell scripts") };
const examples = fileURLToPath(new URL("../../../examples/", import.meta.url));
const { activate } = await load("extension", { isInEditor: true });
const { fakes } = globalThis;
const { Uri } = fakes;

const TEXT = "Chat[@T]: {\n    S: RULES\n    U: env.question[@T]\n}\n\nOther[@T]: {\n    U: env.more[@T]\n}\n";
let folder;
let context;
let extended;
const uriOf = (name) => Uri.file(join(folder, name));
const pages = (type) => fakes.done.filter(([what, { type: kind } = {}]) => what === "page" && kind === type).map(([, page]) => page);
const said = (kind) => fakes.done.filter(([what]) => what === kind).map(([, message]) => message);
const logged = () => fakes.lines.map(([, line]) => line).join("\n");

/** Wait until something is so; what is asked is said if it never is. */
async function until(isSo) {
  for (let waited = 0; waited < 2500; waited += 1) {
    const found = await isSo();
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  assert.fail(`never: ${isSo}\n${logged()}\n${JSON.stringify(fakes.done.slice(-5)).slice(0, 2000)}`);
}

const running = () => until(() => fakes.status.text === "ACDL");

const document = (languageId, text = "") => ({ languageId, getText: () => text });

function begin(settings = { "server.command": words }, isTrusted = true, open = [document("acdl")]) {
  Object.assign(fakes, { settings, isTrusted, open, isTalking: true, folders: [{ uri: Uri.file(folder) }] });
  fakes.log = Object.fromEntries(["info", "warn", "error"].map((kind) => [kind, (line) => fakes.lines.push([kind, line])]));
  fakes.log.show = () => fakes.done.push(["log shown"]);
  fakes.log.dispose = () => {};
  context = { subscriptions: [], extensionUri: Uri.file(folder) };
  extended = activate(context);
}

/** Open the preview of the active document as its page does, and give what it shows first. */
async function preview(...given) {
  await fakes.commands["acdl.preview"](...given);
  fakes.page.fire({ type: "ready" });
  return until(() => pages("show").at(-1));
}

before(() => {
  folder = mkdtempSync(join(tmpdir(), "acdl-extension-"));
  writeFileSync(join(folder, "chat.acdl"), TEXT);
  for (const name of ["react.acdl", "react.state.yaml"]) copyFileSync(join(examples, name), join(folder, name));
});

beforeEach(() => {
  Object.assign(fakes, { done: [], lines: [], picks: [], presses: [], files: [], saveTo: undefined, active: undefined });
  fakes.clients.length = 0;
  fakes.documents.clear();
});

// Every process ends when its test does: the server is one of what the editor throws away.
const ended = async () => {
  const clients = [...fakes.clients];
  for (const each of context.subscriptions.splice(0)) each.dispose();
  for (const { child } of clients) setTimeout(() => child?.kill("SIGKILL"), 5_000).unref();
  fakes.panels.splice(0).forEach((panel) => panel.dispose());
  await until(() => clients.every((client) => !client.child));
};
const tried = (name, run, given = options) =>
  test(name, given, async () => {
    try {
      await run();
    } finally {
      await ended();
    }
  });

after(() => {
  for (const child of fakes.children) child.kill("SIGKILL"); // one that was started too late would keep us here for ever
  rmSync(folder, { recursive: true });
});

tried("without trust nothing runs, and everything says why; the grant starts it", async () => {
  begin(undefined, false);
  fakes.write(uriOf("chat.acdl"), TEXT);
  await fakes.commands["acdl.preview"]();
  fakes.page.fire({ type: "ready" });
  await until(() => /not trusted, so no program is started/.test(pages("trouble").at(-1)?.message));
  fakes.picks = ["SVG: a drawing for pages and slides"];
  await fakes.commands["acdl.export"]();
  await fakes.commands["acdl.evaluate"]();
  await fakes.commands["acdl.restartServer"]();
  fakes.settingChanges.fire({ affectsConfiguration: () => true });
  assert.deepEqual(said("message").map((message) => message.replace(/^ACDL: this workspace is /, "")), [
    "not trusted, so no program is started", "not trusted, so no program is started",
  ]);
  assert.equal(fakes.clients.length, 0);
  assert.equal(logged(), "", "no program was looked for");
  fakes.isTrusted = true;
  fakes.trusts.fire();
  await running();
  assert.match((await until(() => pages("show").at(-1))).preview.html, /<svg/);
});

tried("where nobody writes ACDL no server is started, nor missed; the first block starts it", async () => {
  const other = document("markdown", "# Notes");
  begin(undefined, true, [other]);
  fakes.opened.fire(other);
  fakes.saved.fire(other);
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.equal(logged(), "", "no program was looked for");
  assert.equal(fakes.status.tooltip, "not started");
  fakes.open = [document("markdown", "# Notes\n\n```acdl\nA[@T]: {}\n```\n")];
  fakes.saved.fire(fakes.open[0]);
  await running();
});

tried("the preview follows a text as it is typed, a chosen spec also through its new name", async () => {
  begin();
  await running();
  const uri = uriOf("chat.acdl");
  fakes.write(uri, TEXT);
  const first = await preview(String(uri), "Chat");
  assert.deepEqual(first.preview.specs.map(({ name }) => name), ["Chat", "Other"]);
  assert.equal(first.spec, "Chat");
  assert.match(first.preview.html, /question/);
  fakes.write(uri, TEXT.replace("Chat", "Talk"));
  const renamed = await until(() => pages("show").find(({ spec }) => spec === "Talk"));
  assert.doesNotMatch(renamed.preview.html, /Other/);
  fakes.write(uri, TEXT.replace("Chat", "Talk").replace("env.question[@T]", "env.question[@T"));
  const broken = await until(() => pages("show").find(({ preview: { problems } }) => problems.errors === 1));
  assert.match(broken.preview.html, /never closed/);
  assert.deepEqual(pages("trouble"), []);
  fakes.page.fire({ type: "spec", name: "Other" });
  await until(() => pages("show").at(-1).spec === "Other");
});

tried("cursor and figure find each other", async () => {
  begin();
  await running();
  fakes.write(uriOf("chat.acdl"), TEXT);
  const { preview: shown } = await preview();
  const position = { line: 2, character: TEXT.split("\n")[2].indexOf("question") };
  fakes.active.selection.active = position;
  fakes.selections.fire({ textEditor: fakes.active, kind: 1 });
  const part = pages("light").at(-1).part;
  assert.ok(shown.html.includes(`data-acdl="${part}"`));
  fakes.page.fire({ type: "reveal", part });
  await until(() => said("shown").length);
  assert.equal(fakes.active.selection.anchor.line, 2);
  fakes.page.fire({ type: "follow", isOn: false });
  const count = pages("light").length;
  fakes.selections.fire({ textEditor: fakes.active, kind: 1 });
  assert.equal(pages("light").length, count);
});

tried("what cannot be compared is said in the preview, without a word in the log", async () => {
  begin();
  await running();
  fakes.write(uriOf("chat.acdl"), TEXT);
  await preview();
  fakes.page.fire({ type: "against", kind: "head" });
  const { message } = await until(() => pages("trouble").at(-1));
  assert.match(message, /git/i);
  const client = fakes.clients.at(-1);
  assert.doesNotMatch(logged() + client.words, /Traceback|Exception/);
  writeFileSync(join(folder, "before.acdl"), TEXT.replace("RULES", "OLD_RULES"));
  fakes.files = [uriOf("before.acdl")];
  fakes.page.fire({ type: "against", kind: "file" });
  const compared = await until(() => pages("show").find(({ against }) => against === "file"));
  assert.equal(compared.preview.isEqual, false);
  assert.match(compared.preview.html, /OLD_RULES/);
});

tried("export: a format, a spec, a file", async () => {
  begin();
  await running();
  fakes.write(uriOf("chat.acdl"), TEXT);
  fakes.picks = ["PNG: a picture", "Other"];
  fakes.saveTo = uriOf("out.png");
  await fakes.commands["acdl.export"]();
  assert.deepEqual(fakes.done.filter(([what]) => what === "asked").map(([, title]) => title), ["Export the figure as", "Export which spec"]);
  const [[, to, bytes]] = fakes.done.filter(([what]) => what === "written");
  assert.equal(to, String(uriOf("out.png")));
  assert.equal(Buffer.from(bytes).subarray(1, 4).toString(), "PNG");
  assert.match(said("saving")[0], /\/Other\.png$/);
  assert.match(said("information")[0], /^Exported out\.png$/);
  for (const [picks, saveTo] of [[[], undefined], [["PNG: a picture"], undefined], [["PNG: a picture", "Other"], undefined]]) {
    Object.assign(fakes, { picks, saveTo });
    await fakes.commands["acdl.export"](); // left at each question
  }
  assert.equal(fakes.done.filter(([what]) => what === "written").length, 1);
  assert.deepEqual(said("message"), []);
});

tried("evaluate: the spec at the cursor, a point in time, a format", async () => {
  begin();
  await running();
  const text = readFileSync(join(folder, "react.acdl"), "utf8");
  fakes.write(uriOf("react.acdl"), text);
  fakes.active.selection.active = { line: text.split("\n").findIndex((line) => line.startsWith("React2[")) + 2, character: 4 };
  fakes.picks = ["2.0", "Request of OpenAI (chat completions)"];
  await fakes.commands["acdl.evaluate"]();
  assert.deepEqual(said("message"), []);
  const [{ uri, text: sent }] = said("shown");
  assert.equal(String(uri), "acdl-evaluated:React2 at 2.0");
  assert.ok(JSON.parse(sent).messages.length >= 2);
  assert.deepEqual(said("language"), ["json"]);
  fakes.picks = ["Messages"];
  await fakes.commands["acdl.evaluate"](String(uriOf("react.acdl")), "React1", "1.0"); // as a lens asks
  assert.equal(String(said("shown").at(-1).uri), "acdl-evaluated:React1 at 1.0");
  assert.doesNotMatch(said("shown").at(-1).text, new RegExp(folder), "a path that is the same for everyone");
});

tried("blocks of the built-in Markdown preview are drawn", async () => {
  begin();
  const markdown = { renderer: { rules: { fence: () => "<pre></pre>" } }, utils: { escapeHtml: (text) => text } };
  extended.extendMarkdownIt(markdown);
  const render = (info) => markdown.renderer.rules.fence(
    [{ info, content: "U: env.q[@T]\n", markup: "```", map: [0, 2] }], 0, {}, { currentDocument: uriOf("page.md") }, { renderAttrs: () => "" },
  );
  await running();
  assert.match(await until(() => [render("acdl")].find((html) => html.includes("<svg"))), /env\.q/);
  await until(() => fakes.done.some(([what, name]) => what === "command" && name === "markdown.preview.refresh"));
  fakes.settings.markdownPreview = false;
  assert.equal(render("acdl"), "<pre></pre>");
});

tried("an environment that cannot serve hides no server that can; the log says why", async () => {
  const bin = join(folder, ".venv", "bin");
  mkdirSync(bin, { recursive: true });
  mkdirSync(join(folder, "path"), { recursive: true });
  const program = (path, script) => (writeFileSync(path, `#!/bin/sh\n${script}\n`), chmodSync(path, 0o755));
  program(join(bin, "python"), 'case "$*" in *lsp*) echo "acdl: error: the command lsp needs pygls" >&2; exit 2;; *) echo "acdl 0.1.0";; esac');
  program(join(folder, "path", "acdl"), `exec ${words.slice(0, -1).map((word) => `'${word}'`).join(" ")} "$@"`);
  const { PATH } = process.env;
  process.env.PATH = `${join(folder, "path")}:${PATH}`;
  try {
    begin({});
    await running();
  } finally {
    process.env.PATH = PATH;
    rmSync(join(folder, ".venv"), { recursive: true });
  }
  assert.match(logged(), /not \S*\.venv\/bin\/python -m acdl_mkdocs: acdl: error: the command lsp needs pygls/);
  assert.match(fakes.status.tooltip, /^acdl \d.*acdl on the PATH/);
}, onUnix);

tried("a server that is killed again and again: three new ones, then a message whose button gives another", async () => {
  begin();
  const kill = async () => {
    const { child } = await until(() => fakes.clients.at(-1)?.isOn && fakes.clients.at(-1));
    child.kill("SIGKILL");
    await until(() => fakes.clients.at(-1).child !== child || !fakes.clients.at(-1).isOn);
  };
  for (let time = 0; time < 3; time += 1) await kill();
  await running();
  assert.deepEqual(said("message"), []);
  fakes.write(uriOf("chat.acdl"), TEXT);
  assert.match((await preview()).preview.html, /<svg/, "the third one still answers");
  fakes.presses = ["Restart"];
  await kill();
  assert.match((await until(() => said("message")))[0], /has stopped 4 times/);
  await until(() => fakes.clients.length === 2);
  await running();
});

tried("the spec of a recording is a new text, and its worth a message", async () => {
  begin();
  await running();
  const bodies = [["q1"], ["q1", "a1", "q2"]].map((texts) => ({
    messages: texts.map((content, at) => ({ role: at % 2 ? "assistant" : "user", content })),
  }));
  writeFileSync(join(folder, "run.jsonl"), bodies.map((body) => `${JSON.stringify(body)}\n`).join(""));
  await fakes.commands["acdl.infer"](uriOf("run.jsonl"));
  const [{ language, content }] = said("shown");
  assert.equal(language, "acdl");
  assert.match(content, /ForEach/);
  assert.match(said("information")[0], /sends 2 requests of 1 run exactly/);
  fakes.files = undefined;
  await fakes.commands["acdl.infer"](); // left at the question
  assert.equal(said("shown").length, 1);
  writeFileSync(join(folder, "run.jsonl"), "");
  fakes.files = [uriOf("run.jsonl")];
  await fakes.commands["acdl.infer"]();
  assert.match(said("message")[0], /there is no request in it/);
});

tried("references of a lens, the menu, no document", async () => {
  begin();
  await running();
  await fakes.commands["acdl.export"]();
  await fakes.commands["acdl.compareWithFile"]();
  assert.deepEqual(said("information").map((message) => message.slice(0, 18)), ["Open an .acdl file", "Open an .acdl file"]);
  const range = { start: { line: 0, character: 1 }, end: { line: 0, character: 3 } };
  await fakes.commands["acdl.showReferences"](String(uriOf("chat.acdl")), range.start, [{ uri: String(uriOf("a.acdl")), range }]);
  const [, , , at, [{ uri, range: { end } }]] = fakes.done.find(([, name]) => name === "editor.action.showReferences");
  assert.deepEqual([String(uri), at.character, end.character], [String(uriOf("a.acdl")), 1, 3]);
  fakes.picks = ["$(output) Show the log"];
  await fakes.commands["acdl.menu"]();
  assert.ok(fakes.done.some(([what]) => what === "log shown"));
  assert.equal(fakes.status.isShown, false);
  fakes.write(uriOf("chat.acdl"), TEXT);
  assert.equal(fakes.status.isShown, true);
});
