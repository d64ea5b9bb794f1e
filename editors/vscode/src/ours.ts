// Whether a document has anything for the server: it is not started, nor missed, where people write other Markdown.

import { LANGUAGES } from "./markdown_fences";

const FENCE = new RegExp(`^[ \\t>*+-]*(?:\`{3,}|~{3,})[ \\t]*\\{?[ \\t]*\\.?(?:${LANGUAGES.join("|")})(?![\\w-])`, "m");

export interface Written {
  languageId: string;
  getText(): string;
}

export const isOurs = (document: Written): boolean =>
  document.languageId === "acdl" || (document.languageId === "markdown" && FENCE.test(document.getText()));
