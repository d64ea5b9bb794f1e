// The language client for tests. It answers by `fakes.answer`; with `fakes.isTalking` it runs the program that it is
// given and talks with it, as the real one does: documents go there, notifications come, an end is noticed.
const protocol = require("vscode-languageserver-protocol/node");
const { EventEmitter } = require("./fake_events.cjs");

const fakes = (globalThis.fakes = { done: [], clients: [], children: [], documents: new Map(), isTalking: false, fails: undefined, answer: () => undefined });
const State = { Stopped: 1, Starting: 3, Running: 2 };
const CloseAction = { DoNotRestart: 1, Restart: 2 };
const ErrorAction = { Continue: 1 };

class LanguageClient {
  isOn = false;
  /** What its program has written to the log. */
  words = "";
  state = new EventEmitter();
  heard = [];
  constructor(_id, _name, makeProcess, options) {
    Object.assign(this, { makeProcess, options });
    this.onDidChangeState = this.state.event;
    fakes.clients.push(this);
  }
  onNotification(name, hear) {
    this.heard.push([name, hear]);
  }
  isRunning() {
    return this.isOn;
  }
  async start() {
    if (fakes.fails) throw new Error(fakes.fails);
    fakes.done.push(["client started"]);
    if (fakes.isTalking) await this.talk();
    this.turn(true);
  }
  async dispose() {
    fakes.done.push(["client stopped"]);
    if (this.child) {
      const child = this.child;
      this.child = undefined;
      const gone = new Promise((resolve) => child.once("exit", resolve));
      await this.connection.sendRequest("shutdown");
      await this.connection.sendNotification("exit");
      await gone;
    }
    this.turn(false);
  }
  async sendRequest(method, params) {
    return this.connection ? this.connection.sendRequest(method, params) : fakes.answer(method, params);
  }
  turn(isOn) {
    this.isOn = isOn;
    this.state.fire({ newState: isOn ? State.Running : State.Stopped });
  }
  /** The server's process has ended; whether it is started again. */
  async end() {
    this.child = undefined;
    const { action } = await this.options.errorHandler.closed();
    this.turn(false);
    if (action !== CloseAction.Restart) return false;
    if (this.connection) await this.talk();
    this.turn(true);
    return true;
  }
  async talk() {
    const child = await this.makeProcess();
    this.child = child;
    fakes.children.push(child);
    child.stderr.on("data", (written) => (this.words += written));
    child.once("exit", () => this.child === child && void this.end());
    const connection = protocol.createProtocolConnection(
      new protocol.StreamMessageReader(child.stdout), new protocol.StreamMessageWriter(child.stdin),
    );
    this.connection = connection;
    for (const [name, hear] of this.heard) connection.onNotification(name, hear);
    connection.onRequest("workspace/configuration", ({ items }) => items.map(() => ({})));
    for (const method of ["client/registerCapability", "window/workDoneProgress/create"]) connection.onRequest(method, () => null);
    connection.listen();
    const folders = fakes.folders.map(({ uri }) => ({ uri: String(uri), name: "folder" }));
    const gone = new Promise((_, reject) => child.once("exit", () => reject(new Error("the server has stopped"))));
    gone.catch(() => {}); // later ends are no failed starts
    await Promise.race([gone, connection.sendRequest("initialize", {
      processId: process.pid, rootUri: folders[0]?.uri ?? null, workspaceFolders: folders,
      initializationOptions: this.options.initializationOptions,
      capabilities: { workspace: { configuration: true, workspaceFolders: true } },
    })]);
    await connection.sendNotification("initialized", {});
    for (const document of fakes.documents.values()) this.open(document);
  }
  open({ uri, languageId, version, text }) {
    void this.connection?.sendNotification("textDocument/didOpen", { textDocument: { uri: String(uri), languageId, version, text } });
  }
  change({ uri, version, text }) {
    void this.connection?.sendNotification("textDocument/didChange", {
      textDocument: { uri: String(uri), version }, contentChanges: [{ text }],
    });
  }
}

/** A document is open, or has other words. */
function written(document) {
  const isNew = !fakes.documents.has(String(document.uri));
  fakes.documents.set(String(document.uri), document);
  for (const each of fakes.clients.filter((client) => client.isOn)) isNew ? each.open(document) : each.change(document);
}

module.exports = { fakes, written, api: { State, CloseAction, ErrorAction, LanguageClient } };
