/** The start: the engine begins to load, and the text that the address asks for is shown with the figure that the site
 * was built with. Everything else comes with `page.ts`, which is loaded meanwhile.
 */

import { byId } from "./dom";
import { engine } from "./engine";
import { preview } from "./preview";
import { splitter } from "./splitter";
import { theme } from "./theme";

theme();
splitter(byId("splitter"), byId("panes"));
engine.start();
// To run the page takes longer than to show a text: it comes after that, and after the browser had time to paint it.
void preview().finally(() => setTimeout(() => void import("./page")));
