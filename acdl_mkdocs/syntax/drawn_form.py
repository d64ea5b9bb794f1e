"""Recognise the drawn form of a spec, as in figures and in `acdl render --format text`: it has no braces.

Knows nothing of how it is read: `drawn/` does that.
"""

import re

from acdl_mkdocs.foundation.compile_later import compile_later

_ROLE = compile_later(
    r"^[^\S\n]*(?:role[ \t]*[:=][ \t]*(?:system|user|assistant|tool|none)|\[(?:system|user|assistant|tool)\])"
    r"[ \t]*+:?[ \t]*+(?://[^\n]*)?$",
    re.IGNORECASE | re.MULTILINE,
)
_HEAD = compile_later(
    r"^[^\S\n]*(?:for[ \t]*each[ \t]+@?\w+[ \t]*(?::|∈|in\b)|(?:else[ \t]*)?if\b|switch\b|else[ \t]*:?$)[^\n{}]*$",
    re.IGNORECASE | re.MULTILINE,
)
_TITLE = compile_later(r"\A\s*+[^\W\d]\w*+[ \t]*+\[[^\]\n]*\][ \t]*+:?[ \t]*+$", re.MULTILINE)
_BRACE = compile_later(r"\{[^\S\n]*(?://[^\n]*)?$|\{[^{}\n]*\}|^[^\S\n]*\}", re.MULTILINE)
_LONGEST = 200_000
"""Characters of a text that are looked at."""


def looks_drawn(text: str) -> bool:
    """Whether a text has the lines of a drawing, and hardly any braces."""
    text = text[:_LONGEST].replace("\r", "")
    n_drawn = len(_ROLE.findall(text))
    if not n_drawn and not _TITLE.match(text.lstrip("\ufeff")):
        n_heads = len(_HEAD.findall(text))
        return n_heads > 1 and not _BRACE.search(text) and bool(_DRAWN_RANGE.search(text))
    return n_drawn + len(_HEAD.findall(text)) > len(_BRACE.findall(text))


_DRAWN_RANGE = compile_later(
    r"^[^\S\n]*for[ \t]*each[ \t]+@?\w+[ \t]*:[^\n{}(]*(?:\.\.|…)", re.IGNORECASE | re.MULTILINE
)
