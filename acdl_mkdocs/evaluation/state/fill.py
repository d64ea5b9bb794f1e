"""A recorded prompt as a first state of a spec: values that the spec reads are filled in if there is no doubt.

The spec is evaluated with placeholders; the value of each is in the message that sends it. A turn is a step, an
answer with calls and its results a sub-step. Returns text; writes no file.
"""

import re
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from acdl_mkdocs.evaluation.evaluate import Options, evaluate
from acdl_mkdocs.evaluation.state.entries import PLACEHOLDER
from acdl_mkdocs.evaluation.state.from_prompt import (
    Conversation,
    PartLeaves,
    PromptState,
    Round,
    Step,
    describe_changes,
    join_silent_turns,
    remove_silent_answers,
    split_conversation,
    write_memory_and_tools,
    write_state,
)
from acdl_mkdocs.evaluation.state.read import read_state
from acdl_mkdocs.evaluation.state.skeleton import build_first_values
from acdl_mkdocs.evaluation.state.spec_reads import collect_reads
from acdl_mkdocs.foundation.config import RangeMode
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.yaml.write import CommentedValue, Map, format_map
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.syntax import nodes
from acdl_mkdocs.prompts.prompt import Call, Output, Part, Prompt

_MARK = re.compile("\ue000([^\ue001]*)\ue001")
_ROW = re.compile(r"steps\.(\d+)(?:\.substeps\.(\d+))?\.(.+)")
_COLUMN = re.compile(r"((?:env|sys|resp)\.\w+)\.(\d+)")
Time: TypeAlias = tuple[int, ...]
"""A step, or a step and a sub-step; empty for what does not change."""


@dataclass(frozen=True, slots=True)
class Slot:
    """A placeholder in a message: its path in the state file, its time, and the role of its message."""

    path: str
    time: Time
    role: str
    name: str
    """Its path without the time."""
    is_alone: bool
    """Whether its message has no other placeholder but templates."""


def build_first_state(resolved: Resolved, spec: nodes.Prompt, counts: Sequence[int], range_mode: RangeMode) -> Map:
    """Return the first values of a spec, for steps with given numbers of sub-steps."""
    head, *rest = build_first_values(collect_reads(resolved, [spec]), spec.name.name, counts).items()
    return {**dict([head, *rest[:2]]), "range": CommentedValue(range_mode), **dict(rest[2:])}


def find_placeholders(
    resolved: Resolved, spec: nodes.Prompt, counts: Sequence[int], range_mode: RangeMode
) -> tuple[Slot, ...]:
    """Find where placeholders are sent: at the last step, and one later, when its answer is sent too."""
    slots: dict[tuple[str, str], Slot] = {}
    for each in (counts, [*counts, 0]):
        first = CommentedValue(build_first_state(resolved, spec, each, range_mode))
        marked = _mark_placeholders(first, "").value
        file = read_state("\n".join(format_map(marked if isinstance(marked, dict) else {})))
        options = Options(spec=spec.name.name, missing="placeholder")
        for message in evaluate(resolved, file.state, None, options).messages:
            marks = [_MARK.fullmatch(piece.text) for piece in message.pieces]
            paths = dict.fromkeys(mark[1] for mark in marks if mark)
            n_timed = sum(not path.startswith("templates.") for path in paths)
            slots |= {
                (path, message.role): _make_slot(path, message.role, is_alone=n_timed == 1)
                for path in paths
                if (path, message.role) not in slots
            }
    return tuple(slot for slot in slots.values() if not slot.time or slot.time[0] <= len(counts))


def _mark_placeholders(leaf: CommentedValue, path: str) -> CommentedValue:
    """Replace every placeholder of a value by its path."""
    if isinstance(leaf.value, dict):
        return CommentedValue(
            {name: _mark_placeholders(each, f"{path}.{name}".lstrip(".")) for name, each in leaf.value.items()}
        )
    if isinstance(leaf.value, list):
        return CommentedValue([_mark_placeholders(each, f"{path}.{at}") for at, each in enumerate(leaf.value, 1)])
    return CommentedValue(f"\ue000{path}\ue001") if leaf.value == PLACEHOLDER else leaf


def _make_slot(path: str, role: str, *, is_alone: bool) -> Slot:
    if match := _ROW.fullmatch(path):
        return Slot(path, tuple(int(each) for each in match.groups()[:2] if each), role, match[3], is_alone)
    if match := _COLUMN.fullmatch(path):
        return Slot(path, (int(match[2]),), role, match[1], is_alone)
    return Slot(path, (), role, path, is_alone)


