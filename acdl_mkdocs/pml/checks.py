"""`check()`: what a document of the right shape can still say that nobody can send.

Calls and results that do not belong together, numbers of turns that go back, names that are there twice. Knows the
tree, not the prompt, as every problem has its place there.
"""

import re
from collections.abc import Iterator, Sequence
from typing import TypeAlias

from acdl_mkdocs.foundation.diagnostics import Diagnostic
from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.foundation.wording import Known
from acdl_mkdocs.pml import problems
from acdl_mkdocs.pml.parts_of_source import attribute, start_tag
from acdl_mkdocs.pml.tree import Element
from acdl_mkdocs.pml.waiting import Waiting

_TOOL_NAME = re.compile(r"[A-Za-z0-9_.:/\-]{1,128}")
_TYPE = re.compile(r"[\w.:\-]+")
_Said: TypeAlias = tuple[Element, Sequence[Element]]
_MESSAGES = frozenset(("system", "user", "assistant", "tool_output", "x:message"))


def check(root: Element, text: str) -> Iterator[Diagnostic]:
    """What is wrong with a document that is as the grammar says.

    Parameters:
        root: The root of the document.
        text: The source, for places.
    """
    tools = [each for section in _sections(root, "tools") for each in section.elements]
    yield from _check_tools(tools, text)
    for conversation in _sections(root, "conversation"):
        yield from _check_turns(conversation, text)
        messages = list(_messages(conversation))
        yield from _check_messages(messages, text)
        yield from _check_calls(messages, text)
        if tools:
            yield from _check_known(messages, tools, text)


def _sections(root: Element, name: str) -> list[Element]:
    return [root] if root.name == name else [each for each in root.elements if each.name == name]


def _messages(conversation: Element) -> Iterator[_Said]:
    """Every message with its parts; a result that stands in a turn is its own only part."""
    for child in conversation.elements:
        for message in child.elements if child.name == "turn" else (child,):
            if message.name in _MESSAGES:
                yield message, [message] if message.name == "tool_output" else message.elements


def _check_turns(conversation: Element, text: str) -> Iterator[Diagnostic]:
    before = 0
    for turn in conversation.elements:
        index = turn.attributes.get("index") if turn.name == "turn" else None
        if index is None:
            continue
        number = int(index)
        if number < before:
            yield problems.turn_order(attribute(text, turn, "index"), number, before)
        else:
            before = number


def _check_messages(messages: list[_Said], text: str) -> Iterator[Diagnostic]:
    for message, parts in messages:
        if not parts:
            yield problems.empty_message(start_tag(text, message), message.name)
        for part in parts:
            for inner in part.elements if part.name == "tool_output" else (part,):
                if inner.name == "attachment":
                    yield from _check_attachment(inner, text)


def _check_attachment(attachment: Element, text: str) -> Iterator[Diagnostic]:
    said = attachment.attributes
    if "href" in said and (attachment.elements or attachment.text.strip()):
        span = attribute(text, attachment, "href")
        yield problems.two_contents(span, "the attribute `href`", "a content")
    if said.get("href", "").lstrip()[:5].lower() == "data:":
        yield problems.data_address(attribute(text, attachment, "href"))
    if not _TYPE.fullmatch(said["type"]):
        span = attribute(text, attachment, "type")
        yield problems.odd_name(span, "the type of the attachment", said["type"], 'write a word: `type="file"`')


def _check_calls(messages: list[_Said], text: str) -> Iterator[Diagnostic]:
    waiting: Waiting[int] = Waiting()
    calls: list[Element] = []
    results: dict[int, Element] = {}
    for message, parts in messages:
        waiting.begin(_role(message))
        if waiting.calls and _is_next(message, parts):
            after = start_tag(text, message)
            for number in waiting.calls:
                yield problems.unanswered_call(start_tag(text, calls[number]), calls[number].attributes["name"], after)
            waiting.calls.clear()
        for part in parts:
            said = part.attributes
            if part.name == "call":
                first = waiting.add(len(calls), said.get("id"), said["name"])
                calls.append(part)
                if first is not None:
                    place = start_tag(text, calls[first])
                    yield problems.repeated_id(attribute(text, part, "id"), place, said["id"])
            elif part.name == "tool_output":
                answered = waiting.answered(said.get("id"), said.get("name"))
                first_result = None if answered is None else results.setdefault(answered, part)
                yield from _check_result(part, first_result, text)


def _check_result(result: Element, first: Element | None, text: str) -> Iterator[Diagnostic]:
    """A result, beside the first of the call that it answers; `None` where it answers none."""
    said = result.attributes
    if first is None and "id" in said:
        yield problems.result_without_call(attribute(text, result, "id"), said["id"])
    elif first is None:
        yield problems.loose_result(start_tag(text, result), said.get("name"))
    elif first is not result:
        yield problems.second_result(attribute(text, result, "id"), start_tag(text, first), said["id"])


def _is_next(message: Element, parts: Sequence[Element]) -> bool:
    """Whether a message goes on after calls, instead of answering them."""
    return _role(message) in {"user", "assistant"} and not any(part.name == "tool_output" for part in parts)


def _role(message: Element) -> str:
    if message.name == "x:message":
        return message.attributes["role"]
    return "tool" if message.name == "tool_output" else message.name


def _check_known(messages: list[_Said], tools: list[Element], text: str) -> Iterator[Diagnostic]:
    names = [each for tool in tools for each in (tool.attributes["name"], tool.attributes.get("alias")) if each]
    known = Known(dict.fromkeys(names, None))
    calls = [part for _, parts in messages for part in parts if part.name == "call"]
    for call in calls:
        if call.attributes["name"] not in known:
            yield problems.unknown_tool(attribute(text, call, "name"), call.attributes["name"], known)


def _check_tools(tools: list[Element], text: str) -> Iterator[Diagnostic]:
    yield from _check_names(tools, "name", "tool", text)
    for tool in tools:
        name = tool.attributes["name"]
        if not _TOOL_NAME.fullmatch(name):
            expected = "write letters of English, digits, `_` and `-`, at most 64, and a long name as `alias`"
            yield problems.odd_name(attribute(text, tool, "name"), "the tool", name, expected)
        yield from _check_parameters(tool, text)


def _check_parameters(holder: Element, text: str) -> Iterator[Diagnostic]:
    parameters = [each for each in holder.elements if each.name == "param"]
    if parameters:
        yield from _check_names(parameters, "key", "parameter", text)
    for parameter in parameters:
        yield from _check_parameters(parameter, text)


def _check_names(elements: list[Element], key: str, what: str, text: str) -> Iterator[Diagnostic]:
    first: dict[str, Span] = {}
    for element in elements:
        for said in (key, "alias"):
            name = element.attributes.get(said)
            if name is None or (said == "alias" and name == element.attributes[key]):
                continue
            if name in first:
                yield problems.repeated_tool(attribute(text, element, said), first[name], what, name)
            else:
                first[name] = start_tag(text, element)
