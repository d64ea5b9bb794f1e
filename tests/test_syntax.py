"""What a person reads when a text is broken: every mistake that people make, and the exact words."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from acdl_mkdocs.foundation.diagnostics import apply_fixes
from acdl_mkdocs.foundation.reports import REPORTS, ReportOptions
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.language.analyse import analyse
from acdl_mkdocs.language.syntax.parse import parse

_PARSER_WORDS = re.compile(r"\b(?:[A-Z]+_[A-Z]+|RBRACE|LBRACE|IDENT|token|terminal|production|EOF|\$END|OTHER)\b")
_SEVERAL = {  # mistakes, where it is not one
    "brace-in-comment-twice": 2,
    "colon-missing-in-message": 2,
    "conflict-markers": 3,
    "pasted-transcript": 3,
    "several-mistakes-in-one-prompt": 5,
    "switch-case-python": 2,
    "two-broken-one-good": 2,
}


def test_syntax(case: Path, golden: Callable[[str, str], None]) -> None:
    """One message for each mistake, in the words of the language, with something to do about it."""
    source = Source(case.read_text("utf-8"), case.name)
    found = analyse(source).diagnostics
    assert len(found) == _SEVERAL.get(case.stem, 1)
    for each in found:
        said = [each.message, each.label.text, *each.help, *(label.text for label in each.related)]
        assert each.severity == "error"
        assert each.message[0].islower() or each.message[0] == "`" or each.message.startswith("ACDL")
        assert not any(text.endswith(".") or not text for text in said)
        assert not any(_PARSER_WORDS.search(re.sub(r"`[^`]*`", "", text)) for text in said)
        assert not any(word in text for text in said for word in ("invalid", "illegal", "unexpected"))
    golden(REPORTS["terminal"](found, source, ReportOptions()), "report.txt")


def test_recovery_keeps_the_other_definitions() -> None:
    """Two broken specs do not cost the good one between them, nor what is whole inside them."""
    text = "One[@T]: {\n  U: env.q[@T\n  S: A\n}\nTwo[@T]: { S: B }\nThree[@T]: {\n  If {\n    S: C\n  }\n}\n"
    resolved = analyse(Source(text)).resolved
    assert list(resolved.definitions) == ["One", "Two", "Three"]


@pytest.mark.parametrize(
    ("text", "fixed"),
    [
        (
            "P[@T]: {\r\n\tS: { RULES // kind }\r\n\tU: env.q\r\n}",
            "P[@T]: {\r\n\tS: { RULES } // kind\r\n\tU: env.q\r\n}",
        ),
        ("P[@T]: { S: { RULES # kind }\nU: env.q\n}", "P[@T]: { S: { RULES } # kind\nU: env.q\n}"),
        ("P[@T]: {\n  S: { RULES /* kind } */\n  U: env.q\n}", "P[@T]: {\n  S: { RULES } /* kind  */\n  U: env.q\n}"),
        (
            "P[@T]: {\n  S: {\n    RULES\n  -- end }\n  U: env.q\n}",
            "P[@T]: {\n  S: {\n    RULES\n  } // end\n  U: env.q\n}",
        ),
        ("P[@T]: {\n  S: {\n    RULES\n  //}\n  U: env.q\n}", "P[@T]: {\n  S: {\n    RULES\n  }\n  U: env.q\n}"),
        ('P[@T]: {\n  S: { "a }" // } }\n  U: { A // } }\n}', 'P[@T]: {\n  S: { "a }" } // }\n  U: { A } // }\n}'),
    ],
)
def test_brace_in_comment_is_put_before_it(text: str, fixed: str) -> None:
    """The fix closes the block before the comment, which keeps its words."""
    found = parse(Source(text)).diagnostics
    assert {each.message for each in found} == {"this `}` is part of the comment"}
    result = apply_fixes(text, [each.fix for each in found if each.fix]).text
    assert result == fixed
    assert parse(Source(result)).diagnostics == ()
