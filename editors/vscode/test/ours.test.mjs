import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./load.mjs";

const { isOurs } = await load("ours");
const isOursIn = (languageId, text) => isOurs({ languageId, getText: () => text });

test("ours: specs, and pages with a block", () => {
  assert.ok(isOursIn("acdl", ""));
  for (const fence of ["```acdl", "~~~~ {.acdl spec=A}", "> - ````  acdl-diff", "    ```pml", "# A\n\n```{acdl}\n"]) {
    assert.ok(isOursIn("markdown", `words\n${fence}\nA[@T]: {}\n`), fence);
  }
});

test("ours: not other pages, nor other languages", () => {
  for (const text of ["", "acdl", "```acdlx", "```python\nacdl", "`` ```acdl ``", "``` acdl_like"]) {
    assert.ok(!isOursIn("markdown", text), text);
  }
  assert.ok(!isOursIn("plaintext", "```acdl"));
});
