/** The engine of this page. */

import { Loading } from "./loading";

export const ASSETS = new URL(".", import.meta.url);

export const engine = new Loading(ASSETS);
