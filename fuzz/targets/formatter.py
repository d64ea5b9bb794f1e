"""Any text in its normal form."""

import re
from collections import Counter

from acdl_mkdocs.evaluation.evaluate import Options, evaluate
from acdl_mkdocs.foundation.config import Config, RangeMode
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.language.analyse import Analysis, analyse, format_analysis
from acdl_mkdocs.language.syntax.format import Formatted, format_text
from acdl_mkdocs.language.syntax.nodes import Comment, Content, Group, HostValue, Node, Prompt, String, field_names
from acdl_mkdocs.language.syntax.parse import parse
from acdl_mkdocs.language.syntax.tokenize import tokenize
from fuzz.target import Target, files, text_of
from fuzz.words import acdl

_COMMENT = re.compile(r": [^⟧]*(?=⟧)")
"""What a placeholder takes over from the comment beside it."""
_IN_FENCE = Config(snippet=True)


def run(data: bytes) -> None:
    """Format it whole, again, and some lines of it."""
    text = text_of(data)
    made = formatted(text)
    if made.diagnostics:
        return
    lines: tuple[int, int] = 1 + len(text) % 7, 2 + len(text) % 7
    mode: RangeMode = "inclusive" if len(text) % 2 else "half-open"
    some = format_text(Source(text), lines)
    assert format_text(Source(some.text)).text == made.text
    inclusive = format_text(Source(text), None, mode)
    assert format_text(Source(inclusive.text), None, mode).text == inclusive.text


def formatted(text: str) -> Formatted:
    """The normal form of a text: it says the same, has the same errors and comments, and sends the same messages."""
    before = analyse(Source(text), _IN_FENCE)
    made = format_analysis(before)
    after = before if made.text == text else analyse(Source(made.text), _IN_FENCE)
    assert errors(after) == errors(before)
    assert without_spelling(made.text) == without_spelling(text)
    assert comment_words(made.text) == comment_words(text)
    assert sent(after) == sent(before)
    again = format_analysis(after)
    assert again.text == made.text
    assert bool(again.diagnostics) == bool(made.diagnostics)
    return made


def errors(analysis: Analysis) -> Counter[tuple[str, str]]:
    """The errors of a text, wherever they are."""
    return Counter((each.rule, each.message) for each in analysis.diagnostics if each.severity == "error")


def sent(analysis: Analysis) -> list[list[tuple[str, str]]]:
    """The messages of every spec of a text, with placeholders for all that is not in an empty state."""
    names = dict.fromkeys(item.name.name for item in analysis.resolved.parsed.file.items if isinstance(item, Prompt))
    options = (Options(spec=name, missing="placeholder") for name in names)
    transcripts = [evaluate(analysis.resolved, None, "2", each) for each in options]
    return [
        [(message.role, _COMMENT.sub("", message.text)) for message in transcript.messages]
        for transcript in transcripts
    ]


def comment_words(text: str) -> list[str]:
    """The words of all comments, in order."""
    comments = tokenize(text).comments
    own = (each for each in comments if not text.startswith("{{", each.span.start))  # of another tool, also as content
    return [word for comment in own for word in comment.text.split()]


def without_spelling(text: str) -> list[object]:
    """A tree without places, comments, parentheses, and the spelling of ranges and of white space outside of quotes.

    It is a list of what is in it, parents before children, each with how many children it has: trees can be deep.
    """
    hidden = {"comment"} | ({"includes_stop"} if "inclusive" in text else set())
    found: list[object] = []
    waiting: list[object] = [parse(Source(text)).file]
    while waiting:
        said, inside = _plain(waiting.pop(), hidden)
        found.append(said)
        waiting += reversed(inside)
    return found


def _plain(value: object, hidden: set[str]) -> tuple[object, list[object]]:
    """What a node or a field of one says, and the fields or nodes that are in it."""
    while isinstance(value, Group):
        value = value.value
    if isinstance(value, Content) and isinstance(value.value, HostValue) and not value.value.parts:
        return ("HostLine", 1), [value.value.name]  # the same content, with a line for itself
    if isinstance(value, String):
        return value.value, []
    if isinstance(value, Node):
        fields = [name for name in field_names(type(value)) if name not in hidden]
        return (type(value).__name__, len(fields)), [getattr(value, name) for name in fields]
    if isinstance(value, tuple):
        kept = [each for each in value if not isinstance(each, Comment)]
        return len(kept), kept
    return (value.split() if isinstance(value, str) else value), []


TARGET = Target(
    run=run,
    promise="has a normal form that sends the same and has the same errors; a definition with an error is left alone",
    seeds=lambda: files("examples/*.acdl", "tests/golden/**/*.acdl", most_bytes=1500),
    words=acdl(),
    max_bytes=1500,
)