def replace_placeholders(entries: Map, values: Mapping[str, Sequence[CommentedValue]]) -> None:
    """Replace placeholders by the values found, and repeat elements of lists as often as needed.

    Parameters:
        entries: The sections of the state, which are changed.
        values: Values by path; several where the path is in an element of a list, one for each element.
    """
    for name, leaf in entries.items():
        entries[name] = _replace_in_value(leaf, values, name)


def _replace_in_value(
    leaf: CommentedValue, values: Mapping[str, Sequence[CommentedValue]], path: str, at: int = 0
) -> CommentedValue:
    """Return a value with its placeholders replaced; `at` is the number of the element around it."""
    mine = values.get(path, ())
    if isinstance(leaf.value, list):
        n_elements = max((len(each) for key, each in values.items() if key.startswith(f"{path}.1")), default=0)
        if n_elements and len(leaf.value) == 1:
            return CommentedValue(
                [_replace_in_value(leaf.value[0], values, f"{path}.1", each) for each in range(n_elements)],
                leaf.comment,
            )
        elements = [_replace_in_value(each, values, f"{path}.{number}") for number, each in enumerate(leaf.value, 1)]
        return CommentedValue(elements, leaf.comment)
    if isinstance(leaf.value, dict):
        return CommentedValue(
            {name: _replace_in_value(each, values, f"{path}.{name}", at) for name, each in leaf.value.items()},
            leaf.comment,
        )
    return CommentedValue(mine[min(at, len(mine) - 1)].value, leaf.comment) if mine else leaf


_IN_LIST = re.compile(r"\.1(?=\.|$)")


@dataclass(frozen=True, slots=True)
class FilledState:
    """A state, with counts of filled and unfilled placeholders."""

    state: PromptState
    n_filled: tuple[str, ...]
    """Paths of values that are from the prompt."""
    unfilled: tuple[str, ...]
    """Paths of values that are still placeholders."""
    unplaced: tuple[str, ...] = ()
    """Messages of the prompt that are not, or only partly, in the state, such as `messages[2]`."""


def fill_state(
    resolved: Resolved, spec: nodes.Prompt, prompt: Prompt, schema: str, range_mode: RangeMode
) -> FilledState:
    """Write a state of a spec with the content of a prompt.

    Parameters:
        resolved: The text of the spec, without errors.
        spec: The spec.
        prompt: The recorded prompt.
        schema: Address of the schema of state files, for editors.
        range_mode: How to read ranges of the spec.
    """
    leaves = PartLeaves()
    sendable = leaves.remove_unsendable(prompt)
    conversation = join_silent_turns(split_conversation(sendable))
    cut = remove_silent_answers(conversation)
    slots = find_placeholders(resolved, spec, cut.counts, range_mode)
    if not any(slot.role == "assistant" and len(slot.time) == 1 for slot in slots):
        cut = conversation
        slots = find_placeholders(resolved, spec, conversation.counts, range_mode)
    filling = _PlaceholderFiller(leaves, sendable, conversation, cut)
    for time in dict.fromkeys(slot.time for slot in slots):
        filling.fill_slots([slot for slot in slots if slot.time == time])
    sections = {
        name: leaf for name, leaf in write_memory_and_tools(leaves, sendable).items() if name not in filling.is_in_text
    }
    top = {**build_first_state(resolved, spec, cut.counts, range_mode), **sections}
    replace_placeholders(top, filling.values)
    text = write_state(top, schema, f"From a recorded conversation; put what is missing in the place of {PLACEHOLDER}")
    unfilled = tuple(read_state(text).unfilled)
    unplaced = [
        f"messages[{at}]"
        for at, message in enumerate(sendable.messages)
        if any(id(part) not in filling.placed for part in message.parts)
    ]
    return FilledState(PromptState(text, describe_changes(leaves)), tuple(filling.values), unfilled, tuple(unplaced))


