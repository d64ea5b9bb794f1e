"""Texts written again: as what says the same in other words, and with changes that are easily overlooked."""

import re

from hypothesis import strategies as st

USES = (
    "Frag R[@T, env.fixed]",
    "Frag R[@T-1, 7]",
    "U: Frag S[@T]",
    "U: { Frag S[@T-1] env.fixed }",
    "Frag R[env.q, @T]",
)
NAMES = ("t", "s", "i", "k", "v", "w", "n", "m", "I", "J", "T", "x", "y", "q")
"""What variables are called, could be called, and should not be called because something else is."""

HARMLESS = (
    (" == ", " = "),
    (" != ", " <> "),
    (" and ", " && "),
    (" or ", " || "),
    ("not (", "!("),
    ("If ", "if "),
    ("ForEach", "for"),
    ("Default", "default"),
    ("Switch ", "switch "),
    ("U: ", "user: "),
    ("A: ", "assistant: "),
    ("\n", "\n\n   "),
    ("(", "( "),
)
"""Spellings that are not a difference."""

OVERLOOKED = (
    ("@t", "t"),
    ("@t", "(@t)"),
    ("t: ", "@t: "),
    ("i: ", "@i: "),
    ("v", "t"),
    ('"text"', "text"),
    ("7", '"7"'),
    ("7", "(7)"),
    ("none", '"none"'),
    ("true", '"true"'),
    ("env.q", "(env.q)"),
    ("env.list", "(env.list)"),
    ("@T.*", "(@T.*)"),
    ("@T.I", "@T.i"),
    ("@T", "T"),
    ("I", "@.I"),
    ("range(1, ", "range(1.0, "),
    ("range(1, @T)", "1 ... @T"),
    ("range(1, @T)", "range(1, @T, 1)"),
    ("range(1, @T)", "range(1, (@T))"),
    ("T_TEXT", "T_TEXT()"),
    ("g()", "g"),
    ("not ", "!"),
    ("U: v", "U: (v)"),
    ("$n", "n"),
    ("$n", "$m"),
    ("Name n", "Name m"),
    ("break", "continue"),
    ("[@t, v]", "[v, @t]"),
    ("[@t, v]", "[t, v]"),
    ("[@t]", "[t]"),
    ("P[@T.I]", "P[@T]"),
    ("P[@T.I]", "P[@t.i]"),
    ("P[@T.I]", "P[@T, I]"),
    ("P[@T.I]", "Q[@T.I]"),
    ("F R[", "F R2["),
    (" - ", " - 0 - "),
    (" + ", " - "),
    ("Case a", 'Case "a"'),
    ("Case v", 'Case "v"'),
    ("alice", '"alice"'),
    ("bob", "(bob)"),
    (".y", '["y"]'),
    ("PromptEndsHere when", "PromptEndsHere if"),
)
"""Changes of a few letters that are a difference, or are none only at some places."""


def spec(body: str) -> str:
    """A spec with such statements."""
    return f"P[@T.I]: {{\n{body}\n}}\n"


@st.composite
def texts(draw: st.DrawFn, bodies: st.SearchStrategy[str]) -> str:
    """A spec with two fragments that it may use."""
    parts = [draw(bodies), *draw(st.lists(st.sampled_from(USES), max_size=2))]
    body = "\n".join(draw(st.permutations(parts)))
    roles = draw(st.one_of(st.just("U: v"), st.just("If v { A: resp.a[@t] }"), bodies))
    words = draw(st.sampled_from(("env.q[@t]", "T_TEXT(@t)\nf(@t)", "env.col[@t]\n@t", "t")))
    fragments = (f"RolesFrag R[@t, v]: {{\n{roles}\n}}\n", f"StrFrag S[@t]: {{\n{words}\n}}\n")
    return "".join(draw(st.permutations([spec(body), *fragments])))


@st.composite
def rewritten(draw: st.DrawFn, bodies: st.SearchStrategy[str]) -> tuple[str, str]:
    """A text, and one that nearly or really says the same."""
    old = draw(texts(bodies))
    new = old
    for _ in range(draw(st.integers(1, 3))):
        match draw(st.sampled_from(("harmless", "overlooked", "overlooked", "rename", "rename", "mark", "order"))):
            case "harmless":
                new = new.replace(*draw(st.sampled_from(HARMLESS)))
            case "overlooked":
                new = _one_of(draw, new, *draw(st.sampled_from(OVERLOOKED)))
            case "rename":
                one, other = draw(st.sampled_from(NAMES)), draw(st.sampled_from(NAMES))
                new = re.sub(rf"\b{one}\b", other, new)
            case "mark":
                new = new.replace("P[@T.I]: {\n", "P[@T.I]: {\nMark 1 {\n", 1).replace("\n}\n", "\n}\n}\n", 1)
            case _:
                new = "".join(draw(st.permutations(re.findall(r"(?ms)^\w.*?^\}\n(?=\w|\Z)", new))))
    return old, new


def _one_of(draw: st.DrawFn, text: str, old: str, new: str) -> str:
    """A text with one of several equal stretches replaced, or all of them."""
    places = [found.start() for found in re.finditer(re.escape(old), text)]
    if not places or draw(st.booleans()):
        return text.replace(old, new)
    at = draw(st.sampled_from(places))
    return text[:at] + new + text[at + len(old) :]


@st.composite
def respelled(draw: st.DrawFn, bodies: st.SearchStrategy[str]) -> tuple[str, str]:
    """A text, and one with other spellings of the same only."""
    old = draw(texts(bodies))
    new = old
    for each in draw(st.lists(st.sampled_from(HARMLESS), min_size=1, max_size=4, unique=True)):
        new = new.replace(*each)
    return old, new
