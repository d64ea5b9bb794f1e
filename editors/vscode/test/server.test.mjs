// The client's side of a talk with the real server, over its standard input and output, without VS Code.
// ACDL_SERVER is the server as JSON: program and arguments. Without it there is nothing to talk to.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import protocol from "vscode-languageserver-protocol/node";
import { load } from "./load.mjs";

const { createProtocolConnection, StreamMessageReader, StreamMessageWriter } = protocol;
const { PREVIEW, EXPORT, EVALUATE, FENCE, CHANGED } = await load("protocol");
const { partAt } = await load("parts");
const { bytesOf, FORMATS, SHOWN } = await load("exports");
const { probe, candidates } = await load("server_command");

const words = process.env.ACDL_SERVER ? JSON.parse(process.env.ACDL_SERVER) : undefined;
const options = { skip: words ? false : "ACDL_SERVER is not set", timeout: 600_000 };
const examples = join(import.meta.dirname ?? new URL(".", import.meta.url).pathname, "..", "..", "..", "examples");

const TEXT = `// 💬 a comment before
Chat[@T]: {
    S: INSTRUCTIONS
    U: { "💬" env.question[@T] }
}
`;
const CHANGED_TEXT = TEXT.replace("    S: INSTRUCTIONS\n", "");
let folder;
let child;
let connection;
let capabilities;
let exited;
const checked = [];
const uri = () => pathToFileURL(join(folder, "chat.acdl")).href;
const document = () => ({ textDocument: { uri: uri() } });

before(async () => {
  if (!words) return;
  folder = mkdtempSync(join(tmpdir(), "acdl-"));
  writeFileSync(join(folder, "chat.acdl"), TEXT);
  for (const name of ["react.acdl", "react.state.yaml"]) copyFileSync(join(examples, name), join(folder, name));
  child = spawn(words[0], words.slice(1), { cwd: folder, stdio: ["pipe", "pipe", "inherit"] });
  exited = new Promise((resolve) => child.once("exit", resolve));
  connection = createProtocolConnection(new StreamMessageReader(child.stdout), new StreamMessageWriter(child.stdin));
  connection.onNotification(CHANGED, (params) => checked.push(params.uri));
  connection.onRequest("workspace/configuration", ({ items }) => items.map(() => ({ preview: { followCursor: true } })));
  connection.onRequest("client/registerCapability", () => null);
  connection.onRequest("window/workDoneProgress/create", () => null);
  connection.listen();
  const rootUri = pathToFileURL(folder).href;
  ({ capabilities } = await connection.sendRequest("initialize", {
    processId: process.pid,
    rootUri,
    workspaceFolders: [{ uri: rootUri, name: "folder" }],
    initializationOptions: { commands: true },
    capabilities: { workspace: { configuration: true, workspaceFolders: true } },
  }));
  await connection.sendNotification("initialized", {});
  await connection.sendNotification("textDocument/didOpen", {
    textDocument: { uri: uri(), languageId: "acdl", version: 1, text: TEXT },
  });
});

after(async () => {
  if (!words) return;
  await connection.sendRequest("shutdown");
  await connection.sendNotification("exit");
  assert.equal(await exited, 0);
  connection.dispose();
  rmSync(folder, { recursive: true });
});

test("the server says what it can", options, () => {
  assert.deepEqual(capabilities.experimental?.acdl, { preview: true, export: true, evaluate: true, fence: true });
  const commands = capabilities.executeCommandProvider?.commands ?? [];
  assert.ok(commands.every((name) => name.startsWith("acdl.server.")), "others are the client's");
});

test("the server answers the probe", options, async () => {
  const { execFileSync } = await import("node:child_process");
  const tried = candidates({ setting: words, interpreter: undefined, folders: [], platform: process.platform });
  const found = await probe(tried, async ([program, ...rest]) => ({ out: execFileSync(program, rest, { encoding: "utf8" }) }));
  assert.equal(found.kind, "found");
});

