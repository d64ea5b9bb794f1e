"""The ids that headings of a page get, for blocks that are drawn before Python-Markdown gives them.

Read from the lines of the page: what another extension makes a heading of is not among them.
"""

import re
from collections import Counter
from collections.abc import Sequence

from markdown import Markdown

from acdl_mkdocs.workspace.fences import scan

_HEADING = re.compile(r" {0,3}#{1,6}[ \t]++(?P<words>.*)")
_CHOSEN = re.compile(r"(?:^|[\s{:])#([^\s{}]+)")
_MARKUP = re.compile(r"!?\[([^\[\]]*)\](?:\((?>(?:[^()]++|\([^()]*\))*)\)|\[[^\[\]]*\])|<[^<>]*>")


def heading_ids(md: Markdown, lines: Sequence[str]) -> frozenset[str]:
    """The ids of the headings of a page.

    Parameters:
        md: What converts the page; without its extension `toc` headings have no ids.
        lines: Of the page.
    """
    if "toc" not in md.treeprocessors:
        return frozenset()
    toc = md.treeprocessors["toc"]
    found: set[str] = set()
    numbers = Counter[str]()
    for words, attributes in _headings(lines):
        chosen = _CHOSEN.search(attributes)
        slug = chosen[1] if chosen else str(toc.slugify(_MARKUP.sub(r"\1", words), toc.sep))  # type: ignore[attr-defined]  # it is that of `toc`
        name, number = slug, numbers[slug]
        while name in found:
            number += 1
            name = f"{slug}_{number}"
        numbers[slug] = number
        found.add(name)
    return frozenset(found)


def _headings(lines: Sequence[str]) -> list[tuple[str, str]]:
    """The words of each heading and its attributes, which are empty where it has none."""
    lines = list(lines)
    for fence in scan(lines):
        lines[fence.first : fence.end] = [""] * (fence.end - fence.first)
    matches = (_HEADING.fullmatch(line) for line in lines)
    return [_with_attributes(found["words"].rstrip(" \t")) for found in matches if found]


def _with_attributes(words: str) -> tuple[str, str]:
    at = words.rfind("{")
    if at < 0 or words.find("}", at) != len(words) - 1:
        return words.rstrip(" \t#"), ""
    return words[:at].rstrip(" \t#"), words[at:]
