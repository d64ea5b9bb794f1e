"""`validate_tree()`: whether a tree follows the grammar; `check_meaning()`: problems of the meaning of a valid tree."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import TypeAlias

from acdl_mkdocs.foundation.diagnostics import Diagnostic
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.foundation.wording import KnownNames
from acdl_mkdocs.prompts.pending_calls import PendingCalls
from acdl_mkdocs.prompts.pml import problems
from acdl_mkdocs.prompts.pml.grammar import (
    ELEMENT_NAMES,
    KINDS,
    ROOTS,
    Attribute,
    ElementGroup,
    ElementKind,
    OptionalSteps,
    Step,
)
from acdl_mkdocs.prompts.pml.tree import Element, find_attribute, find_loose_text, find_start_tag

MOST_PROBLEMS = 100
"""After this number, the rest of the document is not checked."""
HOMES = {"user": "text", "assistant": "text", "system": "text", "x:message": "text", "memory": "fact"}
"""The element that words are put into, by the kind of the element around it."""


class _TooManyProblemsError(Exception):
    """More problems than useful were found."""


def validate_tree(root: Element, text: str, roots: Sequence[str] = ROOTS) -> list[Diagnostic]:
    """Return where a tree does not follow the grammar, in document order; at most a hundred problems.

    Parameters:
        root: The root of the document.
        text: The source, for places.
        roots: What the root may be.
    """
    checking = _Validator(text)
    try:
        if root.name in roots:
            checking.check_element(root, KINDS[root.name])
        else:
            checking.report_root(root)
    except _TooManyProblemsError:
        pass
    return checking.found


class _Validator:
    """One walk through a tree."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.found: list[Diagnostic] = []
        self.known = KnownNames(dict.fromkeys(ELEMENT_NAMES, None))

    def report_problem(self, problem: Diagnostic) -> None:
        self.found.append(problem)
        if len(self.found) >= MOST_PROBLEMS:
            raise _TooManyProblemsError

    def report_root(self, root: Element) -> None:
        span = find_start_tag(self.text, root)
        if root.name.startswith("{"):
            self.report_problem(problems.foreign_element(span, root.name))
        elif root.name in ELEMENT_NAMES:
            self.report_problem(problems.no_root(span, root.name, ROOTS))
        else:
            self.report_problem(problems.unknown_element(span, root.name, self.known))

    def check_element(self, element: Element, kind: ElementKind) -> None:
        """Check an element and everything inside it."""
        if element.attributes or kind.required_attributes:
            self.check_attributes(element, kind)
        if not element.elements and kind.is_text:
            return
        names: list[str] = []
        kinds, extensions = kind.kinds, kind.extensions
        for child in element.elements:
            inner = kinds.get(child.name)
            if inner is None:
                self.report_child(child, element, kind)
                continue
            if inner.key not in extensions:
                names.append(child.name)
            self.check_element(child, inner)
        if element.text and not element.text.isspace():
            home = HOMES.get(kind.key, "content" if kind.is_text else "")
            self.report_problem(problems.misplaced_text(find_loose_text(self.text, element), element.name, home))
        if kind.key in ORDERED:
            self.check_order(element, kind, names)

    def report_child(self, child: Element, parent: Element, kind: ElementKind) -> None:
        span = find_start_tag(self.text, child)
        if child.name.startswith("{"):
            self.report_problem(problems.foreign_element(span, child.name))
        elif child.name not in ELEMENT_NAMES:
            self.report_problem(problems.unknown_element(span, child.name, self.known))
        else:
            allowed = [name for name in kind.children if not name.startswith("x:")]
            self.report_problem(problems.misplaced_element(span, child.name, parent.name, allowed))

    def check_order(self, element: Element, kind: ElementKind, names: list[str]) -> None:
        wrong = find_order_fault(kind, names)
        if wrong is None:
            return
        if wrong.at == len(names):
            self.report_problem(
                problems.missing_element(find_start_tag(self.text, element), element.name, wrong.needed)
            )
            return
        own = [child for child in element.elements if child.name in kind.children]
        own = [child for child in own if kind.children[child.name] not in kind.extensions]
        span, name = find_start_tag(self.text, own[wrong.at]), names[wrong.at]
        cure = suggest_order(kind, names[: wrong.at], name)
        before = names[wrong.at - 1] if wrong.at else ""
        self.report_problem(problems.disordered_element(span, name, element.name, before, cure))

    def check_attributes(self, element: Element, kind: ElementKind) -> None:
        rules = kind.known_attributes
        for name, value in element.attributes.items():
            rule = rules.get(name)
            if rule is not None:
                if (rule.choices or rule.pattern) and not has_value(rule, value):
                    span = find_attribute(self.text, element, name)
                    self.report_problem(problems.attribute_value(span, name, value, describe_expected(rule)))
            elif name.startswith("{"):
                self.report_problem(problems.foreign_element(find_attribute(self.text, element, name), name))
            elif not kind.has_any_attribute or name.startswith("x:"):
                span = find_attribute(self.text, element, name)
                self.report_problem(
                    problems.unknown_attribute(span, name, element.name, [each.name for each in kind.attributes])
                )
        for name in kind.required_attributes:
            if name not in element.attributes:
                self.report_problem(problems.missing_attribute(find_start_tag(self.text, element), name, element.name))


