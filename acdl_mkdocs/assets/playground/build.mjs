/** Builds what a browser gets: `node build.mjs --out FOLDER --modules NODE_MODULES --archive SOURCES.zip`.
 *
 * Without `--archive` only the page is bundled. Nothing is written outside of FOLDER, nothing is fetched.
 */

import { copyFile, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { pathToFileURL } from "node:url";

const here = import.meta.dirname;
const { values } = parseArgs({
  options: {
    out: { type: "string", default: "dist" },
    modules: { type: "string", default: join(here, "node_modules") },
    archive: { type: "string" },
  },
});
const out = resolve(values.out);
const modules = resolve(values.modules);
const FONTS = ["Regular", "Bold", "Italic"].map((style) => `JetBrainsMono-${style}.ttf`);
const PYODIDE = ["pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm"];

const PAGE = { main: "src/main.ts", style: "style.css" };
const WORKERS = { worker: "src/worker.ts", service_worker: "src/service_worker.ts" };

/** The page, whose start is a small file of its own, and its workers, each of which is one file. */
async function bundlePage() {
  const inputs = [...(await bundle(PAGE, true)), ...(await bundle(WORKERS, false))];
  await mkdir(join(out, "fonts"), { recursive: true });
  for (const name of FONTS) await copyFile(join(here, "..", name), join(out, "fonts", name));
  for (const name of ["index.html", "icon.svg"]) await copyFile(join(here, name), join(out, name)).catch(() => {});
  await writeNotices(inputs);
}

/** The paths of what was put into the files. */
async function bundle(entryPoints, splitting) {
  const { build } = createRequire(join(modules, "x.js"))("esbuild");
  const { metafile } = await build({
    metafile: true,
    entryPoints,
    splitting,
    chunkNames: "[name]",
    absWorkingDir: here,
    outdir: out,
    nodePaths: [modules],
    bundle: true,
    minify: true,
    format: "esm",
    target: "es2022",
    legalComments: "linked",
    logLevel: "silent",
    external: ["*.ttf", "*.woff2"],
    loader: { ".acdl": "text", ".yaml": "text" },
  });
  return Object.keys(metafile.inputs);
}

/** What a visitor's site gets of others comes with their licences. */
async function writeNotices(inputs) {
  const names = inputs.map((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1]);
  const manifest = async (name) => JSON.parse(await readFile(join(modules, name, "package.json"), "utf8"));
  const text = async (...path) => (await readFile(join(...path), "utf8")).trim();
  const notices = [];
  for (const name of [...new Set(names)].filter(Boolean).sort()) {
    const licence = (await readdir(join(modules, name))).find((file) => /^licen[cs]e/i.test(file));
    if (!licence) throw new Error(`${name} has no licence file`);
    notices.push(`${name} ${(await manifest(name)).version}\n\n${await text(modules, name, licence)}`);
  }
  const { version, license, repository } = await manifest("pyodide");
  const source = (repository.url ?? repository).replace(/^git\+/, "");
  notices.push(
    `JetBrains Mono\n\n${await text(here, "..", "JetBrainsMono-OFL.txt")}`,
    `Pyodide ${version}, under ${license} (https://www.mozilla.org/MPL/2.0/). Its source: ${source}`,
    `Python, as part of Pyodide\n\n${await text(here, "licences", "Python.txt")}`,
    `PyYAML\n\n${await text(here, "licences", "PyYAML.txt")}`,
  );
  await writeFile(join(out, "NOTICES.txt"), `${notices.join(`\n\n${"-".repeat(80)}\n\n`)}\n`);
}

/** Python itself, and its library and our modules as byte code of that very Python: nothing is compiled in browsers. */
async function packPython(archive) {
  const from = join(modules, "pyodide");
  await mkdir(join(out, "pyodide"), { recursive: true });
  for (const name of PYODIDE) await copyFile(join(from, name), join(out, "pyodide", name));
  const { loadPyodide } = await import(pathToFileURL(join(from, "pyodide.mjs")).href);
  const python = await loadPyodide({ env: { PYTHONHASHSEED: "0", HOME: "/home" } });
  python.FS.writeFile("/sources.zip", new Uint8Array(await readFile(archive)));
  python.runPython(await readFile(join(here, "../../frontends/playground/pack.py"), "utf8"));
  python.runPython("write_archives()");
  for (const name of ["stdlib.zip", "engine.zip"]) {
    await writeFile(join(out, "pyodide", name), python.FS.readFile(`/packed/${name}`));
  }
  const { info } = JSON.parse(await readFile(join(from, "pyodide-lock.json"), "utf8"));
  await writeFile(join(out, "pyodide", "pyodide-lock.json"), JSON.stringify({ info, packages: {} }));
}

try {
  await mkdir(out, { recursive: true });
  await bundlePage();
  if (values.archive) await packPython(resolve(values.archive));
} catch (problem) {
  const places = (problem.errors ?? []).map(({ text, location: at }) => `${at?.file}:${at?.line}: ${text}`);
  console.error(places.length ? places.join("\n") : String(problem.stack ?? problem).slice(0, 2000));
  process.exitCode = 1;
}
