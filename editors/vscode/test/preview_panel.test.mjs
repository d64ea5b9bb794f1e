// The preview beside a document, among fakes of VS Code.
import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./load.mjs";

const { PreviewPanel } = await load("preview_panel", { isInEditor: true });
const { fakes } = globalThis;
const range = { start: { line: 0, character: 0 }, end: { line: 1, character: 0 } };
const uri = { path: "/a.acdl", toString: () => "file:///a.acdl" };
const settled = (ms = 20) => new Promise((resolve) => setTimeout(resolve, ms));
const pages = () => fakes.done.filter(([what]) => what === "page").map(([, message]) => message);

test("a chosen spec that is renamed stays chosen, one that is gone gives way to all", async () => {
  let names = ["A", "B"];
  const asked = [];
  const server = {
    status: { words: "running" }, onChecked: () => ({ dispose() {} }), onStatus: () => ({ dispose() {} }),
    ask: async (method, { spec }) => {
      asked.push(spec);
      const html = names.includes(spec) ? spec : names.join();
      return { html, specs: names.map((name) => ({ name, kind: "prompt", range })), ranges: {}, points: [], problems: {} };
    },
  };
  PreviewPanel.show({ extensionUri: uri }, server, uri, "B");
  fakes.page.fire({ type: "ready" });
  await settled();
  names = ["A", "Bx"];
  fakes.changes.fire({ document: { uri } });
  await settled(150);
  names = ["A"];
  fakes.changes.fire({ document: { uri } });
  await settled(150);
  assert.deepEqual(asked, ["B", "B", "Bx", "Bx"]);
  assert.deepEqual(pages().filter(({ type }) => type === "show").map(({ spec, preview }) => [spec, preview.html]), [
    ["B", "B"], ["Bx", "Bx"], ["", "A"],
  ]);
  assert.deepEqual(pages().filter(({ type }) => type === "trouble"), []);
});
