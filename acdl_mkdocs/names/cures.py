"""What to write in place of a name that has no value where it is used."""

from collections.abc import Callable

from acdl_mkdocs.names.unbound import Kind, Unbound
from acdl_mkdocs.syntax.nodes import Fragment


def cures_of(found: Unbound) -> tuple[list[str], str]:
    """What a person can do, one sentence a choice, and what can be written instead; empty if that is not certain."""
    return _CURES[found.kind](found)


def _time(found: Unbound) -> tuple[list[str], str]:
    cures = [f"for the current turn, write `{found.now}`"]
    if found.turn:
        cures.insert(0, f"for the turn of the loop, write `{found.turn}`")
    elif isinstance(found.definition, Fragment):
        cures.append(f"for a turn that the caller gives, make it a parameter: `{found.parameter_title}`")
    else:
        loop = f"ForEach(@{found.name}: range(1, {found.now})) {{ ... }}"
        cures.append(f"for every turn before it, put this inside `{loop}`")
    return cures, found.turn or found.now


def _current(found: Unbound) -> tuple[list[str], str]:
    name, now = found.definition.name.name, found.now
    if found.written.startswith("@"):
        title = f"{name}[{now}, {found.written}]: {{"
        return [f"for the current turn, write `{now}`", f"for a second time, name it in the title: `{title}`"], ""
    return [f"if the spec is built for every sub-step, say so in its title: `{name}[{now}.{found.name}]: {{`"], ""


def _step(found: Unbound) -> tuple[list[str], str]:
    loop = f"ForEach({found.name}: range(1, {found.turn}.substeps+1)) {{ ... }}"
    return [f"for every sub-step, put this inside `{loop}`", f"for the first sub-step, write `{found.turn}.1`"], ""


_CURES: dict[Kind, Callable[[Unbound], tuple[list[str], str]]] = {
    "time": _time,
    "current": _current,
    "step": _step,
    "substeps": lambda found: ([f"did you mean `{found.turn}.substeps`?"], "substeps"),
    "variable": lambda found: ([f"move this into the braces of the loop over `{found.name}`"], ""),
}
