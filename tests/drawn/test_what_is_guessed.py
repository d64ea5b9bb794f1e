"""A drawing never changes its meaning in silence: what can be meant otherwise is told, at its place."""

import pytest

from acdl_mkdocs.drawing.from_drawing.read import STRUCTURE_RULES, read_drawing
from acdl_mkdocs.language.rules import RULES

GUESSED, UNREAD, NESTING = "guessed-line", "unread-line", "unclear-nesting"


def acdl(drawing: str) -> str:
    """The ACDL of a drawing without its comments about ranges."""
    return read_drawing(drawing).text.replace("// acdl: range=inclusive\n\n", "")


def told(drawing: str) -> list[tuple[str, str]]:
    """The rules of what is told, each with the words that it is about."""
    found = read_drawing(drawing).diagnostics
    return [(each.rule, drawing[each.label.span.start : each.label.span.end]) for each in found]


def of_user(*lines: str) -> str:
    """A drawing with some lines in a message."""
    return "Chat[@T]\n  ROLE: USER\n" + "".join(f"    {line}\n" for line in lines)


def sent(*lines: str) -> str:
    """The content of that message as it was read."""
    text = acdl(of_user(*lines))
    inside = text.removeprefix("Chat[@T]: {\n").removesuffix("}\n")
    return "\n".join(line.strip() for line in inside.splitlines())


@pytest.mark.parametrize("line", ["env.a[@T], env.b[@T]", "env.a[@T] env.b[@T]", "env.a[@T]; env.b[@T]"])
def test_content_stays_in_its_message(line: str) -> None:
    """Several pieces on one line are all said by the one whose role stands above or before them."""
    message = "    U: {\n        env.a[@T]\n        env.b[@T]\n    }\n    A: X\n"
    assert acdl(f"Chat[@T]\n  ROLE: USER\n    {line}\n  A: X\n") == f"Chat[@T]: {{\n{message}}}\n"
    assert acdl(f"Chat[@T]\n  User: {line}\n  A: X\n") == f"Chat[@T]: {{\n{message}}}\n"


@pytest.mark.parametrize("end", ["", ".", "!"])
def test_sentences_are_text(end: str) -> None:
    """Prose in a message is text, whatever ends it, and never five variables."""
    drawing = f"Chat[@T]\n  System: You are a helpful assistant{end}\n  User: env.q[@T]\n"
    assert acdl(drawing) == f'Chat[@T]: {{\n    S: "You are a helpful assistant{end}"\n    U: env.q[@T]\n}}\n'
    assert told(drawing) == [(GUESSED, f"System: You are a helpful assistant{end}")]
    assert "`YOU_ARE_A_HELPFUL`" in str(read_drawing(drawing).diagnostics[0].help)


@pytest.mark.parametrize(
    "line",
    [
        "user question",
        "repeat 3 times",
        "unless env.a",
        "while env.more[@T]",
        "next t",
        "env.q @T",
        "env.t[@T]   ; semi",
        "env.j = the query",
        "--- end ---",
        "ForEach i, d : env.docs",
        "for i in 1:@T",
        "ForEach t : 1 – @T",
        "ForEach t : 1 - 5",
        "ForEach t : 1 <= t < @T",
        "ForEach t : @T",
    ],
)
def test_what_nobody_means_is_not_read(line: str) -> None:
    """Words in a row and loops over what is not a list are kept as comments, as an error."""
    assert told(of_user(line, "env.z[@T]")) == [(UNREAD, line)]
    assert sent(line, "env.z[@T]").startswith("U: {\n// not understood: ")


@pytest.mark.parametrize("role", ["USER/ASSISTANT", "USER x 3", "USER 2", "USER (optional)", "user prompt"])
def test_what_is_behind_a_role(role: str) -> None:
    """It is not content; the message stays one."""
    drawing = f"Chat[@T]\n  ROLE: {role}\n    env.a[@T]\n"
    assert told(drawing) == [(UNREAD, f"ROLE: {role}")]
    assert "    U: {\n        // not understood: " in acdl(drawing)
    assert "User message (first):" in acdl("C[@T]\n  User message (first):\n    env.q[@T]\n").partition("U: {")[2]


@pytest.mark.parametrize("word", ["endif", "end for", "End If", "endfor"])
def test_ends_of_other_languages(word: str) -> None:
    """They say what the columns say."""
    assert sent("If a", "  X", word, "Y") == "U: {\nIf a {\nX\n}\nY\n}"
    assert told(of_user("X", "end")) == [(GUESSED, "end")]


