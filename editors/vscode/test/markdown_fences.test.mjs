import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as after } from "node:timers/promises";
import { load } from "./load.mjs";

const { Fences, isDrawn } = await load("markdown_fences");

/** As much of markdown-it as a plugin for fences sees. */
function renderer() {
  const markdown = {
    renderer: { rules: { fence: (tokens, at) => `<pre>${tokens[at].content}</pre>` } },
    utils: { escapeHtml: (text) => text },
  };
  const render = (info, content, uri = "file:///a.md") =>
    markdown.renderer.rules.fence([{ info, content, markup: "```", map: [3, 5] }], 0, {}, { currentDocument: uri }, {
      renderAttrs: () => ' class="code-line" data-line="3"',
    });
  return { markdown, render };
}

test("languages that are drawn, as headers are written", () => {
  for (const info of ["acdl", "acdl show=both", "{acdl}", "{.acdl #x}", " {acdl} title", "acdl-diff old=A", "PML"]) {
    assert.ok(isDrawn(info), info);
  }
  for (const info of ["", "python", "acdlx", "yaml acdl"]) assert.ok(!isDrawn(info), info);
});

test("the source is shown at once, the figure when it has come", async () => {
  const asked = [];
  let refreshed = 0;
  const fences = new Fences(async (params) => (asked.push(params), { html: "<svg/>" }), () => { refreshed += 1; });
  const { markdown, render } = renderer();
  assert.equal(fences.extend(markdown), markdown);
  assert.equal(render("acdl", "U: X\n"), '<div class="code-line" data-line="3"><pre>U: X\n</pre></div>\n');
  await after(5);
  assert.deepEqual(asked, [{ uri: "file:///a.md", header: "```acdl", text: "U: X\n", line: 3 }]);
  assert.equal(refreshed, 1);
  assert.equal(render("acdl", "U: X\n"), '<div class="code-line" data-line="3"><svg/></div>\n');
  await after(5);
  assert.equal(asked.length, 1, "what is known is not asked again");
  assert.equal(render("python", "x = 1"), "<pre>x = 1</pre>");
});

test("what was drawn stays until something else has come, and equal answers refresh nothing", async () => {
  let answer = "<svg>1</svg>";
  let refreshed = 0;
  const fences = new Fences(async () => ({ html: answer }), () => { refreshed += 1; });
  const params = { uri: "u", header: "```acdl", text: "A" };
  fences.html(params);
  await after(5);
  fences.outdate();
  assert.equal(fences.html(params), "<svg>1</svg>");
  await after(5);
  assert.equal(refreshed, 1);
  answer = "<svg>2</svg>";
  fences.outdate();
  fences.html(params);
  await after(5);
  assert.equal(refreshed, 2);
  assert.equal(fences.html(params), "<svg>2</svg>");
});

test("each of two equal blocks is drawn for its own line, what is known of the text is shown meanwhile", async () => {
  const asked = [];
  const fences = new Fences(async (params) => (asked.push(params.line), { html: `line ${params.line + 1}` }), () => {});
  const at = (line) => ({ uri: "u", header: "```acdl", text: "A", line });
  assert.equal(fences.html(at(2)), undefined);
  await after(5);
  assert.equal(fences.html(at(19)), "line 3");
  await after(5);
  assert.deepEqual([fences.html(at(2)), fences.html(at(19))], ["line 3", "line 20"]);
  assert.deepEqual(asked, [2, 19]);
});

test("without a server or with a failing one the source stays, and it is asked again", async (context) => {
  context.mock.method(console, "error", () => {});
  let calls = 0;
  const fences = new Fences(async () => {
    calls += 1;
    if (calls === 1) return undefined;
    if (calls === 2) throw new Error("stopped");
    return { html: "<svg/>" };
  }, () => {});
  const params = { uri: "u", header: "```acdl", text: "A" };
  for (let time = 0; time < 3; time += 1) {
    assert.equal(fences.html(params), undefined);
    await after(5);
  }
  assert.equal(fences.html(params), "<svg/>");
  assert.equal(calls, 3);
});

test("no more is kept than fits", async () => {
  let calls = 0;
  const fences = new Fences(async () => ((calls += 1), { html: "x" }), () => {});
  for (let at = 0; at < 250; at += 1) fences.html({ uri: "u", header: "```acdl", text: String(at) });
  await after(20);
  fences.html({ uri: "u", header: "```acdl", text: "249" });
  assert.equal(calls, 250);
  fences.html({ uri: "u", header: "```acdl", text: "0" });
  await after(5);
  assert.equal(calls, 251, "the oldest was dropped");
});

test("what is shown again is kept longest", async () => {
  const asked = [];
  const fences = new Fences(async ({ text }) => (asked.push(text), { html: "x" }), () => {});
  const show = (at) => fences.html({ uri: "u", header: "```acdl", text: String(at) });
  for (let at = 0; at < 200; at += 1) show(at);
  show(0);
  show(200); // one too many
  await after(20);
  show(0);
  assert.deepEqual(asked.filter((text) => text === "0"), ["0"]);
  show(1);
  assert.deepEqual(asked.filter((text) => text === "1"), ["1", "1"]);
});

test("switched off, all is as without the plugin", () => {
  const fences = new Fences(async () => assert.fail("asked"), () => {}, () => false);
  const { markdown, render } = renderer();
  fences.extend(markdown);
  assert.equal(render("acdl", "U: X"), "<pre>U: X</pre>");
});
