// The preview beside a document: draws it anew as it changes, and follows the cursor both ways.

import { randomBytes } from "node:crypto";
import * as vscode from "vscode";

import type { Server } from "./client";
import type { ToExtension, ToPage } from "./messages";
import { followed, partAt } from "./parts";
import { previewPage } from "./preview_page";
import { PREVIEW, type Against, type Preview, type PreviewParams, type Range } from "./protocol";
import { said } from "./said";

const VIEW = "acdl.preview";
const SETTLED_MS = 80;

export class PreviewPanel implements vscode.Disposable {
  private static readonly open = new Map<string, PreviewPanel>();
  private readonly disposables: vscode.Disposable[] = [];
  private ranges: Record<string, Range> = {};
  private specs: Preview["specs"] = [];
  private spec = "";
  private against: Against | undefined;
  private isFollowing = vscode.workspace.getConfiguration("acdl").get("preview.followCursor", true);
  private timer: NodeJS.Timeout | undefined;
  private asked: vscode.CancellationTokenSource | undefined;
  private isReady = false;

  /** Show the preview of a document beside it, or the one that is open already. */
  static show(context: vscode.ExtensionContext, server: Server, uri: vscode.Uri, spec = "", against?: Against): void {
    const known = PreviewPanel.open.get(uri.toString());
    const panel = known ?? new PreviewPanel(context, server, uri);
    panel.spec = spec;
    panel.against = against ?? (known ? panel.against : undefined);
    if (known) {
      panel.panel.reveal(undefined, true);
      panel.soon(0);
    }
  }

  private readonly panel: vscode.WebviewPanel;

  private constructor(
    context: vscode.ExtensionContext,
    private readonly server: Server,
    private readonly uri: vscode.Uri,
  ) {
    const folder = vscode.Uri.joinPath(context.extensionUri, "dist");
    const title = `Preview ${vscode.workspace.asRelativePath(uri).split("/").at(-1)}`;
    const place = { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true };
    this.panel = vscode.window.createWebviewPanel(VIEW, title, place, {
      enableScripts: true,
      enableFindWidget: true,
      localResourceRoots: [folder],
    });
    this.panel.iconPath = vscode.Uri.joinPath(folder, "file.svg");
    const { webview } = this.panel;
    const address = (name: string): string => webview.asWebviewUri(vscode.Uri.joinPath(folder, name)).toString();
    webview.html = previewPage({
      source: webview.cspSource,
      nonce: randomBytes(16).toString("hex"),
      styles: ["acdl.css", "figure.css", "preview.css"].map(address),
      scripts: ["acdl.js", "preview.js"].map(address),
    });
    PreviewPanel.open.set(uri.toString(), this);
    this.disposables.push(
      this.panel,
      this.panel.onDidDispose(() => this.dispose()),
      webview.onDidReceiveMessage((message: ToExtension) => this.received(message)),
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        if (document.uri.toString() === uri.toString()) this.soon(SETTLED_MS);
      }),
      vscode.window.onDidChangeTextEditorSelection(({ textEditor, kind }) => {
        if (kind !== undefined && textEditor.document.uri.toString() === uri.toString()) this.light(textEditor);
      }),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration("acdl")) this.soon(SETTLED_MS);
      }),
      server.onChecked(() => this.soon(SETTLED_MS)), // its problems, or what it uses, may have changed
      server.onStatus(({ kind }) => {
        if (kind === "running") this.soon(0);
      }),
    );
  }

  dispose(): void {
    PreviewPanel.open.delete(this.uri.toString());
    clearTimeout(this.timer);
    this.asked?.cancel();
    for (const each of this.disposables.splice(0)) each.dispose();
  }

  private post(message: ToPage): void {
    void this.panel.webview.postMessage(message);
  }

  private soon(wait_ms: number): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.draw(), wait_ms);
  }

  private async draw(): Promise<void> {
    if (!this.isReady) return;
    this.asked?.cancel();
    const asked = new vscode.CancellationTokenSource();
    this.asked = asked;
    const params: PreviewParams = {
      textDocument: { uri: this.uri.toString() },
      ...(this.spec ? { spec: this.spec } : {}),
      ...(this.against ? { against: this.against } : {}),
    };
    try {
      const preview = await this.server.ask<Preview>(PREVIEW, params, asked.token);
      if (asked.token.isCancellationRequested) return;
      if (!preview) return this.post({ type: "trouble", message: `no figure without the language server: ${this.server.status.words}` });
      const chosen = followed(this.spec, this.specs, preview.specs);
      const isRenamed = chosen !== this.spec && chosen !== "";
      this.spec = chosen;
      this.ranges = preview.ranges;
      this.specs = preview.specs;
      if (isRenamed) return this.soon(0); // the answer shows all, as there is none of the old name
      const { html, specs, points, isEqual, problems } = preview;
      this.post({
        type: "show",
        preview: { html, specs, points, isEqual: isEqual ?? null, problems },
        spec: this.spec,
        against: !this.against ? "" : "revision" in this.against ? "head" : "file",
      });
      const editor = vscode.window.visibleTextEditors.find(({ document }) => document.uri.toString() === this.uri.toString());
      if (editor) this.light(editor);
    } catch (reason) {
      if (!asked.token.isCancellationRequested) this.post({ type: "trouble", message: said(reason) });
    }
  }

  private light(editor: vscode.TextEditor): void {
    if (!this.isFollowing) return;
    this.post({ type: "light", part: partAt(this.ranges, editor.selection.active, this.specs) });
  }

  private async received(message: ToExtension): Promise<void> {
    switch (message.type) {
      case "ready":
        this.isReady = true;
        return this.draw();
      case "reveal":
        return this.reveal(message.part);
      case "spec":
        this.spec = message.name;
        return this.draw();
      case "follow":
        this.isFollowing = message.isOn;
        return this.post({ type: "light", part: undefined });
      case "export":
        await vscode.commands.executeCommand("acdl.export", this.uri, this.spec);
        return;
      case "against":
        return this.compare(message.kind);
    }
  }

  private async compare(kind: "" | "head" | "file"): Promise<void> {
    if (kind === "file") {
      await vscode.commands.executeCommand("acdl.compareWithFile", this.uri, this.spec);
      return;
    }
    this.against = kind === "head" ? { revision: "HEAD" } : undefined;
    await this.draw();
  }

  private async reveal(part: string): Promise<void> {
    const place = this.ranges[part];
    if (!place) return;
    const range = new vscode.Range(place.start.line, place.start.character, place.end.line, place.end.character);
    const shown = vscode.window.visibleTextEditors.find(({ document }) => document.uri.toString() === this.uri.toString());
    const column = shown?.viewColumn ?? vscode.ViewColumn.One;
    const editor = await vscode.window.showTextDocument(this.uri, { viewColumn: column });
    editor.selection = new vscode.Selection(range.start, range.end);
    editor.revealRange(range, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
    this.post({ type: "light", part });
  }
}
