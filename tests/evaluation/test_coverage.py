"""What of a spec an evaluation came to."""

from acdl_mkdocs.evaluation.coverage import find_coverage
from acdl_mkdocs.evaluation.evaluate import evaluate
from acdl_mkdocs.evaluation.point import parse_point
from acdl_mkdocs.evaluation.state.read import read_state
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.language.analyse import parse_and_resolve

SPEC = """\
RolesFrag Turn[@t]: {
    ForEach(doc: env.docs) { S: doc }
    U: env.q[@t]
}
P[@T]: {
    ForEach(t: 1 ... @T) {
        ForEach(i: 1 ... 2) { S: RULES }
        Frag Turn[@t]
    }
    If @T > 9 { S: LATE } ElseIf @T > 1 { S: SOON } Else { ForEach(k: 1 ... 3) { S: EARLY } }
}
Other[@T]: { ForEach(never: 1 ... 2) { S: RULES } }
"""
STATE = """\
env:
  docs: [one, two, three]
  q: {1: first, 2: second}
templates: {RULES: be kind, SOON: soon}
"""


def test_loops_and_alternatives() -> None:
    """Loops have all of their rounds, also those in fragments; what was not reached is listed; other specs are not."""
    resolved = parse_and_resolve(Source(SPEC, "spec.acdl")).resolved
    state = read_state(STATE).state
    assert state is not None
    found = find_coverage(resolved, evaluate(resolved, state, parse_point("2")))
    assert [(loop.variable, loop.rounds) for loop in found.loops] == [("doc", 6), ("t", 2), ("i", 4)]
    texts = [SPEC[span.start : span.end] for span in found.unreached]
    assert texts == ["If @T > 9 { S: LATE }", "Else { ForEach(k: 1 ... 3) { S: EARLY } }"]
    assert [arm.span for arm in found.untaken] == list(found.unreached)
