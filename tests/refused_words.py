"""Words that neither code nor pages use, for `test_words.py` and the page about style."""

REFUSED_PHRASES = {
    "all the same": "anyway",
    "called like": "named after",
    "called otherwise": "renamed",
    "found out": "detected, inferred",
    "goes on": "continues, resumes",
    "held against": "checked against",
    "light up": "highlight",
    "lights up": "highlights",
    "mend": "fix",
    "mended": "fixed",
    "mends": "fixes",
    "stand beside": "are beside",
    "stand in": "are in",
    "stands beside": "is beside",
    "stands in": "is in",
    "told apart": "distinguished",
    "whoever's": "any person's",
}
"""What no docstring, comment, page and help text says, and what to write instead."""
