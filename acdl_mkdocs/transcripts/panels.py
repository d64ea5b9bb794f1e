"""What goes to a model beside its messages as HTML: memory and tools, of an evaluation and of a document alike."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from html import escape

from acdl_mkdocs.foundation.text_width import visible
from acdl_mkdocs.pml.tools import by_name
from acdl_mkdocs.prompt import Memory, Tool
from acdl_mkdocs.transcripts.part_html import Tools, text_markup
from acdl_mkdocs.transcripts.tools_html import tools_markup

_LONGEST_ID = 60
_FORBIDDEN = re.compile(r"[^A-Za-z0-9_.-]+")


class Anchors:
    """Ids that begin with one name; each is given once."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._taken: Counter[str] = Counter()

    def take(self, kind: str, said: str) -> str:
        """An id for something that is called so, which nothing else has."""
        base = f"{self._name}-{kind}-{_FORBIDDEN.sub('-', said)[:_LONGEST_ID]}"
        self._taken[base] += 1
        return base if self._taken[base] == 1 else f"{base}_{self._taken[base]}"


def tools_with(tools: Sequence[Tool], ids: Anchors) -> Tools:
    """Tools and an id of each; of several with one name, calls lead to the first."""
    anchors = [ids.take("tool", each.name) for each in tools]
    places = {tool.name: anchor for tool, anchor in zip(reversed(tools), reversed(anchors), strict=True)}
    return Tools(by_name(tools), places, tuple(zip(tools, anchors, strict=True)))


def memory_panel(memory: Sequence[Memory]) -> Iterator[str]:
    """What is remembered; nothing where nothing is."""
    if not memory:
        return
    items = []
    for entry in memory:
        key = f" <b>{escape(visible(entry.key))}</b>" if entry.key else ""
        items.append(f'<li><span class="acdl-sent-label">{entry.kind}{key}</span> {text_markup(entry.text)}</li>')
    listed = "\n".join(items)
    title = f"Memory <small>{len(memory):,} remembered</small>"
    yield _panel("memory", title, f'<ul class="acdl-pml-list">{listed}</ul>', is_open=True)


def tools_panel(tools: Tools, *, is_open: bool = False) -> Iterator[str]:
    """The tools that calls are of; nothing where there are none."""
    if not tools.listed:
        return
    title = f"Tools <small>{counted(len(tools.listed), 'tool')}</small>"
    shown, anchors = zip(*tools.listed, strict=True)
    yield _panel("tools", title, tools_markup(shown, anchors), is_open=is_open)


def _panel(kind: str, title: str, content: str, *, is_open: bool) -> str:
    summary = f"<summary>{title}</summary>"
    return f'<details class="acdl-pml-panel acdl-pml-{kind}"{" open" if is_open else ""}>{summary}\n{content}</details>'


def counted(number: int, noun: str) -> str:
    """A number with its noun."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
