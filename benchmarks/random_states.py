"""Random sample states of a spec, the same for the same seed: first states whose placeholders are filled in.

Constants of a program, which are texts of templates and results of functions without arguments, are the same for all
states of a spec; everything else differs from state to state.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import TypeAlias, cast

from acdl_mkdocs.compare.choose_specs import select_definition
from acdl_mkdocs.evaluation.evaluate import find_spec
from acdl_mkdocs.evaluation.state.entries import PLACEHOLDER
from acdl_mkdocs.evaluation.state.shapes import ValueShape
from acdl_mkdocs.evaluation.state.skeleton import build_first_values
from acdl_mkdocs.evaluation.state.spec_reads import collect_reads
from acdl_mkdocs.foundation.yaml.write import CommentedValue
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.syntax.nodes import RoleMessage, walk
from acdl_mkdocs.prompts.prompt import Json

Tree: TypeAlias = dict[str, Json]
Calls: TypeAlias = Callable[[Tree], Iterator[tuple[str, list[Json]]]]
"""Yields the name and the arguments of each function call that a spec makes with a state."""

MOST_ELEMENTS = 6
"""Of a list."""
MOST_CALLS = 3
"""Of one message."""

NAMES = ("mira", "tomas", "ilse", "jonas", "clara", "emil", "nora", "pavel", "ruth", "simon")
TOOLS = ("search", "calendar", "weather", "read_file", "trains", "convert")
_WORDS = (
    "amber anchor apple arch autumn badge baker balcony basket beach bell bench bicycle birch blanket boat bottle "
    "bread bridge brook button cabin candle canyon carpet castle cedar cellar chapel cheese cherry circle cliff "
    "clock cloud coast coffee copper corner cotton cradle creek curtain desert diary drawer eagle east elbow "
    "engine evening falcon farm feather fence ferry field finger flame flute forest fountain garden garlic gate "
    "glacier glove grain gravel hammer harbour harvest hazel hedge hill honey island ivory jacket jar journey "
    "kettle kitchen ladder lake lamp lantern leaf ledger lemon letter library lily linen maple marble market "
    "meadow melon mill mirror mist moss mountain needle north oak oar olive onion orchard otter paper pasture "
    "pebble pencil pepper piano pier pillow pine planet plum pocket pond quarry quilt rabbit railway raven reed "
    "ribbon ridge river road rope saddle sail salt school shelf silver slope spoon spring square stable station "
    "storm summer table tailor thunder tower tunnel valley velvet village violin wagon walnut water west wheat "
    "wheel willow window winter wood wool yard"
)
WORDS = tuple(_WORDS.split())
VERBS = ("keeps", "moves", "finds", "opens", "carries", "follows", "paints", "repairs", "sells", "warms")

_KEY = re.compile(r"([a-z_]+)_[12]")
_SLOT = re.compile(r"\{\{(\w+)\}\}")
_CALLS = ("tool_call", "tool_called", "name_and_args", "id_name_and_arg", "id_name_and_args", "tool_used")
_QUESTIONS = ("question", "query", "user_input", "user_message", "task_prompt")
_SHORT = ("name", "speaker", "source", "platform", "role")


@dataclass(frozen=True, slots=True)
class Filling:
    """What is known of the values of a spec beside their names."""

    words: Mapping[str, Sequence[str | None]] = field(default_factory=dict)
    """What a value may be that the spec compares with one word."""
    adjust: Callable[[Tree, Random], None] | None = None
    """Makes values fit each other."""
    calls: Calls | None = None
    """The function calls; without it, a function has one result in a run whatever its arguments."""


def make_state(resolved: Resolved, spec: str, seeds: tuple[str, str], counts: Sequence[int], filling: Filling) -> Tree:
    """Return a state as plain data.

    Parameters:
        resolved: The text with the spec.
        spec: Its name.
        seeds: What constants are drawn from, and everything else.
        counts: How many sub-steps each turn has.
        filling: What is known of the values.
    """
    prompt = find_spec(resolved, spec)
    assert prompt is not None, spec  # noqa: S101 - the caller has it from the text
    reads = collect_reads(resolved, [prompt])
    first = {name: _make_plain(leaf) for name, leaf in build_first_values(reads, spec, counts).items()}
    own = select_definition(resolved.parsed, spec).file
    has_tools = any(isinstance(node, RoleMessage) and node.role == "tool" for each in own.items for node in walk(each))
    words = dict(_find_words(reads.values)) | dict(filling.words)
    constant = _Filler(Random(seeds[0]), words, has_tools=has_tools)  # noqa: S311 - texts, not secrets
    filler = _Filler(Random(seeds[1]), words, has_tools=has_tools)  # noqa: S311 - texts, not secrets
    state: Tree = {}
    for section, value in first.items():
        if section == "functions" and isinstance(value, dict):
            state[section] = {
                name: (filler if reads.functions[name].params else constant).fill(samples, name)
                for name, samples in value.items()
            }
        else:
            state[section] = (constant if section == "templates" else filler).fill(value, section)
    if filling.adjust is not None:
        filling.adjust(state, filler.chance)
    if filling.calls is not None:
        functions = cast("Tree", first["functions"])
        state["functions"] = {
            **cast("Tree", state["functions"]),
            **_sample_functions(filler, functions, filling.calls(state)),
        }
    return state


def _make_plain(leaf: CommentedValue) -> Json:
    """Return a value of a state file without its comments."""
    if isinstance(leaf.value, dict):
        return {key: _make_plain(each) for key, each in leaf.value.items()}
    return [_make_plain(each) for each in leaf.value] if isinstance(leaf.value, list) else leaf.value


def _find_words(shape: ValueShape) -> Iterator[tuple[str, Sequence[str | None]]]:
    """Yield the names of values that a spec compares with several words, and the words."""
    if len(shape.words) > 1:
        yield shape.name, tuple(shape.words)
    for each in (*shape.fields.values(), *filter(None, (shape.element, shape.by_key))):
        yield from _find_words(each)


@dataclass(slots=True)
class _Filler:
    """Fills in placeholders, each with something new."""

    chance: Random
    words: Mapping[str, Sequence[str | None]]
    has_tools: bool
    """Whether a call is one for the provider, and not its text."""
    seen: set[str] = field(default_factory=set)
    keys: dict[str, str] = field(default_factory=dict)
    """What `tool_1` is called in this run."""
    turn_keys: dict[str, str] = field(default_factory=dict)
    """What `selected_tool_1` is called in this turn."""
    n_calls: int = 0

    def fill(self, value: Json, name: str, call_id: str = "") -> Json:
        """Return a value with something in the place of each placeholder.

        Parameters:
            value: A value of the first state.
            name: The last name on its path.
            call_id: Id of the call that it belongs to.
        """
        if isinstance(value, dict):
            return self._fill_map(value, name)
        if isinstance(value, list):
            return self._fill_list(value, name)
        if isinstance(value, bool):
            return self.chance.random() < 0.5
        return self._fill_text(value, name, call_id) if isinstance(value, str) else value

    def _fill_map(self, value: Tree, name: str) -> Json:
        if name == "steps":
            return {number: self._fill_turn(each) for number, each in value.items()}
        if "params" in value:
            return value | {"text": self._write_template(str(value["text"]))}
        words = self.words.get(name, ())
        if words and (word := self.chance.choice(words)) is None:
            return None
        call_id = self._count_call() if value.keys() & {*_CALLS, "$value"} else ""
        filled: Tree = {"$value": word} if words else {}
        for key, each in value.items():
            inner = self.fill(each, name if key == "$value" or _KEY.fullmatch(key) else key, call_id)
            if key == "$value" and isinstance(inner, dict):
                filled |= inner
            else:
                filled[self._choose_key(key) if _KEY.fullmatch(key) else key] = inner
        return filled if not words else filled | {"$value": word}

    def _fill_turn(self, value: Json) -> Json:
        self.turn_keys = {}
        return self.fill(value, "")

    def _fill_list(self, value: list[Json], name: str) -> Json:
        first = value[0]
        if isinstance(first, str) and first != PLACEHOLDER:
            return [self.fill(each, name) for each in value]  # keys of other values
        if isinstance(first, dict) and "returns" in first:
            return [{"args": "*", "returns": self.fill(first["returns"], name)}]
        is_of_calls = isinstance(first, dict) and bool(first.keys() & {*_CALLS})
        n_elements = self.chance.randint(1, MOST_CALLS) if is_of_calls else self.chance.randint(0, MOST_ELEMENTS)
        return [self.fill(first, name) for _ in range(n_elements)]

    def _fill_text(self, value: str, name: str, call_id: str) -> Json:
        if name in self.words:
            return self.chance.choice(self.words[name])
        if _KEY.fullmatch(value):
            return self._choose_key(value)
        if value != PLACEHOLDER:
            return value
        if name in _CALLS:
            return self._write_call(call_id or self._count_call())
        text = self.write_text(name)
        return {"$result": {"id": call_id, "content": text}} if name == "id_and_response" else text

    def _choose_key(self, placeholder: str) -> str:
        """Return the name in the place of a key: in a turn, one of those that the run has."""
        known = {**self.keys, **self.turn_keys}
        if placeholder in known:
            return known[placeholder]
        if placeholder.startswith("selected_"):
            return self.turn_keys.setdefault(placeholder, self.chance.choice([*self.keys.values()]))
        names = NAMES if placeholder.startswith("agent") else TOOLS
        left = [each for each in names if each not in self.keys.values()]
        return self.keys.setdefault(placeholder, self.chance.choice(left))

    # ------------------------------------------------------------------------------------------------------------ words

    def write_text(self, name: str) -> Json:
        """Write a text for a name, one that was not there before unless it is short."""
        if "total" in name or "max" in name:
            return self.chance.randint(4, 30)
        if name in _SHORT:
            return self.chance.choice(WORDS).title()
        if name.startswith("is_"):
            return self.chance.choice(("yes", "no"))
        text = self._draw_text(name)
        while text in self.seen:
            text = self._draw_text(name)
        self.seen.add(text)
        return text

    def _draw_text(self, name: str) -> str:
        if "date" in name or "time" in name:
            return f"2026-{self.chance.randint(1, 12):02}-{self.chance.randint(1, 28):02} {self._draw_clock()}"
        if any(each in name for each in _QUESTIONS):
            return f"Which {self._draw_words(2)} {self.chance.choice(VERBS)} the {self._draw_words(2)}?"
        return " ".join(self._draw_sentence() for _ in range(self.chance.randint(1, 3)))

    def _draw_clock(self) -> str:
        return f"{self.chance.randint(0, 23):02}:{self.chance.randint(0, 59):02}"

    def _draw_sentence(self) -> str:
        return (
            f"The {self._draw_words(2)} {self.chance.choice(VERBS)} the {self._draw_words(self.chance.randint(1, 3))}."
        )

    def _draw_words(self, n_words: int) -> str:
        return " ".join(self.chance.sample(WORDS, n_words))

    def _write_template(self, text: str) -> str:
        """Write the text of a template: a sentence, then each argument behind its name."""
        slots = [f"{name.replace('_', ' ').capitalize()}: {{{{{name}}}}}" for name in _SLOT.findall(text)]
        return "\n".join([str(self.write_text("")), *slots])

    def _count_call(self) -> str:
        self.n_calls += 1
        return f"call_{self.n_calls}"

    def _write_call(self, call_id: str) -> Json:
        tool, query = self.chance.choice(TOOLS), self._draw_words(self.chance.randint(1, 3))
        if not self.has_tools:
            return f'{tool}(query="{query}")'
        return {"$call": {"id": call_id, "name": tool, "arguments": {"query": query}}}


def _sample_functions(filler: _Filler, functions: Tree, calls: Iterator[tuple[str, list[Json]]]) -> Tree:
    """Return samples of functions: a result for the arguments of each call.

    Parameters:
        filler: Fills in the results.
        functions: The functions of the first state.
        calls: What is called.
    """
    samples: dict[str, dict[str, Json]] = {}
    for name, args in calls:
        listed = samples.setdefault(name, {})
        key = json.dumps(args)
        if key not in listed:
            (sample,) = cast("list[Tree]", functions[name])
            result = filler.fill(sample["returns"], name)
            listed[key] = {"args": args, "returns": result}
    return {name: list(listed.values()) for name, listed in samples.items()}
