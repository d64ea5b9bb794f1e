"""The figures of variants, each marked against the base if there is one. Knows texts, not where they come from."""

import re

from acdl_mkdocs.compare.formats.edit_text import summary
from acdl_mkdocs.compare.formats.figure import unified
from acdl_mkdocs.compare.structure.edits import Difference
from acdl_mkdocs.drawing.figure.describe import View, describe
from acdl_mkdocs.drawing.formats import OUTPUTS
from acdl_mkdocs.drawing.formats.options import OutputOptions
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.language.names.resolve import Resolved, resolve
from acdl_mkdocs.site.diff_trees import chosen, difference_of, resolved_side
from acdl_mkdocs.site.page import Page
from acdl_mkdocs.site.variants_read import Variant, VariantsText
from acdl_mkdocs.workspace.read_block import Finding

_COLUMN_PX = 420
"""Widest figure wanted."""
_NO_ANCHOR = re.compile(r"[^A-Za-z0-9]+")


@dataclass(frozen=True, slots=True)
class Column:
    """A variant as it is shown."""

    variant: Variant
    anchor: str
    svg: str = ""
    """Empty if there is no such spec."""
    said: str = ""
    """How it differs from the base."""


def drawn(text: VariantsText, prefix: str, page: Page) -> tuple[list[Column], list[Finding]]:
    """The columns of a block in their order, and what is wrong with the texts.

    Parameters:
        text: The block.
        prefix: What the ids of the columns and in the drawings begin with.
        page: Where it stands.
    """
    findings: list[Finding] = []
    base = _base(text, page)
    mode = text.options.range
    columns: list[Column] = []
    for variant, anchor in zip(text.variants, _anchors(text, prefix), strict=True):
        if variant.side.source is None:
            columns.append(Column(variant, anchor))
            continue
        resolved = resolved_side(variant.side, variant.others, page)
        findings += [(each, resolved.source) for each in resolved.parsed.diagnostics]
        if base is None or variant.name == text.base:
            figure = describe(resolve(chosen(resolved.parsed, variant.side.definition)), View(range=mode))
            said = "the others are marked against it" if base is not None else ""
        else:
            difference = _difference(text, base, variant, resolved)
            figure = unified(difference, is_folded=text.options.fold, mode=mode)
            said = summary(difference)
        output = OutputOptions(
            id_prefix=f"{anchor}-",
            theme=text.options.theme,
            width_px=_COLUMN_PX,
            standalone=False,
            title=variant.name,
        )
        columns.append(Column(variant, anchor, OUTPUTS["svg"](figure, output), said))
    return columns, findings


def difference_words(text: VariantsText, page: Page) -> list[str]:
    """How each variant differs from the base, in one line each."""
    base = _base(text, page)
    lines: list[str] = []
    for variant in text.variants:
        said = ""
        if base is not None and variant.name != text.base and variant.side.source is not None:
            resolved = resolved_side(variant.side, variant.others, page)
            said = f": {summary(_difference(text, base, variant, resolved))}"
        lines.append(f"{variant.name}{said}")
    return lines


def _anchors(text: VariantsText, prefix: str) -> list[str]:
    """An anchor for each column, whatever its name says."""
    found: dict[str, None] = {}
    for variant in text.variants:
        plain = _NO_ANCHOR.sub("-", variant.name).strip("-") or "variant"
        anchor, number = f"{prefix}{plain}", 1
        while anchor in found:
            number += 1
            anchor = f"{prefix}{plain}-{number}"
        found[anchor] = None
    return list(found)


def _base(text: VariantsText, page: Page) -> tuple[Variant, Resolved] | None:
    """The variant that the others are marked against, if it was found."""
    base = next((each for each in text.variants if each.name == text.base and each.side.source is not None), None)
    return None if base is None else (base, resolved_side(base.side, base.others, page))


def _difference(text: VariantsText, base: tuple[Variant, Resolved], variant: Variant, resolved: Resolved) -> Difference:
    """What makes a variant another than the base; that it has another name does not count."""
    before, old = base
    return difference_of((before.side, variant.side), (old, resolved), text.options.range)
