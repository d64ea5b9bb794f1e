"""What can be done at a place, and that it does what it says."""

import pytest

from acdl_mkdocs import check, diff_sent
from acdl_mkdocs.evaluation.state.read import read_state
from acdl_mkdocs.foundation.diagnostics import TextEdit as PieceEdit
from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.frontends.editor.actions import Action, list_actions
from acdl_mkdocs.frontends.editor.documents import Document
from acdl_mkdocs.frontends.editor.proof import sends_the_same
from acdl_mkdocs.frontends.editor.workspace import Workspace
from acdl_mkdocs.language.names.outline import build_outline
from acdl_mkdocs.language.syntax.nodes import FragUse
from acdl_mkdocs.language.syntax.parse import parse
from editor.marked import EXAMPLES, Marked, example, marked


def done(given: Marked, title: str) -> str:
    """The text after an action; empty if it is not offered."""
    found = [each for each in list_actions(given.workspace, given.uri, given.span) if title in each.title]
    return given.edited(found[0].edits) if found else ""


FACTS = "StrFrag Facts[@t, who]: {\n    // about\n    sys.profile[@t-1, who]\n    who.name\n}\n"


@pytest.mark.parametrize(
    ("text", "title", "after"),
    [
        pytest.param(
            FACTS + "P[@T]: {\n    S: {\n        A\n        Fr|ag Facts[@T-2, env.p]\n    }\n}\n",
            "put the body",
            FACTS + "P[@T]: {\n    S: {\n        A\n        // about\n        sys.profile[(@T-2)-1, env.p]\n"
            "        env.p.name\n    }\n}\n",
            id="inline",
        ),
        pytest.param(
            "RolesFrag F[@t]: { U: env.a[@t] }\nP[@T]: {\n    |Frag F[@T]\n}\n",
            "put the body",
            "RolesFrag F[@t]: { U: env.a[@t] }\nP[@T]: {\n    U: env.a[@T]\n}\n",
            id="inline messages",
        ),
        pytest.param(
            "StrFrag F: { B C }\nP: {\n    U: |Frag F\n}\n",
            "put the body",
            "StrFrag F: { B C }\nP: {\n    U: {\n        B\n        C\n    }\n}\n",
            id="inline into one line",
        ),
        pytest.param(
            "StrFrag F: { B C }\nP: {\n    U: { |Frag F }\n}\n",
            "put the body",
            "StrFrag F: { B C }\nP: {\n    U: {\n        B\n        C\n    }\n}\n",
            id="inline into a block on one line",
        ),
        pytest.param(
            "P[@T]: {\n    ForEach(k: range(1, @T)) {\n|        U: env.q[@k]\n        A: resp.a[@k]\n|    }\n}\n",
            "extract",
            "P[@T]: {\n    ForEach(k: range(1, @T)) {\n        Frag Extracted[@k]\n    }\n}\n\n"
            "RolesFrag Extracted[@k]: {\n    U: env.q[@k]\n    A: resp.a[@k]\n}\n",
            id="extract messages",
        ),
        pytest.param(
            "P[@T]: {\n    Name best := f(env.q)\n    U: {\n        |$best.title\n        env.x[@T]|\n    }\n}\n",
            "extract",
            "P[@T]: {\n    Name best := f(env.q)\n    U: {\n        Frag Extracted[$best, @T]\n    }\n}\n\n"
            "StrFrag Extracted[best, @T]: {\n    best.title\n    env.x[@T]\n}\n",
            id="extract pieces",
        ),
        pytest.param("P: {\n    |U: { env.x }\n}\n", "without braces", "P: {\n    U: env.x\n}\n", id="one line"),
        pytest.param(
            "P: {\n    |U: env.x\n}\n", "with braces", "P: {\n    U: {\n        env.x\n    }\n}\n", id="braces"
        ),
        pytest.param(
            "P[@T]: { U: { Frag No|pe[@T, 3] } }\n",
            "define `",
            "P[@T]: { U: { Frag Nope[@T, 3] } }\n\nStrFrag Nope[@T, given2]: {\n    NOPE\n}\n",
            id="define a fragment",
        ),
        pytest.param(
            "P: {\n    U: $b|est\n}\n",
            "define `",
            "P: {\n    Name best := BEST_VALUE\n    U: $best\n}\n",
            id="define a name",
        ),
        pytest.param(
            "P[@T]: {\n    A: re|sp.a[@T]\n}\n",
            "allow",
            "P[@T]: {\n    // acdl: allow(resp-before-answer)\n    A: resp.a[@T]\n}\n",
            id="allow",
        ),
        pytest.param(
            "P[@T]: {\n    // acdl: allow(x)\n    A: re|sp.a[@T]\n}\n",
            "allow",
            "P[@T]: {\n    // acdl: allow(x, resp-before-answer)\n    A: resp.a[@T]\n}\n",
            id="allow one more",
        ),
        pytest.param("P[@T]: { A: re|sp.a[@T] }\n", "previous turn", "P[@T]: { A: resp.a[@T-1] }\n", id="fix"),
        pytest.param(
            "P[@T]: { A: re|sp.a[@T]\n A: resp.b[@T] }\n",
            "fix all 2 problems `resp-before-answer`",
            "P[@T]: { A: resp.a[@T-1]\n A: resp.b[@T-1] }\n",
            id="fix all of a rule",
        ),
    ],
)
def test_done(text: str, title: str, after: str) -> None:
    """Each action changes what it says and nothing else."""
    assert done(marked(text), title) == after