_compiled = lru_cache(re.compile)


def has_value(rule: Attribute, value: str) -> bool:
    """Return whether an attribute can have a value."""
    if rule.choices:
        return value in rule.choices
    return rule.pattern is None or _compiled(rule.pattern).fullmatch(value) is not None


def describe_expected(rule: Attribute) -> str:
    """Describe the values that an attribute can have."""
    if rule.choices:
        return " or ".join(f'`{rule.name}="{choice}"`' for choice in rule.choices)
    return f'`{rule.name}="{rule.example}"` or another value that matches `{rule.pattern}`'


@dataclass(frozen=True, slots=True)
class OrderFault:
    """The place where a list of elements does not follow the grammar of its parent."""

    at: int
    """Number of the element; how many there are where something is missing at the end."""
    needed: tuple[str, ...] = ()
    """Names of elements of which one is missing there, if that is the fault."""


def find_order_fault(kind: ElementKind, names: Sequence[str]) -> OrderFault | None:
    """Return the first fault of elements with these names, extensions excluded, or `None`."""
    return _find_known_fault(kind.key, tuple(names)) if len(names) <= _FEW else _find_cached_fault(kind, names)


_FEW = 6
"""Most lists are as short as this, and like others."""


@lru_cache(maxsize=1_000)
def _find_known_fault(key: str, names: tuple[str, ...]) -> OrderFault | None:
    return _find_cached_fault(KINDS[key], names)


def _find_cached_fault(kind: ElementKind, names: Sequence[str]) -> OrderFault | None:
    faults = []
    for model in kind.models:
        fault = _find_fault(model, names)
        if fault is None:
            return None
        faults.append(fault)
    return max(faults, key=lambda each: each.at)


def _find_fault(model: Sequence[Step], names: Sequence[str]) -> OrderFault | None:
    at = 0
    for some in _list_steps(model, names):
        allowed = {KINDS[kind].name for kind in some.kinds}
        first, end = at, len(names) if some.most is None else min(len(names), at + some.most)
        while at < end and names[at] in allowed:
            at += 1
        if at - first < some.least:
            return OrderFault(at, tuple(KINDS[kind].name for kind in some.kinds))
    return OrderFault(at) if at < len(names) else None


def _list_steps(model: Sequence[Step], names: Sequence[str]) -> Sequence[ElementGroup]:
    """Return the steps to match: optional ones only if their first element is present."""
    taken: list[ElementGroup] = []
    for step in model:
        if isinstance(step, ElementGroup):
            taken.append(step)
        elif any(KINDS[kind].name in names for kind in step.steps[0].kinds):
            taken.extend(step.steps)
    return taken


