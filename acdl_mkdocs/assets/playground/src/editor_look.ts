/** What the editor looks like: the colours of figures, and nothing that needs a picture from an address. */

import { EditorView } from "@codemirror/view";
import { LETTERS } from "./language";

const colours = Object.fromEntries(LETTERS.map((letter) => [`.acdl-${letter}`, { color: `var(--acdl-${letter})` }]));

const squiggle = (name: string, colour: string): Record<string, Record<string, string>> => ({
  [`.cm-lintRange-${name}`]: {
    backgroundImage: "none", textDecoration: `underline wavy var(${colour}) 1.2px`, textDecorationSkipInk: "none",
    textUnderlineOffset: "3px", paddingBottom: "0",
  },
  [`.cm-diagnostic-${name}`]: { borderInlineStart: `4px solid var(${colour})`, borderLeft: "" },
});

export const look = EditorView.theme({
  "&": { height: "100%", color: "var(--text)", backgroundColor: "var(--page)", fontSize: "var(--code-size, 14px)" },
  "&.cm-focused": { outline: "2px solid var(--acdl-i)", outlineOffset: "-2px" },
  ".cm-scroller": { fontFamily: "var(--mono)", fontVariantLigatures: "none", lineHeight: "1.6", overflow: "auto", overscrollBehavior: "contain" },
  ".cm-content": { caretColor: "var(--text)", paddingBlock: "8px" },
  ".cm-cursor, .cm-dropCursor": { borderLeftColor: "var(--text)", borderLeftWidth: "2px" },
  ".cm-gutters": { color: "var(--quiet)", backgroundColor: "var(--page)", borderInlineEnd: "1px solid var(--line)" },
  ".cm-lineNumbers .cm-gutterElement": { minWidth: "calc(2ch + 8px)" },
  ".cm-activeLine": { backgroundColor: "color-mix(in srgb, var(--acdl-i) 6%, transparent)" },
  ".cm-activeLineGutter": { color: "var(--text)", backgroundColor: "color-mix(in srgb, var(--acdl-i) 10%, transparent)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    background: "color-mix(in srgb, var(--acdl-i) 25%, transparent)",
  },
  ".cm-selectionMatch": { backgroundColor: "color-mix(in srgb, var(--acdl-i) 14%, transparent)" },
  ".cm-searchMatch": { backgroundColor: "color-mix(in srgb, var(--acdl-zu) 30%, transparent)" },
  ".cm-searchMatch-selected": { outline: "2px solid var(--acdl-zu)" },
  "&.cm-focused .cm-matchingBracket": { backgroundColor: "color-mix(in srgb, var(--acdl-v) 25%, transparent)" },
  "&.cm-focused .cm-nonmatchingBracket": { backgroundColor: "color-mix(in srgb, var(--acdl-ze-edge) 25%, transparent)" },
  ".cm-foldPlaceholder": { color: "var(--text)", backgroundColor: "var(--raised)", borderColor: "var(--edge)", padding: "0 .5em" },
  ".cm-foldGutter span": { cursor: "pointer" },
  ".cm-lit": { backgroundColor: "color-mix(in srgb, var(--acdl-zu) 28%, transparent)", borderRadius: "2px" },
  ...colours,
  "& .acdl-k": { fontWeight: "700" },
  "& .acdl-c": { fontStyle: "italic" },
  ...squiggle("error", "--acdl-ze-edge"),
  ...squiggle("warning", "--acdl-zu"),
  ...squiggle("info", "--acdl-zs"),
  ".cm-lintRange-active": { backgroundColor: "color-mix(in srgb, var(--acdl-zu) 18%, transparent)" },
  ".cm-lintPoint::after": { borderBottomColor: "var(--acdl-ze-edge)" },
  ".cm-tooltip": {
    color: "var(--text)", backgroundColor: "var(--raised)", border: "1px solid var(--edge)", borderRadius: "6px",
    boxShadow: "0 4px 16px #0003", maxWidth: "min(34em, 90vw)", overflow: "hidden",
  },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": { fontFamily: "var(--mono)", maxHeight: "16em" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li": { padding: "3px 8px", minHeight: "24px" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { color: "var(--page)", backgroundColor: "var(--acdl-zs)" },
  ".cm-completionDetail": { marginInlineStart: "1em", fontStyle: "normal", opacity: "1", color: "inherit" },
  ".cm-completionMatchedText": { fontWeight: "700", textDecoration: "none" },
  ".cm-completionInfo": { padding: "6px 10px", fontSize: "13px", whiteSpace: "pre-wrap" },
  ".cm-diagnostic": { padding: "6px 10px", fontFamily: "var(--sans)", fontSize: "14px", whiteSpace: "normal" },
  ".cm-diagnosticAction": {
    font: "inherit", fontSize: "13px", minHeight: "24px", margin: "4px 8px 0 0", padding: "1px 8px", color: "var(--page)",
    backgroundColor: "var(--acdl-zs)", border: "1px solid transparent", borderRadius: "4px",
  },
  ".help": { margin: "4px 0 0", color: "var(--quiet)" },
  ".hover": { padding: "6px 10px", fontFamily: "var(--sans)", fontSize: "14px", lineHeight: "1.5", maxHeight: "20em", overflow: "auto" },
  ".hover :is(p, pre, ul)": { margin: "0 0 .4em" },
  ".hover code, .hover pre": { fontFamily: "var(--mono)", fontSize: "13px" },
  ".hover pre": { padding: "6px 8px", backgroundColor: "var(--page)", overflowX: "auto" },
  "a": { color: "var(--acdl-i)" },
  ".cm-panels": { color: "var(--text)", backgroundColor: "var(--raised)", borderColor: "var(--edge)" },
  ".cm-panels.cm-panels-top": { borderBottom: "1px solid var(--edge)" },
  ".cm-panel.cm-search": { fontSize: "14px", padding: "6px 28px 6px 8px" },
  ".cm-panel.cm-search [name=close]": { minWidth: "24px", minHeight: "24px", color: "inherit" },
  ".cm-textfield": { color: "var(--text)", backgroundColor: "var(--page)", border: "1px solid var(--edge)", minHeight: "26px", fontSize: "inherit" },
  ".cm-button": {
    color: "var(--text)", background: "var(--page)", backgroundImage: "none", border: "1px solid var(--edge)", borderRadius: "4px",
    minHeight: "26px", fontSize: "inherit",
  },
  "@media (prefers-reduced-motion: reduce)": { ".cm-cursorLayer": { animation: "none !important" } },
  "@media (forced-colors: active)": {
    ".cm-selectionBackground": { forcedColorAdjust: "none", background: "Highlight !important" },
    ".cm-lit": { outline: "2px solid Highlight" },
    ".cm-tooltip-autocomplete ul li[aria-selected]": { forcedColorAdjust: "none", color: "HighlightText", backgroundColor: "Highlight" },
  },
});
