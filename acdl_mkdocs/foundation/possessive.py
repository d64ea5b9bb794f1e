"""Groups in regular expressions that are repeated without going back, right in every Python and in little memory."""


def repeat_possessively(pattern: str) -> str:
    r"""Repeat a pattern without backtracking, as `[a-z]*+` does, which is wrong for groups before Python 3.11.5.

    Python keeps about 130 bytes for each repetition until the atomic group around it ends. So at most 500 are in one
    group, and any number of these in another.

    Parameters:
        pattern: What is repeated, such as `[^"]++|""`; it must match at least one character.
    """
    return f"(?>(?:(?>(?:{pattern}){{1,500}}))*)"
