// Which program is the language server: what is tried, in which order, and what is said when none will do.
// Knows nothing of VS Code.

import { join } from "node:path";

export const LEAST_VERSION = "0.1.0";
const PACKAGE = '"acdl-mkdocs[lsp]"'; // in double quotes, which every shell takes

export interface Surroundings {
  /** The setting `acdl.server.command`; empty if the user has said nothing. */
  setting: readonly string[];
  /** Interpreter that the Python extension has chosen for the workspace. */
  interpreter: string | undefined;
  /** Folders of the workspace. */
  folders: readonly string[];
  platform: NodeJS.Platform;
}

export interface Candidate {
  /** Program and arguments, without `lsp` or `--version`. */
  words: readonly string[];
  /** The Python that runs it, where that is known: what is missing is installed into that one. */
  python?: string;
  /** Where it comes from, for people. */
  origin: string;
}

/** What a program did when it was run: what it printed, or why it is none. */
export type Ran = { out: string } | { why: string; isAbsent: boolean };

/** A candidate that is no server, and why. */
export interface Refused {
  candidate: Candidate;
  why: string;
  /** There is no such program. */
  isAbsent: boolean;
}

export type Probed =
  | { kind: "found"; candidate: Candidate; version: string; refused: readonly Refused[] }
  | { kind: "too old"; candidate: Candidate; version: string; refused: readonly Refused[] }
  | { kind: "missing"; refused: readonly Refused[] };

/** Everything that may be the server, best first. What a user has said is the only candidate. */
export function candidates({ setting, interpreter, folders, platform }: Surroundings): Candidate[] {
  if (setting.length) {
    const words = setting.at(-1) === "lsp" ? setting.slice(0, -1) : setting;
    return [{ words, origin: "the setting acdl.server.command" }];
  }
  const inside = platform === "win32" ? join("Scripts", "python.exe") : join("bin", "python");
  const pythons = folders.flatMap((folder) => [".venv", "venv"].map((name) => join(folder, name, inside)));
  const found: Candidate[] = [];
  const add = (python: string, origin: string): number => found.push({ words: [python, "-m", "acdl_mkdocs"], origin, python });
  if (interpreter) add(interpreter, "the interpreter of the Python extension");
  for (const python of pythons) add(python, python);
  found.push({ words: ["acdl"], origin: "acdl on the PATH" });
  add(platform === "win32" ? "python" : "python3", "Python on the PATH");
  return found.filter(({ words }, at) => found.findIndex((other) => other.words.join("\0") === words.join("\0")) === at);
}

/** The version in what `acdl --version` prints; undefined if something else has answered. */
export function versionIn(printed: string): string | undefined {
  return /^(?:\S+ )?acdl[\w-]*\s+v?(\d+(?:\.\d+)*\S*)\s*$/im.exec(printed)?.[1];
}

/** Whether one version comes before another; what follows the numbers is not compared. */
export function isOlder(version: string, than: string): boolean {
  const numbers = (text: string): number[] => text.split(/[^\d.]/, 1)[0]!.split(".").map(Number);
  const [mine, other] = [numbers(version), numbers(than)];
  for (let at = 0; at < Math.max(mine.length, other.length); at += 1) {
    const difference = (mine[at] ?? 0) - (other[at] ?? 0);
    if (difference) return difference < 0;
  }
  return false;
}

/** Ask every candidate whether it can serve, until one can; `ask` runs a program. One without the extra `lsp` cannot. */
export async function probe(
  tried: readonly Candidate[],
  ask: (words: readonly string[]) => Promise<Ran>,
): Promise<Probed> {
  const refused: Refused[] = [];
  let old: { candidate: Candidate; version: string } | undefined;
  for (const candidate of tried) {
    const ran = await ask([...candidate.words, "lsp", "--version"]);
    const version = "out" in ran ? versionIn(ran.out) : undefined;
    if (version && !isOlder(version, LEAST_VERSION)) return { kind: "found", candidate, version, refused };
    if (version) old ??= { candidate, version };
    const why = "why" in ran ? ran.why : version ? `it is ${version}, too old` : "it says no version of acdl";
    refused.push({ candidate, why, isAbsent: "why" in ran && ran.isAbsent });
  }
  return old ? { kind: "too old", ...old, refused } : { kind: "missing", refused };
}

/** Why a program that was run is no server: the last line that it wrote, or what the system says. */
export function reasonOf(error: { code?: unknown; killed?: boolean; message: string }, stderr: string): Ran {
  if (error.code === "ENOENT") return { why: "there is no such program", isAbsent: true };
  if (error.killed) return { why: "it did not answer in time", isAbsent: false };
  const last = stderr.trim().split("\n").at(-1)?.trim();
  return { why: last || error.message, isAbsent: false };
}

/** The command that installs the server: into the Python that is looked at first, of those that there are. */
export function installation(probed: Exclude<Probed, { kind: "found" }>, platform: NodeJS.Platform): string {
  const there = probed.refused.filter(({ candidate, isAbsent }) => candidate.python && !isAbsent);
  const chosen = probed.kind === "too old" ? probed.candidate : there[0]?.candidate;
  const python = chosen?.python ?? (platform === "win32" ? "python" : "python3");
  const program = !/[^\w./\\:-]/.test(python) ? python : platform === "win32" ? `& "${python}"` : `"${python}"`;
  return `${program} -m pip install ${probed.kind === "too old" ? "--upgrade " : ""}${PACKAGE}`;
}

/** What a person is told when there is no server to start. */
export function complaint(probed: Exclude<Probed, { kind: "found" }>, platform: NodeJS.Platform): string {
  const install = installation(probed, platform);
  if (probed.kind === "too old") {
    const { version, candidate } = probed;
    return `acdl ${version} (${candidate.origin}) is too old for this extension, which needs ${LEAST_VERSION}: ${install}`;
  }
  const [first] = probed.refused;
  if (probed.refused.length === 1 && first!.candidate.origin.startsWith("the setting")) {
    const written = first!.candidate.words.join(" ");
    return `the setting acdl.server.command names \`${written}\`, which cannot serve (${first!.why}): correct or remove it`;
  }
  const places = probed.refused.map(({ candidate }) => candidate.origin).join(", ");
  return `the ACDL language server was not found (tried ${places}; the log says why): ${install}`;
}
