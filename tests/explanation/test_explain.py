"""Specs in words: every sentence says what the spec does, and nothing stops an explanation."""

import json
import re
from importlib.resources import files
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from steps import n_steps

from acdl_mkdocs.evaluation.evaluate import Options, evaluate
from acdl_mkdocs.evaluation.explain import json_tree, text
from acdl_mkdocs.evaluation.explain.explain import explain, list_messages
from acdl_mkdocs.evaluation.explain.model import Explanation
from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.errors import UnknownSpecError
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.language.analyse import parse_and_resolve
from acdl_mkdocs.language.names.library import build_library
from acdl_mkdocs.language.syntax.parse import parse

ROOT = Path(__file__).parent.parent.parent
EXAMPLES = sorted(path for path in (ROOT / "examples").rglob("*.acdl") if ".cache" not in path.parts)
SCHEMA = Draft202012Validator(
    json.loads(files("acdl_mkdocs").joinpath("assets/explanation.schema.json").read_text("utf-8"))
)


def told(body: str, title: str = "P[@T.I]", config: Config | None = None) -> Explanation:
    """The explanation of a spec with a body."""
    (only,) = explain(parse_and_resolve(Source(f"{title}: {{\n{body}\n}}\n", "p.acdl")).resolved, "P", config)
    return only


def phrases(explanation: Explanation) -> list[str]:
    """Everything that is said of the statements, in order."""
    return [item.text for top in explanation.items for item, _ in top.walk_items()]


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("env.q", "`env.q`"),
        ("env.q[@T]", "`env.q` of the current turn"),
        ("env.q[@T-1]", "`env.q` of the turn before the current turn"),
        ("env.q[@T-3]", "`env.q` of 3 turns before the current turn"),
        ("env.q[@1]", "`env.q` of turn 1"),
        ("env.q[@T.I]", "`env.q` of the current step"),
        ("env.q[@1.2]", "`env.q` of step 2 of turn 1"),
        ("env.q[@1.I]", "`env.q` of step I of turn 1"),
        ("I", "the number of completed steps"),
        ("@T.substeps", "the number of steps of the current turn"),
        ("env.q[@T.I-1]", "`env.q` of the step before the current step"),
        ("env.q[@T.*]", "`env.q` of all steps of the current turn"),
        ("env.q[@T].a.b", "`env.q.a.b` of the current turn"),
        ("sys.x[tool]", "`sys.x[tool]`"),
        ("sys.x[tool][@T]", "`sys.x[tool][@T]`"),
        ("sys.x[3]", "`sys.x[3]`"),
        ("INSTRUCTIONS", "the template `INSTRUCTIONS`"),
        ("ASK(env.q[@T], sys.y)", "the template `ASK`, filled with `env.q` of the current turn and `sys.y`"),
        ("search(env.q[@T], 3)", "what `search(env.q[@T], 3)` gives"),
        ('"be brief"', 'the words `"be brief"`'),
    ],
)
def test_values(written: str, said: str) -> None:
    """A piece of a message has a name in words."""
    assert phrases(told(f"U: {{ {written} }}")) == ["a User message", said]


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("env.x[@T]", "if there is `env.x` of the current turn"),
        ("!env.x", "if there is no `env.x`"),
        ("not f(env.x)", "if there is nothing that `f(env.x)` gives"),
        ("!!env.x", "if there is `env.x`"),
        ("@T > 1", "if the current turn is after turn 1"),
        ("@T == 1", "if the current turn is turn 1"),
        ("I == 0", "if `I` is 0"),
        ("@T.0", "if no step of the current turn is made yet"),
        ("sys.n[@T] >= sys.max", "if `sys.n` of the current turn is at least `sys.max`"),
        ('env.mode == "plan"', 'if `env.mode` is "plan"'),
        ("env.mode != search", "if `env.mode` is not search"),
        ("env.a & env.b", "if there is `env.a` and there is `env.b`"),
        ("env.a & (env.b | env.c)", "if there is `env.a` and (there is `env.b` or there is `env.c`)"),
        ("!(env.a == 1)", "if it is not so that `env.a` is 1"),
        ("!env.a == 1", "if it is not so that `env.a` is 1"),
        ("!!env.a == 1", "if `env.a` is 1"),
        ("@T.substeps > 2", "if the number of steps of the current turn is more than 2"),
    ],
)
def test_conditions(written: str, said: str) -> None:
    """A condition is a clause."""
    assert told(f"If {written} {{ U: A_TEXT }}\nElse {{ U: B_TEXT }}").items[0].items[0].text == said


