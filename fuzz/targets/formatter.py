"""Any text in its normal form."""

from acdl_mkdocs.config import RangeMode
from acdl_mkdocs.source import Source
from acdl_mkdocs.syntax.format import format_text
from acdl_mkdocs.syntax.nodes import Comment, Group, Node, String, field_names
from acdl_mkdocs.syntax.parse import parse
from acdl_mkdocs.syntax.tokenize import tokenize
from fuzz.target import Target, files, text_of
from fuzz.words import acdl


def run(data: bytes) -> None:
    """Format it whole, again, and some lines of it."""
    text = text_of(data)
    made = format_text(Source(text))
    if made.diagnostics:
        assert made.text == text
        return
    again = format_text(Source(made.text))
    assert again.text == made.text
    assert again.diagnostics == ()
    assert without_spelling(made.text) == without_spelling(text)
    assert comment_words(made.text) == comment_words(text)
    lines: tuple[int, int] = 1 + len(text) % 7, 2 + len(text) % 7
    mode: RangeMode = "inclusive" if len(text) % 2 else "half-open"
    some = format_text(Source(text), lines)
    assert format_text(Source(some.text)).text == made.text
    inclusive = format_text(Source(text), None, mode)
    assert format_text(Source(inclusive.text), None, mode).text == inclusive.text


def comment_words(text: str) -> list[str]:
    """The words of all comments, in order."""
    return [word for comment in tokenize(text).comments for word in comment.text.split()]


def without_spelling(text: str) -> object:
    """A tree without places, comments, parentheses, and the spelling of ranges and of white space outside of quotes."""
    hidden = {"comment"} | ({"includes_stop"} if "inclusive" in text else set())
    return _plain(parse(Source(text)).file, hidden)


def _plain(value: object, hidden: set[str]) -> object:
    if isinstance(value, Group):
        return _plain(value.value, hidden)
    if isinstance(value, String):
        return value.value
    if isinstance(value, Node):
        fields = [name for name in field_names(type(value)) if name not in hidden]
        return type(value).__name__, [_plain(getattr(value, name), hidden) for name in fields]
    if isinstance(value, tuple):
        return [_plain(each, hidden) for each in value if not isinstance(each, Comment)]
    return value.split() if isinstance(value, str) else value


TARGET = Target(
    run=run,
    promise="that is understood has one normal form, which says the same; any other is left alone",
    seeds=lambda: files("examples/*.acdl", "tests/golden/**/*.acdl", most_bytes=1500),
    words=acdl(),
    max_bytes=1500,
)
