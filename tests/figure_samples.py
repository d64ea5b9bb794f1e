"""Figures made by hand, for tests of layout and outputs that need no parser."""

from dataclasses import replace
from itertools import count

from acdl_mkdocs.drawing.figure.boxes import SIGNS, Box
from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.language.syntax.words import Pill, Run, Words

_offsets = count(0, 30)


def _span() -> Span:
    start = next(_offsets)
    return Span(start, start + 28)


def _listed(style: str, begin: str, items: tuple[str | Run | Pill, ...], end: str) -> list[Run | Pill]:
    words: list[Run | Pill] = [Run(begin, style)]
    for number, item in enumerate(items):
        if number:
            words.append(Run(", ", style))
        words.append(Run(item, "index") if isinstance(item, str) else item)
    return [*words, Run(end, style)]


def variable(path: str, *indices: str | Run | Pill) -> Pill:
    """`env.path[@t, i]`."""
    words = _listed("variable", f"{path}[", indices, "]") if indices else [Run(path, "variable")]
    return Pill("variable", tuple(words))


def template(name: str, *arguments: str | Run | Pill) -> Pill:
    """`NAME(a, b)`."""
    words = _listed("template", f"{name}(", arguments, ")") if arguments else [Run(name, "template")]
    return Pill("template", tuple(words))


def call(name: str, *arguments: str | Run | Pill) -> Pill:
    """`name(a, b)`."""
    return Pill("function", tuple(_listed("function", f"{name}(", arguments, ")")))


def fragment_use(name: str, index: str) -> Pill:
    """`Frag Name[i]`."""
    words = (Run("Frag ", "keyword"), Run(name, "reference"), Run("[", "plain"), Run(index, "index"), Run("]", "plain"))
    return Pill("fragment", words, target=name)


def content(*words: Run | Pill, comment: str = "", anchor: str = "", kind: str = "content") -> Box:
    """A statement without children."""
    return Box(kind, words, (), comment, anchor, _span())


def comment_line(text: str) -> Box:
    """A comment on a line of its own."""
    return Box("comment", (Run(f"// {text}", "comment"),), (), "", "", _span())


def role(name: str, *children: Box, comment: str = "", anchor: str = "") -> Box:
    """A role message."""
    return Box(f"role.{name}", (Run(f"Role: {name.title()}", "role"),), children, comment, anchor, _span())


def control(kind: str, keyword: str, words: Words, *children: Box, comment: str = "", anchor: str = "") -> Box:
    """A loop, a branch or a choice."""
    header = (Run(keyword, "keyword"), Run(" ", "plain"), *words) if words else (Run(keyword, "keyword"),)
    return Box(kind, header, children, comment, anchor, _span())


def each(name: str, first: str, last: str, *children: Box, anchor: str = "") -> Box:
    """`ForEach name : first ... last`."""
    words = (
        Run(name, "path"),
        Run(" : ", "operator"),
        Run(first, "number"),
        Run(" ... ", "operator"),
        Run(last, "index"),
    )
    return control("foreach", "ForEach", words, *children, anchor=anchor)


def mark(number: str, *children: Box, anchor: str = "") -> Box:
    """A numbered bracket around what it holds."""
    return Box("mark", (Run(number, "plain"),), children, "", anchor, _span())


def definition(name: str, index: str, *children: Box, kind: str = "prompt", comment: str = "") -> Box:
    """A prompt or a fragment."""
    colon = ":" if kind == "prompt" else ""
    header = (Run(name, "title"), Run("[", "title"), Run(index, "index"), Run(f"]{colon}", "title"))
    return Box(kind, header, children, comment, name, _span())


def figure(*children: Box) -> Box:
    """The root."""
    return Box("figure", (), children)


def _equals(left: Run | Pill, right: Run | Pill) -> Words:
    return (left, Run(" == ", "operator"), right)


EVERYTHING = figure(
    definition(
        "React2",
        "@T.I",
        role(
            "system",
            content(template("INSTRUCTIONS"), comment="task explanation, persona and the rules of the game"),
            content(template("AVAILABLE_TOOLS"), comment="one per tool"),
            content(template("QUERY", variable("sys.agent_name"))),
            content(variable("env.datetime", "@t")),
            anchor="React2-system",
        ),
        each(
            "@t",
            "1",
            "@T-1",
            comment_line("This comment is inside the loop body"),
            role("user", content(variable("env.user_question", "@t"), comment="Beside the message")),
            control(
                "if",
                "If",
                _equals(variable("sys.tool", "@t"), Run("clarify", "string")),
                role("user", content(variable("env.user_input", "@t"), comment="<- src/agent.py:120")),
            ),
            control(
                "elseif",
                "ElseIf",
                (
                    *_equals(variable("sys.tool", "@t"), Run('"search"', "string")),
                    Run(" & ", "operator"),
                    variable("env.in_dialog", "other", "@T"),
                ),
                role("tool", content(variable("sys.tool[@t].tool_response", "@t"))),
            ),
            control(
                "else",
                "Else",
                (),
                role(
                    "assistant",
                    content(
                        call(
                            "summarize",
                            call("get_history", variable("resp.answer", "@t"), variable("sys.agent_name")),
                        ),
                        comment="nested",
                    ),
                ),
            ),
            anchor="React2-foreach",
        ),
        content(
            Run("Name ", "keyword"),
            Run("docs", "reference"),
            Run(" := ", "operator"),
            call("k_relevant_docs", variable("env.query", "@T")),
            kind="name",
        ),
        mark(
            "1",
            each(
                "i",
                "1",
                "docs.len",
                role(
                    "user",
                    content(
                        Run("docs", "reference"), Run("[", "plain"), Run("i", "path"), Run("]", "plain"),
                        Run(".source", "reference"),
                    ),
                    content(fragment_use("DocumentContext", "i")),
                ),
            ),
            anchor="React2-mark-1",
        ),
        content(
            Run("PromptEndsHere when ", "keyword"),
            *_equals(Run("@T", "index"), Run("1", "number")),
            kind="ends-here",
        ),
        control(
            "switch",
            "Switch",
            (variable("sys.action_type", "@t"),),
            control("case", "Case", (Run('"search"', "string"),), role("none", content(variable("env.x", "@t")))),
            control(
                "default",
                "Default",
                (),
                content(Run("break", "keyword"), kind="break"),
                content(Run("continue", "keyword"), kind="continue"),
                content(Run("3 more", "plain"), kind="skipped"),
                content(Run("U: }{", "plain"), kind="broken"),
                Box("label", (Run("History", "plain"),), (content(Run("item", "path")),), "", "", _span()),
            ),
        ),
        comment="the spec of the paper",
    ),
    definition(
        "DocumentContext",
        "doc",
        content(variable("env.doc_title", "doc")),
        content(call("summarize", variable("env.doc_metadata", "doc"))),
        content(variable("env.日本語のパス", "@t"), comment="mit Ümläuten, 日本語 und 😀"),
        kind="string-fragment",
    ),
)  # fmt: skip
"""Every kind of box, every style of word."""

