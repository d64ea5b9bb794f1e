// nomnoml by its API: `node drawing.mjs FOLDER_OF_PACKAGES FOLDER SOURCE ...` draws all sources in one process.

import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [packages, folder, ...sources] = process.argv.slice(2);
const { renderSvg } = createRequire(pathToFileURL(join(resolve(packages), "package.json")))("nomnoml");

for (const source of sources) {
  writeFileSync(join(folder, basename(source).replace(/\.[^.]*$/, ".svg")), renderSvg(readFileSync(source, "utf8")));
}
