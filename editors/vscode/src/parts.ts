// Which part of a figure stands for which part of a text. Knows nothing of VS Code.

import type { Position, Range } from "./protocol";

const isBefore = (one: Position, other: Position): boolean =>
  one.line < other.line || (one.line === other.line && one.character < other.character);

const contains = ({ start, end }: Range, position: Position): boolean =>
  !isBefore(position, start) && !isBefore(end, position);

const isInside = (inner: Range, outer: Range): boolean =>
  !isBefore(inner.start, outer.start) && !isBefore(outer.end, inner.end);

/** The smallest part whose text has a position in it, unless that is more than a spec: the figure as a whole. */
export function partAt(
  ranges: Readonly<Record<string, Range>>, position: Position, specs: readonly { range: Range }[] = [],
): string | undefined {
  let best: string | undefined;
  for (const [part, range] of Object.entries(ranges)) {
    if (contains(range, position) && (best === undefined || isInside(range, ranges[best]!))) best = part;
  }
  const found = best === undefined ? undefined : ranges[best]!;
  return found && specs.some(({ range }) => isInside(range, found) && !isInside(found, range)) ? undefined : best;
}

/** What a chosen spec is called after an edit: still so, or as the one that took its place; empty if it is gone. */
export function followed(chosen: string, before: readonly { name: string }[], after: readonly { name: string }[]): string {
  if (!chosen || after.some(({ name }) => name === chosen)) return chosen;
  const at = before.findIndex(({ name }) => name === chosen);
  return before.length === after.length ? (after[at]?.name ?? "") : "";
}

/** The spec that a position is in, the last one before it otherwise. */
export function specAt(specs: readonly { name: string; range: Range }[], position: Position): string | undefined {
  const around = specs.find(({ range }) => contains(range, position));
  const before = specs.filter(({ range }) => isBefore(range.start, position)).at(-1);
  return (around ?? before ?? specs[0])?.name;
}
