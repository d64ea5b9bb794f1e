"""Specs that are made all at once, and states that fit them."""

import json
from collections.abc import Iterator, Mapping

import yaml
from exhaustive import N_ALL
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from acdl_mkdocs.evaluation.state.entries import PLACEHOLDER
from acdl_mkdocs.evaluation.state.skeleton import write_skeleton
from acdl_mkdocs.evaluation.state.spec_reads import collect_reads
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.language.analyse import parse_and_resolve
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.syntax.nodes import Prompt
from generated.scopes import Spec
from generated.specs import specs


def some(number: int, start: int = 0) -> list[Spec]:
    """So many different specs or more, for what takes long to begin; always the same ones for a start and a profile."""
    assert settings.default is not None
    more = max(settings.default.max_examples, N_ALL)
    number = number * more // N_ALL
    found: dict[str, Spec] = {}

    @seed(start + more - N_ALL)
    @settings(
        max_examples=2 * number + 20,
        deadline=None,
        database=None,
        derandomize=False,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(specs())
    def collect(spec: Spec) -> None:
        found.setdefault(spec.text, spec)

    collect()
    return list(found.values())[-number:]


def resolved(text: str) -> Resolved:
    """A text, understood."""
    return parse_and_resolve(Source(text, "spec.acdl")).resolved


def prompts(text: Resolved) -> Iterator[Prompt]:
    """The specs of a text."""
    return (item for item in text.parsed.file.items if isinstance(item, Prompt))


_VALUES: st.SearchStrategy[object] = st.one_of(
    st.sampled_from(
        ("a", "two\nlines", "", "é 漢 🤖", "<b>&amp;</b> ]]> \x1b[31m", "search", "expert", "⟦x⟧", "- 1: {")
    ),
    st.sampled_from((0, 1, 3, 2.5, True, False, None)),
    st.sampled_from(
        (
            {"$call": {"name": "search", "arguments": {"q": "<x>"}}},
            {"$call": {"id": "c1", "name": "open"}},
            {"$result": "found"},
            {"$result": {"id": "c1", "content": "no", "error": True}},
            {"$thinking": "hm"},
            {"$image": "https://example.org/a.png"},
            [{"title": "A", "text": "B"}, "c"],
            {"title": "A", "len": 2},
        )
    ),
)


def _filled(value: object, values: Iterator[object]) -> object:
    """A first state with other values in the place of some of its placeholders."""
    if isinstance(value, Mapping):
        return {key: _filled(each, values) for key, each in value.items()}
    if isinstance(value, list):
        return [_filled(each, values) for each in value]
    return next(values, value) if value == PLACEHOLDER else value


@st.composite
def states(draw: st.DrawFn, text: Resolved, prompt: Prompt) -> str:
    """The text of a state that has everything a spec reads."""
    first = yaml.safe_load(write_skeleton(collect_reads(text, [prompt]), prompt.name.name, "state.schema.json"))
    values = iter(draw(st.lists(_VALUES, max_size=12)))
    kept = {name: first.pop(name) for name in ("templates",) if name in first}
    return json.dumps({**kept, **dict(_filled(first, values))})  # type: ignore[call-overload]  # a map stays one


points = st.sampled_from(("1", "2", "2.1", "2.2", "3.1"))
