/** Files of the reader's machine: opened by the dialog or dropped on the page, and saved. Nothing is uploaded. */

import { byId } from "./dom";
import type { Kept } from "./drafts";

const MOST_BYTES = 2_000_000;
/** Recordings repeat the conversation in each request. */
const MOST_RUN_BYTES = 20_000_000;

export interface Opened {
  name: string;
  kind: "spec" | "state" | "page" | "run";
  text: string;
}

function kindOf(name: string): Opened["kind"] {
  if (/\.(jsonl|ndjson|har|traj)$/i.test(name)) return "run";
  if (/\.(ya?ml|json)$/i.test(name)) return "state";
  return /\.(md|markdown)$/i.test(name) ? "page" : "spec";
}

export interface FilesOptions {
  onOpen: (opened: Opened) => void;
  onRefused: (why: string) => void;
}

/** Make the page take files; gives what opens the dialog. */
export function files(options: FilesOptions): () => void {
  const input = byId<HTMLInputElement>("opened");
  const drop = byId("drop");

  const take = async (taken: FileList | null): Promise<void> => {
    const opened: Opened[] = [];
    for (const file of [...taken ?? []]) {
      try {
        opened.push({ name: file.name, kind: kindOf(file.name), text: await read(file) });
      } catch (problem) {
        options.onRefused(`${file.name} ${(problem as Error).message}`);
      }
    }
    // What others use comes after them.
    const isUsed = ({ name }: Opened): boolean => opened.some(({ text }) => uses(text, name));
    for (const each of [...opened.filter((one) => !isUsed(one)), ...opened.filter(isUsed)]) options.onOpen(each);
  };

  input.addEventListener("change", () => {
    void take(input.files).then(() => {
      input.value = ""; // the same file can be opened again
    });
  });
  const hasFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes("Files") ?? false;
  window.addEventListener("dragover", (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    drop.hidden = false;
  });
  window.addEventListener("dragleave", (event) => {
    if (!event.relatedTarget) drop.hidden = true;
  });
  // Before the editor, which would write the file where it was dropped.
  window.addEventListener("drop", (event) => {
    drop.hidden = true;
    if (!hasFiles(event)) return;
    event.preventDefault();
    event.stopPropagation();
    void take(event.dataTransfer?.files ?? null);
  }, { capture: true });
  return () => input.click();
}

/** Raises an `Error` that says what is the matter with the file. */
async function read(file: File): Promise<string> {
  const most = kindOf(file.name) === "run" ? MOST_RUN_BYTES : MOST_BYTES;
  if (file.size > most) throw new Error(`is too large: files of this kind of up to ${most / 1_000_000} MB can be opened`);
  const bytes = new Uint8Array(await file.arrayBuffer());
  if (bytes.subarray(0, 8192).includes(0)) throw new Error("is a binary file, not text");
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes).replaceAll("\r\n", "\n");
  } catch {
    throw new Error("is not UTF-8: save it as UTF-8 and open it again");
  }
}

/** Whether a text names a file in a `// acdl: use` comment. */
export function uses(text: string, name: string): boolean {
  const said = [...text.matchAll(/\/\/[ \t]*acdl:[ \t]*use[ \t]+(.+)$/gmu)].map(([, files = ""]) => files);
  const named = said.flatMap((files) => files.match(/"[^"]*"|[^\s,;"]+/g) ?? []);
  return named.some((each) => each.replaceAll('"', "").split("/").at(-1) === name);
}

/** Give the reader a file. */
export function save(name: string, content: Blob | string, mime = "text/plain"): void {
  const blob = typeof content === "string" ? new Blob([content], { type: `${mime};charset=utf-8` }) : content;
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.hidden = true;
  document.body.append(link);
  link.click();
  link.remove();
  window.setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** The first block of a page that holds ACDL, without what precedes each of its lines. */
export function firstFence(page: string): string | null {
  const found = /^([ \t>]*)(`{3,}|~{3,})[ \t]*\{?acdl\b[^\n]*\n([\s\S]*?)^\1\2/m.exec(page);
  if (!found) return null;
  const [, before = "", , body = ""] = found;
  return body.split("\n").map((line) => (line.startsWith(before) ? line.slice(before.length) : line.trimStart())).join("\n");
}

function title(text: string): string | undefined {
  return /^(?:StrFrag|RolesFrag)?[ \t]*([\p{L}_][\p{L}\p{N}_]*)\s*(?:\[[^\]\n]*\]\s*)?(?::\s*)?\{/mu.exec(text)?.[1];
}

/** A name for files, from the first thing that the text defines. */
export function fileName(text: string): string {
  return (title(text) ?? "figure").toLowerCase();
}

/** A draft in a list: what it begins with, and when it was written. */
export function called({ draft: { text }, written }: Kept): string {
  const when = new Date(written).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
  const name = title(text) ?? text.trim().slice(0, 24).replaceAll(/\s+/g, " ");
  return `${name}, ${when}`;
}
