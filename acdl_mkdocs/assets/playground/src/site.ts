/** What the site says of itself and of its examples; files beside the page. */

import { byId, make } from "./dom";
import type { Words } from "./language";

export interface Manifest {
  site_name: string;
  site_url: string;
  transfer_bytes: number;
  version: string;
  rule_url: string;
  words: Words;
}

export interface Example {
  title: string;
  text: string;
  url: string;
  state?: string;
  at?: string;
  old?: string;
  svg?: string;
  spec?: string;
  range?: string;
  files?: Record<string, string>;
}

interface Menu {
  groups: { title: string; examples: { key: string; title: string }[] }[];
}

async function json<T>(name: string): Promise<T | null> {
  try {
    const response = await fetch(new URL(name, document.baseURI));
    return response.ok ? ((await response.json()) as T) : null;
  } catch {
    return null; // away from the network, and not seen before
  }
}

/** `null` if it is not there: then the page works without a name and without colours until the engine has come. */
export async function manifest(): Promise<Manifest | null> {
  const found = await json<Manifest>("manifest.json");
  if (!found) return null;
  byId<HTMLAnchorElement>("home").href = found.site_url;
  byId("home").hidden = !found.site_url;
  if (!found.site_name) return found;
  byId("site-name").textContent = found.site_name;
  document.title = `Playground - ${found.site_name}`;
  return found;
}

const examples = new Map<string, Promise<Example | null>>();

/** An example with its figure; fetched once, and again after it could not be. */
export function example(key: string): Promise<Example | null> {
  const found = examples.get(key) ?? json<Example>(`examples/${encodeURIComponent(key)}.json`);
  examples.set(key, found);
  void found.then((given) => given ?? examples.delete(key));
  return found;
}

/** Fill the menu; choosing tells which. */
export async function menu(onChoose: (key: string) => void): Promise<void> {
  const select = byId<HTMLSelectElement>("examples");
  select.addEventListener("change", () => {
    if (select.value) onChoose(select.value);
  });
  const found = await json<Menu>("examples.json");
  for (const { title, examples } of found?.groups ?? []) {
    const options = examples.map(({ key, title: name }) => make("option", { value: key }, name));
    select.append(make("optgroup", { label: title }, ...options));
  }
  select.disabled = !found?.groups.length;
}

export function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
