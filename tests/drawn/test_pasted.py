"""What five people typed on a whiteboard or copied from a page: frames, headings, words; and what stays unread."""

from functools import partial

import pytest
from steps import soon

from acdl_mkdocs.drawing.from_drawing.read import read_drawing

CHAT = "Chat[@T]: {\n    S: INSTRUCTIONS\n    U: env.q[@T]\n}\n"
LOOP = "    ForEach(t: range(1, @T-1)) {\n        U: env.q[@t]\n        A: resp.a[@t]\n    }\n"


def told(drawing: str) -> list[tuple[str, str]]:
    """The rules of what is told, each with the words that it is about."""
    found = read_drawing(drawing).diagnostics
    return [(each.rule, drawing[each.label.span.start : each.label.span.end]) for each in found]


def sent(*lines: str) -> str:
    """The content of a message of some lines, as it was read."""
    text = read_drawing("Chat[@T]\n  ROLE: USER\n" + "".join(f"    {line}\n" for line in lines)).text
    return "\n".join(line.strip() for line in text.splitlines()[1:-1])


@pytest.mark.parametrize(
    "drawing",
    [
        "# Chat[@T]\n## ROLE: SYSTEM\nINSTRUCTIONS\n## ROLE: USER\nenv.q[@T]\n",
        "# Chat[@T]\n## System\nINSTRUCTIONS\n## User\nenv.q[@T]\n",
        "### Chat[@T]\n- **System**: INSTRUCTIONS\n- **User:** env.q[@T]\n",
        "**Chat[@T]**\n  **ROLE: SYSTEM**\n    `INSTRUCTIONS`\n  **ROLE: USER**\n    env.q[@T]\n",
        "📋 Chat[@T]\n  🤖 System: INSTRUCTIONS\n  👤 User: env.q[@T]\n",
        "Chat[@T]\n(1) System: INSTRUCTIONS\n(2) User: env.q[@T]\n",
        "Chat[@T]\n① System: INSTRUCTIONS\n② User: env.q[@T]\n",
        "Chat[@T]\n  a. System: INSTRUCTIONS\n  b. User: env.q[@T]\n",
        "Chat[@T]\n  [x] System: INSTRUCTIONS\n  [ ] User: env.q[@T]\n",
        "Chat[@T]\n➤ System\n   ➜ INSTRUCTIONS\n➤ User\n   ➜ env.q[@T]\n",
        "Chat[@T]\n  System\n  INSTRUCTIONS\n  User\n  env.q[@T]\n",
        "Chat[@T]\n  SYSTEM PROMPT\n    INSTRUCTIONS\n  User input:\n    env.q[@T]\n",
        "Chat[@T]\n  System: INSTRUC\u00adTIONS\n  User: env.q[@T]\n",
        "Chat[@T]\n  System:\n    INSTRUC\u00ad\n    TIONS\n  User: env.q[@T]\n",
        "Chat[@T]\n  System: INSTRUCTIONS\n\n              7\n\n  User: env.q[@T]\n\n- 8 -\n",
    ],
    ids=["headings", "roles", "bold", "bold-and-code", "emoji", "numbers", "circles", "letters", "boxes", "signs",
         "one-column", "words", "soft-hyphen", "soft-hyphen-at-end", "pages"],
)  # fmt: skip
def test_what_a_page_adds(drawing: str) -> None:
    """Headings, bold type, bullets, emoji, the numbers of pages and soft hyphens are not part of the spec."""
    assert read_drawing(drawing).text == CHAT
    assert told(drawing) == []


def test_one_hash_is_a_guess() -> None:
    """A role behind one `#` may be a comment; `#` before content is one."""
    drawing = "Chat[@T]\n  # system\n  INSTRUCTIONS\n  # user\n  env.q[@T]\n"
    assert read_drawing(drawing).text == CHAT
    assert told(drawing) == [("guessed-line", "# system"), ("guessed-line", "# user")]
    assert sent("# env.q", "X") == "U: {\n// env.q\nX\n}"


def test_ligatures() -> None:
    """They are the letters that somebody typed."""
    assert sent("env.proﬁle[@T]", "ﬂat") == "U: {\nenv.profile[@T]\nflat\n}"


def test_names_over_two_lines() -> None:
    """A name that ends in `_` goes on; that is told."""
    assert sent("env.a_very_", "long_name") == "U: env.a_very_long_name"
    assert [rule for rule, _ in told("User:\n  env.a_very_\n  long_name\n")] == ["joined-line"]


def test_two_drawings_beside_each_other() -> None:
    """The left one is read first, in boxes too; a comment beside a line is none."""
    drawing = (
        "Chat[@T]               Agent[@T]\n  ROLE: SYSTEM           ROLE: SYSTEM\n    INSTRUCTIONS           TOOLS\n"
        "  ROLE: USER             ROLE: USER\n    env.q[@T]              env.task[@T]\n"
    )
    read = read_drawing(drawing)
    assert read.text == f"{CHAT}\nAgent[@T]: {{\n    S: TOOLS\n    U: env.task[@T]\n}}\n"
    assert [(each.rule, each.severity) for each in read.diagnostics] == [("joined-line", "note")]
    commented = "Chat[@T]        // a: S\n  S: INSTRUCTIONS   // b\n  U: env.q[@T]   // System:\n"
    assert told(commented) == []