def suggest_order(kind: ElementKind, before: list[str], name: str) -> str:
    """Suggest where an element belongs that cannot follow others.

    Parameters:
        kind: The kind of the element around them.
        before: Names of the elements before it, which are in order.
        name: Its name.
    """
    if kind.key == "turn" and name == "user":
        return "begin another `<turn>` before it"
    changes = (at for at in range(len(before) - 1, -1, -1) if at == 0 or before[at] != before[at - 1])
    for at in islice(changes, _MOST_TRIED):
        if _begins_right(kind, [*before[:at], name, *before[at:]]):
            other = ", or begin another `<assistant>`" if kind.key == "assistant" else ""
            return f"put it before `<{before[at]}>`{other}"
    if name in before and kind.key != "turn":
        return f"keep one `<{name}>` only"
    allowed = [each for each in kind.children if not each.startswith("x:") and _begins_right(kind, [*before, each])]
    named = " ".join(f"`<{each}>`" for each in allowed)
    return f"allowed here: {named}" if allowed else "remove it"


_MOST_TRIED = 20


def _begins_right(kind: ElementKind, names: list[str]) -> bool:
    """Return whether elements are in order so far."""
    wrong = find_order_fault(kind, names)
    return wrong is None or wrong.at == len(names)


def is_ordered(kind: ElementKind) -> bool:
    """Return whether the order or number of elements can be wrong if each of them is allowed."""
    (model, *others) = kind.models
    return bool(others) or not (len(model) == 1 and _is_free(model[0]))


def _is_free(step: Step) -> bool:
    return not isinstance(step, OptionalSteps) and step.least == 0 and step.most is None


ORDERED = frozenset(kind.key for kind in KINDS.values() if kind.models != ((),) and is_ordered(kind))
"""Kinds whose order of elements must be checked."""


_TOOL_NAME = re.compile(r"[A-Za-z0-9_.:/\-]{1,128}")
_TYPE = re.compile(r"[\w.:\-]+")
_MessageParts: TypeAlias = tuple[Element, Sequence[Element]]
_MESSAGES = frozenset(("system", "user", "assistant", "tool_output", "x:message"))


def check_meaning(root: Element, text: str) -> Iterator[Diagnostic]:
    """Find problems of a document that follows the grammar.

    Parameters:
        root: The root of the document.
        text: The source, for places.
    """
    tools = [each for section in _find_sections(root, "tools") for each in section.elements]
    yield from _check_tools(tools, text)
    for conversation in _find_sections(root, "conversation"):
        yield from _check_turns(conversation, text)
        messages = list(_list_messages(conversation))
        yield from _check_messages(messages, text)
        yield from _check_calls(messages, text)
        if tools:
            yield from _check_known(messages, tools, text)


def _find_sections(root: Element, name: str) -> list[Element]:
    return [root] if root.name == name else [each for each in root.elements if each.name == name]


def _list_messages(conversation: Element) -> Iterator[_MessageParts]:
    """Yield every message with its parts; a result directly in a turn is its own only part."""
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
            yield problems.turn_order(find_attribute(text, turn, "index"), number, before)
        else:
            before = number


def _check_messages(messages: list[_MessageParts], text: str) -> Iterator[Diagnostic]:
    for message, parts in messages:
        if not parts:
            yield problems.empty_message(find_start_tag(text, message), message.name)
        for part in parts:
            for inner in part.elements if part.name == "tool_output" else (part,):
                if inner.name == "attachment":
                    yield from _check_attachment(inner, text)


