/** ACDL for the editor before the engine is there: colours, folds, indentation. The words come from the package. */

import {
  foldService, indentService, indentUnit, StreamLanguage, syntaxHighlighting, type StreamParser, type StringStream,
} from "@codemirror/language";
import type { EditorState, Extension } from "@codemirror/state";
import { Tag, tagHighlighter } from "@lezer/highlight";

/** From `manifest.json`. */
export interface Words {
  keywords: string[];
  roles: string[];
}

/** Letters of the classes in which figures are coloured. */
export const LETTERS = ["k", "f", "v", "l", "i", "r", "s", "n", "c"] as const;
type Letter = (typeof LETTERS)[number];

const TAGS = Object.fromEntries(LETTERS.map((letter) => [letter, Tag.define()])) as Record<Letter, Tag>;
const UNIT = "    "; // as `acdl format` writes

interface Inside {
  isComment: boolean;
}

function parser(words: Words): StreamParser<Inside> {
  const keywords = new Set(words.keywords);
  const roles = new Set(words.roles.map((role) => role.toLowerCase()));
  const word = (stream: StringStream): Letter | null => {
    const said = stream.current();
    if (keywords.has(said)) return "k";
    if (roles.has(said.toLowerCase()) && stream.match(/^\s*:(?!=)/, false)) return "k";
    if (/^(env|sys|resp)$/.test(said) && stream.match(/^(?:\.\w+)+/)) return "v";
    if (/^\p{Lu}[\p{Lu}\d_]+$/u.test(said)) return "f";
    return stream.match(/^\s*\(/, false) ? "f" : null;
  };
  return {
    name: "acdl",
    startState: () => ({ isComment: false }),
    token(stream, inside) {
      if (inside.isComment || stream.match("/*")) {
        inside.isComment = !stream.match(/^.*?\*\//);
        if (inside.isComment) stream.skipToEnd();
        return "c";
      }
      if (stream.match("//")) {
        stream.skipToEnd();
        return "c";
      }
      if (stream.match(/^["“](?:[^"”\\]|\\.)*["”]/)) return "s";
      if (stream.match(/^@\$?\w*(?:\.\w+)*/)) return "i";
      if (stream.match(/^\$[\p{L}_]\w*/u)) return "r";
      if (stream.match(/^\d+(?:\.\d+)?/)) return "n";
      if (stream.match(/^[\p{L}_][\p{L}\p{M}\p{N}_]*/u)) return word(stream);
      stream.next();
      return null;
    },
    languageData: {
      commentTokens: { line: "//", block: { open: "/*", close: "*/" } },
      closeBrackets: { brackets: ["(", "[", "{", '"'] },
    },
    tokenTable: TAGS,
  };
}

/** From the end of a line that opens a block to the sign that closes it. */
function fold(state: EditorState, lineStart: number, lineEnd: number): { from: number; to: number } | null {
  const opening = /[{[(][ \t]*(?:\/\/.*)?$/.exec(state.sliceDoc(lineStart, lineEnd));
  if (!opening) return null;
  const from = lineStart + opening.index + 1;
  const rest = state.sliceDoc(from).replaceAll(/\/\/.*|"(?:[^"\\\n]|\\.)*"/g, (found) => " ".repeat(found.length));
  let depth = 1;
  for (const found of rest.matchAll(/[{}[\]()]/g)) {
    depth += "{[(".includes(found[0]) ? 1 : -1;
    if (depth) continue;
    const to = from + found.index;
    return to > lineEnd ? { from, to } : null;
  }
  return null;
}

const OPENS = /[{[(]\s*(?:\/\/.*)?$/;

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

// One level deeper than the line before if that opens a block, less if this one closes it.
const indent = indentService.of((context, at) => {
  const { doc } = context.state;
  const here = doc.lineAt(at);
  let text = here.text.slice(0, at - here.from); // of a line that is being broken
  if (!text.trim()) {
    let number = here.number - 1;
    while (number > 0 && !doc.line(number).text.trim()) number -= 1;
    if (number === 0) return 0;
    ({ text } = doc.line(number));
  }
  const deeper = OPENS.test(text) ? UNIT.length : 0;
  const closes = /^\s*[}\])]/.test(context.textAfterPos(at, 1)) ? UNIT.length : 0;
  return Math.max(0, indentOf(text) + deeper - closes);
});

export function acdl(words: Words): Extension {
  const looks = LETTERS.map((letter) => ({ tag: TAGS[letter], class: `acdl-${letter}` }));
  return [
    StreamLanguage.define(parser(words)),
    syntaxHighlighting(tagHighlighter(looks)),
    foldService.of(fold),
    indent,
    indentUnit.of(UNIT),
  ];
}
