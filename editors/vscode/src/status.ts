// The item in the status bar: whether the language server runs, and the way to all commands.

import * as vscode from "vscode";

import type { Server, Status } from "./client";

const SIGNS: Record<Status["kind"], string> = {
  off: "$(circle-slash) ACDL",
  starting: "$(loading~spin) ACDL",
  running: "ACDL",
  failed: "$(warning) ACDL",
};

export class StatusItem implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem("acdl.status", vscode.StatusBarAlignment.Right, 90);
  private readonly disposables: vscode.Disposable[];

  constructor(private readonly server: Server) {
    this.item.name = "ACDL";
    this.item.command = "acdl.menu";
    this.disposables = [
      this.item,
      server.onStatus(() => this.update()),
      vscode.window.onDidChangeActiveTextEditor(() => this.update()),
    ];
    this.update();
  }

  dispose(): void {
    for (const each of this.disposables) each.dispose();
  }

  private update(): void {
    const { kind, words } = this.server.status;
    this.item.text = SIGNS[kind];
    this.item.tooltip = words;
    this.item.accessibilityInformation = { label: `ACDL: ${words}` };
    this.item.backgroundColor = kind === "failed" ? new vscode.ThemeColor("statusBarItem.warningBackground") : undefined;
    if (vscode.window.activeTextEditor?.document.languageId === "acdl" || kind === "failed") this.item.show();
    else this.item.hide();
  }
}