def _check_attachment(attachment: Element, text: str) -> Iterator[Diagnostic]:
    attributes = attachment.attributes
    if "href" in attributes and (attachment.elements or attachment.text.strip()):
        span = find_attribute(text, attachment, "href")
        yield problems.two_contents(span, "the attribute `href`", "a content")
    if attributes.get("href", "").lstrip()[:5].lower() == "data:":
        yield problems.data_address(find_attribute(text, attachment, "href"))
    if not _TYPE.fullmatch(attributes["type"]):
        span = find_attribute(text, attachment, "type")
        yield problems.odd_name(span, "the type of the attachment", attributes["type"], 'write a word: `type="file"`')


def _check_calls(messages: list[_MessageParts], text: str) -> Iterator[Diagnostic]:
    pending_calls: PendingCalls[int] = PendingCalls()
    calls: list[Element] = []
    results: dict[int, Element] = {}
    for message, parts in messages:
        pending_calls.begin_message(_find_role(message))
        if pending_calls.calls and _is_next(message, parts):
            after = find_start_tag(text, message)
            for number in pending_calls.calls:
                yield problems.unanswered_call(
                    find_start_tag(text, calls[number]), calls[number].attributes["name"], after
                )
            pending_calls.calls.clear()
        for part in parts:
            attributes = part.attributes
            if part.name == "call":
                first = pending_calls.add_call(len(calls), attributes.get("id"), attributes["name"])
                calls.append(part)
                if first is not None:
                    start_tag = find_start_tag(text, calls[first])
                    yield problems.repeated_id(find_attribute(text, part, "id"), start_tag, attributes["id"])
            elif part.name == "tool_output":
                answered = pending_calls.answer_call(attributes.get("id"), attributes.get("name"))
                first_result = None if answered is None else results.setdefault(answered, part)
                yield from _check_result(part, first_result, text)


def _check_result(result: Element, first: Element | None, text: str) -> Iterator[Diagnostic]:
    """Check a result and the first result of the same call; `None` if there is none."""
    attributes = result.attributes
    if first is None and "id" in attributes:
        yield problems.result_without_call(find_attribute(text, result, "id"), attributes["id"])
    elif first is None:
        yield problems.loose_result(find_start_tag(text, result), attributes.get("name"))
    elif first is not result:
        yield problems.second_result(find_attribute(text, result, "id"), find_start_tag(text, first), attributes["id"])


def _is_next(message: Element, parts: Sequence[Element]) -> bool:
    """Return whether a message continues after calls instead of answering them."""
    return _find_role(message) in {"user", "assistant"} and not any(part.name == "tool_output" for part in parts)


def _find_role(message: Element) -> str:
    if message.name == "x:message":
        return message.attributes["role"]
    return "tool" if message.name == "tool_output" else message.name


def _check_known(messages: list[_MessageParts], tools: list[Element], text: str) -> Iterator[Diagnostic]:
    names = [each for tool in tools for each in (tool.attributes["name"], tool.attributes.get("alias")) if each]
    known_names = KnownNames(dict.fromkeys(names, None))
    calls = [part for _, parts in messages for part in parts if part.name == "call"]
    for call in calls:
        if call.attributes["name"] not in known_names:
            yield problems.unknown_tool(find_attribute(text, call, "name"), call.attributes["name"], known_names)


def _check_tools(tools: list[Element], text: str) -> Iterator[Diagnostic]:
    yield from _check_names(tools, "name", "tool", text)
    for tool in tools:
        name = tool.attributes["name"]
        if not _TOOL_NAME.fullmatch(name):
            expected = "write at most 64 ASCII letters, digits, `_` and `-`; put a longer name in `alias`"
            yield problems.odd_name(find_attribute(text, tool, "name"), "the tool", name, expected)
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
        for name_key in (key, "alias"):
            name = element.attributes.get(name_key)
            if name is None or (name_key == "alias" and name == element.attributes[key]):
                continue
            if name in first:
                yield problems.repeated_tool(find_attribute(text, element, name_key), first[name], what, name)
            else:
                first[name] = find_start_tag(text, element)
