"""Correct words that can only be a known mistake, so that the rest of a text is read as if they were right.

Used when a text was not understood, or has content where no message is. Each correction recognises what no text without
errors has, reports it and gives the words that were meant.
"""

from collections.abc import Callable

from acdl_mkdocs.foundation.diagnostics import Diagnostic
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.syntax import loop_corrections, sign_corrections, word_corrections
from acdl_mkdocs.syntax.corrections import Corrected, Spot
from acdl_mkdocs.syntax.missing_braces import missing_in_definitions
from acdl_mkdocs.syntax.tokens import Token

_CORRECTIONS: tuple[Callable[[Spot], Corrected | None], ...] = (
    sign_corrections.missing_opening,
    word_corrections.misspelled_keyword,
    word_corrections.misspelled_end,
    word_corrections.other_role,
    word_corrections.text_with_colon,
    loop_corrections.loop_in_words,
    loop_corrections.bare_comprehension,
    sign_corrections.object_value,
    sign_corrections.drawn_mark,
    sign_corrections.diagram_arrow,
    sign_corrections.html_tag,
)


def correct(source: Source, tokens: list[Token]) -> tuple[list[Token], list[Diagnostic]]:
    """The tokens as they were meant, and a report for each mistake."""
    spot = Spot(source, tokens)
    missing = missing_in_definitions(source, tokens)
    while spot.at < len(tokens):
        spot.n_extra = -missing[spot.at] if spot.at in missing else spot.n_extra
        found = next(filter(None, (correction(spot) for correction in _CORRECTIONS)), None)
        if found is None:
            spot.take(spot.token)
            spot.at += 1
            continue
        for token in found.tokens:
            spot.take(token)
        spot.at += found.n_taken
        if found.report is not None:
            spot.diagnostics.append(found.report)
    return spot.made, spot.diagnostics
