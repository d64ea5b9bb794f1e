// The dialogue that shows what a spec sends: spec, point in time, format.

import * as vscode from "vscode";

import { answerOf } from "./asking";
import type { Server } from "./client";
import { SHOWN } from "./exports";
import { specAt } from "./parts";
import { EVALUATE, PREVIEW, type Evaluated, type EvaluateParams, type Preview } from "./protocol";

export const EVALUATED = "acdl-evaluated";

export async function evaluate(
  server: Server, evaluated: EvaluatedTexts, uri: vscode.Uri, given: string, point: string,
): Promise<void> {
  const textDocument = { uri: uri.toString() };
  let spec = given;
  if (!spec) {
    const { specs } = await answerOf<Preview>(server, PREVIEW, { textDocument });
    const editor = vscode.window.activeTextEditor;
    const prompts = specs.filter(({ kind }) => kind === "prompt");
    const isActive = editor?.document.uri.toString() === uri.toString();
    spec = (isActive ? specAt(prompts, editor!.selection.active) : prompts[0]?.name) ?? "";
  }
  const about = { textDocument, ...(spec ? { spec } : {}) };
  const { points, at: usual } = await answerOf<Evaluated>(server, EVALUATE, { ...about, ...(point ? { at: point } : {}) });
  let at = point || usual;
  if (!point && points.length > 1) {
    const ordered = [usual, ...points.filter((each) => each !== usual)];
    const chosen = await vscode.window.showQuickPick(ordered, { title: `${spec || "Evaluate"} at which point in time` });
    if (!chosen) return;
    at = chosen;
  }
  const format = await vscode.window.showQuickPick([...SHOWN], { title: "Show the messages as" });
  if (!format) return;
  const params: EvaluateParams = { ...about, at, format: format.format };
  const answer = await answerOf<Evaluated>(server, EVALUATE, params);
  await evaluated.show(`${spec || "spec"} at ${at}`, answer);
  const worst = answer.problems.find(({ severity }) => severity === "error") ?? answer.problems[0];
  if (worst) void vscode.window.showWarningMessage(`ACDL: ${worst.message}`);
}

/** Texts that are shown and not saved. */
export class EvaluatedTexts implements vscode.TextDocumentContentProvider {
  private readonly texts = new Map<string, string>();
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changed.event;

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.texts.get(uri.toString()) ?? "";
  }

  async show(title: string, { text, language }: Evaluated): Promise<void> {
    const uri = vscode.Uri.from({ scheme: EVALUATED, path: title });
    this.texts.set(uri.toString(), text);
    this.changed.fire(uri);
    const known = await vscode.languages.getLanguages();
    const document = await vscode.workspace.openTextDocument(uri);
    if (known.includes(language)) await vscode.languages.setTextDocumentLanguage(document, language);
    await vscode.window.showTextDocument(document, { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true });
  }
}
