"""`misread()`: words and numbers without quotes that are sent differently from how they are written.

The same rule covers those that other YAML tools read differently, so that a state means one thing to every reader.
"""

import re

from acdl_mkdocs.evaluation.values import text_of
from acdl_mkdocs.foundation.yaml.nodes import CORE, Plain, Scalar

_LONGEST = 80
"""Characters of a value that a note repeats."""
_OLD_WORDS = {"yes": "true", "on": "true", "y": "true", "no": "false", "off": "false", "n": "false"}
"""Words that were true or false before YAML 1.2."""
_OLD_NUMBER = re.compile(
    r"[-+]?(?:0b[01_]+|[1-9][0-9_]*(?::[0-5]?[0-9])+|[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*"
    r"|(?=[^_]*_)(?:0x[0-9a-fA-F_]+|(?:[0-9][0-9_]*(?:\.[0-9_]*)?|\.[0-9][0-9_]*)(?:[eE][-+]?[0-9]+)?))"
    r"|[-+]0x[0-9a-fA-F]+"
)
"""Numbers of YAML 1.1 that are text in YAML 1.2: in base 2 or 60, with `_` between digits, a signed `0x`."""
_DATE = re.compile(
    r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}"
    r"(?:(?:[Tt]|[ \t]+)[0-9]{1,2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]*)?[ \t]*(?:Z|[-+][0-9]{1,2}(?::?[0-9]{2})?)?)?"
)
_TAGGED = frozenset(("", *(f"{CORE}{name}" for name in ("null", "bool", "int", "float"))))


def misread(scalar: Scalar, value: Plain) -> tuple[str, tuple[str, ...]] | None:
    """Return what to say of a value that may be misread, a clause and its cures; `None` for all others.

    `null` and values whose text is that which is written have no note.

    Parameters:
        scalar: The value as written, without quotes or with a tag.
        value: What it is in the core schema.
    """
    text = scalar.text
    if isinstance(value, str):
        return None if scalar.tag else _misread_text(text)
    if scalar.tag not in _TAGGED or text in ("", "null"):
        return None
    sent = text_of(value)
    if sent == text:
        return None
    if len(text) > _LONGEST:
        return f"is the number `{text[:_LONGEST]}…`, which is sent in another form", ("for the text, put it in quotes",)
    for_text = f'for the text, write `"{text}"`'
    if value is None:
        return f"is `{text}`, so nothing is sent for it", ("for nothing, write `null`", for_text)
    kind = "truth value" if isinstance(value, bool) else "number"
    return f"is the {kind} `{text}`, which is sent as `{sent}`", (for_text, f"for the {kind}, write `{sent}`")


def _misread_text(text: str) -> tuple[str, tuple[str, ...]] | None:
    meant = _OLD_WORDS.get(text.lower()) if len(text) < 4 else None
    if meant:
        cures = (f"for the truth value, write `{meant}`", f'for the word, write `"{text}"`')
        return f"is the word `{text}`, not true or false", cures
    if not text[0].isdigit() and text[0] not in "+-.":
        return None
    kind = "a date" if _DATE.fullmatch(text) else "a number" if _OLD_NUMBER.fullmatch(text) else ""
    if not kind:
        return None
    if len(text) > _LONGEST:
        return f"is the text `{text[:_LONGEST]}…`; other YAML tools read {kind}", ("for the text, put it in quotes",)
    message = f"is the text `{text}`, and is sent so; other YAML tools read {kind}"
    return message, (f'for the text, write `"{text}"`',)