_LONG_CALL = call(
    "k_most_relevant_documents",
    variable("env.user_question_in_the_first_turn", "@T"),
    call("summarize_everything", variable("sys.memory.long_term", "@T-1"), variable("resp.answer", "@t.i")),
    template("RANKING_INSTRUCTIONS", variable("sys.agent_name")),
)
CROWDED = figure(
    definition(
        "Crowded",
        "@T",
        role(
            "user",
            content(_LONG_CALL, comment="a comment that is far too long to stand beside an element like this one"),
        ),
        control("if", "If", (*_equals(_LONG_CALL, Run('"a text, with (brackets) and blanks in it"', "string")),)),
        comment_line("https://example.org/" + "a-very-long-address/" * 8),
        mark("1", mark("22", role("system", content(template("A"))), role("user", content(template("B"))))),
    )
)
"""Words that do not fit on a line."""

TYPICAL = figure(
    definition(
        "ToolAgent",
        "@T",
        role(
            "system",
            content(template("INSTRUCTIONS"), comment="task and persona"),
            content(template("AVAILABLE_TOOLS")),
        ),
        role("user", content(variable("env.user_input", "@0")), content(variable("env.user_document", "@0"))),
        control(
            "if",
            "If",
            (Run("@T", "index"), Run(" > ", "operator"), Run("1", "number")),
            each(
                "@t",
                "1",
                "@T-1",
                control(
                    "if",
                    "If",
                    _equals(variable("sys.tool", "@t"), Run("clarify", "string")),
                    role("user", content(variable("env.user_input", "@t"), comment="what the user said")),
                ),
                control(
                    "else", "Else", (), role("assistant", content(variable("sys.tool", "@t")), comment="the answer")
                ),
                anchor="ToolAgent-if-1-foreach-1",
            ),
            anchor="ToolAgent-if-1",
        ),
        role("system", content(template("REACT_INSTRUCTIONS"))),
        role("user", content(call("summarize", variable("env.history", "@T-1")))),
    )
)
"""About what a specification of 25 lines holds."""


def nested(n_levels: int) -> Box:
    """Loops in loops."""
    box = role("user", content(variable("env.x", "@t"), comment="deep"))
    for level in range(n_levels):
        box = each(f"i{level}", "1", "@T", box)
    return figure(definition("Deep", "@T", box))


def nested_pills(n_levels: int) -> Box:
    """Calls in calls."""
    pill = variable("env.x", "@t")
    for _ in range(n_levels):
        pill = call("f", pill)
    return figure(definition("Deep", "@T", role("user", content(pill))))


def many(n_statements: int) -> Box:
    """A long specification."""
    return figure(
        definition(
            "Long",
            "@T",
            *(
                role("user", content(variable("env.x", "@t"), comment=f"number {number}"))
                for number in range(n_statements)
            ),
        )
    )


SIGNED = figure(
    definition(
        "P",
        "@T",
        *(
            replace(content(variable(f"env.{sign}", "@t"), comment="beside" if number % 2 else ""), sign=sign)
            for number, sign in enumerate(SIGNS)
        ),
        replace(mark("1", comment_line("inside")), sign="moved", sign_words="moved here, 1"),
        Box(
            "role.user",
            (Run("Role: ", "role"), Pill("was-role", (Run("SYSTEM", "plain"),)), Run("User", "role")),
            (replace(comment_line("a comment"), sign="comment", sign_words="new comment"),),
            sign="role",
        ),
        Box(
            "if",
            (
                Run("If ", "keyword"),
                Pill("was", (variable("env.old", "@t"), Run(" > ", "operator"), Run("1", "number"))),
                Run(" ", "plain"),
                Pill("now", (variable("env.new", "@t"), Run(" > ", "operator"), Run("2", "number"))),
            ),
            (content(template("A"), comment="as it was"),),
            sign="changed",
            sign_words="condition changed",
        ),
    )
)
"""Every sign, with and without words and comments; words that were and are."""

FIGURES = {
    "signed": SIGNED,
    "everything": EVERYTHING,
    "crowded": CROWDED,
    "typical": TYPICAL,
    "nested": nested(40),
    "empty": figure(),
}
"""What layouts and outputs are tried on."""