@pytest.mark.parametrize(
    ("text", "title"),
    [
        pytest.param(
            "RolesFrag F[@t]: { ForEach(k: range(1, @t)) { U: env.a[@k] } }\n"
            "Q[@T]: { ForEach(k: range(1, @T)) { |Frag F[@k] } }",
            "put the body",
            id="a loop variable would catch an argument",
        ),
        pytest.param(
            "StrFrag F: { Name x := f() $x }\nP: { U: { Name x := g() |Frag F $x } }",
            "put the body",
            id="both define a name",
        ),
        pytest.param(
            "StrFrag F[doc]: { doc.title }\nP: { U: { |Frag F[1 + 2] } }", "put the body", id="a field of a sum"
        ),
        pytest.param("P: { U: { |Frag Nope } }", "put the body", id="nothing defines it"),
        pytest.param(
            "P[@T]: {\n    ForEach(k: range(1, @T)) {\n|        break\n|    }\n}\n",
            "extract",
            id="break would leave its loop",
        ),
        pytest.param(
            "P: {\n    U: {\n|        Name x := f()\n|        $x\n    }\n}\n", "extract", id="a Name is used after it"
        ),
        pytest.param("P: {\n|    ) = (\n|}\n", "extract", id="not understood"),
        pytest.param(
            "P: {\n    |U: { // why\n        env.x\n    }\n}\n", "without braces", id="a comment would be lost"
        ),
        pytest.param("P: {\n    |U: { env.x env.y }\n}\n", "without braces", id="two pieces"),
    ],
)
def test_refused(text: str, title: str) -> None:
    """What would say something else is not offered."""
    assert done(marked(text), title) == ""


def test_all_safe_fixes() -> None:
    """`source.fixAll` applies what keeps the meaning, in every block of a page."""
    given = marked("```acdl\nuser: env.x\n```\n\n> ```acdl\n> If env.x { }\n> elif env.y { U: A }\n> ```\n", "markdown")
    found = [each for each in list_actions(given.workspace, given.uri, given.span) if each.kind == "source.fixAll"]
    after = given.edited(found[0].edits)
    assert "U: env.x" in after
    assert "> ElseIf" in after


def test_fence_keeps_its_prefix() -> None:
    """Edits of several lines have the indentation and quote marks of the block."""
    given = marked("> ```acdl\n> P: {\n>     |U: env.x\n> }\n> ```\n", "markdown")
    assert done(given, "with braces") == "> ```acdl\n> P: {\n>     U: {\n>         env.x\n>     }\n> }\n> ```\n"


DRAWING = "Chat[@T]:\n  Role: System\n    INSTRUCTIONS\n  ForEach t : 1 ... @T excl.\n    Role: User\n      env.q[@t]\n"
ACDL = "Chat[@T]: {\n    S: INSTRUCTIONS\n    ForEach(t: range(1, @T)) {\n        U: env.q[@t]\n    }\n}\n"


def test_drawings_become_acdl() -> None:
    """A text in the drawn notation is converted as a whole, in a file and in a block of a page."""
    title = "convert this drawing to ACDL"
    given = marked(DRAWING.replace("Role: User", "Ro|le: User"))
    offered = next(each for each in list_actions(given.workspace, given.uri, given.span) if title in each.title)
    assert (offered.title, offered.is_preferred) == (title, True)
    assert offered.diagnostic is not None
    assert offered.diagnostic.rule == "drawn-form"
    assert given.edited(offered.edits) == ACDL
    quoted = marked(
        "".join(f"> {line}\n" for line in ("```acdl", *DRAWING.replace("Chat", "|Chat").splitlines(), "```")),
        "markdown",
    )
    assert done(quoted, title) == "".join(f"> {line}\n" for line in ("```acdl", *ACDL.splitlines(), "```"))
    assert done(marked(ACDL.replace("U:", "|U:")), title) == ""


