"""Completions in the opening line of a fence: languages of blocks, options and their values."""

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple, TypeVar

from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.frontends.docs.blocks.diff_options import DIFF_OPTIONS, DiffOptions
from acdl_mkdocs.frontends.docs.blocks.diff_options import LANGUAGE as DIFF
from acdl_mkdocs.frontends.docs.blocks.gallery_options import GALLERY_OPTIONS, GalleryOptions
from acdl_mkdocs.frontends.docs.blocks.gallery_options import LANGUAGE as GALLERY
from acdl_mkdocs.frontends.docs.blocks.inspect_options import INSPECT_OPTIONS, InspectBlockOptions
from acdl_mkdocs.frontends.docs.blocks.inspect_options import LANGUAGE as INSPECT
from acdl_mkdocs.frontends.docs.blocks.variants_options import LANGUAGE as VARIANTS
from acdl_mkdocs.frontends.docs.blocks.variants_options import VARIANTS_OPTIONS, VariantsOptions
from acdl_mkdocs.frontends.editor.completion import Completion
from acdl_mkdocs.frontends.editor.documents import Document
from acdl_mkdocs.frontends.editor.workspace import Workspace
from acdl_mkdocs.workspace.header import Setter, choices_of
from acdl_mkdocs.workspace.options import OPTIONS, BlockOptions

T = TypeVar("T")


def _list_choices(setters: Mapping[str, Setter[T]], options: T) -> Mapping[str, tuple[str, ...]]:
    return {name: choices_of(setter, options) for name, setter in setters.items()}


class HeaderTable(NamedTuple):
    """The options of the opening line of one language of blocks."""

    about: str
    choices: Mapping[str, tuple[str, ...]]
    """Every option, with its values if they are a fixed set."""


TABLES: Mapping[str, HeaderTable] = {
    "acdl": HeaderTable("a spec with its figure", _list_choices(OPTIONS, BlockOptions())),
    DIFF: HeaderTable("what changed between two specs", _list_choices(DIFF_OPTIONS, DiffOptions())),
    VARIANTS: HeaderTable("several specs beside each other", _list_choices(VARIANTS_OPTIONS, VariantsOptions())),
    INSPECT: HeaderTable(
        "what recorded requests sent at each step", _list_choices(INSPECT_OPTIONS, InspectBlockOptions())
    ),
    GALLERY: HeaderTable("all specs of the site", _list_choices(GALLERY_OPTIONS, GalleryOptions())),
}
_OPENING = re.compile(r"[ \t>]*+(?:(?:[-*+:]|\d{1,9}[.)])[ \t]++)*(?P<mark>`{3,}+|~{3,}+)[ \t]*+(?P<rest>.*)")
_BEGUN = re.compile(r"""(?<![\w-])(?P<name>[\w-]+)=(?P<quote>["']?)(?P<value>[^\s"']*)\Z""")
_MENTION = re.compile(r"(?:\[\[|\]\([ \t]*<?|\]:[ \t]*<?)acdl:[ \t]*(?P<name>\w*)\Z")
_WORD = re.compile(r"(?<![\w-])[\w-]*\Z")
_LONGEST_SETTING = 1_000
"""Characters before the cursor in which a setting begins, if the cursor is in one."""


def header_completions(workspace: Workspace, document: Document, offset: int) -> tuple[Completion, ...]:
    """Return the completions at an offset of a page outside of blocks; none if it is not in an opening line."""
    text = document.text
    line = text.rfind("\n", 0, offset) + 1
    mention = _MENTION.search(text, line, offset)
    if mention is not None:
        return tuple(_offer_spec_names(workspace, Span(mention.start("name"), offset)))
    opening = _OPENING.fullmatch(text[line:offset])
    if opening is None or _is_inside(document, offset):
        return ()
    language = re.match(r"\{?\s*\.?([\w-]+)\s", opening["rest"])
    if language is None:
        return tuple(_offer_languages(offset, _WORD.search(opening["rest"])))
    if language[1].lower() not in TABLES:
        return ()
    begun = _BEGUN.search(opening["rest"], max(0, len(opening["rest"]) - _LONGEST_SETTING))
    if begun is not None:
        return tuple(_offer_option_values(language[1].lower(), begun, workspace, offset))
    word = _WORD.search(opening["rest"])
    return tuple(_offer_options(language[1].lower(), word[0] if word else "", opening["rest"], offset))


def _is_inside(document: Document, offset: int) -> bool:
    """Return whether the offset is in the lines of a block, or on the line that closes it."""
    return any(each.header.end < offset <= each.body.end + len(each.fence.prefix) for each in document.fences)


def _offer_languages(offset: int, word: re.Match[str] | None) -> Iterator[Completion]:
    span = Span(offset - len(word[0] if word else ""), offset)
    for number, (name, table) in enumerate(TABLES.items()):
        yield Completion(name, "value", name, span, detail=table.about, sort=str(number))


def _offer_options(language: str, word: str, rest: str, offset: int) -> Iterator[Completion]:
    """Yield the options that the header does not set yet."""
    span = Span(offset - len(word), offset)
    for name, choices in TABLES[language].choices.items():
        if not re.search(rf"(?<![\w-]){name}\s*=", rest):
            insert = f"{name}=$0" if choices else f'{name}="$0"'
            yield Completion(name, "option", insert, span, True, " | ".join(choices), sort=f"1{name}")


def _offer_option_values(
    language: str, begun: re.Match[str], workspace: Workspace, offset: int
) -> Iterator[Completion]:
    span = Span(offset - len(begun["value"]), offset)
    for number, choice in enumerate(TABLES[language].choices.get(begun["name"], ())):
        yield Completion(choice, "value", choice, span, sort=f"{number:02}")
    if begun["name"] == "spec":
        yield from _offer_spec_names(workspace, span)


def _offer_spec_names(workspace: Workspace, span: Span) -> Iterator[Completion]:
    for name in sorted(workspace.spec_names):
        yield Completion(name, "spec", name, span, sort=name)
