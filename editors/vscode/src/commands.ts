// What the command palette offers, and what code lenses ask for.

import * as vscode from "vscode";

import { reported } from "./asking";
import type { Server } from "./client";
import { evaluate, type EvaluatedTexts } from "./evaluate";
import { exportFigure } from "./export_figure";
import { inferSpec } from "./infer";
import { PreviewPanel } from "./preview_panel";
import type { Against, Position, Range } from "./protocol";

type Command = (...given: never[]) => unknown;
type Named = vscode.Uri | string | undefined;

/** Every command by its name. */
export function commands(context: vscode.ExtensionContext, server: Server, evaluated: EvaluatedTexts): Record<string, Command> {
  const preview = (named: Named, spec: unknown, against?: Against): void => {
    const uri = documentOf(named);
    if (uri) PreviewPanel.show(context, server, uri, wordOf(spec), against);
  };
  return {
    "acdl.preview": (named: Named, spec?: unknown) => preview(named, spec),
    "acdl.compareWithHead": (named: Named, spec?: unknown) => preview(named, spec, { revision: "HEAD" }),
    "acdl.compareWithFile": async (named: Named, spec?: unknown) => {
      const uri = documentOf(named);
      if (!uri) return;
      const filters = { "ACDL and Markdown": ["acdl", "md", "markdown"] };
      const chosen = await vscode.window.showOpenDialog({ title: "Compare with", openLabel: "Compare", filters });
      if (chosen?.[0]) preview(uri, spec, { uri: chosen[0].toString() });
    },
    "acdl.export": (named: Named, spec?: unknown) => {
      const uri = documentOf(named);
      return uri && reported(() => exportFigure(server, uri, typeof spec === "string" ? spec : undefined));
    },
    "acdl.evaluate": (named: Named, spec?: unknown, at?: unknown) => {
      const uri = documentOf(named);
      return uri && reported(() => evaluate(server, evaluated, uri, wordOf(spec), wordOf(at)));
    },
    "acdl.infer": (named: Named) => reported(() => inferSpec(server, named instanceof vscode.Uri ? named : undefined)),
    "acdl.showReferences": showReferences,
    "acdl.restartServer": () => server.restart(),
    "acdl.showLog": () => server.log.show(),
    "acdl.menu": () => menu(server),
  };
}

/** An argument that a lens gives; what menus of the editor give instead says nothing. */
const wordOf = (given: unknown): string => (typeof given === "string" ? given : "");

/** The document that a command is about: the one it is called with, or the active one. */
function documentOf(named: Named): vscode.Uri | undefined {
  if (typeof named === "string") return vscode.Uri.parse(named, true);
  if (named instanceof vscode.Uri) return named;
  const active = vscode.window.activeTextEditor?.document;
  if (active && ["acdl", "markdown"].includes(active.languageId)) return active.uri;
  void vscode.window.showInformationMessage("Open an .acdl file or a Markdown page with acdl blocks first");
  return undefined;
}

const placeOf = ({ start, end }: Range): vscode.Range =>
  new vscode.Range(start.line, start.character, end.line, end.character);

/** What a code lens says is used in so many places, as the list that the editor shows for references. */
async function showReferences(uri: string, at: Position, found: { uri: string; range: Range }[]): Promise<void> {
  const locations = found.map((each) => new vscode.Location(vscode.Uri.parse(each.uri), placeOf(each.range)));
  const position = new vscode.Position(at.line, at.character);
  await vscode.commands.executeCommand("editor.action.showReferences", vscode.Uri.parse(uri), position, locations);
}

async function menu(server: Server): Promise<void> {
  const entries = [
    { label: "$(open-preview) Open preview to the side", command: "acdl.preview" },
    { label: "$(debug-alt) Show the messages at a point in time", command: "acdl.evaluate" },
    { label: "$(git-compare) Compare with HEAD", command: "acdl.compareWithHead" },
    { label: "$(export) Export the figure", command: "acdl.export" },
    { label: "$(wand) Infer the spec of a recording", command: "acdl.infer" },
    { label: "$(refresh) Restart the language server", command: "acdl.restartServer" },
    { label: "$(output) Show the log", command: "acdl.showLog" },
  ];
  const chosen = await vscode.window.showQuickPick(entries, { title: server.status.words });
  if (chosen) await vscode.commands.executeCommand(chosen.command);
}
