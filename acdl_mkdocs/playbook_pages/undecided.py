"""The pairs of bullets that await a decision, with both texts side by side and the commands that decide.

The pairs are those of `acdl playbook review`, found among what is published.
"""

from collections.abc import Iterator
from shlex import quote
from typing import get_args

from acdl_mkdocs.playbook.decisions import Opinion
from acdl_mkdocs.playbook.near_pairs import NearPair
from acdl_mkdocs.playbook_pages.inline import clean
from acdl_mkdocs.playbook_pages.origin import bullet_link
from acdl_mkdocs.playbook_pages.view import View
from acdl_mkdocs.playbook_pages.word_diff import side_by_side

MOST_PAIRS = 10
"""Pairs that a page shows, the nearest first; the command shows all."""


def undecided_html(view: View, anchor: str) -> str:
    """The pairs as a list; empty text without any.

    Parameters:
        view: The playbook and its surroundings.
        anchor: The id of the list.
    """
    pairs = view.published.undecided
    if not pairs:
        return ""
    file = quote(view.published.source.name)
    items = "\n".join(_item(pair, view, file) for pair in pairs[:MOST_PAIRS])
    rest = len(pairs) - MOST_PAIRS
    more = f"<p>and {rest:,} more: <code>acdl playbook review {clean(file)}</code> lists them.</p>" if rest > 0 else ""
    ask = "Do these say the same, contradict each other, or say different things?"
    words = f"{ask} On a terminal, <code>acdl playbook review {clean(file)}</code> asks about one after another."
    return f'<p>{words}</p>\n<ol class="acdl-pairs" id="{clean(anchor)}">\n{items}\n</ol>\n{more}'.rstrip()


def _item(pair: NearPair, view: View, file: str) -> str:
    texts = side_by_side(pair.a.content, pair.b.content)
    sides = "".join(
        f"<div><p>{text}</p><small>{bullet_link(bullet.id, view)}</small></div>"
        for bullet, text in zip((pair.a, pair.b), texts, strict=True)
    )
    why = f"a merge asks: {clean(pair.why)}" if pair.why else f"similarity {pair.score:.2f}"
    commands = "".join(f"<li><code>{clean(each)}</code></li>" for each in _commands(pair, file))
    decide = f"<details><summary>Decide</summary><ul>{commands}</ul></details>"
    return f'<li><small>{why}</small><div class="acdl-pair">{sides}</div>{decide}</li>'


def _commands(pair: NearPair, file: str) -> Iterator[str]:
    """How to decide, each way in a line that can be typed."""
    for opinion in get_args(Opinion):
        yield f"acdl playbook review {file} {opinion} {pair.a.id} {pair.b.id}"
