"""Headers of loops that are not spelled as documented: `for d in env.docs {`, `ForEach i : 1 ... @T {`.

The companion of `spellings.py` for what needs the tree.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from operator import attrgetter

from acdl_mkdocs.foundation.diagnostics import TextEdit
from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.language.syntax.edits import format_expression
from acdl_mkdocs.language.syntax.nodes import Comprehension, Expression, ForEach, Operation, Range
from acdl_mkdocs.language.syntax.spellings import Spelling
from acdl_mkdocs.language.syntax.tokens import Token, Tokens


def loop_spellings(
    text: str, cut: Tokens, loops: Iterable[ForEach | Comprehension], *, is_inclusive: bool
) -> Iterator[Spelling]:
    """Yield the loops and comprehensions whose header is not spelled as documented.

    Parameters:
        text: The text.
        cut: Its words.
        loops: The loops of its tree.
        is_inclusive: How ranges are read there: `a ... b` includes its end, and is documented as a range that does.
    """
    noted = [comment.span.start for comment in cut.comments]
    for loop in loops:
        if loop.variable is None or loop.iterable is None:
            continue
        first = loop.span.start
        has_comment = bisect_left(noted, first) < bisect_left(noted, loop.iterable.span.end)
        at = bisect_left(cut.tokens, loop.variable.span.start, key=_start)
        header = _Header(text, cut.tokens, at, loop.iterable, is_inclusive=is_inclusive)
        spelling = header.loop_spelling(loop) if isinstance(loop, ForEach) else header.comprehension_spelling(loop)
        if spelling is not None:
            yield Spelling(spelling.span, spelling.text, spelling.documented) if has_comment else spelling


_start = attrgetter("start")


class _Header:
    """The positions of the parts of a loop header."""

    def __init__(
        self, text: str, tokens: list[Token], variable_at: int, iterable: Expression, *, is_inclusive: bool
    ) -> None:
        self.text = text
        self.tokens = tokens
        self.at = variable_at
        self.variable = tokens[variable_at]
        self.iterable = iterable
        self.is_inclusive = is_inclusive
        self.is_drawn = isinstance(iterable, Range) and iterable.includes_stop
        is_in_brackets = text[iterable.span.start] == "["
        self.is_bare = isinstance(iterable, Range) and (
            is_in_brackets or iterable.start.span.start == iterable.span.start
        )
        word = text[iterable.span.start : iterable.span.start + len("range")]
        self.is_other_case = isinstance(iterable, Range) and word != "range" and word.lower() == "range"

    def loop_spelling(self, loop: ForEach) -> Spelling | None:
        """Return the spelling of a `ForEach` header; `None` if it is as documented."""
        keyword = self.text[loop.keyword.start : loop.keyword.end]
        has_paren = self.tokens[self.at - 1].kind == "LPAR"
        within = self.tokens[self.at + 1]
        colon = self.colon_before_brace()
        is_documented = keyword == "ForEach" and has_paren and within.kind == "COLON" and colon is None
        if is_documented and not self.is_bare and not self.is_other_case:
            return None
        edits = [TextEdit(loop.keyword, "ForEach")] if keyword != "ForEach" else []
        if not has_paren:
            edits.append(TextEdit(Span(loop.keyword.end, self.variable.start), "("))
        edits.append(TextEdit(Span(self.variable.end, self.iterable.span.start), ": "))
        edits.append(TextEdit(self.iterable.span, self.iterable_text()))
        if not has_paren:
            edits.append(TextEdit(Span(self.iterable.span.end, self.iterable.span.end), ")"))
        if colon is not None:
            edits.append(TextEdit(colon.span, ""))
        end = self.iterable.span.end
        text = self.text[loop.span.start : colon.end if colon is not None else end + has_paren]
        documented = f"ForEach({self.variable.text}: {self.documented_text()})"
        span = Span(loop.span.start, end)
        return Spelling(span, " ".join(text.split()), documented, tuple(edits), is_safe=not self.is_drawn)

    def comprehension_spelling(self, loop: Comprehension) -> Spelling | None:
        """Return the spelling of a comprehension after `for`; `None` if it is as documented."""
        within = self.tokens[self.at + 1]
        if within.text == "in" and not self.is_bare and not self.is_other_case:
            return None
        edits = (
            TextEdit(Span(self.variable.end, self.iterable.span.start), " in "),
            TextEdit(self.iterable.span, self.iterable_text()),
        )
        span = Span(self.variable.start, loop.iterable.span.end)
        text = " ".join(self.text[span.start : span.end].split())
        documented = f"{self.variable.text} in {self.documented_text()}"
        return Spelling(span, text, documented, edits, is_safe=not self.is_drawn)

    def colon_before_brace(self) -> Token | None:
        """Return the colon between the header and its brace."""
        at = self.at
        while self.tokens[at].kind not in ("LBRACE", "$END"):
            at += 1
        return self.tokens[at - 1] if self.tokens[at - 1].kind == "COLON" and at - 1 > self.at + 1 else None

    def iterable_text(self) -> str:
        """Return the iterable for an edit: as written, if only its surroundings change."""
        if self.is_drawn:
            return self.documented_text()
        text = self.text[self.iterable.span.start : self.iterable.span.end]
        if self.is_other_case:
            return text.replace(text[: len("range")], "range", 1)
        return f"range({text})" if self.is_bare else text

    def documented_text(self) -> str:
        """Return the iterable as documented: `1 ... @T` is `range(1, @T)` where ranges include their end."""
        bounds = self.iterable
        if not isinstance(bounds, Range) or not bounds.includes_stop or self.is_inclusive:
            stop = format_expression(bounds.stop) if isinstance(bounds, Range) else ""
        else:
            stop = next_after(bounds.stop)
        if not isinstance(bounds, Range):
            return format_expression(bounds)
        step = f", {format_expression(bounds.step)}" if bounds.step is not None else ""
        return f"range({format_expression(bounds.start)}, {stop}{step})"


def next_after(stop: Expression) -> str:
    """Return the number after an included end: `@T` for `@T-1`, `@T+1` for `@T`, `6` for `5`."""
    text = format_expression(stop)
    if text.isdecimal():
        return str(int(text) + 1)
    if isinstance(stop, Operation) and text.endswith("-1") and stop.operators[-1] == "-":
        return text.removesuffix("-1")
    return f"{text}+1"
