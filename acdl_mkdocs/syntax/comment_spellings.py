"""Comments that do not begin with `//`, and the same comments as the reference writes them."""

from collections.abc import Iterator

from acdl_mkdocs.foundation.diagnostics import TextEdit
from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.syntax.spellings import Spelling, replaced
from acdl_mkdocs.syntax.tokens import Tokens, Trivia


def comment_spellings(text: str, cut: Tokens) -> Iterator[Spelling]:
    """Every comment of a text that is not spelled as documented, in the order of the text."""
    found = (_comment(comment, text) for comment in cut.comments if not comment.is_host_text)
    yield from (each for each in found if each is not None)


def _comment(comment: Trivia, text: str) -> Spelling | None:
    """A comment that does not begin with `//`."""
    start, end = comment.span.start, comment.span.end
    if text.startswith("//", start):
        return None
    if text[start] == "#":
        sign = "// " if text.startswith("/", start + 1) else "//"
        return replaced(Span(start, start + 1), "#", "//", sign)
    if text[start] == "-":
        sign = text[start:end].split()[0]
        return replaced(Span(start, start + len(sign)), sign, "//")
    written, n_open, n_close = ("<!-- ... -->", 4, 3) if text[start] == "<" else ("/* ... */", 2, 2)
    line_end = text.find("\n", end)
    is_last = not text[end : line_end if line_end >= 0 else len(text)].strip()
    lines = text[start + n_open : end - n_close].split("\n")
    if not is_last or (len(lines) > 1 and text[text.rfind("\n", 0, start) + 1 : start].strip()):
        return Spelling(comment.span, written, "// ...")
    if len(lines) == 1:
        return Spelling(comment.span, written, "// ...", (TextEdit(comment.span, f"// {lines[0].strip()}"),))
    told = [line.strip().removeprefix("*").strip() for line in lines]
    indent = text[text.rfind("\n", 0, start) + 1 : start]
    joined = f"\n{indent}".join(f"// {line}" for line in told if line)
    return Spelling(comment.span, written, "// ...", (TextEdit(comment.span, joined),), is_safe=False)
