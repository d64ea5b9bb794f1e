import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./load.mjs";

const { followed, partAt, specAt } = await load("parts");
const range = (line, from, toLine, to) => ({ start: { line, character: from }, end: { line: toLine, character: to } });
const ranges = { "0-90": range(0, 0, 5, 1), "10-40": range(1, 4, 3, 5), "14-30": range(2, 8, 2, 20) };

test("the smallest part at the cursor", () => {
  assert.equal(partAt(ranges, { line: 2, character: 10 }), "14-30");
  assert.equal(partAt(ranges, { line: 2, character: 20 }), "14-30");
  assert.equal(partAt(ranges, { line: 2, character: 2 }), "10-40");
  assert.equal(partAt(ranges, { line: 0, character: 3 }), "0-90");
  assert.equal(partAt(ranges, { line: 9, character: 0 }), undefined);
  const spec = { range: range(1, 4, 3, 5) };
  assert.equal(partAt(ranges, { line: 0, character: 3 }, [spec]), undefined, "the figure of several is not part");
  assert.equal(partAt(ranges, { line: 2, character: 2 }, [spec]), "10-40");
  assert.equal(partAt({}, { line: 0, character: 0 }), undefined);
});

test("the spec at the cursor, else the one before it, else the first", () => {
  const specs = [{ name: "A", range: range(2, 0, 5, 1) }, { name: "B", range: range(8, 0, 9, 1) }];
  assert.equal(specAt(specs, { line: 3, character: 0 }), "A");
  assert.equal(specAt(specs, { line: 6, character: 0 }), "A");
  assert.equal(specAt(specs, { line: 20, character: 0 }), "B");
  assert.equal(specAt(specs, { line: 0, character: 0 }), "A");
  assert.equal(specAt([], { line: 0, character: 0 }), undefined);
});

test("a chosen spec is followed through an edit", () => {
  const named = (...names) => names.map((name) => ({ name }));
  assert.equal(followed("B", named("A", "B"), named("B")), "B");
  assert.equal(followed("B", named("A", "B"), named("A", "Bx")), "Bx");
  assert.equal(followed("B", named("A", "B"), named("A")), "");
  assert.equal(followed("B", [], named()), "");
  assert.equal(followed("", named("A"), named("B")), "");
});
