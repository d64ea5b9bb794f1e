// A module of src/ for a test: bundled for it, so that tests need no build.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const source = join(here, "..", "src");
const FAKES = Object.fromEntries(["vscode", "vscode-languageclient/node"].map((name) => [name, join(here, "fakes.cjs")]));

const folder = mkdtempSync(join(tmpdir(), "acdl-load-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
const REQUIRE = 'import { createRequire } from "node:module"; const require = createRequire("file:///");';

/** With `isInEditor` the module runs among the fakes of `fakes.cjs`; their state is `globalThis.fakes`. */
export async function load(name, { isInEditor = false } = {}) {
  const { outputFiles } = await build({
    entryPoints: [join(source, `${name}.ts`)], bundle: true, write: false, platform: "node", format: "esm", logLevel: "error",
    ...(isInEditor ? { alias: FAKES, banner: { js: REQUIRE } } : {}),
  });
  const file = join(folder, `${name}.mjs`);
  writeFileSync(file, outputFiles[0].contents);
  return import(pathToFileURL(file).href);
}
