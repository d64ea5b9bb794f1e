// Asking the language server while a person waits, and telling them what came of it.

import * as vscode from "vscode";

import type { Server } from "./client";
import { said } from "./said";

/** What the server answers; fails, saying why, if there is none. */
export async function answerOf<Answer>(server: Server, method: string, params: object): Promise<Answer> {
  const title = { location: vscode.ProgressLocation.Window, title: "ACDL" };
  const answer = await vscode.window.withProgress(title, () => server.ask<Answer>(method, params));
  if (answer === undefined) throw new Error(server.status.words);
  return answer;
}

/** Run what a person has asked for; a failure is a message. */
export async function reported(run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (reason) {
    void vscode.window.showErrorMessage(`ACDL: ${said(reason)}`);
  }
}
