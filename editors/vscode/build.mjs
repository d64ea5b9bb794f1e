// Bundles the extension into dist/, and copies what it shares with the package: grammars, style and scripts of figures.
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const assets = join(here, "..", "..", "acdl_mkdocs", "assets");
const out = process.argv[2] ?? join(here, "dist"); // another folder, if one is named

rmSync(out, { recursive: true, force: true });
mkdirSync(out);
const common = { bundle: true, minify: true, legalComments: "none", logLevel: "warning", absWorkingDir: here, outdir: out };
const { metafile } = await build({
  ...common, entryPoints: ["src/extension.ts"], platform: "node", format: "cjs", target: "node20", external: ["vscode"],
  metafile: true,
});
await build({ ...common, entryPoints: ["src/webview/preview.ts"], platform: "browser", format: "iife", target: "es2022" });
for (const name of ["acdl.css", "acdl.js", "acdl-actions.js", "acdl-steps.js", "acdl.tmLanguage.json", "acdl.markdown.tmLanguage.json"]) {
  copyFileSync(join(assets, name), join(out, name));
}
for (const name of ["figure.css", "preview.css", "file.svg"]) copyFileSync(join(here, "media", name), join(out, name));

// What is bundled of others is bundled with their licences.
const packages = Object.keys(metafile.inputs).map((path) => /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1]);
const notices = [...new Set(packages)].filter(Boolean).sort().map((name) => {
  const folder = join(here, "node_modules", name);
  const licence = readdirSync(folder).find((file) => /^licen[cs]e/i.test(file));
  if (!licence) throw new Error(`${name} has no licence file`);
  const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  return `${name} ${version}\n\n${readFileSync(join(folder, licence), "utf8").trim()}\n`;
});
writeFileSync(join(out, "NOTICES.txt"), notices.join(`\n${"-".repeat(80)}\n\n`));
