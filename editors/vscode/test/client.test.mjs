// The server's process, from finding it to asking it, among fakes of VS Code: programs are really run.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, beforeEach, test } from "node:test";
import { load } from "./load.mjs";

const { Server } = await load("client", { isInEditor: true });
const { fakes } = globalThis;
const folder = mkdtempSync(join(tmpdir(), "acdl-client-"));
after(() => rmSync(folder, { recursive: true }));
const runs = join(folder, "runs.txt");
const program = join(folder, "acdl.cjs");
const logged = [];
const log = { info: (words) => logged.push(words), error: (words) => logged.push(words), warn() {}, show: () => logged.push("shown") };

/** A program that tells that it was run, prints and ends as is wanted. */
const write = ({ out = "acdl 0.1.0", words = "", code = 0 }) => {
  const say = `require("node:fs").appendFileSync(${JSON.stringify(runs)}, process.argv.slice(2).join(" ") + "\\n");`;
  writeFileSync(program, `${say} console.log(${JSON.stringify(out)}); console.error(${JSON.stringify(words)}); process.exitCode = ${code};`);
};
const ran = () => readFileSync(runs, "utf8").trim().split("\n").filter(Boolean);
const messages = () => fakes.done.filter(([what]) => what === "message").map(([, words, buttons]) => ({ words, buttons }));
const settled = () => new Promise((resolve) => setTimeout(resolve, 5));

beforeEach(() => {
  Object.assign(fakes, { isTrusted: true, done: [], presses: [], clients: [], fails: undefined, answer: () => "yes" });
  fakes.settings = { "server.command": [process.execPath, program] };
  logged.length = 0;
  writeFileSync(runs, "");
  write({});
});

test("nothing is run in a workspace that is not trusted, whatever is asked", async () => {
  fakes.isTrusted = false;
  const server = new Server(log);
  await server.start();
  assert.equal(await server.ask("acdl/preview", {}), undefined);
  await server.restart();
  assert.deepEqual(ran(), []);
  assert.equal(fakes.clients.length, 0);
  assert.deepEqual(server.status, { kind: "off", words: "this workspace is not trusted, so no program is started" });
  fakes.isTrusted = true; // granted: the next start is one
  assert.equal(await server.ask("acdl/preview", {}), "yes");
  assert.deepEqual(ran(), ["lsp --version"]);
});

test("Python takes no file of the workspace for a module of its own, neither when asked nor when it serves", async () => {
  const say = `require("node:fs").appendFileSync(${JSON.stringify(runs)}, process.env.PYTHONSAFEPATH + "\\n");`;
  writeFileSync(program, `${readFileSync(program, "utf8")}${say}`);
  await new Server(log).start();
  const child = await fakes.clients[0].makeProcess();
  await new Promise((resolve) => child.once("exit", resolve));
  assert.deepEqual(ran(), ["lsp --version", "1", "lsp", "1"]);
});

test("programs are looked for in one place only, behind the question of trust", () => {
  const source = readFileSync(new URL("../src/client.ts", import.meta.url), "utf8");
  const body = (name) => source.slice(source.indexOf(`async ${name}(`)).split("\n  }\n")[0];
  assert.equal(source.match(/this\.find\(/g).length, 1);
  assert.equal(source.match(/this\.run\(/g).length, 1);
  assert.match(body("run"), /this\.find\(/);
  assert.match(body("start"), /isTrusted[^]*this\.run\(/);
});

test("why there is no server is in the log, and the button types the installation", async () => {
  write({ out: "", words: "Traceback\nacdl: error: `lsp` needs the package pygls", code: 2 });
  fakes.presses = ["Install…"];
  const server = new Server(log);
  await server.start();
  await settled();
  assert.equal(server.status.kind, "failed");
  assert.match(logged[0], /^not .*acdl\.cjs: acdl: error: `lsp` needs the package pygls$/);
  assert.match(messages()[0].words, /acdl\.server\.command names .*needs the package pygls/);
  const [[, typed, isRun]] = fakes.done.filter(([what]) => what === "terminal");
  assert.match(typed, /-m pip install "acdl-mkdocs\[lsp\]"$/);
  assert.equal(isRun, false);
});

test("a program that is not there, or answers something else", async () => {
  fakes.settings = { "server.command": [join(folder, "no-such")] };
  await new Server(log).start();
  assert.match(messages()[0].words, /there is no such program/);
  fakes.settings = { "server.command": [process.execPath, program] };
  write({ out: "hello" });
  await new Server(log).start();
  assert.match(messages()[1].words, /it says no version of acdl/);
});

test("a server that stops again and again is started three times, then a person is told", async () => {
  const server = new Server(log);
  await server.start();
  const [client] = fakes.clients;
  assert.equal(server.status.kind, "running");
  for (let time = 0; time < 3; time += 1) {
    assert.equal(await client.end(), true);
    assert.equal(server.status.kind, "running");
  }
  assert.deepEqual(messages(), []);
  fakes.presses = ["Restart"];
  assert.equal(await client.end(), false);
  await settled();
  assert.match(messages()[0].words, /has stopped 4 times/);
  assert.deepEqual(messages()[0].buttons, ["Restart", "Set command", "Show log"]);
  for (let waited = 0; server.status.kind !== "running" && waited < 400; waited += 1) await settled();
  assert.equal(server.status.kind, "running");
  assert.equal(fakes.clients.length, 2);
});

test("whoever asks while another starts or restarts it gets the same server", async () => {
  const server = new Server(log);
  await Promise.all([server.restart(), server.start(), server.ask("acdl/preview", {})]);
  assert.equal(fakes.clients.length, 1);
  assert.equal(server.status.kind, "running");
  await Promise.all([server.restart(), server.ask("acdl/preview", {}), server.start()]);
  assert.equal(fakes.clients.length, 2);
  assert.deepEqual(fakes.clients.map((client) => client.isOn), [false, true]);
  await server.stop();
  assert.deepEqual([fakes.clients.length, fakes.clients[1].isOn, server.status.words], [2, false, "stopped"]);
});

test("a server that cannot start is told once", async () => {
  fakes.fails = "bad header";
  const server = new Server(log);
  await server.start();
  assert.equal(server.status.kind, "failed");
  assert.match(server.status.words, /could not be started: bad header/);
  assert.equal(await server.ask("acdl/preview", {}), undefined);
  assert.equal(messages().length, 1);
});
