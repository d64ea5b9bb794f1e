/** A text as the fragment of an address, and back: JSON, packed by deflate, as base64 of addresses. */

import { asFiles, asTexts } from "./memory";

export interface Shared {
  text: string;
  state?: string;
  old?: string;
  spec?: string;
  range?: string;
  at?: string;
  files?: Record<string, string>;
}

const VERSION = 1;
const MOST_BYTES = 4_000_000; // unpacked: a link of a few bytes could else fill the memory

export async function encode(shared: Shared): Promise<string> {
  const given = Object.fromEntries(Object.entries(shared).filter(([, value]) => Object.keys(value as object).length));
  const stream = new Blob([JSON.stringify({ v: VERSION, ...given })]).stream();
  const packed = stream.pipeThrough(new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(packed).arrayBuffer());
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** Raises an `Error` for people if the code is not whole. */
export async function decode(code: string): Promise<Shared> {
  let given: Record<string, unknown>;
  try {
    const binary = atob(code.replaceAll("-", "+").replaceAll("_", "/"));
    given = JSON.parse(await unpacked(Uint8Array.from(binary, (letter) => letter.charCodeAt(0)))) as Record<string, unknown>;
    if (typeof given["v"] !== "number") throw new Error("no version");
  } catch {
    throw new Error("this link is not whole: ask for it again, or for a file");
  }
  if (given["v"] > VERSION) throw new Error("this link is of a newer playground: reload the page");
  const { text = "", ...others } = asTexts(given);
  return { text, ...others, files: asFiles(given) };
}

async function unpacked(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return new Blob(parts).text();
    length += value.length;
    if (length > MOST_BYTES) throw new Error("too long");
    parts.push(value as Uint8Array<ArrayBuffer>);
  }
}

/** What an address asks for. */
export function asked(hash: string): { code?: string; example?: string } {
  const given = new URLSearchParams(hash.replace(/^#/, ""));
  const code = given.get("code");
  const example = given.get("example");
  return { ...(code ? { code } : {}), ...(example ? { example } : {}) };
}