@pytest.mark.parametrize(
    ("written", "mode", "said"),
    [
        ("t: range(1, @T)", "half-open", "for each turn `t` from 1 to the turn before the current turn"),
        ("t: range(1, @T)", "inclusive", "for each turn `t` from 1 to the current turn"),
        ("t: range(1, @T-1)", "inclusive", "for each turn `t` from 1 to the turn before the current turn"),
        ("i: range(1, I)", "half-open", "for each step `i` from 1 to the step before the current step"),
        ("i: range(1, @T.substeps)", "inclusive", "for each step `i` from 1 to the last step of the current turn"),
        ("n: range(2, 5)", "half-open", "for each number `n` from 2 to 4"),
        ("n: range(2, 5)", "inclusive", "for each number `n` from 2 to 5"),
        ("n: range(1, $x.len)", "half-open", "for each number `n` from 1 up to, but without, `$x.len`"),
        ("t: range(1, @T, 2)", "half-open", "for each turn `t` from 1 up to, but without, the current turn, every `2`"),
        (
            "t: range(max(1, @T-6), @T)",
            "half-open",
            "for each turn `t` from `max(1, @T-6)` to the turn before the current turn",
        ),
        (
            "t: range(@T-4, @T)",
            "half-open",
            "for each turn `t` from 4 turns before the current turn to the turn before the current turn "
            "(never more than 4)",
        ),
        ("n: range(9, 0, -1)", "half-open", "for each number `n` from 9 down to 1"),
        ("n: range(9, 0, -1)", "inclusive", "for each number `n` from 9 down to 0"),
        ("n: range(9, 0, 2)", "half-open", "for each number `n` from 9 down to, but without, 0, every `2`"),
        ("t: range(@T-1, 0, -1)", "half-open", "for each turn `t` from the turn before the current turn down to 1"),
        ("d: env.docs[@T]", "half-open", "for each `d` of `env.docs` of the current turn"),
    ],
)
def test_loops(written: str, mode: str, said: str) -> None:
    """What a loop runs over depends on how ranges are read."""
    config = Config(range="inclusive" if mode == "inclusive" else "half-open")
    assert told(f"ForEach({written}) {{ U: A_TEXT }}", config=config).items[0].text == said


def test_cases() -> None:
    """A case can have several values; one that is not understood is not the rest."""
    said = phrases(told("Switch env.x { Case a | 3 { U: A_TEXT } Case 1, 2 { U: B_TEXT } Default { U: C_TEXT } }"))
    assert [each for each in said if each.startswith(("if", "otherwise"))] == [
        "if it is a or 3",
        "if it is something that is not understood",
        "otherwise",
    ]


def test_messages_say_when_they_are_sent() -> None:
    """Each message of the text is listed with the loops and conditions around it."""
    body = """
    S: A_TEXT
    ForEach(t: range(1, @T)) { U: env.q[@t]  If sys.x[@t] { A: resp.a[@t] } }
    PromptEndsHere when sys.stop
    U: { ForEach(d: env.docs) { If d.isNew { d.text } }  env.q[@T] }"""
    loop = "for each turn `t` from 1 to the turn before the current turn"
    assert [(each.role, each.when, each.contains) for each in told(body, "P[@T]").messages] == [
        ("system", "always", ("the template `A_TEXT`",)),
        ("user", loop, ("`env.q` of turn t",)),
        ("assistant", f"{loop}, and in it if there is `sys.x` of turn t", ("`resp.a` of turn t",)),
        (
            "user",
            "always, unless the prompt has ended before",
            ("for each `d` of `env.docs`, if there is `d.isNew`: `d.text`", "`env.q` of the current turn"),
        ),
    ]


