/** Elements: finding those of the page, and making others. */

export type Child = Node | string | null;
export type Attributes = Record<string, string | number | boolean>;

/** The element of the page with that id. */
export function byId<T extends HTMLElement = HTMLElement>(name: string): T {
  const found = document.getElementById(name);
  if (!found) throw new Error(`the page has no #${name}`);
  return found as T;
}

/** A new element; an attribute that is `false` is left out. */
export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== false) made.setAttribute(name, value === true ? "" : String(value));
  }
  made.append(...children.filter((child): child is Node | string => child !== null));
  return made;
}

export function button(label: string, pressed: () => void, attributes: Attributes = {}): HTMLButtonElement {
  const made = make("button", { type: "button", ...attributes }, label);
  made.addEventListener("click", pressed);
  return made;
}

/** Parse markup of the engine; scripts in it do not run, and the page's policy forbids them anyway. */
export function parsed(html: string): DocumentFragment {
  return document.createRange().createContextualFragment(html);
}

/** Call at most once in so many milliseconds, with what was said last. */
export function later(run: () => void, wait_ms: number): () => void {
  let timer = 0;
  return () => {
    clearTimeout(timer);
    timer = window.setTimeout(run, wait_ms);
  };
}

/** Words with code in them, as messages have it between backticks. */
export function spoken(words: string): Node[] {
  return words.split("`").map((part, index) => (index % 2 ? make("code", {}, part) : document.createTextNode(part)));
}

/** Put words into an element, unless they are there: what is read out is not read out again. */
export function say(element: HTMLElement, words: string): void {
  if (element.textContent !== words) element.textContent = words;
}

export function plural(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}
