"""Hypothesis strategies: names, expressions, bodies and files of ACDL; soups of its words; damaged texts."""

import re
from pathlib import Path

from hypothesis import strategies as st

EXAMPLES = sorted((Path(__file__).parent.parent / "examples").glob("*.acdl"))
TOLERATED = sorted((Path(__file__).parent / "golden" / "tolerated").glob("*.acdl"))
TEXTS = [path.read_bytes().decode("utf-8") for path in (*EXAMPLES, *TOLERATED)]

_WORD = re.compile(r"\s+|\w+|[^\w\s]")
_VOCABULARY = (
    *("{", "}", "(", ")", "[", "]", ":", ",", ";", ":=", "=", "==", "!=", "<", "&", "||", "!", "+", "-", "*", "/", "."),
    *("...", "..", "…", "@", "@T", "@t.i", "@$C", "$", "$x", '"', "'", '"s"', "“", "//", "/*", "*/", "#", "#msg", "\\"),
    *(
        "S:",
        "U:",
        "A",
        "T:",
        "N:",
        "user:",
        "Role tool:",
        "S",
        "ForEach",
        "for",
        "in",
        "If",
        "ElseIf",
        "Else",
        "else if",
    ),
    *(
        "Switch",
        "Case",
        "Default",
        "Mark",
        "Name",
        "PromptEndsHere",
        "when",
        "END",
        "break",
        "continue",
        "Frag",
        "every",
    ),
    *(
        "StrFrag",
        "RolesFrag",
        "Prompt",
        "Namespace",
        "Flow",
        "Struct",
        "and",
        "or",
        "not",
        "range",
        "env.x",
        "resp.a[@t]",
    ),
    *(
        "P[@T]: {",
        "ForEach(t: range(1, @T)) {",
        "If x {",
        "1",
        "2.5",
        "x",
        "TASK",
        "f(",
        "// c\n",
        "\n",
        "\n    ",
        "\r\n",
    ),
    *("\u200b", "\u00a0", "\ufeff", "é", "\u0301", "漢", "🤖", "\u2028", "\x0b", "\x1c"),
)

soups = st.lists(st.sampled_from(_VOCABULARY), max_size=40).flatmap(
    lambda words: st.sampled_from((" ", "", "\n")).map(lambda between: between.join(words))
)
"""Words of the language in any order."""

names = st.from_regex(r"[a-z][a-z0-9_]{0,4}", fullmatch=True).filter(
    lambda name: (
        name not in ("s", "u", "a", "t", "n", "and", "or", "not", "in", "for", "if", "every", "frag")
        and name not in ("env", "sys", "resp", "prompt", "break", "end", "case", "name", "mark", "tool", "user", "none")
    )
)
_times = st.sampled_from(("@T", "@t", "@T-1", "@T.I", "@t.i", "@T.*", "@1", "@t.substeps"))
_leaves = st.one_of(
    _times,
    names.map(lambda name: f"env.{name}"),
    st.builds(lambda name, time: f"resp.{name}[{time}]", names, _times),
    names.map(lambda name: name.upper() + "_X"),
    names.map(lambda name: f"${name}"),
    st.integers(0, 99).map(str),
    st.sampled_from(('"text"', "'it'", "search", "none", "#msg")),
)
expressions = st.recursive(
    _leaves,
    lambda inner: st.one_of(
        st.builds(
            lambda left, sign, right: f"{left} {sign} {right}",
            inner,
            st.sampled_from(("+", "-", "==", "<", "&", "|")),
            inner,
        ),
        inner.map(lambda value: f"({value})"),
        inner.map(lambda value: f"!{value}"),
        st.builds(lambda name, values: f"{name}({', '.join(values)})", names, st.lists(inner, max_size=3)),
        st.builds(lambda name, values: f"sys.{name}[{', '.join(values)}].y", names, st.lists(inner, max_size=2)),
        st.builds(lambda value, name, over: f"[{value} for {name} in {over}]", inner, names, inner),
    ),
    max_leaves=6,
)
_comments = st.sampled_from(("", "", "", " // c", "\n// d"))
_lines = st.one_of(
    st.builds(lambda role, value, comment: f"{role}: {value}{comment}", st.sampled_from("SUATN"), _leaves, _comments),
    st.builds(lambda name, value: f"Name {name} := {value}", names, expressions),
    expressions.map(lambda value: f"PromptEndsHere when {value}"),
    st.sampled_from(("break", "continue", "// alone", "Frag Other[@T]")),
)