def test_rest_of_a_comment() -> None:
    """A comment over three lines, of which the last is one word, stays a comment."""
    drawing = of_user("f(x) // gets history of some", "sort, but not mentioned in the", "paper", "Y")
    assert acdl(drawing).count("paper") == 1
    assert sent("f(x) // gets history of some", "sort, but not mentioned in the", "paper", "Y") == (
        "U: {\nf(x) // gets history of some sort, but not mentioned in the paper\nY\n}"
    )
    assert [rule for rule, _ in told(drawing)] == ["joined-line", "joined-line"]
    assert sent("f(x) // one", "Y") == "U: {\nf(x) // one\nY\n}"


@pytest.mark.parametrize(
    ("over", "made"),
    [
        ("1 until @T", "range(1, @T)"),
        ("1 ... before @T", "range(1, @T)"),
        ("[1, @T)", "range(1, @T)"),
        ("[1 ... @T)", "range(1, @T)"),
        ("1 ... @T (excl.)", "range(1, @T)"),
        ("1 ... @T excl", "range(1, @T)"),
        ("1 to @T, exclusive", "range(1, @T)"),
    ],
)
def test_open_ends(over: str, made: str) -> None:
    """Ways to leave out the end of a range, in a project where ranges leave it out."""
    drawing = f"C[@T]\n  for t in {over}\n    User: env.q[@t]\n"
    assert read_drawing(drawing).text == f"C[@T]: {{\n    ForEach(t: {made}) {{\n        U: env.q[@t]\n    }}\n}}\n"
    assert told(drawing) == []


@pytest.mark.parametrize("over", ["1, 2, ..., @T", "1 ... @T (inclusive)", "1 through @T"])
def test_closed_ends(over: str) -> None:
    """Ways to take it in."""
    read = read_drawing(f"C[@T]\n  for t in {over}\n    User: env.q[@t]\n", "inclusive")
    assert "ForEach(t: range(1, @T)) {" in read.text
    assert read.diagnostics == ()


def test_comment_about_an_end() -> None:
    """A comment that says otherwise than the range is told."""
    assert told("C[@T]\n  ForEach t : 1 ... @T // exclusive\n    U: X\n") == [(GUESSED, "ForEach t : 1 ... @T")]
    assert told("C[@T]\n  ForEach x : env.list // exclude drafts\n    U: X\n") == []
    assert told("C[@T]\n  ForEach x : env.list // exclusive offers\n    U: X\n") == []
    assert told("C[@T]\n  ForEach t : 1 ... @T excl. // excluding the last\n    U: X\n") == []


@pytest.mark.parametrize(
    "comment", ["// excluding the last", "// excluded", "/* draft */ // exclusive", "// end excl."]
)
@pytest.mark.parametrize("over", ["1 ... @T", "1, @T", "1 to @T"])
def test_comments_about_an_end(over: str, comment: str) -> None:
    """A comment that excludes the end of a range is reported in whatever words, with the spelling that does it."""
    drawing = f"C[@T]\n  ForEach t : {over} {comment}\n    U: X\n"
    assert told(drawing) == [(GUESSED, f"ForEach t : {over}")]
    assert "excl.`" in str(read_drawing(drawing).diagnostics[0].help)


@pytest.mark.parametrize(
    "over",
    ["[1, len(env.d)]", "[1, len(env.d)-1]", "[1, @T-1]", "[1, env.n]", "[1, -1]", "[@T-3, @T]", "[m, n]", "[i, f(x)]"],
)
def test_loops_over_two_ends(over: str) -> None:
    """A loop over a list of two that may be the ends of a range is reported, with a loop over that range."""
    drawing = f"C[@T]\n  ForEach x : {over}\n    U: X\n"
    assert told(drawing) == [(GUESSED, f"ForEach x : {over}")]
    first, last = over.strip("[]").split(", ")
    assert f"write `ForEach x : {first} ... {last}` to" in str(read_drawing(drawing).diagnostics[0].help)


@pytest.mark.parametrize("over", ["[env.a[1], env.b]", "[a | b, @T]", "[f(x), g(x)]", '[1, "a"]', "[1, a == b]"])
def test_lists_of_two_that_are_no_ends(over: str) -> None:
    """A list of two other values is a list."""
    assert told(f"C[@T]\n  ForEach x : {over}\n    U: X\n") == []


