"""The records of a state file: values of `env`, `sys` and `resp`, those that never change, by column and by step."""

import re
from collections.abc import Mapping

from acdl_mkdocs.evaluation.state import Key, Records, Tree
from acdl_mkdocs.evaluation.values import Value, is_series
from acdl_mkdocs.foundation.yaml.nodes import Scalar
from acdl_mkdocs.language.syntax.nodes import NAMESPACES
from acdl_mkdocs.states.entries import Entries, Entry, shown
from acdl_mkdocs.states.special_values import value_of

_NUMBER = re.compile(r"[0-9]{1,9}")
_PATH = re.compile(r"(?:env|sys|resp)(?:\.[^\s.\[\]@]+)+")
MOST_LEVELS = 8
"""Of sub-steps in sub-steps."""


def records_of(entries: Entries, known: Mapping[str, Entry], prefix: str = "") -> Records:
    """The records at the top of a file, or of an agent.

    Parameters:
        entries: What is read of the file.
        known: `env`, `sys`, `resp`, `steps` and `hold`, as far as they are there.
        prefix: What the paths of the records begin with: empty, or `agents.alice.`.
    """
    base: dict[str, Tree] = {}
    for name in NAMESPACES:
        if name in known:
            base[name] = _tree(entries, known[name])
            for each in entries.pairs(known[name]) or ():
                _check_series(entries, each, base[name].get(each.key))
    steps: dict[Key, Mapping[str, Tree]] = {}
    counts: dict[Key, int] = {}
    if "steps" in known:
        _steps(entries, known["steps"], (), steps, counts)
    hold = _hold(entries, known["hold"]) if "hold" in known else frozenset()
    return Records(base, steps, counts, hold, prefix)


def _tree(entries: Entries, entry: Entry) -> Tree:
    """The values of a namespace by name."""
    return {each.key: value_of(entries, each) for each in entries.pairs(entry) or ()}


def _check_series(entries: Entries, entry: Entry, value: Value) -> None:
    """Times count from 1, also in a column."""
    if is_series(value) and isinstance(value, Mapping):
        wrong = next((key for key in value if int(key.partition(".")[0]) < 1), None)
        if wrong is not None:
            cure = "begin with 1, unless the spec itself reads `@0`"
            entries.say(entry, f"has a value for step `{wrong}`, and steps count from 1", cure, "note")


def _steps(
    entries: Entries, entry: Entry, above: Key, steps: dict[Key, Mapping[str, Tree]], counts: dict[Key, int]
) -> None:
    """The rows below `steps` or `substeps`."""
    thing = "sub-steps" if above else "steps"
    for each in entries.pairs(entry) or ():
        if not _NUMBER.fullmatch(each.key) or int(each.key) < 1:
            entries.say(each, f"is no number of a {thing[:-1]}; {thing} count from 1", _help_of(each.key))
            continue
        key = (*above, int(each.key))
        known = entries.known(each, (*NAMESPACES, "substeps"))
        if key in steps:
            entries.say(each, "is given again", "keep one of them", at=each.name_span)
            continue
        steps[key] = {name: _tree(entries, known[name]) for name in NAMESPACES if name in known}
        if "substeps" not in known:
            continue
        below = known["substeps"]
        if isinstance(below.node, Scalar) and _NUMBER.fullmatch(below.node.text):
            counts[key] = int(below.node.text)
        elif isinstance(below.node, Scalar) and entries.plain(below) is not None:
            entries.say(below, f"is {shown(below.node)}, and it can be a number or a map", "write how many there are")
        elif len(key) >= MOST_LEVELS:
            entries.say(below, f"are nested deeper than {MOST_LEVELS} levels", "make them flat")
        else:
            _steps(entries, below, key, steps, counts)


def _help_of(key: str) -> str:
    step, _, below = key.partition(".")
    if _NUMBER.fullmatch(step) and _NUMBER.fullmatch(below):
        return f"write it as `{below}` under `substeps` of step `{step}`"
    return "write `1:`, `2:` and so on"


def _hold(entries: Entries, entry: Entry) -> frozenset[str]:
    """The paths whose last earlier value persists."""
    found: set[str] = set()
    for each in entries.items(entry) or ():
        path = entries.text(each)
        if path is None:
            continue
        if _PATH.fullmatch(path):
            found.add(path)
        else:
            entries.say(each, f"is `{path[:60]}`, which is no variable", "write it without indices: `sys.mode`")
    return frozenset(found)
