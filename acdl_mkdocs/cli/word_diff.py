"""How two texts differ, word by word, on one line: `[-old-]{+new+}` as `git diff --word-diff` writes it."""

import re
from difflib import SequenceMatcher

_WORDS = re.compile(r"^\s+|\S+\s*")
_RED, _GREEN, _RESET = "\x1b[31m", "\x1b[32m", "\x1b[0m"


def word_diff(before: str, after: str, *, color: bool = False) -> str:
    """The second text with what was taken out and put in marked."""
    old, new = _WORDS.findall(before), _WORDS.findall(after)
    red, green, reset = (_RED, _GREEN, _RESET) if color else ("", "", "")
    found: list[str] = []
    for tag, i, j, k, m in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        out, into = "".join(old[i:j]), "".join(new[k:m])
        if tag == "equal":
            found.append(into)
            continue
        last = into or out
        blank = last[len(last.rstrip()) :]
        found.append(f"{red}[-{out.rstrip()}-]{reset}" if out else "")
        found.append(f"{green}{{+{into.rstrip()}+}}{reset}" if into else "")
        found.append(blank)
    return " ".join("".join(found).split("\n"))
