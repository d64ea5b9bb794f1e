"""`read()`: a PML document as a prompt, with all its problems; never raises.

Nothing is fetched, and text is never looked through for calls: a call is an element of an answer, nothing else.
"""

import re
from binascii import Error as Base64Error
from binascii import a2b_base64
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from itertools import islice
from typing import Literal, TypeAlias, cast

from acdl_mkdocs.foundation.diagnostics import Diagnostic
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.foundation.system import pause_collector
from acdl_mkdocs.prompts.pml import problems
from acdl_mkdocs.prompts.pml.calls import read_call
from acdl_mkdocs.prompts.pml.grammar import ROOTS
from acdl_mkdocs.prompts.pml.limits import LIMITS, Limits, Offsets
from acdl_mkdocs.prompts.pml.problems import Repair, replace_lenient_help, too_large
from acdl_mkdocs.prompts.pml.repair import TooManyRepairsError, repair_tree
from acdl_mkdocs.prompts.pml.tools import index_by_name, read_opaque, read_tool
from acdl_mkdocs.prompts.pml.tree import Element, Tree, read_tree
from acdl_mkdocs.prompts.pml.validate import MOST_PROBLEMS, check_meaning, validate_tree
from acdl_mkdocs.prompts.prompt import (
    Attachment,
    Memory,
    Message,
    Opaque,
    Output,
    Part,
    Prompt,
    Role,
    Text,
    Thinking,
    Tool,
    group_turns,
)
from acdl_mkdocs.prompts.strict_json import JsonFault, strict_json

_WHITE_SPACE = re.compile(r"\s+")
_EDGE_NEWLINES = re.compile(r"\A\r?\n|\r?\n[ \t]*\Z")


class LazyPositions(Mapping[str, Span]):
    """Positions by paths, each computed on demand, because few are used."""

    def __init__(self, places: Mapping[str, tuple[int, int]], offsets: Offsets) -> None:
        self._places = places
        """First byte and end of each."""
        self._offsets = offsets

    def __getitem__(self, path: str) -> Span:
        start, end = self._places[path]
        return Span(self._offsets.count_code_points(start), self._offsets.count_code_points(end))

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


