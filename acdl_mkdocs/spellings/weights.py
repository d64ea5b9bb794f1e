"""`weights()`: model tokens of the parts of a prompt as they are, without a spelling of the whole."""

import json
from collections.abc import Iterator, Mapping

from acdl_mkdocs.evaluation.weights import words_of
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.model_tokens import Counter
from acdl_mkdocs.prompt import Attachment, Call, Message, Opaque, Output, Part, Prompt, Thinking

PARTS = ("tools", "memory", "system", "user", "assistant", "thinking", "files", "calls", "results", "text", "other")
"""In the order in which they are shown."""


@dataclass(frozen=True, slots=True)
class PromptWeights:
    """Model tokens of a prompt in one encoding."""

    encoding: str
    is_estimate: bool
    model_tokens: Mapping[str, int]
    """By part, those only that the prompt has."""

    @property
    def total(self) -> int:
        """Of all parts."""
        return sum(self.model_tokens.values())


def weights(prompt: Prompt, counter: Counter) -> PromptWeights:
    """Count the words of a prompt, a tool as the compact JSON of its name, description and parameters."""
    found = dict.fromkeys(PARTS, 0)
    has = set()
    for part, words in _words(prompt):
        has.add(part)
        found[part] += counter.count(words)
    tokens = {part: number for part, number in found.items() if part in has}
    return PromptWeights(counter.encoding, counter.is_estimate, tokens)


def text_weights(text: str, counter: Counter) -> PromptWeights:
    """Count a text that is no prompt."""
    return PromptWeights(counter.encoding, counter.is_estimate, {"text": counter.count(text)})


def _words(prompt: Prompt) -> Iterator[tuple[str, str]]:
    for tool in prompt.tools:
        said = {"name": tool.alias or tool.name, "description": tool.description, "parameters": dict(tool.parameters)}
        given = {key: value for key, value in said.items() if value}
        yield "tools", json.dumps(given, ensure_ascii=False, separators=(",", ":"))
    for each in prompt.memory:
        yield "memory", f"{each.key}: {each.text}" if each.key else each.text
    for message in prompt.messages:
        for part in message.parts:
            yield _part_of(part, message), words_of(part)


def _part_of(part: Part, message: Message) -> str:
    match part:
        case Thinking():
            return "thinking"
        case Attachment():
            return "files"
        case Call():
            return "calls"
        case Output():
            return "results"
        case Opaque():
            return "other"
        case _:
            return {"none": "text", "tool": "results"}.get(message.role, message.role)