def test_drawings_with_doubts() -> None:
    """The title says what was guessed and what was not understood; such a conversion is not the preferred one."""
    given = marked(DRAWING + "  System:| You are nice to people\n  User: env.q[@T\n")
    offered = [each for each in list_actions(given.workspace, given.uri, given.span) if "drawing" in each.title]
    assert [each.title for each in offered] == ["convert this drawing to ACDL (1 not understood, 1 guessed)"]
    assert not offered[0].is_preferred


def test_places_of_problems_are_those_of_the_document() -> None:
    """A client finds the problem that an action mends by its place."""
    given = marked("# A\n\n```acdl\nA: re|sp.a[@T]\n```\n", "markdown")
    action = next(each for each in list_actions(given.workspace, given.uri, given.span) if each.diagnostic)
    assert action.diagnostic is not None
    span = action.diagnostic.label.span
    assert given.text[span.start : span.end] == "resp.a[@T]"


def test_proof_sees_what_differs() -> None:
    """A rewriting that sends something else at any of the points is not the same."""
    text = "P[@T]: { ForEach(t: range(1, @T)) { If (env.a[@t]) { U: env.q[@t] } Else { U: B_C } } }"
    given = marked(text)
    piece = given.workspace.pieces_of(given.uri)[0]
    assert sends_the_same(given.workspace, piece, [replacing(text, "U: env.q[@t]", "\nU: env.q[@t]\n")])
    for old, new in (
        ("U: env.q[@t]", "U: env.q[@T]"),
        ("U: B_C", "U: B_D"),
        ("U: B_C", "A: B_C"),
        (text[9:-1], text[9:-1].replace("1, @T", "2, @T")),
        ("U: B_C", ""),
    ):
        assert not sends_the_same(given.workspace, piece, [replacing(text, old, new)]), old


def replacing(text: str, old: str, new: str) -> PieceEdit:
    """The edit that puts a text in the place of another."""
    return PieceEdit(Span(text.index(old), text.index(old) + len(old)), new)


@pytest.mark.parametrize(
    "arms",
    [
        "If env.a { U: B } ElseIf env.b { %s } Else { U: C }",
        "If env.a { U: B } Else { %s }",
        "If env.a { U: B } ElseIf env.b { If env.c { U: C } ElseIf env.d { If env.e { U: D } Else { %s } } }",
        "Switch env.m { Case q { %s } }",
        'Switch env.m { Case 1 { U: B } Case "two words" { %s } }',
        "Switch env.m { Case q { U: B } Default { %s } }",
        "Switch env.m { Case q { Switch env.n { Case 2 { U: B } Case 3 { %s } } } Default { U: D } }",
        "ForEach(k: env.list) { If k == env.x { U: B } ElseIf env.z[@T] { %s } }",
    ],
)
def test_every_alternative_is_proven(arms: str) -> None:
    """What stands in an alternative is reached, so that a difference there is seen, and sameness too."""
    text = f"P[@T]: {{ U: A {arms % 'U: env.here'} U: Z }}"
    given = marked(text)
    piece = given.workspace.pieces_of(given.uri)[0]
    assert sends_the_same(given.workspace, piece, [replacing(text, "U: env.here", "U: { env.here }")])
    assert not sends_the_same(given.workspace, piece, [replacing(text, "U: env.here", "U: env.there")])


@pytest.mark.parametrize("arm", ["If @T == 17 { %s }", "Switch 1 { Case 2 { %s } }", "If env.a { If !env.a { %s } }"])
def test_what_is_not_reached_is_not_proven(arm: str) -> None:
    """Nothing is known of a statement that no evaluation comes to."""
    text = f"P[@T]: {{ {arm % 'U: env.here'} }}"
    given = marked(text)
    piece = given.workspace.pieces_of(given.uri)[0]
    assert not sends_the_same(given.workspace, piece, [replacing(text, "U: env.here", "U: { env.here }")])


def test_fragments_of_another_file_mean_their_own() -> None:
    """A fragment that uses one of its own file is not put where another one has the name, whatever stands around."""
    other = "RolesFrag H[@T]: { U: { Frag In[@T] } }\nStrFrag In[@T]: { Y }\n"
    for arm in ("Switch env.m { Case q { %s } }", "If env.a { U: A } ElseIf env.b { %s }", "If env.a { %s }"):
        text = f"P[@T]: {{ {arm % 'Frag |H[@T]'} }}\n"
        assert "Frag In[@T]" in done(marked(text, b=other), "put the body")
        assert done(marked(f"{text}StrFrag In[@T]: {{ X }}\n", b=other), "put the body") == ""


