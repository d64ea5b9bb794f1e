// As much of VS Code as our modules use, for tests: what was done is in `globalThis.fakes`, and what a person would do.
const { pathToFileURL, fileURLToPath } = require("node:url");
const { EventEmitter, disposable } = require("./fake_events.cjs");
const client = require("./fake_client.cjs");

const { fakes } = client;
const note = (...what) => void fakes.done.push(what);
/** What a person chooses next: a label, or nothing. */
const picked = (items) => {
  const wanted = fakes.picks.shift();
  return items.find((item) => item === wanted || item.label === wanted);
};

class Uri {
  constructor(text) {
    this.text = text;
    this.scheme = text.split(":", 1)[0];
  }
  static parse = (text) => new Uri(text);
  static file = (path) => new Uri(pathToFileURL(path).href);
  static from = ({ scheme, path }) => new Uri(`${scheme}:${path}`);
  static joinPath = (uri, ...names) => new Uri(new URL(names.join("/"), `${uri}/`).href);
  get fsPath() {
    return fileURLToPath(this.text);
  }
  toString() {
    return this.text;
  }
}

class Position {
  constructor(line, character) {
    Object.assign(this, { line, character });
  }
}

class Range {
  constructor(line, character, toLine, toCharacter) {
    Object.assign(this, { start: new Position(line, character), end: new Position(toLine, toCharacter) });
  }
}

class Location {
  constructor(uri, range) {
    Object.assign(this, { uri, range });
  }
}

class Selection {
  constructor(anchor, active) {
    Object.assign(this, { anchor, active });
  }
}

class CancellationTokenSource {
  token = { isCancellationRequested: false, onCancellationRequested: () => disposable };
  cancel() {
    this.token.isCancellationRequested = true;
  }
}

const events = Object.fromEntries(
  ["page", "changes", "selections", "actives", "settingChanges", "trusts", "opened", "saved"].map((name) => [name, new EventEmitter()]),
);
Object.assign(fakes, events, {
  isTrusted: true, settings: {}, folders: [], picks: [], presses: [], files: [], saveTo: undefined, active: undefined,
  open: [], commands: {}, texts: {}, panels: [], status: undefined, Uri,
  /** A text is opened and active, or has other words now. */
  write(uri, text, languageId = "acdl") {
    const editor = { document: { uri, languageId, text, version: (fakes.active?.document.version ?? 0) + 1 } };
    fakes.active = { ...editor, selection: new Selection(new Position(0, 0), new Position(0, 0)), revealRange() {} };
    client.written(fakes.active.document);
    events.actives.fire(fakes.active);
    events.changes.fire({ document: fakes.active.document });
  },
});

const panel = () => {
  const gone = new EventEmitter();
  const made = {
    webview: {
      cspSource: "self", asWebviewUri: (uri) => uri, postMessage: (message) => note("page", message),
      onDidReceiveMessage: events.page.event,
    },
    onDidDispose: gone.event,
    reveal() {},
    dispose: () => gone.fire(),
  };
  fakes.panels.push(made);
  return made;
};
const statusItem = () => (fakes.status = {
  isShown: false,
  show() {
    this.isShown = true;
  },
  hide() {
    this.isShown = false;
  },
  dispose() {},
});

module.exports = {
  ...client.api, EventEmitter, Uri, Position, Range, Location, Selection, CancellationTokenSource,
  ViewColumn: { Beside: -2, One: 1 },
  TextEditorRevealType: {},
  StatusBarAlignment: {},
  ProgressLocation: {},
  ThemeColor: class {},
  commands: {
    registerCommand: (name, run) => ((fakes.commands[name] = run), disposable),
    executeCommand: async (name, ...words) => (note("command", name, ...words), fakes.commands[name]?.(...words)),
  },
  extensions: { getExtension: () => undefined },
  languages: { getLanguages: async () => ["markdown", "json"], setTextDocumentLanguage: async (_, language) => note("language", language) },
  window: {
    get activeTextEditor() {
      return fakes.active;
    },
    get visibleTextEditors() {
      return fakes.active ? [fakes.active] : [];
    },
    createWebviewPanel: panel,
    createStatusBarItem: statusItem,
    createOutputChannel: () => fakes.log,
    onDidChangeActiveTextEditor: events.actives.event,
    onDidChangeTextEditorSelection: events.selections.event,
    createTerminal: () => ({ show() {}, sendText: (text, isRun) => note("terminal", text, isRun) }),
    showTextDocument: async (shown) => (note("shown", shown), fakes.active),
    showErrorMessage: async (words, ...buttons) => (note("message", words, buttons), fakes.presses.shift()),
    showWarningMessage: async (words) => note("warning", words),
    showInformationMessage: async (words, ...buttons) => (note("information", words, buttons), fakes.presses.shift()),
    showQuickPick: async (items, { title }) => (note("asked", title, items.map((item) => item.label ?? item)), picked(items)),
    showOpenDialog: async () => fakes.files,
    showSaveDialog: async ({ defaultUri }) => (note("saving", String(defaultUri)), fakes.saveTo),
    withProgress: (_, run) => run(),
  },
  workspace: {
    get isTrusted() {
      return fakes.isTrusted;
    },
    get textDocuments() {
      return fakes.open;
    },
    get workspaceFolders() {
      return fakes.folders;
    },
    fs: { writeFile: async (uri, bytes) => note("written", String(uri), bytes) },
    asRelativePath: (uri) => String(uri).split("/").at(-1),
    getConfiguration: () => ({ get: (name, otherwise) => fakes.settings[name] ?? otherwise }),
    openTextDocument: async (given) =>
      given.content !== undefined ? given : { uri: given, text: await fakes.texts[given.scheme].provideTextDocumentContent(given) },
    registerTextDocumentContentProvider: (scheme, provider) => ((fakes.texts[scheme] = provider), disposable),
    onDidChangeTextDocument: events.changes.event,
    onDidChangeConfiguration: events.settingChanges.event,
    onDidGrantWorkspaceTrust: events.trusts.event,
    onDidOpenTextDocument: events.opened.event,
    onDidSaveTextDocument: events.saved.event,
  },
};