class ContentReader:
    """Reads a tree once."""

    def __init__(self, *, is_edge_kept: bool) -> None:
        self.is_edge_kept = is_edge_kept
        self.problems: list[Diagnostic] = []
        self.places: dict[str, tuple[int, int]] = {}
        """First byte and end of each part of the prompt, by its path."""
        self.tools: dict[str, Tool] = {}
        """Tools of the document by name, and by alias where no tool has that name."""
        self.groups: list[tuple[int | None, int]] = []
        """Number of every turn and its count of messages; instructions outside turns form their own groups."""
        self.has_numbers = False
        """Whether any message belongs to a turn with a number."""

    def read_prompt(self, root: Element) -> Prompt:
        """Read the prompt of a document of any kind."""
        sections = {child.name: child for child in root.elements} if root.name == "prompt" else {root.name: root}
        tools = self.read_tools(sections["tools"]) if "tools" in sections else ()
        memory = tuple(self.read_memory(sections["memory"])) if "memory" in sections else ()
        conversation = sections.get("conversation")
        messages = tuple(self.read_messages(conversation)) if conversation else ()
        attributes = conversation.attributes if conversation else {}
        settings = [read_opaque(each, self.problems) for each in root.elements if each.name == "x:opaque"]
        return Prompt(
            self.number_turns(messages),
            tools,
            memory,
            attributes.get("id"),
            attributes.get("topic"),
            tuple(each for each in settings if each is not None),
            sections["memory"].attributes.get("id") if "memory" in sections else None,
        )

    def read_tools(self, section: Element) -> tuple[Tool, ...]:
        """Read the tools of `<tools>`."""
        tools = []
        for number, element in enumerate(section.elements):
            self.places[f"tools[{number}]"] = element.start, element.end
            tools.append(read_tool(element, self.problems))
        self.tools = index_by_name(tools)
        return tuple(tools)

    def read_memory(self, section: Element) -> Iterator[Memory]:
        """Read the content of `<memory>`."""
        for number, element in enumerate(section.elements):
            self.places[f"memory[{number}]"] = element.start, element.end
            kind = cast(Literal["fact", "summary", "content"], element.name)
            key = element.attributes.get("key" if kind == "fact" else "label")
            yield Memory(self.read_text(element), kind, key)

    def read_messages(self, conversation: Element) -> list[Message]:
        """Read the messages of `<conversation>`, in turns or not."""
        messages: list[Message] = []
        for child in conversation.elements:
            before = len(messages)
            if child.name == "turn":
                index = child.attributes.get("index")
                self.read_turn(child, None if index is None else int(index), messages)
                self.groups.append((None if index is None else int(index), len(messages) - before))
            else:
                self.read_message(child, None, messages)
                self.groups.append((0, 1))
        return messages

    def read_turn(self, turn: Element, number: int | None, messages: list[Message]) -> None:
        """Add the messages of a turn."""
        before = len(messages)
        for child in turn.elements:
            is_joined = child.name == "tool_output" and child.attributes.get("x:joined") == "1"
            if is_joined and len(messages) > before and messages[-1].role == "tool":
                path = f"messages[{len(messages) - 1}].parts[{len(messages[-1].parts)}]"
                messages[-1] = replace(messages[-1], parts=(*messages[-1].parts, self.read_output(child, path)))
            else:
                self.read_message(child, number, messages)

    def read_message(self, element: Element, turn: int | None, messages: list[Message]) -> None:
        """Add a message."""
        path = f"messages[{len(messages)}]"
        self.places[path] = element.start, element.end
        attributes = element.attributes
        if "x:turn" in attributes:
            turn = int(attributes["x:turn"])
        if turn is not None:
            self.has_numbers = True
        if element.name == "tool_output":
            messages.append(Message("tool", (self.read_output(element, f"{path}.parts[0]"),), turn=turn))
            return
        role = cast(Role, attributes["role"] if element.name == "x:message" else element.name)
        parts: list[Part] = []
        for child in element.elements:
            part = self.read_part(child, f"{path}.parts[{len(parts)}]")
            if part is not None:  # otherwise it is for one provider only, and not JSON
                parts.append(part)
        messages.append(Message(role, tuple(parts), attributes.get("name"), attributes.get("id"), turn))

    def read_part(self, element: Element, path: str) -> Part | None:
        """Read a part of a message."""
        self.places[path] = element.start, element.end
        match element.name:
            case "text":
                return Text(self.read_text(element))
            case "thinking":
                attributes = element.attributes
                is_redacted = attributes.get("redacted") == "1"
                return Thinking(
                    self.read_text(element), attributes.get("signature"), is_redacted, attributes.get("x:provider")
                )
            case "attachment":
                return self.read_attachment(element)
            case "call":
                return read_call(element, self.tools.get(element.attributes["name"]), self.problems)
            case "tool_output":
                return self.read_output(element, path)
            case _:
                return read_opaque(element, self.problems)

    def read_output(self, element: Element, path: str) -> Output:
        """Read the result of a tool."""
        self.places[path] = element.start, element.end
        attributes = element.attributes
        parts: list[Text | Attachment | Opaque] = []
        elements = element.elements
        for child in elements:
            self.places[f"{path}.parts[{len(parts)}]"] = child.start, child.end
            if child.name == "content":
                parts.append(Text(self.read_text(child)))
            elif child.name == "attachment":
                parts.append(self.read_attachment(child))
            elif (opaque := read_opaque(child, self.problems)) is not None:
                parts.append(opaque)
        if not elements and not _is_blank(text := element.text):
            parts.append(Text(self.trim_text(text)))
        return Output(
            tuple(parts),
            attributes.get("id"),
            attributes.get("name"),
            attributes.get("status") == "error",
            attributes.get("mime"),
        )

    def read_attachment(self, element: Element) -> Attachment:
        """Read a file or any other attachment."""
        attributes = element.attributes
        data, text, mime = None, attributes.get("x:text"), attributes.get("mime")
        content = next(iter(element.elements), None)
        if content is None:
            text = text if _is_blank(element.text) else self.trim_text(element.text)
        else:
            inner = content.attributes.get("mime", mime)
            if mime is not None and mime != inner:
                self.problems.append(problems.two_media_types(content.span, mime, str(inner)))
            mime = inner if mime is None else mime
            if content.attributes.get("encoding") == "base64":
                data = self.read_base64(content)
            else:
                text = self.read_text(content)
        return Attachment(
            attributes["type"],
            attributes.get("name"),
            attributes.get("path"),
            mime,
            data,
            text,
            attributes.get("href"),
            attributes.get("id"),
        )

    def read_base64(self, element: Element) -> str:
        """Return the data of an element, without white space."""
        data = _WHITE_SPACE.sub("", element.text) if _WHITE_SPACE.search(element.text) else element.text
        try:
            a2b_base64(data, strict_mode=True)
        except (Base64Error, ValueError):
            self.problems.append(problems.bad_base64(element.span, f"the text of `<{element.name}>`"))
        return data

    def read_text(self, element: Element) -> str:
        """Return the text of an element in any encoding."""
        if element.attributes.get("encoding") != "json":
            return self.trim_text(element.text)
        try:
            value = strict_json(element.text)
            if isinstance(value, str):
                return value
            reason = "it is not a string"
        except JsonFault as fault:
            reason = str(fault)
        self.problems.append(problems.bad_json(element.span, f"the text of `<{element.name}>`", reason))
        return element.text

    def trim_text(self, text: str) -> str:
        """Return a text without a newline at its edges, if the options ask for that."""
        return text if self.is_edge_kept else _EDGE_NEWLINES.sub("", text)

    def number_turns(self, messages: Sequence[Message]) -> tuple[Message, ...]:
        """Set the numbers of turns in the messages if they do not follow from the messages themselves."""
        if self.has_numbers:
            return tuple(messages)
        groups = [(number, size) for number, size in self.groups if size]
        if [len(turn.messages) for turn in group_turns(messages)] == [size for _, size in groups]:
            return tuple(messages)
        numbered: list[Message] = []
        n_turns = 0
        for number, size in groups:
            n_turns += number is None
            of_group = messages[len(numbered) : len(numbered) + size]
            numbered.extend(each if number == 0 else replace(each, turn=n_turns) for each in of_group)
        return tuple(numbered)


