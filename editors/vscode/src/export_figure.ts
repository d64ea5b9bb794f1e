// The dialogue that saves a figure: format, spec, file.

import * as vscode from "vscode";

import { answerOf } from "./asking";
import type { Server } from "./client";
import { bytesOf, FORMATS } from "./exports";
import { EXPORT, PREVIEW, type Exported, type ExportParams, type Preview } from "./protocol";

export async function exportFigure(server: Server, uri: vscode.Uri, given: string | undefined): Promise<void> {
  const format = await vscode.window.showQuickPick([...FORMATS], { title: "Export the figure as" });
  if (!format) return;
  const textDocument = { uri: uri.toString() };
  let spec = given;
  if (spec === undefined) {
    const { specs } = await answerOf<Preview>(server, PREVIEW, { textDocument });
    const all = { label: "The whole file", name: "" };
    const named = specs.map(({ name, kind }) => ({ label: name, description: kind, name }));
    spec = named.length < 2 ? "" : (await vscode.window.showQuickPick([all, ...named], { title: "Export which spec" }))?.name;
    if (spec === undefined) return;
  }
  const params: ExportParams = { textDocument, format: format.format, ...(spec ? { spec } : {}) };
  const exported = await answerOf<Exported>(server, EXPORT, params);
  const folder = uri.scheme === "file" ? vscode.Uri.joinPath(uri, "..") : vscode.workspace.workspaceFolders?.[0]?.uri;
  const target = await vscode.window.showSaveDialog({
    ...(folder ? { defaultUri: vscode.Uri.joinPath(folder, exported.name) } : {}),
    filters: { [format.format.toUpperCase()]: [format.extension] },
  });
  if (!target) return;
  await vscode.workspace.fs.writeFile(target, bytesOf(exported));
  const pressed = await vscode.window.showInformationMessage(`Exported ${vscode.workspace.asRelativePath(target)}`, "Open");
  if (pressed) await vscode.commands.executeCommand("vscode.open", target);
}
