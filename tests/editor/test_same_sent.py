"""What is offered or accepted keeps what is sent: examples with conditions decided by chance, before and after.

The chance is seeded, and other than what the proof itself assumes.
"""

import random
import re
from contextlib import suppress
from pathlib import Path

import pytest
from exhaustive import few

from acdl_mkdocs.evaluation.evaluate import Options, evaluate
from acdl_mkdocs.evaluation.state.sample_state import Assumption, State
from acdl_mkdocs.foundation.errors import RenameError
from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.frontends.editor.actions import list_actions
from acdl_mkdocs.frontends.editor.name_occurrences import LOCAL
from acdl_mkdocs.frontends.editor.rename import rename_at
from acdl_mkdocs.language.analyse import analyse
from acdl_mkdocs.language.names.outline import build_outline
from acdl_mkdocs.language.syntax.edits import format_expression
from acdl_mkdocs.language.syntax.nodes import Arm, Prompt, Switch
from editor.marked import EXAMPLES, Marked, example

WORDS = re.compile(r"[^\W\d]\w*")
SMALL = [each for each in EXAMPLES if len(each.read_text("utf-8")) < 2_500]


def assumed(text: str, chance: random.Random) -> State:
    """Every condition and every case decided by chance."""
    tree = build_outline(analyse(Source(text)).resolved.parsed.file)
    found = [
        Assumption(format_expression(arm.test), chance.random() < 0.5)
        for arm in tree.nodes_of(Arm)
        if arm.test is not None
    ]
    cases = [format_expression(arm.test) for arm in tree.nodes_of(Arm) if arm.kind == "case" and arm.test is not None]
    subjects = [each.subject for each in tree.nodes_of(Switch) if each.subject is not None]
    return State(
        assume=(*found, *(Assumption(format_expression(each), chance.choice(cases)) for each in subjects if cases))
    )


def sent(text: str, state: State) -> list[object]:
    """The messages of all specs at some points."""
    resolved = analyse(Source(text)).resolved
    found: list[object] = []
    for item in build_outline(resolved.parsed.file).nodes_of(Prompt):
        for point in ("2", "3.1"):
            told = evaluate(resolved, state, point, Options(spec=item.name.name, missing="placeholder"))
            found += [(each.role, [piece.text for piece in each.pieces]) for each in told.messages]
    return found


def compare(given: Marked, after: str, chance: random.Random, old: str = "", new: str = "") -> None:
    """Both texts send the same; names that stand for what has no value count as one."""
    name = re.compile(rf"\b{re.escape(old)}\b" if old else r"(?!)")
    for _ in range(3):
        state = assumed(given.text, chance)
        renamed = tuple(Assumption(name.sub(new, each.when), each.value) for each in state.assume)
        both = State(assume=(*state.assume, *renamed))
        one, other = (name.sub(new, repr(sent(each, both))) for each in (given.text, after))
        assert one == other


@pytest.mark.parametrize("path", few(SMALL, 3), ids=lambda path: path.stem)
def test_rewritings(path: Path) -> None:
    """Lines taken at random as a fragment, and fragments put in the place of their uses."""
    chance, given = random.Random(path.stem), example(path)  # noqa: S311 - the same each time
    lines = [each.start() for each in re.finditer("^", given.text, re.MULTILINE)]
    for _ in range(4):
        start = chance.randrange(len(lines))
        end = min(start + chance.randint(1, 4), len(lines) - 1)
        for each in list_actions(given.workspace, given.uri, Span(lines[start], lines[end])):
            if each.kind.startswith("refactor"):
                compare(given, given.edited(each.edits), chance)


@pytest.mark.parametrize("path", few(SMALL, 3), ids=lambda path: path.stem)
def test_local_names(path: Path) -> None:
    """A local name that gets one of the words of the text: refused, or nothing else is sent."""
    chance, given = random.Random(path.stem), example(path)  # noqa: S311 - the same each time
    sites = [
        each
        for each in given.workspace.list_names(given.workspace.pieces_of(given.uri)[0])
        if each.target.kind in LOCAL
    ]
    words = sorted({each for each in WORDS.findall(given.text) if len(each) < 12})
    for site in chance.sample(sites, min(3, len(sites))):
        for new in chance.sample(words, 3):
            with suppress(RenameError):
                edits = rename_at(given.workspace, given.uri, site.span.start, new)
                compare(given, given.edited(edits), chance, site.target.name, new)
