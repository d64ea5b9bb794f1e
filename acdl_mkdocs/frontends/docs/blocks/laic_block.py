"""A `laic` block of a page: `<tools>` as tables of parameters, `<call>` as lines of code, or both together.

A call is checked against the tools of its own block and those of the other blocks of its page, to which it links.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from acdl_mkdocs.evaluation.formats.tools_html import write_call, write_tools
from acdl_mkdocs.foundation.diagnostics import Diagnostic, Label, error
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.wording import find_closest
from acdl_mkdocs.frontends.docs.blocks import xml_fence
from acdl_mkdocs.frontends.docs.blocks.block import PageBlock
from acdl_mkdocs.frontends.docs.blocks.xml_fence import DrawnXml, XmlKind, XmlText, read_xml
from acdl_mkdocs.frontends.docs.page import Page
from acdl_mkdocs.prompts.pml.calls import read_call
from acdl_mkdocs.prompts.pml.check_calls import CallChecker
from acdl_mkdocs.prompts.pml.document_problems import list_fault_problems
from acdl_mkdocs.prompts.pml.grammar import ROOTS
from acdl_mkdocs.prompts.pml.limits import LIMITS
from acdl_mkdocs.prompts.pml.problems import Repair, foreign_element, repair_note, too_large
from acdl_mkdocs.prompts.pml.repair import TooManyRepairsError, repair_tree
from acdl_mkdocs.prompts.pml.tools import index_by_name, read_tool
from acdl_mkdocs.prompts.pml.tree import Element, find_loose_text, find_start_tag, read_tree
from acdl_mkdocs.prompts.pml.validate import MOST_PROBLEMS, check_meaning, validate_tree
from acdl_mkdocs.prompts.prompt import Call, Tool
from acdl_mkdocs.workspace.fences import Fence
from acdl_mkdocs.workspace.read_block import Finding

_OWN_CHECKS = ("unknown-tool", "unreadable-argument")
"""Problems that get other words when calls are checked against tools, also those of other blocks."""
_OWN = ("tools", "tool", "call")
_CURE = "write `<tools>...</tools>` and `<call name=...>` elements, nothing else"


@dataclass(frozen=True, slots=True)
class ReadLaic:
    """The contents of a text."""

    tools: tuple[Tool, ...] = ()
    calls: tuple[Call, ...] = ()
    problems: tuple[Diagnostic, ...] = ()
    """In the order of their places."""


def read_laic(
    text: str, others: Callable[[], Sequence[Tool]] = tuple[Tool, ...], *, is_lenient: bool = False
) -> ReadLaic:
    """Read the tools and calls of a text.

    Parameters:
        text: The text.
        others: Tools that are listed elsewhere; requested only if a call could mean one of them.
        is_lenient: Whether to repair what has one meaning, each repair being a warning.
    """
    tree = read_tree(text, is_lenient=is_lenient, is_wrapped=True)
    problems = [repair_note(each) for each in tree.repairs]
    if tree.root is None:
        return ReadLaic(problems=(*problems, *_explain_refusal(text, tree.problems)))
    problems += [*tree.problems, *_find_foreign_parts(tree.root, text)]
    sections = list(_list_sections(tree.root))
    faults = [fault for each in sections for fault in validate_tree(each, text)]
    if faults and is_lenient:
        try:
            sections, repairs = _repair_sections(sections, text)
        except TooManyRepairsError as reason:
            return ReadLaic(problems=(too_large(reason.span, f"{LIMITS.repairs:,} things to repair"),))
        problems += [repair_note(each) for each in repairs]
        faults = [fault for each in sections for fault in validate_tree(each, text)]
    if faults:
        return ReadLaic(problems=_sort_problems([*problems, *faults]))
    document = _wrap_elements("prompt", tuple(sections), tree.root)
    problems += [each for each in check_meaning(document, text) if each.rule not in _OWN_CHECKS]
    tools = tuple(read_tool(each, problems) for section in sections for each in section.elements if each.name == "tool")
    elements = [each for section in sections for each in _calls_of(section)]
    own = {each.name for each in tools}
    all_tools = [*tools, *(each for each in others() if each.name not in own)] if elements else []
    checker = CallChecker(all_tools)
    calls = tuple(_read_call(each, checker, text, problems) for each in elements)
    return ReadLaic(tools, calls, _sort_problems(problems))


def _explain_refusal(text: str, problems: tuple[Diagnostic, ...]) -> tuple[Diagnostic, ...]:
    """Return why a text cannot be read: a document type has its own reason, which needs the text."""
    alone = read_tree(text).problems
    return alone if any(each.rule == "document-type" for each in alone) else problems


def _read_call(element: Element, checker: CallChecker, text: str, problems: list[Diagnostic]) -> Call:
    """Read the call of an element, and check it against the tools."""
    problems_of_call: list[Diagnostic] = []
    call = read_call(element, checker.known.get(element.attributes["name"]), problems_of_call)
    problems += [each for each in problems_of_call if each.rule not in _OWN_CHECKS]
    if checker.tools and len(problems) < MOST_PROBLEMS:
        problems += list_fault_problems(call, checker.check_call(call), find_start_tag(text, element), "warning")
    return call


def _list_sections(root: Element) -> Iterator[Element]:
    """Yield the elements of a text grouped into the sections of a document."""
    for child in root.elements:
        if child.name == "tools":
            yield child
        elif child.name == "tool":
            yield _wrap_elements("tools", (child,), root)
    calls = tuple(each for each in root.elements if each.name == "call")
    if calls:
        answer = _wrap_elements("assistant", calls, root)
        yield _wrap_elements("conversation", (_wrap_elements("turn", (answer,), root),), root)


def _wrap_elements(name: str, elements: tuple[Element, ...], root: Element) -> Element:
    """Wrap some elements of a text in an artificial one."""
    return root._replace(name=name, attributes={}, text="", elements=elements)


def _calls_of(section: Element) -> Iterator[Element]:
    """Yield the calls of a section."""
    for child in section.elements if section.name in ("conversation", "turn", "assistant") else ():
        if child.name == "call":
            yield child
        else:
            yield from _calls_of(child)


def _repair_sections(sections: Sequence[Element], text: str) -> tuple[list[Element], list[Repair]]:
    """Return the sections in grammatical order, with the repairs."""
    repaired = [repair_tree(each, text, LIMITS) for each in sections]
    return [each for each, _ in repaired], [repair for _, repairs in repaired for repair in repairs]


def _find_foreign_parts(root: Element, text: str) -> Iterator[Diagnostic]:
    """Yield problems of elements that do not belong into such a text."""
    if root.text.strip():
        label = Label(find_loose_text(text, root), "text here")
        yield error("misplaced-text", "there is text between tools and calls", label, help=_CURE)
    for child in root.elements:
        if child.name.startswith("{"):
            yield foreign_element(find_start_tag(text, child), child.name)
        elif child.name not in _OWN:
            near = find_closest(child.name, _OWN)
            is_document = child.name in ROOTS
            cure = "show a whole document with a `pml` block" if is_document else _CURE
            label = Label(find_start_tag(text, child), "not at this place")
            message = f"`<{child.name}>` is neither a tool nor a call"
            yield error("misplaced-element", message, label, help=f"did you mean `<{near}>`?" if near else cure)


def _sort_problems(problems: Sequence[Diagnostic]) -> tuple[Diagnostic, ...]:
    return tuple(sorted(problems, key=lambda each: each.label.span.start))[:MOST_PROBLEMS]


LANGUAGE = "laic"


def from_fence(fence: Fence, page: Page) -> PageBlock:
    """Draw a fence of a page, and report its problems to the page."""
    return xml_fence.from_fence(fence, page, KIND)


def fence_problems(fence: Fence, page: Page) -> Iterator[Finding]:
    """Yield the problems of a block."""
    return xml_fence.fence_problems(fence, page, KIND)


def draw_laic(text: XmlText, name: str, page: Page) -> DrawnXml:
    """Draw the tools and calls of a block.

    Parameters:
        text: The block.
        name: Its anchor, which its tools do not need: theirs begin with its `id`, or with the language.
        page: Its page.
    """
    del name

    def list_other_tools() -> Sequence[Tool]:
        _note_all(page)
        return list({tool.name: tool for tool, _ in page.tools.values()}.values())

    read = read_laic(text.raw, list_other_tools, is_lenient=text.options.lenient)
    anchors = [page.take_id(tool_anchor(text.options.id or LANGUAGE, each.name)) for each in read.tools]
    _register_tools(read.tools, anchors, page)
    is_shown = read.tools or not (read.calls or read.problems)
    parts = [write_tools(read.tools, anchors)] if is_shown else []
    if read.calls:
        own = _map_names_to_tools(read.tools, anchors)
        parts.append(_render_calls(read.calls, {**page.tools, **own}))
    return DrawnXml("\n".join(parts), tuple((each, text.source) for each in read.problems))


KIND = XmlKind(LANGUAGE, "Tools and calls", draw_laic)


def note_tools(text: XmlText, page: Page) -> None:
    """Register the tools of a block that is drawn later with the page, so that earlier calls can link to them."""
    tools = read_laic(text.raw, is_lenient=text.options.lenient).tools
    _register_tools(tools, [tool_anchor(text.options.id or LANGUAGE, each.name) for each in tools], page)


def tool_anchor(prefix: str, tool: str) -> str:
    """Return the anchor of a tool of a block, unless the page has this anchor already."""
    return f"{prefix}-tool-{re.sub(r'[^A-Za-z0-9_.-]+', '-', tool)}"


def _register_tools(tools: Sequence[Tool], anchors: Sequence[str], page: Page) -> None:
    for name, found in _map_names_to_tools(tools, anchors).items():
        page.tools.setdefault(name, found)


def _note_all(page: Page) -> None:
    if page.has_all_tools:
        return
    page.has_all_tools = True
    for fence in page.list_fences(LANGUAGE):
        text = read_xml(fence, page.name, page.root, LANGUAGE)
        page.files |= set(text.files)
        note_tools(text, page)


def _map_names_to_tools(tools: Sequence[Tool], anchors: Sequence[str]) -> dict[str, tuple[Tool, str]]:
    """Map names to tools with their anchors; of several with one name the first."""
    places = {tool.name: anchor for tool, anchor in zip(reversed(tools), reversed(anchors), strict=True)}
    return {name: (tool, places[tool.name]) for name, tool in index_by_name(tools).items()}


def _render_calls(calls: Sequence[Call], tools: Mapping[str, tuple[Tool, str]]) -> str:
    items = []
    for call in calls:
        tool, anchor = tools.get(call.tool, (None, ""))
        items.append(f"<li>{write_call(call, tool, f'#{anchor}' if anchor else '')}</li>")
    lines = "\n".join(items)
    return f'<ol class="acdl-calls">{lines}</ol>'
