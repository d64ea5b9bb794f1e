// What VS Code calls: puts the parts together.

import * as vscode from "vscode";

import { Server } from "./client";
import { commands } from "./commands";
import { EVALUATED, EvaluatedTexts } from "./evaluate";
import { Fences, type MarkdownIt } from "./markdown_fences";
import { isOurs } from "./ours";
import { FENCE, type DrawnFence } from "./protocol";
import { StatusItem } from "./status";

const REFRESH_MS = 100;

/** Start what is needed once a text of ours is open; gives the built-in Markdown preview its plugin. */
export function activate(context: vscode.ExtensionContext): { extendMarkdownIt<M extends MarkdownIt>(markdown: M): M } {
  const log = vscode.window.createOutputChannel("ACDL", { log: true });
  const server = new Server(log);
  const evaluated = new EvaluatedTexts();
  context.subscriptions.push(
    log,
    server,
    new StatusItem(server),
    vscode.workspace.registerTextDocumentContentProvider(EVALUATED, evaluated),
  );
  for (const [name, run] of Object.entries(commands(context, server, evaluated))) {
    context.subscriptions.push(vscode.commands.registerCommand(name, run));
  }

  let timer: NodeJS.Timeout | undefined;
  const refresh = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => void vscode.commands.executeCommand("markdown.preview.refresh"), REFRESH_MS);
  };
  const startIfNeeded = (): void => {
    if (vscode.workspace.textDocuments.some(isOurs)) void server.start();
  };
  const isOn = (): boolean => vscode.workspace.isTrusted && setting("markdownPreview", true);
  const fences = new Fences((params) => server.ask<DrawnFence>(FENCE, params), refresh, isOn);
  context.subscriptions.push(
    server.onChecked(() => {
      fences.outdate();
      refresh();
    }),
    server.onStatus(({ kind }) => {
      if (kind === "running") refresh();
    }),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration("acdl.server.command")) void server.restart(); // does nothing without trust
      if (event.affectsConfiguration("acdl")) {
        fences.outdate();
        refresh();
      }
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(startIfNeeded),
    vscode.workspace.onDidOpenTextDocument(startIfNeeded),
    vscode.workspace.onDidSaveTextDocument(startIfNeeded), // its first block may be new
  );
  startIfNeeded();
  return { extendMarkdownIt: (markdown) => fences.extend(markdown) };
}

const setting = <Value>(name: string, otherwise: Value): Value =>
  vscode.workspace.getConfiguration("acdl").get(name, otherwise);