def _is_blank(text: str) -> bool:
    return not text or text.isspace()


DocumentKind: TypeAlias = Literal["prompt", "conversation", "memory", "tools"]


@dataclass(frozen=True, slots=True)
class ReadPml:
    """The content of a document."""

    prompt: Prompt | None
    """The prompt; `None` if the text is not XML, exceeds a limit, or does not follow the grammar."""
    kind: DocumentKind
    """The root of the document; `prompt` if it is unknown."""
    source: Source
    """The text that was read."""
    places: Mapping[str, Span] = field(default_factory=dict)
    """Positions of the parts of the prompt, by paths such as `messages[2].parts[0]`, `tools[1]`, `memory[0]`."""
    problems: tuple[Diagnostic, ...] = ()
    """Errors and warnings, in the order of their places; at most a hundred."""
    repairs: tuple[Repair, ...] = ()
    """Repairs of lenient reading; otherwise empty."""

    @property
    def has_errors(self) -> bool:
        """Whether there are problems, even if there is a prompt."""
        return any(problem.severity == "error" for problem in self.problems)


def read(
    text: str | bytes,
    *,
    is_lenient: bool = False,
    is_edge_kept: bool = True,
    name: str = "<pml>",
    limits: Limits = LIMITS,
) -> ReadPml:
    """Read the prompt of a document.

    Parameters:
        text: Text, or bytes in UTF-8.
        is_lenient: Whether to repair what has one meaning, and to report it, instead of refusing it.
        is_edge_kept: Whether a newline at the beginning and at the end of a text is part of it. Documents that people
            indent often mean it as none.
        name: Display name of the file.
        limits: The limits of the document.
    """
    with pause_collector():
        result = _read_document(text, name, limits, is_lenient=is_lenient, is_edge_kept=is_edge_kept)
    if not (is_lenient and result.problems):
        return result
    return replace(result, problems=tuple(replace_lenient_help(each, "") for each in result.problems))


def _read_document(text: str | bytes, name: str, limits: Limits, *, is_lenient: bool, is_edge_kept: bool) -> ReadPml:
    tree = _read_tree(text, name, limits, is_lenient=is_lenient)
    root, repairs = tree.root, tree.repairs
    if root is None:
        return ReadPml(None, "prompt", tree.source, problems=tree.problems, repairs=repairs)
    faults = validate_tree(root, tree.source.text)
    if faults and is_lenient:
        try:
            root, tree_repairs = repair_tree(root, tree.source.text, limits)
        except TooManyRepairsError as error:
            problem = too_large(error.span, f"{limits.repairs:,} things to repair")
            return ReadPml(None, "prompt", tree.source, problems=(problem,), repairs=repairs)
        repairs = (*repairs, *tree_repairs)
        faults = validate_tree(root, tree.source.text)
    kind = cast(DocumentKind, root.name) if root.name in ("conversation", "memory", "tools") else "prompt"
    if faults:
        return ReadPml(None, kind, tree.source, problems=_sort_problems([*tree.problems, *faults]), repairs=repairs)
    contents = ContentReader(is_edge_kept=is_edge_kept)
    prompt = contents.read_prompt(root)
    checked = islice(check_meaning(root, tree.source.text), MOST_PROBLEMS)
    problems = _sort_problems([*tree.problems, *contents.problems, *checked])[:MOST_PROBLEMS]
    return ReadPml(prompt, kind, tree.source, LazyPositions(contents.places, root.offsets), problems, repairs)


def _sort_problems(problems: list[Diagnostic]) -> tuple[Diagnostic, ...]:
    return tuple(sorted(problems, key=lambda each: each.label.span.start))


def _read_tree(text: str | bytes, name: str, limits: Limits, *, is_lenient: bool) -> Tree:
    """Return the elements of a text; in lenient reading, several roots are put into a `<prompt>`."""
    tree = read_tree(text, name, limits, is_lenient=is_lenient)
    if not (is_lenient and tree.is_loose):
        return tree
    wrapped = read_tree(text, name, limits, is_lenient=True, is_wrapped=True)
    if wrapped.root is None:
        return wrapped
    if not wrapped.root.elements:
        return tree
    first, *_ = wrapped.root.elements
    if not any(each.name in ROOTS for each in wrapped.root.elements):
        return wrapped  # the repair is reported
    sentence = "the content before and after the first element is read as if all were in one `<prompt>`"
    repair = Repair(Span(first.span.start, first.span.start + 1), sentence)
    return replace(wrapped, repairs=(repair, *wrapped.repairs))
