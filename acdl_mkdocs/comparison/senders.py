"""Two texts and their states made ready to be evaluated: which spec of each, and what stands for what is not known."""

from typing import TypeAlias

from acdl_mkdocs.comparison.named import counterpart, existing, first_spec
from acdl_mkdocs.comparison.sent import Sender
from acdl_mkdocs.evaluation.evaluate import Options
from acdl_mkdocs.evaluation.state.sample_state import State
from acdl_mkdocs.foundation.config import Config, RangeMode
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.language.names.resolve import Resolved

Senders: TypeAlias = tuple[Sender, Sender]


@dataclass(frozen=True, slots=True)
class Wanted:
    """What somebody asks for, where that is not left to the states and the texts."""

    spec: str | None = None
    new_spec: str | None = None
    range: RangeMode | None = None
    """How ranges are read, whatever states and texts say."""
    modes: tuple[RangeMode, RangeMode] = ("half-open", "half-open")
    """How they are read on both sides where nobody says it."""


def senders(
    old: Resolved, new: Resolved, state: State, new_state: State | None = None, wanted: Wanted | None = None
) -> Senders:
    """Both sides.

    Without the name of a spec it is that of the state, else the first. Its counterpart is what the state of the new
    side names, if that has one, else what the old spec has become.

    Parameters:
        old: The one text.
        new: The other text.
        state: Of both.
        new_state: Of the new text, if that has another.
        wanted: What is asked for.

    Raises:
        UnknownSpecError: A text has no spec of a name that is asked for.
    """
    wanted = wanted or Wanted()
    name = wanted.spec or state.spec
    name = first_spec(old.parsed) if name is None else existing(old.parsed, name)
    new_name = wanted.new_spec or (new_state.spec if new_state is not None else None)
    if new_name is not None:
        new_name = existing(new.parsed, new_name)
    else:
        new_name = first_spec(new.parsed) if name is None else counterpart(name, old.parsed, new.parsed)
    one = _sender(old, state, name, wanted.range, wanted.modes[0])
    return one, _sender(new, new_state or state, new_name, wanted.range, wanted.modes[1])


def _sender(
    resolved: Resolved, state: State, name: str | None, range_mode: RangeMode | None, mode: RangeMode
) -> Sender:
    """What the state does not have is a placeholder, unless the state says otherwise."""
    options = Options(spec=name, range=range_mode, missing=state.options.missing or "placeholder")
    return Sender(resolved, state, options, Config(range=mode))
