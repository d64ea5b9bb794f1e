"""A `laic` block of a page: `<tools>` as tables of parameters, `<call>` as lines of code, or both together.

A call is measured by the tools of its own block and by those of the other blocks of its page, to which it links.
"""

import re
from collections.abc import Iterator, Mapping, Sequence

from acdl_mkdocs.evaluation.formats.tools_html import call_markup, tools_markup
from acdl_mkdocs.prompts.pml.tools import by_name
from acdl_mkdocs.prompts.prompt import Call, Tool
from acdl_mkdocs.site import xml_fence
from acdl_mkdocs.site.block import Block
from acdl_mkdocs.site.laic_text import read_laic
from acdl_mkdocs.site.page import Page
from acdl_mkdocs.site.xml_fence import Drawn, XmlKind, XmlText, read_xml
from acdl_mkdocs.workspace.fences import Fence
from acdl_mkdocs.workspace.read_block import Finding

LANGUAGE = "laic"


def from_fence(fence: Fence, page: Page) -> Block:
    """Draw a fence of a page, and report its problems to the page."""
    return xml_fence.from_fence(fence, page, KIND)


def fence_problems(fence: Fence, page: Page) -> Iterator[Finding]:
    """What is wrong with a block."""
    return xml_fence.fence_problems(fence, page, KIND)


def draw(text: XmlText, name: str, page: Page) -> Drawn:
    """The tools and calls of a block.

    Parameters:
        text: The block.
        name: Its anchor, which its tools do not need: theirs begin with its `id`, or with the language.
        page: Where it stands.
    """
    del name

    def others() -> Sequence[Tool]:
        _note_all(page)
        return list({tool.name: tool for tool, _ in page.tools.values()}.values())

    read = read_laic(text.raw, others, is_lenient=text.options.lenient)
    anchors = [page.take(tool_anchor(text.options.id or LANGUAGE, each.name)) for each in read.tools]
    _note(read.tools, anchors, page)
    is_shown = read.tools or not (read.calls or read.problems)
    parts = [tools_markup(read.tools, anchors)] if is_shown else []
    if read.calls:
        own = _named(read.tools, anchors)
        parts.append(_calls(read.calls, {**page.tools, **own}))
    return Drawn("\n".join(parts), tuple((each, text.source) for each in read.problems))


KIND = XmlKind(LANGUAGE, "Tools and calls", draw)


def note_tools(text: XmlText, page: Page) -> None:
    """Tell a page the tools of a block that is drawn later, so that calls before it can lead there."""
    tools = read_laic(text.raw, is_lenient=text.options.lenient).tools
    _note(tools, [tool_anchor(text.options.id or LANGUAGE, each.name) for each in tools], page)


def tool_anchor(prefix: str, tool: str) -> str:
    """Where a tool of a block is shown, unless the page has this anchor already."""
    return f"{prefix}-tool-{re.sub(r'[^A-Za-z0-9_.-]+', '-', tool)}"


def _note(tools: Sequence[Tool], anchors: Sequence[str], page: Page) -> None:
    for name, found in _named(tools, anchors).items():
        page.tools.setdefault(name, found)


def _note_all(page: Page) -> None:
    if page.has_all_tools:
        return
    page.has_all_tools = True
    for fence in page.fences(LANGUAGE):
        text = read_xml(fence, page.name, page.root, LANGUAGE)
        page.files |= set(text.files)
        note_tools(text, page)


def _named(tools: Sequence[Tool], anchors: Sequence[str]) -> dict[str, tuple[Tool, str]]:
    """Tools with their anchors, by what calls name them; of several with one name the first."""
    places = {tool.name: anchor for tool, anchor in zip(reversed(tools), reversed(anchors), strict=True)}
    return {name: (tool, places[tool.name]) for name, tool in by_name(tools).items()}


def _calls(calls: Sequence[Call], tools: Mapping[str, tuple[Tool, str]]) -> str:
    shown = []
    for call in calls:
        tool, anchor = tools.get(call.tool, (None, ""))
        shown.append(f"<li>{call_markup(call, tool, f'#{anchor}' if anchor else '')}</li>")
    lines = "\n".join(shown)
    return f'<ol class="acdl-calls">{lines}</ol>'
