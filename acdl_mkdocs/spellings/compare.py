"""`compare()`: how many model tokens a prompt takes in each spelling, part by part."""

from collections.abc import Mapping
from functools import cached_property

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.model_tokens import Counter
from acdl_mkdocs.prompt import Prompt
from acdl_mkdocs.spellings import BASE, SPELLINGS
from acdl_mkdocs.spellings.comparable import comparable
from acdl_mkdocs.spellings.spelled import KINDS, Spelled

PARTS: tuple[str, ...] = (*KINDS, "wrapping", "whole")
"""The parts of a comparison. `wrapping` is what is left of the whole: what says who speaks, and escapes of words."""


@dataclass(frozen=True, slots=True)
class Costs:
    """Model tokens of a prompt in one spelling."""

    spelling: str
    model_tokens: Mapping[str, int]
    """By part; a part that the spelling has no place for is missing."""
    lost: tuple[str, ...]
    """What cannot be read again."""


@dataclass(frozen=True)
class Comparison:
    """Model tokens of a prompt in all spellings, in one encoding."""

    encoding: str
    is_estimate: bool
    costs: tuple[Costs, ...]

    @cached_property
    def parts(self) -> tuple[str, ...]:
        """The parts that the prompt has."""
        return tuple(part for part in PARTS if any(each.model_tokens.get(part) for each in self.costs))

    def ratio(self, costs: Costs, part: str) -> float | None:
        """How many times as many tokens a part takes as in compact JSON; `None` where there is nothing to compare."""
        base = next(each.model_tokens.get(part) for each in self.costs if each.spelling == BASE)
        mine = costs.model_tokens.get(part)
        return mine / base if base and mine is not None else None


def compare(prompt: Prompt, *counters: Counter) -> tuple[Comparison, ...]:
    """A prompt in all spellings, counted in each encoding.

    What is no text for a model is left out, as `comparable()` tells.
    """
    prompt = comparable(prompt).prompt
    spelled = {name: spell(prompt) for name, spell in SPELLINGS.items()}
    return tuple(
        Comparison(each.encoding, each.is_estimate, tuple(_costs(name, said, each) for name, said in spelled.items()))
        for each in counters
    )


def _costs(name: str, spelled: Spelled, counter: Counter) -> Costs:
    tokens: dict[str, int] = {
        kind: sum(map(counter.count, spelled.pieces[kind])) for kind in KINDS if kind in spelled.pieces
    }
    if spelled.whole is not None:
        whole = counter.count(spelled.whole)
        tokens |= {"wrapping": whole - sum(tokens.values()), "whole": whole}
    return Costs(name, tokens, spelled.lost)
