"""Sides as trees, and the difference of two of them. Knows the texts, not where they come from."""

from acdl_mkdocs.compare.choose_specs import definition_names, select_definition, without_title
from acdl_mkdocs.compare.structure.diff import diff
from acdl_mkdocs.compare.structure.edits import Difference
from acdl_mkdocs.foundation.config import RangeMode
from acdl_mkdocs.frontends.docs.blocks.diff_sides import DiffSide
from acdl_mkdocs.frontends.docs.page import Page
from acdl_mkdocs.language.analyse import parse_and_resolve
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.syntax.nodes import Prompt
from acdl_mkdocs.language.syntax.parse import Parsed
from acdl_mkdocs.workspace.catalog import Levels


def resolved_side(side: DiffSide, others: Levels, page: Page) -> Resolved:
    """Resolve a side with the other texts; each call has its own nodes.

    Parameters:
        side: A side that was found.
        others: The other texts.
        page: Its page, which reads each of them once.
    """
    assert side.source is not None  # noqa: S101 - a side that was not found is not compared
    return parse_and_resolve(side.source, page.catalog.build_library(others)).resolved


def select_side(parsed: Parsed, name: str) -> Parsed:
    """Return what is compared of a text: a definition with the fragments that it uses, or everything."""
    return select_definition(parsed, name) if name and name in definition_names(parsed) else parsed


def select_compared(sides: tuple[DiffSide, DiffSide], trees: list[Parsed]) -> tuple[list[str], list[Parsed]]:
    """Return the compared definitions and texts: all of both where neither side names anything."""
    names = [side.definition for side in sides]
    known = names[0] or names[1]
    if known:
        names = [name or _find_counterpart(known, tree) for name, tree in zip(names, trees, strict=True)]
    return names, [select_side(tree, name) for tree, name in zip(trees, names, strict=True)]


def difference_of(sides: tuple[DiffSide, DiffSide], resolved: tuple[Resolved, Resolved], mode: RangeMode) -> Difference:
    """Compare the two sides.

    Two definitions are compared if the sides name them, or one names one and the other has a counterpart, or both texts
    have just one spec: different names are then no difference.

    Parameters:
        sides: Both sides.
        resolved: Both sides, resolved.
        mode: How ranges are read where a text does not say it.
    """
    names, trees = select_compared(sides, [each.parsed for each in resolved])
    if not any(side.definition for side in sides):
        names = [_only_spec(tree) for tree in trees]
    if not all(names):
        return diff(trees[0], trees[1], mode, resolved=resolved)
    difference = diff(trees[0], trees[1], mode, same=(names[0], names[1]), resolved=resolved)
    return without_title(difference, names[0], names[1])


def _only_spec(tree: Parsed) -> str:
    """Return the spec of a text that has only one."""
    names = [item.name.name for item in tree.file.items if isinstance(item, Prompt)]
    return names[0] if len(names) == 1 else ""


def _find_counterpart(name: str, tree: Parsed) -> str:
    """Return what to compare with a spec: the spec of its name, else the only one; else the whole text."""
    return name if name in definition_names(tree) else _only_spec(tree)
