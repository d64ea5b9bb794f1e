/** Python with the engine in it: loaded from files, or from what its memory was when it had loaded before.
 *
 * Everything comes from the folder that this file is in; all of it is byte code already. The memory is made by a second
 * worker while nothing else happens, holds nothing that anybody has written, and is kept for the next visit.
 */

import type { PyodideAPI } from "pyodide";

export type Answer = (method: string, params: string) => string;
type Loader = (options: Record<string, unknown>) => Promise<PyodideAPI>;

export const files = new URL("pyodide/", import.meta.url);

/** What of `pyodide/` is fetched. */
export const FILES = ["pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "pyodide-lock.json", "stdlib.zip", "engine.zip"];

const FOLDER = "/lib/acdl";
const GET = "from acdl_mkdocs.frontends.playground.engine import answer_json\nanswer_json";
const PREFIX = `acdl-playground-memory ${new URL("../../", files).href} `;
const kept = new URL("memory", files).href;

async function fetched(name: string): Promise<ArrayBuffer> {
  const response = await fetch(new URL(name, files));
  if (!response.ok) throw new Error(`${name} could not be fetched (${response.status})`);
  return response.arrayBuffer();
}

async function start(more: Record<string, unknown>): Promise<PyodideAPI> {
  const { loadPyodide } = (await import(new URL("pyodide.mjs", files).href)) as { loadPyodide: Loader };
  return loadPyodide({
    indexURL: files.href,
    stdLibURL: new URL("stdlib.zip", files).href,
    env: { HOME: "/home", PYTHONHASHSEED: "0" },
    ...more,
  });
}

/** Python from files. `onRuntime` is called when Python is there and the engine is not. */
export async function fromFiles(onRuntime: () => void, more: Record<string, unknown> = {}): Promise<PyodideAPI> {
  const archive = fetched("engine.zip");
  archive.catch(() => undefined); // it is waited for below
  const python = await start(more);
  onRuntime();
  python.unpackArchive(await archive, "zip", { extractDir: FOLDER });
  python.runPython(`import sys\nsys.path.insert(0, "${FOLDER}")`);
  return python;
}

/** Do something while every program that is started has at least so many bytes: a memory has to fit where it goes. */
async function roomy<T>(bytes: number, act: () => Promise<T>): Promise<T> {
  const { instantiateStreaming, instantiate } = WebAssembly;
  const grown = <T extends WebAssembly.Instance | WebAssembly.WebAssemblyInstantiatedSource>(made: T): T => {
    const { memory } = "instance" in made ? made.instance.exports : made.exports;
    if (memory instanceof WebAssembly.Memory) {
      memory.grow(Math.max(0, Math.ceil((bytes - memory.buffer.byteLength) / 65536)));
    }
    return made;
  };
  try {
    WebAssembly.instantiateStreaming = async (source, imports) => grown(await instantiateStreaming(source, imports));
    WebAssembly.instantiate = (async (source: BufferSource, imports?: WebAssembly.Imports) =>
      grown(await instantiate(source, imports))) as typeof instantiate;
    return await act();
  } finally {
    Object.assign(WebAssembly, { instantiateStreaming, instantiate });
  }
}

/** Python from its memory of an earlier visit; nothing where there is none, or none that can be used. */
export async function fromMemory(): Promise<PyodideAPI | null> {
  try {
    const found = await (await caches.open(PREFIX + files.href)).match(kept);
    if (!found) return null;
    const memory = await found.arrayBuffer();
    return await roomy(memory.byteLength, () => start({ _loadSnapshot: memory }));
  } catch (problem) {
    console.debug("The memory of an earlier visit cannot be used:", problem);
    await forget().catch(() => undefined);
    return null;
  }
}

/** The function that answers. */
export function answerOf(python: PyodideAPI): Answer {
  return python.runPython(GET) as Answer;
}

/** What is not in the memory: files of modules that few questions need. */
export async function addFiles(python: PyodideAPI): Promise<void> {
  python.unpackArchive(await fetched("engine.zip"), "zip", { extractDir: FOLDER });
}

/** Keep the memory of a Python that has answered some questions; true if it was not kept before. */
export async function keepMemory(questions: readonly (readonly [string, object])[]): Promise<boolean> {
  const cache = await caches.open(PREFIX + files.href);
  if (await cache.match(kept)) return false;
  const python = await fromFiles(() => undefined, { _makeSnapshot: true });
  const ask = python.runPython(GET) as Answer & { destroy: () => void };
  for (const [method, params] of questions) ask(method, JSON.stringify(params));
  ask.destroy();
  python.runPython("import gc\ngc.collect()\ngc.freeze()"); // nothing of it is ever garbage
  await forget(PREFIX + files.href);
  await cache.put(kept, new Response(python.makeMemorySnapshot() as Uint8Array<ArrayBuffer>));
  return true;
}

/** Keep no memory, but one of them. */
export async function forget(but = ""): Promise<void> {
  for (const name of await caches.keys()) if (name.startsWith(PREFIX) && name !== but) await caches.delete(name);
}
