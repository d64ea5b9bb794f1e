"""Requests that the examples send with their sample states, held against the examples and against mutants of them."""

from collections import Counter

import pytest
from exhaustive import each_once, exhaustive

from acdl_mkdocs.evaluation.evaluate import Options, find_spec
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.syntax.nodes import RoleMessage, walk
from acdl_mkdocs.prompts.providers import PROVIDERS
from acdl_mkdocs.runs.match.coverage import list_lines
from acdl_mkdocs.runs.match.mutants import Mutant, list_mutants
from acdl_mkdocs.runs.match.verdicts import check_runs
from traces.sent import N_PARTS, evaluated_run, examples, examples_of


@pytest.mark.parametrize(("format", "part"), each_once([None, *PROVIDERS], range(N_PARTS)))
def test_what_a_spec_sends_is_never_refuted_by_it(format: str | None, part: int) -> None:
    """Through every provider's format, with and without the state, wherever the format holds what is sent."""
    n_tried = 0
    for file, resolved, state, name in examples_of(part):
        run, is_whole = evaluated_run(resolved, state, name, format)
        if not is_whole:
            continue  # the format has no place for something, so that something else was sent
        n_tried += 1
        for known in (None, state):
            found = check_runs(resolved, [run], known, Options(spec=name, range=state.range))
            wrong = [(line.line, line.reason) for line in found.list_lines("refuted")]
            assert not wrong, (file, name, format, known is not None)
            assert found.n_agreeing == len(run), (file, name)
            if known is not None and any(len(each.request.messages) for each in run):
                assert found.list_lines("confirmed"), (file, name)
    assert n_tried > 20 // N_PARTS


LEAST_NAMED = {"role": 0.97, "bound": 0.9, "condition": 0.5, "split": 0.95, "drop": 0.9}
"""The share of refuted mutants of which the changed line is named, or the message that it is in.

Where both alternatives of a condition send one message each, the message is named whose role is wrong."""


@exhaustive
def test_a_mutant_is_refuted_at_the_line_that_was_changed() -> None:
    """Most of the lines that are named are those that were changed."""
    killed, named = Counter[str](), Counter[str]()
    for file, resolved, state, name in examples():
        if file not in ("react", "tool-agent", "react-variants"):
            continue
        run, _ = evaluated_run(resolved, state, name, None)
        for mutant in list_mutants(resolved, name):
            found = check_runs(mutant.resolved, [run], state, Options(spec=name, range=state.range))
            lines = {line.line for line in found.list_lines("refuted")}
            killed[mutant.change] += found.is_refuted
            named[mutant.change] += found.is_refuted and _is_named(mutant, lines, resolved, name)
    shares = {change: named[change] / killed[change] for change in killed}
    assert all(shares[change] >= least for change, least in LEAST_NAMED.items()), shares
    assert sum(named.values()) / sum(killed.values()) > 0.95
    assert sum(killed.values()) > 100


def _is_named(mutant: Mutant, lines: set[int], resolved: Resolved, name: str) -> bool:
    """Whether the changed line is refuted, or the message around it; of one that is gone, those around it."""
    source, line = resolved.source, mutant.origin.line
    if line in lines:
        return True
    if mutant.change == "drop":
        end = source.find_place(mutant.origin.span.end).line
        others = [each.origin.line for each in list_lines(resolved, find_spec(resolved, name))]
        before = sorted(each for each in others if each < line)[-3:]
        after = sorted(each for each in others if each > end)[:3]
        return not lines.isdisjoint((*before, *after))
    around = (node for node in walk(resolved.parsed.file) if isinstance(node, RoleMessage))
    spans = [(source.find_place(node.span.start).line, source.find_place(node.span.end).line) for node in around]
    return any(first <= line <= last and first <= each <= last for first, last in spans for each in lines)