@pytest.mark.parametrize(
    "head", ["LOOP t=1..@T-1", "loop over t in 1..@T-1", "for t := 1 to @T-1 do", "for t ← 1 to @T-1",
             "for t in {1, ..., @T-1}", "for t ∈ [1..@T-1]"]
)  # fmt: skip
def test_heads_of_loops(head: str) -> None:
    """Other words and signs for the same loop."""
    drawing = f"Chat[@T]\n  {head}\n    U: env.q[@t]\n    A: resp.a[@t]\n"
    read = read_drawing(drawing, "inclusive")
    assert read.text == f"Chat[@T]: {{\n{LOOP}}}\n"
    assert read.diagnostics == ()


@pytest.mark.parametrize(
    ("head", "made"),
    [("for t < @T", "range(1, @T)"), ("ForEach t ≤ @T", "1 ... @T"), ("for each t before @T:", "range(1, @T)"),
     ("for t in [1, @T-1]", "[1, @T-1]")],
)  # fmt: skip
def test_ends_without_a_beginning(head: str, made: str) -> None:
    """It is read as 1, and a list of two as one: both are told."""
    drawing = f"Chat[@T]\n  ForEach i : 1 ..< 3\n    A: X\n  {head}\n    U: env.q[@t]\n"
    assert f"ForEach(t: {made}) {{\n        U: env.q[@t]" in read_drawing(drawing).text
    assert told(drawing) == [("guessed-line", head.rstrip(":") if made.startswith("[") else head)]


@pytest.mark.parametrize(
    ("words", "test"),
    [
        ("env.x exists", "env.x != none"),
        ("env.x does not exist", "env.x == none"),
        ("env.x is none", "env.x == none"),
        ("env.x is not none and env.y", "env.x != none & env.y"),
        ("env.x is empty", "env.x == empty"),
        ('env.x equals "a is b"', 'env.x == "a is b"'),
        ("env.x[@T]?", "env.x[@T]"),
    ],
)
def test_conditions_in_words(words: str, test: str) -> None:
    """What a condition says is written with signs."""
    assert sent(f"If {words}", "  X") == f"U: {{\nIf {test} {{\nX\n}}\n}}"


@pytest.mark.parametrize(
    "line",
    [
        "env.u[@T]     (new)",
        "env.u[@T] (removed)",
        "env.w[@T]     [new]",
        "INSTRUCTIONS (polite)",
        "env.v[@T]     *new*",
        "env.s[@T]     !!!",
        "+env.s[@T]",
        "env.history[@<T]",
        "for t from T-5",
        "If there is env.x",
        "If env.x is active",
        "x5:",
        ":",
    ],
)
def test_what_hangs_together_by_chance(line: str) -> None:
    """An aside is not a call and no index, and a sign does not go on in the next line; what is unread is told."""
    drawing = f"Chat[@T]\n  ROLE: USER\n    {line}\n    env.z[@T]\n    Y\n"
    assert told(drawing) == [("unread-line", line)]
    assert "env.z[@T]\n        Y\n" in read_drawing(drawing).text


def test_what_stands_in_unread_lines() -> None:
    """It stands in their place, with its own nesting."""
    drawing = "Chat[@T]\n  twice\n    User\n      X\n    Assistant\n      Y\n  User: x7\n"
    assert told(drawing) == [("unread-line", "twice")]
    assert read_drawing(drawing).text.endswith("    U: X\n    A: Y\n    U: x7\n}\n")


def test_times_of_nobody() -> None:
    """`t` that no loop binds is told, and so is an argument with a name, which reads as a comparison."""
    assert told("C[@T]\n  User: env.q[t-1]\n") == [("guessed-line", "User: env.q[t-1]")]
    assert told("C[@T]\n  for t in env.all\n    User: env.q[t]\n") == []
    assert told("C[@T]\n  User: top(env.docs, k = 5)\n") == [("guessed-line", "User: top(env.docs, k = 5)")]


def test_braces_make_no_acdl() -> None:
    """A title without braces is not content, whatever braces stand below it."""
    arms = "  if (a && !b) {\n    System: X\n  } else if (c) {\n    System: Y\n  } else {\n    System: Z\n  }\n"
    made = (
        "    If a & !b {\n        S: X\n    }\n    ElseIf c {\n        S: Y\n    }\n    Else {\n        S: Z\n    }\n"
    )
    assert read_drawing(f"Chat[@T]\n{arms}").text == f"Chat[@T]: {{\n{made}}}\n"
    assert read_drawing('Chat[@T]\n  User: "{env.q}"\n').text == 'Chat[@T]: {\n    U: "{env.q}"\n}\n'


def test_titles_that_are_lost() -> None:
    """Capitals and parentheses can be titles; what is none stands outside any message, and that is told."""
    assert read_drawing("CHAT[@T]\n  USER: X\n").text == "CHAT[@T]: {\n    U: X\n}\n"
    assert read_drawing("chat(t)\n  user: q[t]\n").text == "chat[t]: {\n    U: q[t]\n}\n"
    assert ("content-outside-role", "Chat[@T]") in told("Chat[@T], Agent[@T]\n  System: X\n")


@pytest.mark.parametrize(
    "drawing",
    ["If a" + " " * 300_000 + "b", " " * 300_000 + "x", "System" + " " * 300_000 + "x", "for t in [" + "." * 100_000,
     "\n7\n" * 20_000, "# system\n" * 3_000],
    ids=["condition", "blanks", "role", "dots", "pages", "headings"],
)  # fmt: skip
def test_time_is_linear(drawing: str) -> None:
    """No line takes longer than its length: these took minutes where a pattern looked for the same blanks again."""
    soon(partial(read_drawing, drawing))