@pytest.mark.parametrize("line", ["]", "(", "}", "end if"])
def test_comments_beside_brackets(line: str) -> None:
    """A comment beside a bracket, which is not read, is kept."""
    for drawn in (f"{line} // some note", f"{line} -- some note", f"/* some */ {line} /* note */"):
        assert sent("X", drawn, "Y") == "U: {\nX\n// some note\nY\n}"
        assert told(of_user("X", drawn, "Y")) == []
    assert "// some note\n" in acdl("Doc[d]\nSF // some note\n  d.title\n")
    assert sent("X", "} 1 // some note", "Y") == "U: {\nX\n// some note\nY\n}"
    assert sent("group: } 1 // some note", "  X") == "U: {\ngroup { // some note\nX\n}\n}", "written once"
    assert sent("[", "// some note", "X", "]") == "U: {\n// some note\nX\n}"


def test_the_comment_of_a_role_that_is_left_out() -> None:
    """A role that is repeated in the block below it leaves its comment there."""
    drawing = "C[@T]\n  Role: User // some note\n  If a\n    X\n    Assistant: Y\n"
    assert acdl(drawing) == ("C[@T]: {\n    // some note\n    If a {\n        U: X\n        A: Y\n    }\n}\n")


def test_lines_below_a_sentence() -> None:
    """They are content beside it: a sentence is sent as it is, and nothing can be in it."""
    text = "read the manual"
    assert sent(text, "  env.a", "  Z", "Y") == f'U: {{\n"{text}"\nenv.a\nZ\nY\n}}'
    assert sent(text, "  If a == b", "    X", "Y") == f'U: {{\n"{text}"\nIf a == b {{\nX\n}}\nY\n}}'
    assert acdl(f"Role: User\n{text}\n  env.a\nY\n") == f'U: {{\n    "{text}"\n    env.a\n    Y\n}}\n'
    assert acdl(f"Role: User\n  {text}\n    env.a\n") == f'U: {{\n    "{text}"\n    env.a\n}}\n'
    assert told(of_user(text, "  env.a", "  Z", "Y")) == [(GUESSED, text), (NESTING, "env.a")]


@pytest.mark.parametrize("line", ["env.x", "Name a := env.x", "PromptEndsHere", "Frag Doc[a]", "break", "// c"])
def test_lines_below_what_holds_none(line: str) -> None:
    """Lines that are all further in than such a line are beside it and beside each other, and in no group."""
    made = sent(line, "  X", "  Y", "Z")
    assert made == f"U: {{\n{line}\nX\nY\nZ\n}}"


@pytest.mark.parametrize("divider", ["---", "----", "=====", "* * *".replace(" ", ""), "___", "~~~~~", "—————"])
def test_dividers(divider: str) -> None:
    """A divider is no statement, and the next title begins a spec."""
    drawing = f"A[@T]\n  ROLE: USER\n    env.a[@T]\n{divider}\nB[@T]\n  ROLE: USER\n    env.b[@T]\n"
    assert acdl(drawing) == "A[@T]: {\n    U: env.a[@T]\n}\n\nB[@T]: {\n    U: env.b[@T]\n}\n"
    assert told(drawing) == []


def test_heads_on_one_line() -> None:
    """A condition and the role in it share a line; nothing of it is lost."""
    drawing = "C[@T]\n  If @T > 1 then ROLE: USER\n    env.q[@T]\n  else ROLE: ASSISTANT\n    resp.a[@T]\n"
    arms = "    If @T > 1 {\n        U: env.q[@T]\n    }\n    Else {\n        A: resp.a[@T]\n    }\n"
    assert acdl(drawing) == f"C[@T]: {{\n{arms}}}\n"
    assert told(drawing) == []
    broken = acdl("C[@T]\n  If ) then ROLE: USER\n    env.q[@T]\n    env.r[@T]\n")
    assert "env.q[@T]" in broken
    assert "env.r[@T]" in broken


def test_comments_inside_of_lines() -> None:
    """What stands behind `/* ... */` is read; a comment may go over lines."""
    assert sent("env.d /* c */ env.e[@T]", "/* a", "   b */", "X") == "U: {\nenv.d\nenv.e[@T] // c\n// a\n// b\nX\n}"
    assert sent("env.d // all of src/*", "X # or lib/*", 'If env.e == "src/*"', "  Y", "// docs/*/index") == (
        'U: {\nenv.d // all of src/*\nX // or lib/*\nIf env.e == "src/*" {\nY\n}\n// docs/*/index\n}'
    ), "these begin no comment of several lines"
    assert sent("x <- env.q[@T] /* a", "b */", "env.e[@T]") == "U: {\nName x := env.q[@T] // a\n// b\nenv.e[@T]\n}"