test("preview: a figure whose parts are places in the text, emoji before them or not", options, async () => {
  const preview = await connection.sendRequest(PREVIEW, document());
  assert.match(preview.html, /<svg/);
  assert.doesNotMatch(preview.html, /<script|<style|\sstyle=|\son\w+=/);
  assert.deepEqual(preview.specs.map(({ name }) => name), ["Chat"]);
  assert.deepEqual(preview.problems, { errors: 0, warnings: 0 });
  const drawn = new Set([...preview.html.matchAll(/data-acdl="([^"]+)"/g)].map(([, part]) => part));
  assert.ok(drawn.size >= 3);
  for (const part of drawn) assert.ok(preview.ranges[part], part);
  const column = TEXT.split("\n")[3].indexOf("question");
  const part = partAt(preview.ranges, { line: 3, character: column });
  assert.ok(part && drawn.has(part));
  assert.equal(preview.ranges[part].start.line, 3);
  assert.ok(preview.ranges[part].end.character <= TEXT.split("\n")[3].length);
});

test("preview: what is typed is drawn, saved or not, and compared with another text", options, async () => {
  await connection.sendNotification("textDocument/didChange", {
    textDocument: { uri: uri(), version: 2 }, contentChanges: [{ text: CHANGED_TEXT }],
  });
  const preview = await connection.sendRequest(PREVIEW, document());
  assert.equal(preview.version, 2);
  assert.doesNotMatch(preview.html, /INSTRUCTIONS/);
  const compared = await connection.sendRequest(PREVIEW, { ...document(), against: { text: TEXT, name: "before" } });
  assert.equal(compared.isEqual, false);
  assert.match(compared.html, /INSTRUCTIONS/);
  const same = await connection.sendRequest(PREVIEW, { ...document(), against: { text: CHANGED_TEXT, name: "before" } });
  assert.equal(same.isEqual, true);
});

test("preview: a broken text is a panel, no failure", options, async () => {
  const broken = pathToFileURL(join(folder, "broken.acdl")).href;
  const text = "P[@T]: {\n    U: { S: X }\n";
  await connection.sendNotification("textDocument/didOpen", { textDocument: { uri: broken, languageId: "acdl", version: 1, text } });
  const until = async (isSo) => {
    for (let waited = 0; waited < 1_800; waited += 1) {
      const preview = await connection.sendRequest(PREVIEW, { textDocument: { uri: broken } });
      if (isSo(preview)) return preview;
      await new Promise((go) => setTimeout(go, 100));
    }
    assert.fail("the problems have not come");
  };
  const preview = await until(({ problems }) => problems.errors >= 1);
  assert.match(preview.html, /acdl-problem/);
});

test("export: every format, as bytes", options, async () => {
  const begins = { svg: "<svg", png: "\x89PNG", pdf: "%PDF", json: "{", html: "<", text: "" };
  for (const { format } of FORMATS) {
    const exported = await connection.sendRequest(EXPORT, { ...document(), format });
    const bytes = Buffer.from(bytesOf(exported));
    assert.ok(bytes.length > 20, format);
    assert.ok(bytes.toString("latin1").trimStart().startsWith(begins[format]) || format === "svg", `${format}: ${bytes.subarray(0, 20)}`);
    assert.match(exported.name, /^[\w.-]+\.\w+$/);
  }
});

test("evaluate: points and messages with the state beside a file", options, async () => {
  const react = pathToFileURL(join(folder, "react.acdl")).href;
  const text = readFileSync(join(folder, "react.acdl"), "utf8");
  await connection.sendNotification("textDocument/didOpen", { textDocument: { uri: react, languageId: "acdl", version: 1, text } });
  const about = { textDocument: { uri: react } };
  const first = await connection.sendRequest(EVALUATE, about);
  assert.ok(first.points.length > 1);
  assert.ok(first.points.includes(first.at));
  assert.ok(first.state);
  for (const { format } of SHOWN) {
    const answer = await connection.sendRequest(EVALUATE, { ...about, at: first.at, format });
    assert.ok(answer.text.length > 20, format);
    assert.ok(answer.language, format);
    if (answer.language === "json") JSON.parse(answer.text);
  }
});

test("a fence of Markdown is drawn as in documentation", options, async () => {
  const page = pathToFileURL(join(folder, "page.md")).href;
  const drawn = await connection.sendRequest(FENCE, { uri: page, header: "```acdl", text: "U: env.q[@T]\n", line: 3 });
  assert.match(drawn.html, /<figure[^>]*acdl/);
  const broken = await connection.sendRequest(FENCE, { uri: page, header: "```acdl", text: "U: {\n", line: 3 });
  assert.match(broken.html, /acdl-problem/);
  assert.match(broken.html, /:5:\d/, "the line of the page: the header is the fourth");
});

test("what cannot be done is said", options, async () => {
  const wrong = { ...document(), format: "gif" };
  await assert.rejects(connection.sendRequest(EXPORT, wrong), (reason) => reason.message.length > 10);
  const nowhere = { textDocument: { uri: "file:///no/such/file.acdl" } };
  await assert.rejects(connection.sendRequest(PREVIEW, nowhere), (reason) => reason.message.length > 10);
});

test("the client hears when a document was checked", options, async () => {
  for (let waited = 0; !checked.includes(uri()) && waited < 1_800; waited += 1) await new Promise((go) => setTimeout(go, 100));
  assert.ok(checked.includes(uri()));
});
