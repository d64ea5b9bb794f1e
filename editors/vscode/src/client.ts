// The language server's process, from finding it to asking it.

import { execFile, spawn, type ChildProcess } from "node:child_process";
import * as vscode from "vscode";
import { CloseAction, ErrorAction, LanguageClient, State, type ErrorHandler } from "vscode-languageclient/node";

import { CHANGED, CHECKED } from "./protocol";
import { MOST_RESTARTS, Restarts } from "./restarts";
import { said } from "./said";
import { candidates, complaint, installation, probe, reasonOf, type Probed, type Ran } from "./server_command";

const PROBE_MS = 15_000;
const KEPT_CHARACTERS = 2_000;

/** Python takes no file of the workspace, where it is started, for a module of its own. */
const environment = (): NodeJS.ProcessEnv => ({ ...process.env, PYTHONSAFEPATH: "1" });

const NOT_TRUSTED = "this workspace is not trusted, so no program is started";

/** What the server is doing, for people. */
export type Status = { kind: "off" | "starting" | "running" | "failed"; words: string };

export class Server implements vscode.Disposable {
  private client: LanguageClient | undefined;
  private readonly changed = new vscode.EventEmitter<Status>();
  private readonly notified = new vscode.EventEmitter<{ uri: string }>();
  private starting: Promise<void> | undefined;
  private lastWords = "";
  status: Status = { kind: "off", words: "not started" };
  readonly onStatus = this.changed.event;
  /** A document was checked again, or all of them, then without an address. */
  readonly onChecked = this.notified.event;

  constructor(readonly log: vscode.LogOutputChannel) {}

  dispose(): void {
    void this.stop();
    this.changed.dispose();
    this.notified.dispose();
  }

  /** Start the server, or wait until it has started; told to people if it cannot. Without trust nothing is run. */
  async start(): Promise<void> {
    if (!vscode.workspace.isTrusted) return this.set("off", NOT_TRUSTED);
    this.starting ??= this.run().catch((reason: unknown) => {
      const last = this.lastWords.trim().split("\n").at(-1);
      void this.complain(`the ACDL language server could not be started: ${last || said(reason)}`);
    });
    await this.starting;
  }

  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  async stop(): Promise<void> {
    while (this.starting) {
      const { starting } = this;
      await starting;
      if (this.starting === starting) this.starting = undefined;
    }
    const { client } = this;
    this.client = undefined;
    await client?.dispose().catch((reason: unknown) => this.log.warn(String(reason)));
    if (!this.starting) this.set("off", "stopped"); // or somebody has asked for one meanwhile
  }

  /** Ask the server; undefined if there is none. */
  async ask<Answer>(method: string, params: object, token?: vscode.CancellationToken): Promise<Answer | undefined> {
    await this.start();
    if (!this.client?.isRunning()) return undefined;
    // An `undefined` behind the parameters would be sent as one more of them.
    return token ? this.client.sendRequest<Answer>(method, params, token) : this.client.sendRequest<Answer>(method, params);
  }

  private async run(): Promise<void> {
    this.set("starting", "starting");
    const probed = await this.find();
    for (const { candidate, why } of probed.refused) this.log.info(`not ${candidate.words.join(" ")}: ${why}`);
    if (probed.kind !== "found") {
      void this.complain(complaint(probed, process.platform), installation(probed, process.platform));
      return;
    }
    const { candidate, version } = probed;
    const [command, ...rest] = candidate.words;
    this.log.info(`acdl ${version}: ${[...candidate.words, "lsp"].join(" ")} (${candidate.origin})`);
    const documents = ["file", "untitled"].flatMap((scheme) => ["acdl", "markdown"].map((language) => ({ scheme, language })));
    const client = new LanguageClient("acdl", "ACDL", () => Promise.resolve(this.process(command!, [...rest, "lsp"])), {
      documentSelector: documents,
      outputChannel: this.log,
      initializationOptions: { commands: true },
      errorHandler: this.handler(),
      synchronize: { configurationSection: "acdl" },
    });
    client.onDidChangeState(({ newState }) => {
      if (newState === State.Running) this.set("running", `acdl ${version} (${candidate.origin})`);
      else if (newState === State.Stopped && this.client === client && this.status.kind === "running") {
        this.set("failed", "the language server has stopped");
      }
    });
    client.onNotification(CHANGED, ({ uri }: { uri: string }) => this.notified.fire({ uri }));
    client.onNotification(CHECKED, () => this.notified.fire({ uri: "" }));
    this.client = client;
    await client.start();
  }

