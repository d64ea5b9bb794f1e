"""`is_sent()`: whether a state makes a spec send what was recorded."""

from collections.abc import Sequence
from dataclasses import replace

from acdl_mkdocs.evaluation.context import LimitError
from acdl_mkdocs.evaluation.evaluate import Options, evaluate
from acdl_mkdocs.evaluation.state.sample_state import State
from acdl_mkdocs.evaluation.transcript import to_prompt
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.prompts.prompt import Call, Output, Prompt, Text
from acdl_mkdocs.prompts.providers import PROVIDERS
from acdl_mkdocs.traces.answered import in_order_of_calls
from acdl_mkdocs.traces.recorded import Recorded
from acdl_mkdocs.traces.units import Unit, units_of


def is_sent(resolved: Resolved, state: State, recorded: Recorded, units: Sequence[Unit], options: Options) -> bool:
    """Whether a state makes a spec send the messages recorded, through the format in which they were recorded.

    Parameters:
        resolved: The text with the spec.
        state: The state.
        recorded: The request; its point is known.
        units: Its messages, as `GrowingUnits` gives them.
        options: Which spec of the text, and how ranges are read.
    """
    try:
        prompt = to_prompt(evaluate(resolved, state, recorded.at, replace(options, missing="placeholder")))
    except LimitError:
        return False
    if _is_plain(prompt) and _says(prompt, units):
        return True
    if recorded.format in PROVIDERS:
        wire = PROVIDERS[recorded.format]
        prompt = wire.read(wire.write(prompt).body).prompt
    return _says(prompt, units)


def _is_plain(prompt: Prompt) -> bool:
    """Whether every format says all of a prompt: words, calls of tools, and results that are words."""
    parts = [part for message in prompt.messages for part in message.parts]
    inside = [part for each in parts if isinstance(each, Output) for part in each.parts]
    is_plain = all(isinstance(part, Text | Call | Output) for part in parts)
    return is_plain and all(isinstance(part, Text) for part in inside) and not prompt.memory


def _says(prompt: Prompt, units: Sequence[Unit]) -> bool:
    mine = in_order_of_calls(units_of(prompt))
    return len(mine) == len(units) and all(one.content == two.content for one, two in zip(mine, units, strict=True))