@pytest.mark.parametrize(
    ("lines", "made"),
    [
        (("env.a /* x */ env.b /* y */", "X"), "env.a\nenv.b // x y\nX"),
        (("env.a /* x */ env.b /* y", "z */", "X"), "env.a\nenv.b // x y\n// z\nX"),
        (("/* x */ /* y */ env.a /* z */ -- the rest", "X"), "env.a // x y z the rest\nX"),
        (("n /* x */ <- env.a // y", "X"), "Name n := env.a // x y\nX"),
        (("f(/* x */ env.a)/* y */", "X"), "f(env.a) // x y\nX"),
        (("/* x", "  y */ env.a /* z", "  w */ env.b", "X"), "// x\n// y\nenv.a // z\n// w\nenv.b\nX"),
        (("/** all of src/*", "  * b", "  */", "X"), "// all of src/*\n// b\nX"),
        (("/**", "  * a", "  */", "X"), "// a\nX"),
        (("/* */", "env.a /* */", "env.b /**/", "X //", "//", "Y"), "env.a\nenv.b\nX\n//\nY"),
        (("f(env.a, /* x", "  y */ env.b)", "X"), "f(env.a, env.b) // x y\nX"),
        (("f(env.a,", "  // why", "  env.b)", "X"), "f(env.a, env.b) // why\nX"),
        (("f(env.a, /* x", "  y", "  z */", "  env.b) // w", "X"), "f(env.a, env.b) // x y z w\nX"),
    ],
)
def test_several_comments_in_a_line(lines: tuple[str, ...], made: str) -> None:
    """All of them are kept, and all that is between and behind them is read."""
    assert sent(*lines) == f"U: {{\n{made}\n}}"
    assert {rule for rule, _ in told(of_user(*lines))} <= {GUESSED}


def test_places_between_comments() -> None:
    """A problem in a line between comments is reported at its words."""
    assert told(of_user("/* x */ env.a env.b ) /* y */", "X")) == [(UNREAD, "env.a env.b )")]


@pytest.mark.parametrize("sign", ["//", "#", "<-", "--", "—", "%", ";", "->", "=>"])
def test_patterns_of_paths_in_comments(sign: str) -> None:
    """They begin no comment of several lines, whatever began the comment that they are in."""
    made = "U: {\nenv.d // all of src/*\nX\nY\n// docs/*/index\nZ\n}"
    assert sent(f"env.d {sign} all of src/*", "X", "Y", "// docs/*/index", "Z") == made


@pytest.mark.parametrize(
    "line", ["src/*", "f(src/*)", "env.d -- src/*", "src/*/a/*/b", "/*.py", "ForEach d : src/*", "Name src/* := env.d",
             "src/**/*.py", "src/**/", "/**/*.md", "f(src/**/*.py)", "env.a /**/*.md", "a[src/**/]"]
)  # fmt: skip
def test_patterns_of_paths(line: str) -> None:
    """Outside of quotes they are no ACDL: that is reported, and the lines below are read."""
    drawing = of_user(line, "X", "// docs/*/index", f'"{line}"', "Z")
    assert told(drawing) == [(UNREAD, line)]
    made = f'U: {{\n// not understood: {line}\nX\n// docs/*/index\n"{line}"\nZ\n}}'
    assert acdl(drawing).replace(" " * 8, "").replace(" " * 4, "") == f"Chat[@T]: {{\n{made}\n}}\n"
    assert "put a path such as `src/*` in quotes" in str(read_drawing(drawing).diagnostics[0].help)


def test_a_title_with_a_pattern_of_a_path() -> None:
    """It hides nothing below it either."""
    inside = "    U: {\n        X\n        // docs/*/index\n        Y\n    }\n"
    made = f"// not understood: Chat[src/*]:\nDrawing: {{\n{inside}}}\n"
    assert acdl("Chat[src/*]:\n  Role: User\n    X\n    // docs/*/index\n    Y\n") == made