def test_fragments_are_explained_where_they_are_used_first() -> None:
    """What a fragment has stands where it is used, with its arguments; a second time it is only named."""
    source = """P[@T]: { U: { Frag Facts[@T-1]  Frag Facts[@T]  Frag Lost[@T] } }
StrFrag Facts[@t]: { sys.profile[@t] }
"""
    (only,) = explain(parse_and_resolve(Source(source, "p.acdl")).resolved)
    assert phrases(only)[1:] == [
        "the fragment `Facts` with `t` = the turn before the current turn",
        "`sys.profile` of turn t",
        "the fragment `Facts` with `t` = the current turn (its parts are listed above)",
        "the fragment `Lost`, which is not known here",
    ]
    assert only.fragments == ("Facts",)
    assert "`Lost`" in only.unknown[0]


def test_ranges_of_fragments_of_other_texts() -> None:
    """A fragment reads ranges as its text says, the text that uses it as its own."""
    other = parse(Source("// acdl: range=inclusive\nRolesFrag F[@T]: { ForEach(i: range(1, 3)) { U: i } }", "f.acdl"))
    text = Source("P[@T]: { Frag F[@T] ForEach(i: range(1, 3)) { U: i } }")
    (only,) = explain(parse_and_resolve(text, build_library([other])).resolved, "P")
    loops = [each for each in phrases(only) if each.startswith("for each")]
    assert loops == ["for each number `i` from 1 to 3", "for each number `i` from 1 to 2"]


def test_what_it_is() -> None:
    """Kind, clock and parameters are in the summary; what the author says stands beside it."""
    source = "// title: X\n// acdl: range=inclusive\n\n// Talks to one agent.\nP[@T.I, agent]: { N: env.q[@T.I] }\n"
    (only,) = explain(parse_and_resolve(Source(source, "p.acdl")).resolved)
    assert (only.kind, only.title, only.about) == ("completion", "P[@T.I, agent]", "Talks to one agent.")
    assert "at each step `I` of each turn `T`" in only.summary
    assert "depends on `agent`" in only.summary
    assert [each.kind for each in explain(parse_and_resolve(Source("U: env.q")).resolved)] == ["snippet"]
    assert [each.kind for each in explain(parse_and_resolve(Source("StrFrag F[@t]: { A_TEXT }")).resolved)] == [
        "string-fragment"
    ]


def test_state_and_names() -> None:
    """What a state has to say, and what names stand for."""
    found = told("U: { Name docs := find(env.q[@T])  ForEach(d: $docs) { d.title }  $docs  ASK(sys.n[@T]) }", "P[@T]")
    assert [(each.path, each.when) for each in found.needed] == [
        ("env.q", "one for each turn"),
        ("sys.n", "one for each turn"),
        ("templates.ASK", ""),
        ("functions.find", ""),
    ]
    assert "`title`" in found.needed[-1].expected
    assert [(each.name, each.n_uses) for each in found.names] == [("docs", 2)]


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples(path: Path) -> None:
    """Every example is explained wholly, the same each time, as its schema says; its points are what is evaluated."""
    resolved = parse_and_resolve(Source(path.read_text("utf-8"), path.name)).resolved
    found = explain(resolved)
    assert found == explain(resolved)
    SCHEMA.validate(json_tree.build_objects(found))
    assert json.loads(json_tree.write(found)) == json_tree.build_objects(found)
    for each in found:
        assert not [words for words in each.unknown if "fragment" not in words]
        assert f"# {each.title}\n" in text.write(found)
        for moment in each.moments:
            options = Options(spec=each.name or None, missing="placeholder")
            sent = evaluate(resolved, None, moment.at, options)
            assert tuple(message.role for message in sent.messages) == moment.roles


def test_growth() -> None:
    """What is said to grow grows, and a spec without history says nothing of it."""
    grows = told("ForEach(t: range(1, @T)) { U: env.q[@t]  A: resp.a[@t] }\nU: env.q[@T]", "P[@T]")
    assert len(grows.growing) == 1
    assert [len(each.roles) for each in grows.moments] == [1, 3, 5]
    still = told("S: A_TEXT\nU: env.q[@T]", "P[@T]")
    assert still.growing == ()
    assert {len(each.roles) for each in still.moments} == {2}


