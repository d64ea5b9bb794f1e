/** A text and its figure before the editor and the engine have come: the page has one text in it, an example brings its own. */

import { byId } from "./dom";
import { newest } from "./drafts";
import { framed } from "./figure";
import { asked, decode } from "./share";
import { example } from "./site";

/** Show what the address asks for, else what was written last, in place of the text that the page has in it. */
export async function preview(): Promise<void> {
  const { code, example: key } = asked(location.hash);
  const last = newest()?.draft;
  if (!code && !key && (!last?.text.trim() || last.text === byId("first").textContent)) return;
  put(code || key ? "" : last!.text, "");
  if (code) return decode(code).then(({ text }) => put(text, ""), () => undefined); // the page says what is wrong with it
  const given = key ? await example(key) : null;
  if (given) put(given.text, given.svg ?? "");
}

function put(text: string, svg: string): void {
  const source = document.getElementById("first");
  const stage = byId("figure");
  if (!source || !("preview" in stage.dataset)) return; // the editor or the engine was quicker
  source.textContent = text;
  source.style.setProperty("--digits", `${Math.max(2, `${text.split("\n").length}`.length)}`);
  stage.replaceChildren(...(svg ? [framed(svg)] : []));
}
