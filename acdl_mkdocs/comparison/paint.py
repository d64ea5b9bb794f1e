"""Colours of a terminal for differences; they stand beside signs, never instead of them."""

from acdl_mkdocs.comparison.sent_words import Words
from acdl_mkdocs.foundation.text_width import visible

RED, GREEN, YELLOW, CYAN, BOLD = "\x1b[31m", "\x1b[32m", "\x1b[33m", "\x1b[36m", "\x1b[1m"
_RESET = "\x1b[0m"


class Paint:
    """Puts text in a colour, or leaves it."""

    def __init__(self, is_wanted: bool) -> None:
        """Remember whether there are colours."""
        self.is_wanted = is_wanted

    def __call__(self, color: str, text: str) -> str:
        """The text in that colour."""
        return f"{color}{text}{_RESET}" if self.is_wanted and text else text

    def words(self, words: tuple[Words, ...]) -> str:
        """Stretches of two texts in one line: `[-old-]{+new+}` as `git diff --word-diff` writes it."""
        return "".join(map(self._stretch, words)).strip()

    def _stretch(self, each: Words) -> str:
        text = visible(each.text)
        match each.kind:
            case "removed":
                return self(RED, f"[-{text}-]")
            case "added":
                return self(GREEN, f"{{+{text}+}}")
            case "folded":
                return f" … {int(each.text):,} characters … "
            case _:
                return text