def test_unknown_spec() -> None:
    """A name that is not there is told with the near one."""
    with pytest.raises(UnknownSpecError, match=re.escape("has no spec or fragment `Chta`; did you mean `Chat`?")):
        explain(parse_and_resolve(Source("Chat[@T]: { U: A_TEXT }", "p.acdl")).resolved, "Chta")


@pytest.mark.parametrize(
    "source",
    [
        "P[@T]: { U: { " + "If env.x { " * 200 + "A_TEXT" + " }" * 200 + " } }",
        "P[@T]: { U: " + "(" * 500 + "env.x" + ")" * 500 + " }",
        "P[@T]: { Frag A[@T] }\nRolesFrag A[@t]: { Frag B[@t] }\nRolesFrag B[@t]: { Frag A[@t] }",
        "P[@T]: {" + "\nU: env.x" * 5_000 + "}",
        "P[@T]: { ForEach(a: range(1, 999999)) { ForEach(b: range(1, 999999)) { U: env.x } } }",
        "P[@T]: { U: { ",
        "",
        "not a spec at all (",
    ],
    ids=["deep", "parentheses", "ring", "long", "endless", "open", "empty", "prose"],
)
def test_hard_texts(source: str) -> None:
    """No text stops an explanation, or makes it endless."""
    resolved = parse_and_resolve(Source(source, "p.acdl")).resolved
    shown = text.write(explain(resolved))
    assert shown.startswith("#")
    assert len(shown) < 1_000_000


@given(path=st.sampled_from(EXAMPLES), data=st.data())
def test_damaged_texts(path: Path, data: st.DataObject) -> None:
    """An example that lacks a piece is explained as far as it is understood."""
    whole = path.read_text("utf-8")
    start = data.draw(st.integers(0, len(whole)))
    end = data.draw(st.integers(start, min(start + 40, len(whole))))
    found = explain(parse_and_resolve(Source(whole[:start] + whole[end:], "p.acdl")).resolved)
    SCHEMA.validate(json_tree.build_objects(found))
    assert text.write(found)


@pytest.mark.parametrize(
    ("body", "grows"),
    [
        ("U: [env.q[@t] for t in range(1, @T-1)]", ["for each turn `t` from 1 to 2 turns before the current turn"]),
        ("Name x := [resp.a[@t] for t in range(1, @T)]  A: $x", ["more items of `[resp.a[@t] for t in range(1, @T)]`"]),
        ("ForEach(t: range(@T-3, @T)) { U: env.q[@t] }", ["(never more than 3): a User message"]),
        ("ForEach(t: range(max(1, @T-6), @T)) { U: env.q[@t] }", ["a User message (never more than 6)"]),
        ("ForEach(t: range(@$C, @T)) { U: env.q[@t] }", ["a User message (while its beginning stays)"]),
        ("ForEach(t: range(1, min(@T, 9))) { U: env.q[@t] }", ["a User message (up to a limit)"]),
        ("ForEach(d: env.docs[@T]) { U: d }", []),
        ("ForEach(t: range(@T, @T-1)) { U: env.q[@t] }", []),
        ("ForEach(t: range(1, 5)) { U: env.q[@t] }", []),
        ("ForEach(d: env.docs) { ForEach(t: range(1, @T)) { U: env.q[@t] } }", ["a User message"]),
        ("ForEach(t: range(1, @T)) { ForEach(s: range(1, @t)) { U: env.q[@s] } }", ["a User message"]),
        ("Frag F[@T]", ["for each number `i` from 1 to `@n-1`: an Assistant message"]),
        ("Frag F[@3]", []),
    ],
)
def test_what_grows(body: str, grows: list[str]) -> None:
    """Ranges that end at the present grow, in comprehensions and fragments too; what ends that is said."""
    source = f"P[@T]: {{ {body} }}\nRolesFrag F[@n]: {{ ForEach(i: range(1, @n)) {{ A: env.a[@i] }} }}\n"
    found = explain(parse_and_resolve(Source(source, "p.acdl")).resolved, "P")[0].growing
    assert len(found) == len(grows), found
    assert all(said in one for said, one in zip(grows, found, strict=True)), found