@pytest.mark.parametrize("line", ["-- the rest", "% the rest", "; the rest", "-> the rest", "<- the rest"])
def test_comments_of_other_languages(line: str) -> None:
    """Two plain words behind such a sign are a comment."""
    assert sent(f"env.r[@T] {line}", "X") == "U: {\nenv.r[@T] // the rest\nX\n}"


def test_signs_that_are_no_comments() -> None:
    """The same signs in expressions."""
    assert sent("a % b and c", "a - -b") == "U: {\na % b & c\na--b\n}"


@pytest.mark.parametrize(("sign", "made"), [("=", "x = f(y)"), ("<-", "x <- f(y)"), ("←", "x ← f(y)")])
def test_assignments(sign: str, made: str) -> None:
    """They are names, and that is told."""
    assert sent(made, "x") == "U: {\nName x := f(y)\n$x\n}"
    assert told(of_user(made, "x")) == [(GUESSED, f"x {sign} f(y)")]


@pytest.mark.parametrize("bullets", ["* + ", "- + ", "• • "])
def test_bullets(bullets: str) -> None:
    """A plus is a bullet like others, and no sum."""
    first, second = bullets.split()
    assert sent(f"{first} env.s[@T]", f"{second} env.t[@T]") == "U: {\nenv.s[@T]\nenv.t[@T]\n}"
    assert sent("• • env.q") == "U: env.q"


@pytest.mark.parametrize(
    ("drawing", "head"),
    [
        (of_user("If env.a[@T]", "env.b[@T]"), "If env.a[@T]"),
        ("C[@T]\n  For each t in 1 ... @T\n  ROLE: USER\n    env.q[@t]\n", "For each t in 1 ... @T"),
        (of_user("Switch x", "  Case a", "  Case b", "    Y"), "Case a"),
        (of_user("Mark 1:", "env.b[@T]"), "Mark 1:"),
        ("C[@T]\n  ROLE: USER\n", "ROLE: USER"),
    ],
)
def test_empty_blocks(drawing: str, head: str) -> None:
    """A drawing never means one."""
    found = read_drawing(drawing).diagnostics
    assert [(each.rule, each.severity) for each in found] == [("empty-body", "warning")]
    assert told(drawing) == [("empty-body", head)]


@pytest.mark.parametrize(("mark", "number"), [("  (3)", 3), ("  [4]", 4), (" ①", 1), ("⑳", 20)])
def test_numbers_of_marks(mark: str, number: int) -> None:
    """As captions write them; a call or an index has no gap before it."""
    assert sent(f"env.e[@T]{mark}", "X") == f"U: {{\nMark {number} {{\nenv.e[@T]\n}}\nX\n}}"
    assert told(of_user(f"env.e[@T]{mark}", "X")) == [(GUESSED, f"env.e[@T]{mark}")]
    assert sent("f(3)", "env.a[4]") == "U: {\nf(3)\nenv.a[4]\n}"


CHAT = "Chat[@T]: {\n    S: INSTRUCTIONS\n    U: env.q[@T]\n}\n"


@pytest.mark.parametrize(
    "drawing",
    [
        "```acdl\nChat[@T]\n  S: INSTRUCTIONS\n  U: env.q[@T]\n```\n",
        "1  Chat[@T]\n2    S: INSTRUCTIONS\n3    U: env.q[@T]\n",
        " 9: Chat[@T]\n10:   S: INSTRUCTIONS\n11:   U: env.q[@T]\n",
        "+------------+\n| Chat[@T]       |\n|  S: INSTRUCTIONS |\n|  U: env.q[@T] |\n+-----+\n",
        "┌────────┐\n│ Chat[@T] │\n│  S: INSTRUCTIONS │\n│  U: env.q[@T]    │\n└────────┘\n",
        "Chat(@T)\n  S: INSTRUCTIONS\n  U: env.q[@T]\n",
        "Chat[@T] =\n  S: INSTRUCTIONS\n  U: env.q[@T]\n",
        "Chat[@T] :=\n  S: INSTRUCTIONS\n  U: env.q[@T]\n",
    ],
    ids=["fence", "numbers", "numbers-and-colons", "box", "drawn-box", "parentheses", "equals", "walrus"],
)
def test_what_is_pasted_with_a_drawing(drawing: str) -> None:
    """Fences, numbers of lines and boxes are not part of it; other titles are titles."""
    assert read_drawing(drawing).text == CHAT
    assert told(drawing) == []