def _blocks(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    body = st.lists(inner, max_size=3).map("\n".join)
    return st.one_of(
        st.builds(lambda name, over, text: f"ForEach({name}: {over}) {{ // b\n{text}\n}}", names, expressions, body),
        st.builds(
            lambda test, one, other: f"If {test} {{\n{one}\n}}\n// e\nElse {{\n{other}\n}}", expressions, body, body
        ),
        st.builds(lambda value, text: f"Switch {value} {{\nCase a {{\n{text}\n}}\n}}", expressions, body),
        body.map(lambda text: f"Mark 1 {{\n{text}\n}}"),
        st.lists(expressions.filter(lambda value: value[0] not in "[("), max_size=3).map(
            lambda values: "U: {\n" + "\n".join(values) + "\n}"
        ),
    )


bodies = st.recursive(_lines, _blocks, max_leaves=8)
"""Statements as they should be written."""

files = st.lists(
    st.builds(
        lambda keyword, name, body: f"{keyword}{name.title()}1[@T]: {{\n{body}\n}}",
        st.sampled_from(("", "", "StrFrag ", "RolesFrag ")),
        names,
        st.lists(bodies, max_size=4).map("\n".join),
    ),
    max_size=3,
).map("\n\n".join)
"""Whole texts without a syntax error."""


@st.composite
def damaged(draw: st.DrawFn) -> str:
    """A real text with a few words deleted, doubled, exchanged or replaced, perhaps cut off."""
    return _damaged(draw, draw(st.sampled_from(TEXTS)))


def _damaged(draw: st.DrawFn, text: str) -> str:
    words = _WORD.findall(text)
    for _ in range(draw(st.integers(1, 4))):
        if not words:
            break
        one = draw(st.integers(0, len(words) - 1))
        other = draw(st.integers(0, len(words) - 1))
        match draw(st.sampled_from(("delete", "double", "exchange", "replace", "cut"))):
            case "delete":
                del words[one]
            case "double":
                words.insert(one, words[one])
            case "exchange":
                words[one], words[other] = words[other], words[one]
            case "replace":
                words[one] = draw(st.sampled_from(_VOCABULARY))
            case _:
                del words[max(one, 1) :]
    return "".join(words)


_MISTAKES = (
    "P[@T]: {\n  S: Be nice to all users   // why\n\n\n  U: {A}\n}",
    "P[@T]: {\n  While sys.pending[@T] {\n  A: resp.call[@T-1]\n  }\n}",
    "Fragment Doc[d]: { env.title[d] }",
    "P[@T]: {\n  docs, n = find(env.q[@T])\n  U: { $docs }\n}",
    "P[@T]: {\n  docs = find(env.q[@T])\n  U: { $docs }\n}",
    "P[@T]: {\n  U: { A\n}",
    "P[@T]: {\n  U: A }\n}\n}",
    "P[@T]: { U: { S: A } }",
    "P[@T]: {\n  U: f(a\n}",
    "P[@T]: { U: $no,$nothing }",
    "S: A\nenv.a = 1",
    "}",
    "# a note\n\n\n/* more\n   of it */",
)


@st.composite
def drafts(draw: st.DrawFn) -> str:
    """Definitions one after the other, some of them with the mistakes that people make, some damaged."""
    found: list[str] = []
    for _ in range(draw(st.integers(1, 4))):
        text = draw(st.one_of(files, st.sampled_from(_MISTAKES)))
        found.append(_damaged(draw, text) if draw(st.integers(0, 3)) == 0 else text)
    return draw(st.sampled_from(("\n", "\n\n\n", " "))).join(found)