@pytest.mark.parametrize("written", ["range(3, 1)", "range(1, 1)", "range(@T, @T-2)"])
def test_empty_ranges(written: str) -> None:
    """What is never sent is said to be so."""
    found = told(f"ForEach(n: {written}) {{ U: A_TEXT }}", "P[@T]")
    assert found.messages[0].when == f"never, since `{written}` has nothing in it"
    assert "1 message; none of them is always sent" in found.summary


def test_messages_without_content() -> None:
    """A message with nothing but a list that may be empty, or behind conditions, is not always sent."""
    found = told(
        "U: [env.q[@t] for t in range(1, @T)]\nName x := [resp.a[@t] for t in range(1, @T)]\nA: $x\n"
        "U: { If env.a { A_TEXT } }\nU: env.q[@T.*]\nU: { [env.q[@t] for t in range(1, @T)] A_TEXT }",
        "P[@T]",
    )
    assert [each.when == "always" for each in found.messages] == [False, False, False, False, True]
    assert "5 messages; 1 of them is always sent, once" in found.summary


def test_messages_with_empty_content() -> None:
    """A message with nothing but an empty list or text, a range or a time that may not be is not always sent."""
    found = told('U: []\nU: ""\nU: range(1, @T)\nU: { @T-5 }\nU: { [] A_TEXT }', "P[@T]")
    assert [each.when == "always" for each in found.messages] == [False, False, False, False, True]


def test_messages_that_end_the_prompt() -> None:
    """A message in which the prompt may end before its first piece is not always sent."""
    found = told("U: { PromptEndsHere when env.x A_TEXT }", "P[@T]")
    assert found.messages[0].when == "always, if there is anything in it"
    assert told("U: { A_TEXT PromptEndsHere when env.x }", "P[@T]").messages[0].when == "always"


def test_messages_with_a_fragment_again() -> None:
    """A fragment that may have no piece, or may end the prompt, is as unsure at its second use as at its first."""
    uses = "P[@T]: {{ U: {{ Frag F }} U: {{ Frag F A_TEXT }} }}\nStrFrag F: {{ {0} }}\n"
    bodies = ("If env.x { B_TEXT }", "PromptEndsHere when env.x", "B_TEXT", "Frag F")
    found = [
        explain(parse_and_resolve(Source(uses.format(body), "p.acdl")).resolved, "P")[0].messages for body in bodies
    ]
    is_sure = [["anything in it" not in each.when for each in messages] for messages in found]
    assert is_sure == [[False, True], [False, False], [True, True], [False, True]]


def test_loops_that_end_early() -> None:
    """A message in a loop with `break`, or after the end of a prompt in an earlier round, may be left out."""
    when = [each.when for each in told("ForEach(t: range(1, @T)) { U: env.q[@t] If env.s[@t] { Break } }").messages]
    assert when[0].endswith(", unless the loop has ended before or continued with its next round")
    when = [each.when for each in told("ForEach(t: range(1, @T)) { U: env.q[@t] PromptEndsHere }\nS: A_TEXT").messages]
    assert [each.endswith(", unless the prompt has ended before") for each in when] == [True, True]


def test_fragments_that_are_used_twice() -> None:
    """Their messages are sent at each use, so not once."""
    source = "P[@T]: { Frag F[@T] Frag F[@1] }\nRolesFrag F[@t]: { U: env.q[@t] }"
    found = explain(parse_and_resolve(Source(source)).resolved, "P")[0]
    assert [each.when for each in found.messages] == ["at each use of the fragment `F`; at the first: always"]
    assert "none of them is always sent" in found.summary


def test_uses_of_names() -> None:
    """A name is used as a value and as a time; what loops run over that a state decides is told under the points."""
    (found,) = explain(
        parse_and_resolve(
            Source("P[@T]: { Name C := sys.c[@T] ForEach(t: range(@$C+1, @T)) { U: env.q[@$C] $C } }")
        ).resolved
    )
    assert [(each.name, each.n_uses) for each in found.names] == [("C", 3)]
    assert "Only a state decides `range(@$C+1, @T)`" in text.write([found])