def test_captions() -> None:
    """The caption of a figure is a comment."""
    assert acdl("Figure 3: The agent.\nC[@T]\n  U: X\n") == "// Figure 3: The agent.\nC[@T]: {\n    U: X\n}\n"


def test_times_without_their_sign() -> None:
    """`T` in a spec of `@T` is the time, and that is told; not where something else has the name."""
    drawing = "C[@T]\n  for t = 1 .. T-1\n    User: env.q[@t]\n"
    assert "range(1, @T-1)" in acdl(drawing)
    assert told(drawing) == [(GUESSED, "for t = 1 .. T-1")]
    assert told("C[@T]\n  for T in env.all\n    User: T\n") == []


def test_otherwise_of_a_switch() -> None:
    """The last arm of a `Switch` in words."""
    assert sent("Switch x", "  Case a", "    Y", "  otherwise", "    Z").endswith("Default {\nZ\n}\n}\n}")


def test_uses_of_fragments() -> None:
    """A fragment that is drawn in the same text, used without `Frag`."""
    drawing = "Doc[d] (SF)\n  d.title\nC[@T]\n  User:\n    Doc[env.x]\n"
    assert told(drawing) == [("missing-frag", "Doc[env.x]")]


@pytest.mark.parametrize("drawing", ["((((", "]", "-----\n=====", "```\n```"])
def test_drawings_of_nothing(drawing: str) -> None:
    """Brackets and frames alone are nothing, and that is told."""
    assert read_drawing(drawing).text.strip() == ""
    assert [rule for rule, _ in told(drawing)] == ["empty-drawing"]


def test_rules_about_structure() -> None:
    """Every rule that is asked exists."""
    assert set(STRUCTURE_RULES) <= set(RULES)


@pytest.mark.parametrize("title", ["Chat[T]", "Chat[t]", "Chat(T)", "Chat[doc, t]"])
def test_a_time_without_its_sign_in_the_title_is_told(title: str) -> None:
    """`Chat[T]` is ACDL, for a value that is given; on a whiteboard it is nearly always the turn."""
    assert told(f"{title}\n  User: env.q[@1]\n") == [(GUESSED, title)]


@pytest.mark.parametrize("title", ["Chat[@T]", "Chat[@T, t]", "Chat[doc]", "StrFrag Chat[t]"])
def test_other_titles_say_nothing(title: str) -> None:
    """A title with a time, with another value, and that of a fragment can be read in one way."""
    assert GUESSED not in {rule for rule, _ in told(f"{title}\n  User: env.q[@1]\n")}


@pytest.mark.parametrize("line", ["env.a and env.b", "A_TEXT & B_TEXT", "env.a | env.b", "top-k(env.docs[@T])"])
def test_signs_that_a_message_hardly_means_are_told(line: str) -> None:
    """Whether two things are true is not text to send, and `top-k()` is no subtraction."""
    assert told(of_user(line)) == [(GUESSED, line)]


@pytest.mark.parametrize("line", ["env.a + env.b", '"use top-k(x) and more"', "top_k(env.a)", "env.n - count(env.a)"])
def test_signs_that_say_what_they_mean_are_not_told(line: str) -> None:
    """A sum, a difference and words in quotes are read as they are drawn."""
    assert told(of_user(line)) == []


def test_a_role_is_no_variable() -> None:
    """`User = env.q` is a message in somebody's hand, and must not become a variable called `User`."""
    drawing = "Chat[@T]\n  System: P\n  User = env.q[@T]\n"
    assert "Name" not in acdl(drawing)
    assert told(drawing) == [(UNREAD, "User = env.q[@T]")]


@pytest.mark.parametrize(("over", "is_told"), [("[1 ... 3]", True), ("[1..3]", False), ("{1, ..., 3}", False)])
def test_a_range_in_brackets(over: str, is_told: bool) -> None:
    """A loop over it runs from one end to the other; where figures would write a list so, that is told."""
    drawing = f"Chat[@T]\n  ForEach n : {over}\n    ROLE: USER\n      x[n]\n"
    assert "ForEach(n: range(1, 3)) {" in acdl(drawing)
    assert told(drawing) == ([(GUESSED, f"ForEach n : {over}")] if is_told else [])


def test_names_in_a_range_of_a_set() -> None:
    """Words of ACDL are names there."""
    assert "ForEach(n: range(1, max(in, out))) {" in acdl(
        "C[@T]\n  ForEach n : {1, ..., max(in, out)}\n    ROLE: USER\n      x"
    )
