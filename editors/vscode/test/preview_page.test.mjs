import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./load.mjs";

const { previewPage } = await load("preview_page");
const { bytesOf, FORMATS } = await load("exports");
const { said } = await load("said");

test("nothing runs in the page but our own files", () => {
  const page = previewPage({ source: "https://a.test", nonce: "n0", styles: ["https://a.test/x.css"], scripts: ["https://a.test/x.js?a&b"] });
  const policy = /Content-Security-Policy" content="([^"]*)"/.exec(page)[1];
  for (const each of ["default-src", "base-uri", "form-action"]) assert.match(policy, new RegExp(`${each} &#39;none&#39;`));
  assert.doesNotMatch(policy, /unsafe|\*/);
  assert.doesNotMatch(page, /style=|<style|\son\w+=|javascript:/);
  for (const [, attributes] of page.matchAll(/<script([^>]*)>/g)) assert.match(attributes, /nonce="n0"/);
  assert.match(page, /x\.js\?a&#38;b/);
});

test("everything that can be pressed has a name", () => {
  const page = previewPage({ source: "s", nonce: "n", styles: [], scripts: [] });
  for (const [, attributes] of page.matchAll(/<button([^>]*)>/g)) assert.match(attributes, /title="[^"]+"/);
  for (const name of ["spec", "against"]) assert.match(page, new RegExp(`<label>[^<]+<select id="${name}"`));
  assert.match(page, /<main id="stage" tabindex="0" aria-label=/);
});

test("exports are bytes", () => {
  assert.deepEqual(bytesOf({ encoding: "utf-8", data: "é" }), new Uint8Array([0xc3, 0xa9]));
  assert.deepEqual(bytesOf({ encoding: "base64", data: "iVA=" }), new Uint8Array([0x89, 0x50]));
  assert.deepEqual(FORMATS.map(({ format }) => format), ["svg", "png", "pdf", "text", "json", "html"]);
});

test("a failure says its cure once", () => {
  assert.equal(said(Object.assign(new Error("no PNG"), { data: { cure: "pip install x" } })), "no PNG: pip install x");
  assert.equal(said(Object.assign(new Error("no: pip install x"), { data: { cure: "pip install x" } })), "no: pip install x");
  assert.equal(said("plain"), "plain");
});
