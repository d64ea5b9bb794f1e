"""Parts of messages as the values that a state file has for them, and what it has no place for. Writes no text."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from acdl_mkdocs.foundation.yaml.write import Leaf
from acdl_mkdocs.prompt import Attachment, Call, Json, Memory, Message, Output, Part, Prompt, Text, Thinking, Tool

_SURROGATE = re.compile("[\ud800-\udfff]")


class PartLeaves:
    """Values for the parts of one prompt; counts what is changed or left out."""

    def __init__(self) -> None:
        self.told: Counter[str] = Counter()

    def sendable(self, prompt: Prompt) -> Prompt:
        """A prompt with the messages that a spec can send: with a role, and with something in them."""
        kept: list[Message] = []
        for message in prompt.messages:
            parts = tuple(part for part in message.parts if self._is_kept(part))
            if message.role == "none":
                self.told["text without a role is left out"] += 1
            elif not parts:
                self.told["a message with nothing in it is left out"] += 1
            else:
                self.told["the name or the id of a message is left out"] += bool(message.name or message.id)
                kept.append(Message(message.role, parts, turn=message.turn))
        self.told["the topic or the id of the conversation is left out"] += bool(prompt.topic or prompt.id)
        self.told["the id of the memory is left out"] += prompt.memory_id is not None
        self.told["what one provider alone understands is left out"] += len(prompt.settings)
        return Prompt(tuple(kept), prompt.tools, prompt.memory)

    def _is_kept(self, part: Part) -> bool:
        if isinstance(part, Text) and not part.text:
            self.told["an empty text is left out"] += 1
        elif not isinstance(part, Text | Thinking | Attachment | Call | Output):
            self.told["what one provider alone understands is left out"] += 1
        else:
            return True
        return False

    def content(self, parts: Sequence[Part]) -> Leaf:
        """What a message sends: its text alone, or a list of its parts."""
        leaves: list[Leaf] = []
        words: list[str] = []
        for part in parts:
            if isinstance(part, Text):
                self.told["two texts that follow each other become one, with a line end between them"] += bool(words)
                words.append(part.text)
                continue
            leaves += self._words(words)
            words = []
            leaves.append(self._part(part))
        leaves += self._words(words)
        return leaves[0] if len(leaves) == 1 else Leaf(leaves)

    def _words(self, words: list[str]) -> list[Leaf]:
        return [self.text("\n".join(words))] if words else []

    def text(self, text: str) -> Leaf:
        """Words; a state file has no half characters."""
        found, n_changed = _SURROGATE.subn("�", text)
        self.told["half a character becomes `�`"] += n_changed
        return Leaf(found)

    def _part(self, part: Part) -> Leaf:
        match part:
            case Call():
                return self._call(part)
            case Output():
                return self._result(part)
            case Attachment():
                named = ("type", "name", "path", "mime", "href", "id", "text", "data")
                return self._map("$attachment", {name: getattr(part, name) for name in named})
            case Thinking(signature=None, is_redacted=False, provider=None):
                return Leaf({"$thinking": self.text(part.text)})
            case Thinking():
                given = {"text": part.text, "signature": part.signature, "provider": part.provider}
                return self._map("$thinking", {**given, "redacted": part.is_redacted or None})
        return Leaf("")

    def _map(self, key: str, given: Mapping[str, str | bool | None]) -> Leaf:
        """A special value of several texts, of which those that are not given are left out."""
        leaves = {
            name: self.text(value) if isinstance(value, str) else Leaf(value)
            for name, value in given.items()
            if value is not None
        }
        return Leaf({key: Leaf(leaves)})

    def _call(self, call: Call) -> Leaf:
        self.told["how a provider spelled the arguments of a call is left out"] += call.args_raw is not None
        self.told["the signature of a call is left out"] += call.signature is not None
        self.told["a call without an id gets one"] += call.id is None
        said = {"id": self.text(call.id)} if call.id is not None else {}
        said["name"] = self.text(call.tool)
        if call.args:
            said["arguments"] = self.json(dict(call.args))
        return Leaf({"$call": Leaf(said)})

    def _result(self, output: Output) -> Leaf:
        parts = [part for part in output.parts if isinstance(part, Text | Attachment)]
        self.told["what one provider alone understands is left out"] += len(output.parts) - len(parts)
        self.told["the media type of a result is left out"] += output.mime is not None
        leaves = [self.text(part.text) if isinstance(part, Text) else self._part(part) for part in parts]
        given = {"id": output.call_id, "name": output.tool}
        said = {name: self.text(value) for name, value in given.items() if value is not None}
        said["content"] = leaves[0] if len(leaves) == 1 else Leaf(leaves)
        if output.is_error:
            said["error"] = Leaf(True)
        return Leaf({"$result": Leaf(said)})

    def json(self, value: Json) -> Leaf:
        """Plain data."""
        if isinstance(value, dict):
            return Leaf({self._key(key): self.json(each) for key, each in value.items()})
        if isinstance(value, list):
            return Leaf([self.json(each) for each in value])
        return self.text(value) if isinstance(value, str) else Leaf(value)

    def _key(self, key: str) -> str:
        return str(self.text(key).value)

    def tools(self, tools: Sequence[Tool]) -> Leaf:
        """The section `tools`."""
        first = {each.name: each for each in reversed(tools)}
        self.told["a further tool of the same name is left out"] += len(tools) - len(first)
        return Leaf([self._tool(each) for each in tools if first[each.name] is each])

    def _tool(self, tool: Tool) -> Leaf:
        self.told["what one provider alone understands is left out"] += tool.more is not None
        given = {"name": tool.name, "alias": tool.alias, "description": tool.description}
        said = {name: self.text(value) for name, value in given.items() if value is not None}
        if tool.parameters:
            said["parameters"] = self.json(dict(tool.parameters))
        if tool.has_trigger:
            said["trigger"] = Leaf(True)
        return Leaf(said)

    def memory(self, memory: Sequence[Memory]) -> Leaf:
        """The section `memory`."""
        return Leaf([self._memory(each) for each in memory])

    def _memory(self, memory: Memory) -> Leaf:
        if memory.kind == "fact" and memory.key is None:
            return self.text(memory.text)
        given = {"kind": memory.kind, "key": memory.key, "text": memory.text}
        return Leaf({name: self.text(value) for name, value in given.items() if value is not None})
