/** Marks in the text that come from outside of it: the engine's colours, and a place that a figure or message highlights. */

import { StateEffect, StateField, type Range } from "@codemirror/state";
import { Decoration, EditorView, type DecorationSet } from "@codemirror/view";

export interface Lit {
  from: number;
  to: number;
}

export interface Colour {
  from: number;
  to: number;
  kind: string;
}

export const setLit = StateEffect.define<Lit | null>();
export const setColours = StateEffect.define<readonly Colour[]>();

const lit = Decoration.mark({ class: "cm-lit" });
const coloured = new Map<string, Decoration>();

function colour(kind: string): Decoration {
  const known = coloured.get(kind);
  if (known) return known;
  const made = Decoration.mark({ class: `acdl-${kind}` });
  coloured.set(kind, made);
  return made;
}

const litField = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(value, transaction) {
    for (const effect of transaction.effects) {
      if (effect.is(setLit)) return effect.value ? Decoration.set(lit.range(effect.value.from, effect.value.to)) : Decoration.none;
    }
    return transaction.docChanged ? Decoration.none : value;
  },
  provide: (field) => EditorView.decorations.from(field),
});

// Between two answers of the engine the colours move with the text.
const colourField = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(value, transaction) {
    for (const effect of transaction.effects) {
      if (!effect.is(setColours)) continue;
      const { length } = transaction.state.doc;
      const ranges: Range<Decoration>[] = effect.value
        .filter(({ from, to }) => from < to && to <= length)
        .map(({ from, to, kind }) => colour(kind).range(from, to));
      return Decoration.set(ranges, true);
    }
    return value.map(transaction.changes);
  },
  provide: (field) => EditorView.decorations.from(field),
});

export const marks = [litField, colourField];
