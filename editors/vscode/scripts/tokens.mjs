// The scopes that VS Code's own tokenizer gives to texts: JSON [{scope, text}] on standard input,
// [[[line, from, to, [scopes]], ...], ...] and the slowest line in milliseconds on standard output.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { dirname, join } from "node:path";

const require = createRequire(import.meta.url);
const oniguruma = require("vscode-oniguruma");
const textmate = require("vscode-textmate");
const assets = join(dirname(fileURLToPath(import.meta.url)), "..", "..", "..", "acdl_mkdocs", "assets");
const read = (name) => textmate.parseRawGrammar(readFileSync(join(assets, name), "utf8"), name);

// Enough of Markdown, YAML and XML to see what is injected into them and what they include.
const outer = (scopeName, patterns = []) => ({ scopeName, patterns, repository: {} });
const GRAMMARS = {
  "source.acdl": () => read("acdl.tmLanguage.json"),
  "markdown.acdl.codeblock": () => read("acdl.markdown.tmLanguage.json"),
  "text.html.markdown": () => outer("text.html.markdown", [
    { name: "markup.fenced_code.block.markdown", begin: "(^|\\G)(\\s*)(`{3,}).*$", end: "(^|\\G)\\s*\\3\\s*$" },
    { name: "heading", match: "^#.*$" },
  ]),
  "source.yaml": () => outer("source.yaml", [{ name: "entity.name.tag.yaml", match: "^\\s*\\w+(?=:)" }]),
  "text.xml": () => outer("text.xml", [{ name: "meta.tag.xml", match: "<[^>]*>" }]),
};

await oniguruma.loadWASM(readFileSync(require.resolve("vscode-oniguruma/release/onig.wasm")).buffer);
const registry = new textmate.Registry({
  onigLib: Promise.resolve({
    createOnigScanner: (sources) => new oniguruma.OnigScanner(sources),
    createOnigString: (text) => new oniguruma.OnigString(text),
  }),
  loadGrammar: async (scope) => GRAMMARS[scope]?.() ?? null,
  getInjections: (scope) => (scope === "text.html.markdown" ? ["markdown.acdl.codeblock"] : undefined),
});

let slowest = 0;
const tokens = [];
for (const { scope, text } of JSON.parse(readFileSync(0, "utf8"))) {
  const grammar = await registry.loadGrammar(scope);
  let state = textmate.INITIAL;
  const found = [];
  text.split("\n").forEach((line, number) => {
    const begun = performance.now();
    const result = grammar.tokenizeLine(line, state);
    slowest = Math.max(slowest, performance.now() - begun);
    state = result.ruleStack;
    for (const each of result.tokens) found.push([number, each.startIndex, each.endIndex, each.scopes]);
  });
  tokens.push(found);
}
process.stdout.write(JSON.stringify({ tokens, slowest_ms: slowest }));