class _PlaceholderFiller:
    """The values found for the placeholders."""

    def __init__(self, leaves: PartLeaves, prompt: Prompt, conversation: Conversation, cut: Conversation) -> None:
        self.leaves = leaves
        self.prompt = prompt
        self.whole = conversation
        self.cut = cut
        self.values: dict[str, list[CommentedValue]] = {}
        """By path; several where the placeholder is in an element of a list, one for each element."""
        self.placed: set[int] = set()
        """The parts of messages in the state, by identity."""
        self.is_in_text: set[str] = set()
        """Sections that the spec sends as text."""

    def fill_slots(self, slots: Sequence[Slot]) -> None:
        """Find the values of the placeholders of one time."""
        time = slots[0].time
        for role in dict.fromkeys(slot.role for slot in slots):
            mine = [slot for slot in slots if slot.role == role]
            if not time:
                self._fill_constants(mine)
            elif time[0] <= len(self.whole.steps):
                step = self.whole.steps[time[0] - 1]
                if len(time) == 1:
                    self._fill_step(mine, role, step)
                elif time[1] <= len(self.cut.steps[time[0] - 1].rounds):
                    self._fill_round(mine, role, self.cut.steps[time[0] - 1].rounds[time[1] - 1])

    def _fill_one(self, slots: Sequence[Slot], parts: Sequence[Part]) -> None:
        """Set the value of a placeholder that makes up a whole message."""
        if len(slots) == 1 and parts and not _IN_LIST.search(slots[0].name):
            self.values[slots[0].path] = [self.leaves.write_content(parts)]
            self.placed.update(map(id, parts))

    def _fill_constants(self, slots: list[Slot]) -> None:
        """Fill instructions, and texts named after tools and memory."""
        for section, word in (("tools", "tool"), ("memory", "memor")):
            named = [slot for slot in slots if word in slot.name.lower() and slot.role == "system"]
            text = _format_section(self.prompt, section)
            if len(named) == 1 and text:
                self.values[named[0].path] = [self.leaves.write_text(text)]
                self.is_in_text.add(section)
                slots.remove(named[0])
        if len(self.whole.instructions) == 1 and slots and slots[0].role == "system":
            self._fill_one(slots, self.whole.instructions[0].parts)

    def _fill_step(self, slots: list[Slot], role: str, step: Step) -> None:
        messages = [message for message in step.messages if message.role == role]
        if role == "user":
            slots = [slot for slot in slots if slot.name.startswith("env.")]
        slots = [slot for slot in slots if slot.is_alone]
        if role == "assistant":
            messages = [each.answer for each in step.rounds if not each.calls][-1:]
        if len(messages) == 1:
            self._fill_one(slots, messages[0].parts)

    def _fill_round(self, slots: list[Slot], role: str, substep: Round) -> None:
        if role == "assistant":
            self._fill_answer(slots, substep)
            return
        slots = [slot for slot in slots if slot.is_alone]
        results = [part for message in substep.after for part in message.parts if isinstance(part, Output)]
        if role == "user":
            texts = [part for output in results for part in output.parts]
            self._fill_one(slots, texts)
            self.placed.update(id(output) for output in results if self.placed.issuperset(map(id, output.parts)))
        elif role == "tool":
            self._fill_elements(
                slots, substep.calls, [_find_result(call, at, results) for at, call in enumerate(substep.calls)]
            )
            self._fill_one(slots, results)

    def _fill_answer(self, slots: list[Slot], substep: Round) -> None:
        """Fill an answer: its words into the response, its calls into the values of tools."""
        parts: Sequence[Part] = substep.answer.parts
        words = [part for part in parts if not isinstance(part, Call)]
        spoken = [slot for slot in slots if slot.name.startswith("resp.")]
        others = [slot for slot in slots if slot not in spoken]
        if len(spoken) == 1 and others:
            self.values[spoken[0].path] = [self.leaves.write_content(words) if words else CommentedValue("")]
            self.placed.update(map(id, words))
            slots, parts = others, substep.calls
        self._fill_elements(slots, substep.calls, substep.calls)
        self._fill_one(slots, parts)

    def _fill_elements(self, slots: Sequence[Slot], calls: Sequence[Call], parts: Sequence[Part | None]) -> None:
        """Fill a placeholder in an element of a list: one element for each call."""
        if len(slots) == 1 and calls and _IN_LIST.search(slots[0].name):
            matching = [
                self.leaves.write_content([part]) if part is not None else CommentedValue(PLACEHOLDER) for part in parts
            ]
            self.values[slots[0].path] = matching
            self.placed.update(map(id, parts))


def _find_result(call: Call, at: int, results: Sequence[Output]) -> Output | None:
    """Return the result of a call: by its id, else by its position."""
    named = [each for each in results if each.call_id is not None and each.call_id == call.id]
    unnamed = [each for each in results if each.call_id is None]
    return named[0] if named else unnamed[at] if at < len(unnamed) else None


def _format_section(prompt: Prompt, section: str) -> str:
    """Return tools or memory as text, one per line."""
    if section == "memory":
        return "\n".join(f"{each.key}: {each.text}" if each.key else each.text for each in prompt.memory)
    return "\n".join(
        _format_signature(tool.name, tool.parameters.get("properties"), tool.description) for tool in prompt.tools
    )


def _format_signature(name: str, properties: object, description: str | None) -> str:
    keys = ", ".join(properties) if isinstance(properties, dict) else ""
    return f"{name}({keys}): {description}" if description else f"{name}({keys})"