def test_nothing_is_sent() -> None:
    """A text of comments is said to be nothing else."""
    (found,) = explain(parse_and_resolve(Source("// only words\n")).resolved)
    assert found.summary == "This text says nothing that is sent."


def test_steps_of_fragments_that_use_others_twice() -> None:
    """Whether a fragment has a piece at all times is found out once for each, however often it is used."""

    def steps(size: int) -> int:
        chain = (f"StrFrag F{at}[@t]: {{ Frag F{at + 1}[@t]\nFrag F{at + 1}[@t] }}\n" for at in range(size))
        last = f"StrFrag F{size}[@t]: {{ If env.a[@t] {{ env.b[@t] }} }}\n"
        resolved = parse_and_resolve(Source(f"P[@T]: {{ U: {{ Frag F0[@T] }} }}\n{''.join(chain)}{last}")).resolved
        items = explain(resolved)[0].items
        return n_steps(lambda: list(list_messages(items, ())))

    assert steps(12) < 8 * steps(6)


def test_a_long_chain_of_fragments() -> None:
    """Each fragment uses the one before, and the last is used again: no call waits for each link of the chain."""
    size = 990
    uses = " ".join(f"Frag F{at}" for at in range(size))
    chain = "".join(f"StrFrag F{at}: {{ Frag F{at - 1} }}\n" for at in range(1, size))

    def sent(first: str) -> str:
        text = f'P[@T]: {{ U: {{ "x" {uses} }} U: {{ Frag F{size - 1} }} }}\nStrFrag F0: {{ {first} }}\n{chain}'
        return explain(parse_and_resolve(Source(text, "p.acdl")).resolved, "P")[0].messages[1].when

    assert sent("A_TEXT") == "always"
    assert sent("If env.x { A_TEXT }") == "always, if there is anything in it"


def test_a_branch_that_says_something_and_ends_the_prompt() -> None:
    """The message has a piece whether the branch is taken or not; a fragment may end the prompt through another one."""
    assert told("U: { If env.x { A_TEXT PromptEndsHere } B_TEXT }", "P[@T]").messages[0].when == "always"
    (found,) = told("U: { If env.x { PromptEndsHere } B_TEXT }", "P[@T]").messages
    assert found.when == "always, if there is anything in it"
    text = "P[@T]: { U: { A_TEXT Frag F Frag G } U: { Frag G B_TEXT } }\nStrFrag G: { Frag F }\n"
    text += "StrFrag F: { PromptEndsHere when env.x }\n"
    (_, last) = explain(parse_and_resolve(Source(text, "p.acdl")).resolved, "P")[0].messages
    assert last.when == "always, if there is anything in it, unless the prompt has ended before"


def test_as_deep_as_the_language_goes() -> None:
    """What a spec reads is found at any depth; the outline says that it ends before."""
    depth = 290
    found = told("If env.x { " * depth + "U: env.deep" + " }" * depth, "P[@T]")
    assert [each.path for each in found.needed] == ["env.x", "env.deep"]
    assert found.unknown == ("parts that are nested too deep, or too many to list",)


def test_half_a_character_in_json() -> None:
    """It stands there by its number, as in every JSON that is printed, so that nothing is lost."""
    found = [told('U: "a\ud800"')]
    written = json_tree.write(found)
    assert written.encode()
    assert json.loads(written) == json_tree.build_objects(found)


def test_cost_is_linear() -> None:
    """Twice as many names and sums of them are twice the work."""

    def steps(n_lines: int) -> int:
        lines = (f"  $a{number} := {number}\n  U: $a{number} + $a{number} + $a{number}\n" for number in range(n_lines))
        text = f"P[@T]: {{\n{''.join(lines)}}}\n"
        return n_steps(lambda: explain(parse_and_resolve(Source(text)).resolved))

    steps(1)  # what is imported on first use is no step
    assert steps(240) < 2.3 * steps(120)
