"""The changes that make one prompt another: all of them give the other one, none of them lose a comment."""

from itertools import permutations

import pytest

from acdl_mkdocs.compare.structure.diff import diff
from acdl_mkdocs.compare.structure.merge import apply_hunks, list_hunks, rewrite_prompt
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.language.syntax.nodes import Comment, Node, Prompt, walk
from acdl_mkdocs.language.syntax.parse import Parsed, parse

BODIES = {
    "plain": "    S: A // one\n    U: env.q[@T] // two\n",
    "loop": "    // first\n    S: A\n    ForEach(t: range(1, @T)) { // rounds\n        U: env.q[@t]\n"
    "        PromptEndsHere when @t == @T\n        // last\n        A: resp.a[@t]\n    }\n",
    "one line": "    S: A ForEach(t: range(2, @T)) { U: env.q[@t] If @t < @T { A: resp.a[@t] } }\n",
    "pieces": "    S: {\n        A // text\n        B(sys.x[@T])\n    } // end\n    U: env.q[@T]\n",
    "alternatives": "    If @T > 1 { // later\n        S: A\n    } // then\n    Else {\n"
    "        S: B // other\n    }\n    U: env.q[@T]\n",
    "third": "    If @T > 2 {\n        S: A\n    }\n    ElseIf @T == 1 {\n        S: B\n    }\n"
    "    Else {\n        S: C\n    }\n",
    "cases": "    Switch sys.kind[@T] { // kinds\n        Case one {\n            S: A\n        }\n"
    "        Case two {\n            S: B\n"
    "        }\n    }\n    U: env.q[@T]\n",
    "calls": "    U: env.q[@T]\n    ForEach(call: resp.calls[@T]) {\n        T: sys.result[call]\n    }\n    S: A\n",
    "named": "    Name first := sys.first[@T]\n    ForEach(t: range(@$first, @T)) {\n        U: env.q[@t]\n    }\n",
    "grouped": "    Mark 1 {\n        S: A\n        // kept\n        U: env.q[@T]\n    }\n"
    "    A: resp.a[@T-1] // before\n",
}
PAIRS = [each for each in permutations(BODIES, 2) if each[1] != "grouped"]  # nothing inferred is grouped


def read(body: str) -> tuple[Parsed, Prompt]:
    """A prompt with that body."""
    parsed = parse(Source(f"P[@T]: {{\n{body}}}\n", "p.acdl"))
    assert not parsed.diagnostics
    prompt = parsed.file.items[0]
    assert isinstance(prompt, Prompt)
    return parsed, prompt


def comments(parsed: Parsed) -> list[str]:
    """The words of all comments."""
    return sorted(each.text for each in walk(parsed.file) if isinstance(each, Comment))


@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_all_changes(one: str, other: str) -> None:
    """All changes give the other prompt, however much of both is paired; comments of the first one stay in it."""
    (old, old_prompt), (new, new_prompt) = read(BODIES[one]), read(BODIES[other])
    pairs = diff(old, new, "inclusive", ("P", "P")).pairs
    outer: dict[Node, Node] = {after: before for after, before in pairs.items() if after in new_prompt.body}
    for old_of in (pairs, outer, {}):
        hunks = list_hunks((old.source, old.file), new.source, (old_prompt, new_prompt), old_of)
        made = parse(Source(apply_hunks(old.source.text, hunks), "made.acdl"))
        assert not made.diagnostics, made.source.text
        assert diff(made, new, "inclusive").is_equal_sent, made.source.text
        assert set(comments(old)) <= set(comments(made)), made.source.text
    whole = rewrite_prompt((old.source, old.file), new.source, (old_prompt, new_prompt))
    made = parse(Source(apply_hunks(old.source.text, [whole]), "made.acdl"))
    assert not made.diagnostics
    assert diff(made, new, "inclusive").is_equal_sent, made.source.text
    assert set(comments(old)) <= set(comments(made)), made.source.text


@pytest.mark.parametrize("one", sorted(BODIES.keys() - {"grouped"}))
def test_no_change(one: str) -> None:
    """Equal prompts have no changes."""
    (old, old_prompt), (new, new_prompt) = read(BODIES[one]), read(BODIES[one].replace("    ", " "))
    pairs = diff(old, new, "inclusive").pairs
    assert list_hunks((old.source, old.file), new.source, (old_prompt, new_prompt), pairs) == ()


@pytest.mark.parametrize("block", ["{\n        S: A\n    }", "{ S: A }"], ids=["lines", "one line"])
def test_a_comment_about_other_conditions(block: str) -> None:
    """It comes with the condition that it is about, to the end of that line."""
    comment = "// or `@T != 1`; a recording of turn 3 would decide"
    (old, old_prompt), (new, new_prompt) = (
        read(f"    If @T > 1 {block}\n"),
        read(f"    If @T == 2 {{ {comment}\n        S: A\n    }}\n"),
    )
    hunks = list_hunks((old.source, old.file), new.source, (old_prompt, new_prompt), diff(old, new, "inclusive").pairs)
    made = parse(Source(apply_hunks(old.source.text, hunks), "made.acdl"))
    assert made.source.text.splitlines()[1] == f"    If @T == 2 {{ {comment}"
    assert diff(made, new, "inclusive").is_empty
