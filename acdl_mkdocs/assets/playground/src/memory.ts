/** What the browser keeps for the next visit, if it lets a page remember anything. Nothing of it is sent. */

type Where = "localStorage" | "sessionStorage";

export function recall(name: string, where: Where = "localStorage"): string | null {
  try {
    return window[where].getItem(name);
  } catch {
    return null;
  }
}

/** Whether it was kept: a browser may refuse, or have no room. */
export function remember(name: string, value: string, where: Where = "localStorage"): boolean {
  try {
    window[where].setItem(name, value);
    return true;
  } catch {
    return false;
  }
}

export function forget(name: string): void {
  try {
    localStorage.removeItem(name);
  } catch {
    // it was not kept
  }
}

/** Names of what is kept that begin so. */
export function kept(prefix: string): string[] {
  try {
    return Object.keys(localStorage).filter((name) => name.startsWith(prefix));
  } catch {
    return [];
  }
}

/** The entries of an object that are texts; whoever wrote it. */
export function asTexts(value: unknown): Record<string, string> {
  if (typeof value !== "object" || value === null) throw new Error("not an object");
  return Object.fromEntries(Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === "string"));
}

/** Its texts by name, under `files`. */
export function asFiles(value: unknown): Record<string, string> {
  const { files } = value as { files?: unknown };
  return typeof files === "object" && files !== null ? asTexts(files) : {};
}
