// The dialogue that writes the spec of recordings: files, then a new text that is not saved yet.

import * as vscode from "vscode";

import { answerOf } from "./asking";
import type { Server } from "./client";
import { INFER, type Inferred, type InferParams } from "./protocol";

export async function inferSpec(server: Server, named: vscode.Uri | undefined): Promise<void> {
  const chosen = named ? [named] : await vscode.window.showOpenDialog({ title: "Infer the spec of", openLabel: "Infer", canSelectMany: true });
  if (!chosen?.length) return;
  const params: InferParams = { recordings: chosen.map(String) };
  const { text, isProven, notes } = await answerOf<Inferred>(server, INFER, params);
  const document = await vscode.workspace.openTextDocument({ language: "acdl", content: text });
  await vscode.window.showTextDocument(document);
  server.log.info(notes.join("\n"));
  const show = isProven ? vscode.window.showInformationMessage : vscode.window.showWarningMessage;
  void show(`ACDL: ${notes[0] ?? "the spec is written"}`);
}
