// Peers that are packages of npm: `node drawing.mjs NAME FOLDER_OF_PACKAGES FOLDER SOURCE ...` draws all sources in one
// process. Without a folder it stays: each line of its input is a source as JSON, each of its output the figure.

import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const [name, packages, folder, ...sources] = process.argv.slice(2);
const load = (file) => import(pathToFileURL(join(resolve(packages), "node_modules", file)));
const DRAWN_BY = {
  nomnoml: async () => createRequire(pathToFileURL(join(resolve(packages), "package.json")))("nomnoml").renderSvg,
  "beautiful-mermaid": async () => (await load("beautiful-mermaid/dist/index.js")).renderMermaid,
};
const draw = await DRAWN_BY[name]();

if (folder === undefined) {
  for await (const line of createInterface({ input: process.stdin })) {
    process.stdout.write(JSON.stringify(await draw(JSON.parse(line))) + "\n");
  }
}
for (const source of sources) {
  writeFileSync(join(folder, basename(source).replace(/\.[^.]*$/, ".svg")), await draw(readFileSync(source, "utf8")));
}
