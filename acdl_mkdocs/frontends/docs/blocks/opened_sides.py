"""Playground examples of a block that compares: two texts, or each variant with its base.

A text is the compared part of its file: the definition, and the fragments of the file that it uses.
"""

from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.frontends.docs.blocks.diff_options import DiffOptions
from acdl_mkdocs.frontends.docs.blocks.diff_sides import DiffSide
from acdl_mkdocs.frontends.docs.blocks.diff_trees import select_compared
from acdl_mkdocs.frontends.docs.blocks.example import Example, files_of
from acdl_mkdocs.frontends.docs.blocks.variants_read import VariantsText
from acdl_mkdocs.language.syntax.parse import Parsed, parse
from acdl_mkdocs.workspace.catalog import Levels
from acdl_mkdocs.workspace.state_text import StateText
from acdl_mkdocs.workspace.used_files import list_definitions


def example_of_sides(
    sides: tuple[DiffSide, DiffSide], others: tuple[Levels, Levels], options: DiffOptions, state: StateText | None
) -> Example:
    """Return the example of a difference.

    Parameters:
        sides: Both sides, which were found.
        others: For each the other texts from which it takes fragments.
        options: Of the block.
        state: The state that both are evaluated with.
    """
    trees = [parse(_source_of(side)) for side in sides]
    names, cut = select_compared(sides, trees)
    old, new = (_text_compared(tree, full_tree) for tree, full_tree in zip(cut, trees, strict=True))
    return Example(
        title=options.title or f"{sides[0].title} and {sides[1].title}",
        text=new,
        old=old,
        files=_merge_files(others),
        state=state.source.text if state and state.source else "",
        at=options.at if state else "",
        spec=names[1],
        range=options.range if options.range != "half-open" else "",
    )


def examples_of_variants(text: VariantsText) -> list[Example]:
    """Return the examples of the variants that were found, each with the base."""
    variants = {each.name: each for each in text.variants if each.side.source is not None}
    base = variants.get(text.base)
    examples = []
    for name, each in variants.items():
        sides = (base.side if base else each.side, each.side)
        options = DiffOptions(range=text.options.range, title=name)
        both = example_of_sides(sides, (base.others if base else (), each.others), options, None)
        examples.append(both if base and base is not each else _drop_comparison(both))
    return examples


def _drop_comparison(example: Example) -> Example:
    """Return an example without the text to compare with."""
    return Example(example.title, example.text, example.files, spec=example.spec, range=example.range)


def _source_of(side: DiffSide) -> Source:
    return side.source or Source("")


def _text_compared(tree: Parsed, full_tree: Parsed) -> str:
    """Return the compared part as written."""
    if tree is full_tree:
        return tree.source.text
    items = (tree.source.text[each.span.start : each.span.end] for each in tree.file.items)
    return "\n\n".join(items) + "\n"


def _merge_files(others: tuple[Levels, Levels]) -> dict[str, str]:
    """Return the other texts of both sides; where they differ, those of the new one."""
    old, new = ([each for level in levels for each in level] for levels in others)
    known = {name for each in new for name in list_definitions(each.text)}
    return files_of([*new, *(each for each in old if not known & set(list_definitions(each.text)))])
