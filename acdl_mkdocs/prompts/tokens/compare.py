"""`compare()`: the model tokens of a prompt in each spelling; `weigh_prompt()`: those of its parts."""

import json
from collections.abc import Iterator, Mapping
from functools import cached_property

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.prompts.prompt import Attachment, Call, Message, Opaque, Output, Part, Prompt, Thinking, get_text
from acdl_mkdocs.prompts.tokens.counter import Counter
from acdl_mkdocs.prompts.tokens.differences import make_comparable
from acdl_mkdocs.prompts.tokens.spellings import BASE, KINDS, SPELLINGS, SpelledPrompt

COST_PARTS: tuple[str, ...] = (*KINDS, "wrapping", "whole")
"""The parts of a comparison. `wrapping` is the rest of the whole: roles, and escapes of words."""


@dataclass(frozen=True, slots=True)
class Costs:
    """Model tokens of a prompt in one spelling."""

    spelling: str
    """Name of the spelling, such as `JSON` or `PML`."""
    model_tokens: Mapping[str, int]
    """Model tokens by part, such as `tools`, `words` or `whole`; a part that the spelling has no place for is
    missing."""
    lost: tuple[str, ...]
    """Content that cannot be read again, in words; empty if all of it can."""


@dataclass(frozen=True)
class Comparison:
    """Model tokens of a prompt in all spellings, in one encoding."""

    encoding: str
    """The encoding in which model tokens are counted, such as `o200k_base`."""
    is_estimate: bool
    """Whether they are estimated instead of counted."""
    costs: tuple[Costs, ...]
    """One for each spelling; compact JSON comes first."""

    @cached_property
    def parts(self) -> tuple[str, ...]:
        """The parts that the prompt has."""
        return tuple(part for part in COST_PARTS if any(each.model_tokens.get(part) for each in self.costs))

    def compute_ratio(self, costs: Costs, part: str) -> float | None:
        """Return the tokens of a part relative to compact JSON: 0.5 is half; `None` if either has no such part.

        Parameters:
            costs: The costs of one spelling, from `costs`.
            part: A part such as `tools` or `whole`; see `parts`.
        """
        base = next(each.model_tokens.get(part) for each in self.costs if each.spelling == BASE)
        mine = costs.model_tokens.get(part)
        return mine / base if base and mine is not None else None


def compare(prompt: Prompt, *counters: Counter) -> tuple[Comparison, ...]:
    """Count the model tokens of a prompt in all spellings: JSON of providers, PML and others.

    Content that is not text for a model is left out, as `make_comparable()` reports.

    Parameters:
        prompt: The prompt.
        counters: One for each encoding, from `acdl_mkdocs.prompts.tokens.counter.counter`.
    """
    prompt = make_comparable(prompt).prompt
    spelled = {name: spell(prompt) for name, spell in SPELLINGS.items()}
    return tuple(
        Comparison(
            each.encoding, each.is_estimate, tuple(_compute_costs(name, text, each) for name, text in spelled.items())
        )
        for each in counters
    )


def _compute_costs(name: str, spelled: SpelledPrompt, counter: Counter) -> Costs:
    tokens: dict[str, int] = {
        kind: sum(map(counter.count, spelled.pieces[kind])) for kind in KINDS if kind in spelled.pieces
    }
    if spelled.whole is not None:
        n_tokens = counter.count(spelled.whole)
        tokens |= {"wrapping": n_tokens - sum(tokens.values()), "whole": n_tokens}
    return Costs(name, tokens, spelled.lost)


OWN_PARTS = ("tools", "memory", "system", "user", "assistant", "thinking", "files", "calls", "results", "text", "other")
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
        """The tokens of all parts."""
        return sum(self.model_tokens.values())


def weigh_prompt(prompt: Prompt, counter: Counter) -> PromptWeights:
    """Count the words of a prompt, a tool as the compact JSON of its name, description and parameters."""
    weights = dict.fromkeys(OWN_PARTS, 0)
    has = set()
    for part, words in _list_texts(prompt):
        has.add(part)
        weights[part] += counter.count(words)
    tokens = {part: number for part, number in weights.items() if part in has}
    return PromptWeights(counter.encoding, counter.is_estimate, tokens)


def weigh_text(text: str, counter: Counter) -> PromptWeights:
    """Count a text that is not a prompt."""
    return PromptWeights(counter.encoding, counter.is_estimate, {"text": counter.count(text)})


def _list_texts(prompt: Prompt) -> Iterator[tuple[str, str]]:
    for tool in prompt.tools:
        fields = {"name": tool.alias or tool.name, "description": tool.description, "parameters": dict(tool.parameters)}
        present = {key: value for key, value in fields.items() if value}
        yield "tools", json.dumps(present, ensure_ascii=False, separators=(",", ":"))
    for each in prompt.memory:
        yield "memory", f"{each.key}: {each.text}" if each.key else each.text
    for message in prompt.messages:
        for part in message.parts:
            yield _find_cost_part(part, message), get_text(part)


def _find_cost_part(part: Part, message: Message) -> str:
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
