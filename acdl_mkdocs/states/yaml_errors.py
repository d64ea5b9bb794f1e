"""What is wrong with a text that is not YAML, in words that a person can act on.

PyYAML names the rule of the grammar that failed; its two parsers name it differently.
"""

from acdl_mkdocs.diagnostics import Diagnostic, Label, error
from acdl_mkdocs.source import Source, Span

RULE = "state-file"
"""Name of every problem of a state file."""

_LONGEST_KEY = 1000
"""Characters as they are written: YAML takes a little more."""
_SENTENCES = (
    (
        ("mapping values are not allowed",),
        "a key cannot stand here: there is a second `: ` on the line, or the line is indented too far",
        'put a value that has `: ` in it in quotes: `text: "one: two"`',
    ),
    (("expected ',' or ']'",), "the `[` is not closed, or a comma is missing", "close it with `]`"),
    (("expected ',' or '}'",), "the `{` is not closed, or a comma is missing", "close it with `}`"),
    (("expected the node content", "expected node content"), "a value is missing here", "write one, or `null`"),
    (("unexpected end of stream",), "the quotes that open here are never closed", "close them"),
    (
        ("unknown escape", "invalid Unicode", "expected escape", "did not find expected hexdecimal"),
        "`\\` begins something that does not exist",
        "write `\\\\` for the sign itself, or use single quotes",
    ),
    (
        ("expected key", "<block end>", "expected '-' indicator", "could not find expected ':'"),
        "this does not continue what stands above: the indentation, a `-` or a `:` is not as there",
        "indent the lines of one map or list alike, and write `name: value`",
    ),
    (("duplicate anchor",), "an anchor is defined again", "give it another name"),
)


def problem(span: Span, message: str, help: str = "", label: str = "here") -> Diagnostic:
    """An error of a state file."""
    return error(RULE, message, Label(span, label), help=help or ())


def unprintable(offset: int, character: str) -> Diagnostic:
    """A control character."""
    return problem(
        Span(offset, offset + 1),
        f"the character U+{ord(character):04X} cannot stand in a text file",
        f'write it in double quotes as `"\\u{ord(character):04x}"`',
    )


def syntax(source: Source, said: str, places: list[int]) -> Diagnostic:
    """A sentence about the place where the text stops being YAML.

    Parameters:
        source: The text.
        said: What PyYAML says.
        places: Where that is, then where the construct begins that it is about.
    """
    text = source.text
    at = min(places[0], len(text))
    sign = text[at : at + 1]
    span = Span(at, min(at + 1, len(text)))
    line = source.line_text(source.line_index(at))
    if sign == "\t" or "tab" in said or "\t" in line[: len(line) - len(line.lstrip())]:
        return problem(span, "a tab stands where YAML wants blanks", "indent with blanks")
    if text[at - 1 : at + 1] == '":' and at - text.rfind('"', 0, at - 1) > _LONGEST_KEY:
        return problem(span, "a key ends here that is longer than any key of YAML", "shorten it, or make it a value")
    if "cannot start any token" in said:
        return problem(span, f"a value cannot begin with `{sign}`", "put it in quotes")
    for words, message, cure in _SENTENCES:
        if any(word in said for word in words):
            if "quotes" in message and len(places) > 1:
                span = Span(places[1], places[1] + 1)
            return problem(span, message, cure)
    return problem(span, f"this is not YAML: {said or 'it cannot be read'}", "compare with a file of `acdl state new`")
