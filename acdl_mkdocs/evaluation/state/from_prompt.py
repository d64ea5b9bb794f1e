"""A prompt as a sample state of the spec that sends any conversation. Returns text; writes no file."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from acdl_mkdocs.evaluation.state.read import VERSION
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.yaml.write import CommentedValue, Map, clean_comment, format_map
from acdl_mkdocs.prompts.prompt import (
    Attachment,
    Call,
    Json,
    Memory,
    Message,
    Output,
    Part,
    Prompt,
    Text,
    Thinking,
    Tool,
    group_turns,
)


@dataclass(frozen=True, slots=True)
class Round:
    """A sub-step: an answer of the model, and the messages after it."""

    answer: Message
    after: tuple[Message, ...]
    """Results of its calls, and instructions; never of the user."""

    @property
    def calls(self) -> tuple[Call, ...]:
        """The calls of the model."""
        return tuple(part for part in self.answer.parts if isinstance(part, Call))


@dataclass(frozen=True, slots=True)
class Step:
    """A turn."""

    messages: tuple[Message, ...]
    """The messages before the first answer: of the user, with results and instructions before it."""
    rounds: tuple[Round, ...]


@dataclass(frozen=True, slots=True)
class Conversation:
    """A whole prompt."""

    instructions: tuple[Message, ...]
    """Those at the beginning, outside of all turns."""
    steps: tuple[Step, ...]

    @property
    def counts(self) -> list[int]:
        """The number of sub-steps of each step; there is at least one step."""
        return [len(step.rounds) for step in self.steps] or [0]


def split_conversation(prompt: Prompt) -> Conversation:
    """Return the steps of a prompt in order, counted from 1 whatever the numbers of its turns."""
    turns = group_turns(prompt.messages)
    instructions = tuple(turn.messages[0] for turn in turns if turn.is_outside)
    return Conversation(
        instructions, tuple(_write_conversation(turn.messages) for turn in turns if not turn.is_outside)
    )


def _write_conversation(messages: Sequence[Message]) -> Step:
    starts = [at for at, message in enumerate(messages) if message.role == "assistant"]
    first = starts[0] if starts else len(messages)
    rounds = tuple(
        Round(messages[start], tuple(messages[start + 1 : end]))
        for start, end in zip(starts, [*starts[1:], len(messages)], strict=False)
    )
    return Step(tuple(messages[:first]), rounds)


def join_silent_turns(conversation: Conversation) -> Conversation:
    """Join a turn without a message of the user with the step before it."""
    steps: list[Step] = []
    for step in conversation.steps:
        if not steps or not steps[-1].rounds or any(message.role == "user" for message in step.messages):
            steps.append(step)
            continue
        *rounds, last = steps[-1].rounds
        last = Round(last.answer, (*last.after, *step.messages))
        steps[-1] = Step(steps[-1].messages, (*rounds, last, *step.rounds))
    return Conversation(conversation.instructions, tuple(steps))


def remove_silent_answers(conversation: Conversation) -> Conversation:
    """Remove answers without calls from the sub-steps."""
    steps = tuple(Step(step.messages, tuple(each for each in step.rounds if each.calls)) for step in conversation.steps)
    return Conversation(conversation.instructions, steps)


_SURROGATE = re.compile("[\ud800-\udfff]")


class PartLeaves:
    """Builds values for the parts of one prompt; counts what is changed or left out."""

    def __init__(self) -> None:
        self.changes: Counter[str] = Counter()

    def remove_unsendable(self, prompt: Prompt) -> Prompt:
        """Return the prompt with only the messages that a spec can send: with a role and with content."""
        messages: list[Message] = []
        for message in prompt.messages:
            parts = tuple(part for part in message.parts if self._is_kept(part))
            if message.role == "none":
                self.changes["text without a role is left out"] += 1
            elif not parts:
                self.changes["a message with nothing in it is left out"] += 1
            else:
                self.changes["the name or the id of a message is left out"] += bool(message.name or message.id)
                messages.append(Message(message.role, parts, turn=message.turn))
        self.changes["the topic or the id of the conversation is left out"] += bool(prompt.topic or prompt.id)
        self.changes["the id of the memory is left out"] += prompt.memory_id is not None
        self.changes["what one provider alone understands is left out"] += len(prompt.settings)
        return Prompt(tuple(messages), prompt.tools, prompt.memory)

    def _is_kept(self, part: Part) -> bool:
        if isinstance(part, Text) and not part.text:
            self.changes["an empty text is left out"] += 1
        elif not isinstance(part, (Text, Thinking, Attachment, Call, Output)):
            self.changes["what one provider alone understands is left out"] += 1
        else:
            return True
        return False

    def write_content(self, parts: Sequence[Part]) -> CommentedValue:
        """Return the content of a message: its text alone, or a list of its parts."""
        leaves: list[CommentedValue] = []
        words: list[str] = []
        for part in parts:
            if isinstance(part, Text):
                self.changes["two texts that follow each other become one, with a line end between them"] += bool(words)
                words.append(part.text)
                continue
            leaves += self._write_words(words)
            words = []
            leaves.append(self._write_part(part))
        leaves += self._write_words(words)
        return leaves[0] if len(leaves) == 1 else CommentedValue(leaves)

    def _write_words(self, words: list[str]) -> list[CommentedValue]:
        return [self.write_text("\n".join(words))] if words else []

    def write_text(self, text: str) -> CommentedValue:
        """Return text without lone surrogates, which a state file cannot hold."""
        replaced, n_changed = _SURROGATE.subn("�", text)
        self.changes["half a character becomes `�`"] += n_changed
        return CommentedValue(replaced)

    def _write_part(self, part: Part) -> CommentedValue:
        match part:
            case Call():
                return self._write_call(part)
            case Output():
                return self._write_result(part)
            case Attachment():
                named = ("type", "name", "path", "mime", "href", "id", "text", "data")
                return self._write_map("$attachment", {name: getattr(part, name) for name in named})
            case Thinking(signature=None, is_redacted=False, provider=None):
                return CommentedValue({"$thinking": self.write_text(part.text)})
            case Thinking():
                fields = {"text": part.text, "signature": part.signature, "provider": part.provider}
                return self._write_map("$thinking", {**fields, "redacted": part.is_redacted or None})
        return CommentedValue("")

    def _write_map(self, key: str, fields: Mapping[str, str | bool | None]) -> CommentedValue:
        """Return a special value with several texts; absent ones are left out."""
        leaves = {
            name: self.write_text(value) if isinstance(value, str) else CommentedValue(value)
            for name, value in fields.items()
            if value is not None
        }
        return CommentedValue({key: CommentedValue(leaves)})

    def _write_call(self, call: Call) -> CommentedValue:
        self.changes["how a provider spelled the arguments of a call is left out"] += call.args_raw is not None
        self.changes["the signature of a call is left out"] += call.signature is not None
        self.changes["a call without an id gets one"] += call.id is None
        fields = {"id": self.write_text(call.id)} if call.id is not None else {}
        fields["name"] = self.write_text(call.tool)
        if call.args:
            fields["arguments"] = self.write_json(dict(call.args))
        return CommentedValue({"$call": CommentedValue(fields)})

    def _write_result(self, output: Output) -> CommentedValue:
        parts = [part for part in output.parts if isinstance(part, (Text, Attachment))]
        self.changes["what one provider alone understands is left out"] += len(output.parts) - len(parts)
        self.changes["the media type of a result is left out"] += output.mime is not None
        leaves = [self.write_text(part.text) if isinstance(part, Text) else self._write_part(part) for part in parts]
        fields = {"id": output.call_id, "name": output.tool}
        leaf = {name: self.write_text(value) for name, value in fields.items() if value is not None}
        leaf["content"] = leaves[0] if len(leaves) == 1 else CommentedValue(leaves)
        if output.is_error:
            leaf["error"] = CommentedValue(True)
        return CommentedValue({"$result": CommentedValue(leaf)})

    def write_json(self, value: Json) -> CommentedValue:
        """Return plain data."""
        if isinstance(value, dict):
            return CommentedValue({self._clean_key(key): self.write_json(each) for key, each in value.items()})
        if isinstance(value, list):
            return CommentedValue([self.write_json(each) for each in value])
        return self.write_text(value) if isinstance(value, str) else CommentedValue(value)

    def _clean_key(self, key: str) -> str:
        return str(self.write_text(key).value)

    def write_tools(self, tools: Sequence[Tool]) -> CommentedValue:
        """Return the section `tools`."""
        first = {each.name: each for each in reversed(tools)}
        self.changes["a further tool of the same name is left out"] += len(tools) - len(first)
        return CommentedValue([self._write_tool(each) for each in tools if first[each.name] is each])

    def _write_tool(self, tool: Tool) -> CommentedValue:
        self.changes["what one provider alone understands is left out"] += tool.more is not None
        fields = {"name": tool.name, "alias": tool.alias, "description": tool.description}
        leaf = {name: self.write_text(value) for name, value in fields.items() if value is not None}
        if tool.parameters:
            leaf["parameters"] = self.write_json(dict(tool.parameters))
        if tool.has_trigger:
            leaf["trigger"] = CommentedValue(True)
        return CommentedValue(leaf)

    def write_memory(self, memory: Sequence[Memory]) -> CommentedValue:
        """Return the section `memory`."""
        return CommentedValue([self._write_memory(each) for each in memory])

    def _write_memory(self, memory: Memory) -> CommentedValue:
        if memory.kind == "fact" and memory.key is None:
            return self.write_text(memory.text)
        fields = {"kind": memory.kind, "key": memory.key, "text": memory.text}
        return CommentedValue({name: self.write_text(value) for name, value in fields.items() if value is not None})


SPEC = "Conversation"
CONVERSATION = """\
// acdl: range=inclusive
// Sends any recorded conversation: a turn is a step, an answer of the model with its results a sub-step.
Conversation[@T.I]: {
    ForEach(text: sys.instructions) {
        S: text
    }
    ForEach(t: range(1, @T)) {
        ForEach(message: env.messages[@t]) {
            Switch message.role {
                Case system {
                    S: message.content
                }
                Case tool {
                    T: message.content
                }
                Default {
                    U: message.content
                }
            }
        }
        ForEach(i: range(1, @t.substeps)) {
            A: resp.answer[@t.i]
            ForEach(message: env.messages[@t.i]) {
                Switch message.role {
                    Case system {
                        S: message.content
                    }
                    Default {
                        T: message.content
                    }
                }
            }
        }
    }
}
"""
"""The spec for such a state."""


@dataclass(frozen=True, slots=True)
class PromptState:
    """A state file."""

    text: str
    changes: tuple[str, ...]
    """Content of the prompt that the state leaves out or changes."""


def make_state(prompt: Prompt, schema: str) -> PromptState:
    """Return a state from which `CONVERSATION` sends the prompt, at its last point.

    Parameters:
        prompt: The prompt.
        schema: Address of the schema of state files, for editors.
    """
    leaves = PartLeaves()
    sendable = leaves.remove_unsendable(prompt)
    conversation = split_conversation(sendable)
    for number, step in enumerate(conversation.steps, 1):
        numbers = {message.turn for message in (*step.messages, *(each.answer for each in step.rounds))}
        leaves.changes["a turn is not the step of its number"] += not numbers <= {None, number}
    top: Map = {
        "acdl_state": CommentedValue(VERSION),
        "spec": CommentedValue(SPEC),
        "at": CommentedValue(find_last_point(conversation), "the whole conversation"),
        "range": CommentedValue("inclusive"),
        **write_memory_and_tools(leaves, sendable),
        "sys": CommentedValue(
            {
                "instructions": CommentedValue(
                    [leaves.write_content(message.parts) for message in conversation.instructions]
                )
            },
        ),
        "steps": CommentedValue(
            {
                str(at): CommentedValue(_write_step(leaves, step))
                for at, step in enumerate(conversation.steps or (Step((), ()),), 1)
            }
        ),
    }
    return PromptState(write_state(top, schema, "A recorded conversation"), describe_changes(leaves))


def find_last_point(conversation: Conversation) -> str:
    """Return the point at which everything is sent."""
    steps = conversation.steps
    return f"{len(steps)}.{len(steps[-1].rounds)}" if steps else "1.0"


def write_memory_and_tools(leaves: PartLeaves, prompt: Prompt) -> Map:
    """Return the sections for memory and tools."""
    sections = {"tools": leaves.write_tools(prompt.tools), "memory": leaves.write_memory(prompt.memory)}
    return {name: leaf for name, leaf in sections.items() if leaf.value}


def write_state(top: Map, schema: str, about: str) -> str:
    """Return the lines of a state file."""
    head = [f"# yaml-language-server: $schema={clean_comment(schema)}", f"# {clean_comment(about)}"]
    return "\n".join([*head, *format_map(top)]) + "\n"


def describe_changes(leaves: PartLeaves) -> tuple[str, ...]:
    """Describe what was changed or left out, with counts."""
    return tuple(f"{what} ({count} times)" if count > 1 else what for what, count in leaves.changes.items() if count)


def _write_step(leaves: PartLeaves, step: Step) -> Map:
    row: Map = {
        "env": CommentedValue({"messages": CommentedValue([_write_message(leaves, each) for each in step.messages])})
    }
    if step.rounds:
        row["substeps"] = CommentedValue(
            {str(at): CommentedValue(_write_round(leaves, each)) for at, each in enumerate(step.rounds, 1)}
        )
    return row


def _write_round(leaves: PartLeaves, substep: Round) -> Map:
    messages = [_write_message(leaves, each) for each in substep.after]
    return {
        "resp": CommentedValue({"answer": leaves.write_content(substep.answer.parts)}),
        "env": CommentedValue({"messages": CommentedValue(messages)}),
    }


def _write_message(leaves: PartLeaves, message: Message) -> CommentedValue:
    return CommentedValue({"role": CommentedValue(message.role), "content": leaves.write_content(message.parts)})