  private process(command: string, words: readonly string[]): ChildProcess {
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
    this.lastWords = "";
    const child = spawn(command, words, { env: environment(), windowsHide: true, ...(folder?.scheme === "file" ? { cwd: folder.fsPath } : {}) });
    child.stderr.on("data", (said: Buffer) => {
      this.lastWords = (this.lastWords + said.toString("utf-8")).slice(-KEPT_CHARACTERS);
    });
    return child;
  }

  /** A server that has run is started again some times; one that never could is not. */
  private handler(): ErrorHandler {
    const restarts = new Restarts();
    return {
      error: () => ({ action: ErrorAction.Continue }),
      closed: () => {
        const isRunning = this.status.kind === "running";
        if (isRunning && restarts.isWorth()) return { action: CloseAction.Restart, handled: true };
        if (isRunning) void this.complain(`the ACDL language server has stopped ${MOST_RESTARTS + 1} times`);
        return { action: CloseAction.DoNotRestart, handled: true };
      },
    };
  }

  private async find(): Promise<Probed> {
    const written = vscode.workspace.getConfiguration("acdl").get<string[]>("server.command", []);
    const folders = vscode.workspace.workspaceFolders ?? [];
    const tried = candidates({
      setting: written,
      interpreter: await chosenInterpreter(),
      folders: folders.filter(({ uri }) => uri.scheme === "file").map(({ uri }) => uri.fsPath),
      platform: process.platform,
    });
    return probe(tried, (words) => this.printed(words));
  }

  private printed([program, ...rest]: readonly string[]): Promise<Ran> {
    return new Promise((resolve) => {
      const child = execFile(program!, rest, { env: environment(), timeout: PROBE_MS, windowsHide: true }, (error, out, words) =>
        resolve(error ? reasonOf(error, words) : { out }));
      child.stdin?.end();
    });
  }

  private set(kind: Status["kind"], words: string): void {
    this.status = { kind, words };
    this.changed.fire(this.status);
  }

  private async complain(words: string, install?: string): Promise<void> {
    this.set("failed", words);
    this.log.error(words);
    const first = install ? "Install…" : "Restart";
    const pressed = await vscode.window.showErrorMessage(words, first, "Set command", "Show log");
    if (pressed === "Restart") {
      await this.restart();
    } else if (pressed === "Install…" && install) {
      const terminal = vscode.window.createTerminal("ACDL");
      terminal.show();
      terminal.sendText(install, false); // typed, for a person to look at and run
    } else if (pressed === "Set command") {
      await vscode.commands.executeCommand("workbench.action.openSettings", "acdl.server.command");
    } else if (pressed === "Show log") {
      this.log.show();
    }
  }
}

/** The interpreter that the Python extension uses here, if there is that extension and it says. */
async function chosenInterpreter(): Promise<string | undefined> {
  const extension = vscode.extensions.getExtension<PythonExtension>("ms-python.python");
  if (!extension) return undefined;
  try {
    const { environments } = await extension.activate();
    const path = environments?.getActiveEnvironmentPath(vscode.workspace.workspaceFolders?.[0]?.uri);
    const resolved = path && (await environments?.resolveEnvironment(path));
    return resolved?.executable.uri?.fsPath;
  } catch {
    return undefined; // an older one: then the other places are looked at
  }
}

interface PythonExtension {
  environments?: {
    getActiveEnvironmentPath(resource?: vscode.Uri): { path: string };
    resolveEnvironment(path: { path: string }): Promise<{ executable: { uri?: vscode.Uri } } | undefined>;
  };
}