@pytest.mark.parametrize(
    ("text", "title"),
    [
        (
            "P[@T]: { Name x := f(1) If env.a { U: B } ElseIf env.m { U: { |Frag F[@T] } } }\n"
            "StrFrag F[@k]: { env.a[@k] $x }\n",
            "put the body",
        ),
        (
            "P[@T]: { ForEach(t: range(1, @T)) { U: { |Frag F[@t] } } }\nStrFrag F[@k]: { env.a[@k] env.b[@t] }\n",
            "put the body",
        ),
        (
            "P[@T]: {\n  Name x := f(1)\n  If env.a { U: B }\n  ElseIf env.m {\n|    Name x := g($x)\n    U: $x\n|"
            "    A: $x\n  }\n}\n",
            "extract",
        ),
        (
            "P[@T]: {\n  Name d := f(1)\n  ForEach(d: env.l) {\n    Switch env.m {\n      Case q {\n"
            "|        U: { $d d.x }\n|      }\n    }\n  }\n}\n",
            "extract",
        ),
    ],
)
def test_no_name_is_caught(text: str, title: str) -> None:
    """What a name stands for does not change by where it comes to stand."""
    assert done(marked(text), title) == ""


def test_extracting_before_a_title_on_the_same_line() -> None:
    """The fragment stands between the definitions, not in the next one."""
    text = "P[@T]: {\n|    U: env.a\n|} Q[@T]: {\n    U: B\n}\n"
    expected = "P[@T]: {\n    Frag Extracted\n}\n\nRolesFrag Extracted: {\n    U: env.a\n}\n\n Q[@T]: {\n    U: B\n}\n"
    assert done(marked(text), "extract") == expected


def test_extracted_fragments_have_a_name_of_their_own() -> None:
    """No other file has a fragment of that name, which a third one could mean."""
    text = "P: {\n|    U: env.a\n|}\n"
    assert "Frag Extracted3\n" in done(marked(text, b="StrFrag Extracted: { A }", c="Extracted2: { U: A }"), "extract")


def test_a_name_is_not_defined_above_the_title() -> None:
    """It would be outside of the spec that asks for it."""
    assert done(marked("P[@T]: { S: { $|z } }\n"), "define `") == ""
    inner = "P[@T]: {\n    If env.a { U: { $|z } }\n}\n"
    assert done(marked(inner), "define `") == inner.replace("|", "").replace("    If", "    Name z := Z_VALUE\n    If")


def inlinings(given: Marked) -> list[Action]:
    """Every fragment of a text that can be put in the place of a use."""
    uses = build_outline(parse(Source(given.text)).file).nodes_of(FragUse)
    found = [
        list_actions(given.workspace, given.uri, Span(each.name.span.start, each.name.span.start)) for each in uses
    ]
    return [action for each in found for action in each if action.kind == "refactor.inline"]


@pytest.mark.parametrize(
    "path", [each for each in EXAMPLES if "Frag" in each.read_text("utf-8")], ids=lambda path: path.stem
)
def test_inlining_examples(path: object) -> None:
    """Every use of a fragment can be inlined; with its state each spec sends the same, and no error is new."""
    given = example(path)  # type: ignore[arg-type]
    offered = inlinings(given)
    assert offered
    source = given.workspace.states.get(given.uri)
    before = sum(each.severity == "error" for each in check(given.text))
    for action in offered:
        after = given.edited(action.edits)
        assert sum(each.severity == "error" for each in check(after)) <= before
        if source is not None:
            state = read_state(source.text, source.name).state
            assert state is not None
            assert diff_sent(given.text, after, state, tokens="none").is_same


def test_inlining_from_another_file() -> None:
    """A fragment of another file is inlined too."""
    given = marked("// acdl: use lib.acdl\nP[@T]: { U: { |Frag F[@T] } }", lib="StrFrag F[@t]: { env.x[@t] }")
    workspace = Workspace({**given.workspace.documents})
    titles = [each.title for each in list_actions(workspace, given.uri, given.span)]
    defined = [each for each in workspace.all_pieces() if "F" in each.definitions]
    assert defined
    assert ("put the body of `F` here" in titles) == bool(
        workspace.resolve_piece(workspace.pieces_of(given.uri)[0]).library_uses
    )


def test_nothing_of_an_unknown_document() -> None:
    """A document that is not there has no actions."""
    assert list_actions(Workspace({}), "file:///no.acdl", Span(0, 0)) == ()
    empty = Document("file:///e.acdl", "", "acdl")
    assert list_actions(Workspace({empty.uri: empty}), empty.uri, Span(0, 0)) == ()
