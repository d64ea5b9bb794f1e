"""`QUOTED`: words between quotes in a line of a drawing, of any spelling of the quotes; a part of larger patterns.

What opens a string neither stands inside one nor behind a backslash: so what is never closed is looked through up to
the next opening sign, not up to the end of the line once for each of them.
"""

_SPELLINGS = (
    (r"""["“”„](?>(?:[^"“”„\\\n]++|\\.)*)""", """["“”]"""),
    (r"""'(?>(?:[^'\\\n]++|\\.)*)""", "'"),
    (r"""‘(?>(?:[^‘’\\\n]++|\\.)*)""", "’"),
)
OPENED = rf"(?<!\\)(?:{'|'.join(opened for opened, _ in _SPELLINGS)})"
"""A string up to where its closing sign has to be."""
QUOTED = rf"(?<!\\)(?:{'|'.join(opened + closing for opened, closing in _SPELLINGS)})"
