"""Tags, texts and numbers of JUnit XML: nothing in them acts on a terminal, or is forbidden in XML."""

from xml.sax.saxutils import escape, quoteattr

from acdl_mkdocs.reports.excerpt import visible

_NO_CHARACTERS = dict.fromkeys((0xFFFE, 0xFFFF), "\ufffd")
"""What may not stand in XML and is not replaced already, for being unprintable."""


def tag(element: str, end: str = "", /, **attributes: str) -> str:
    """The tag that opens an element, or is all of it with `/` at its end."""
    listed = "".join(f" {key}={quoteattr(_shown(value))}" for key, value in attributes.items())
    return f"<{element}{listed}{end}>"


def text_of(text: str) -> str:
    """A text of several lines inside an element."""
    return escape("\n".join(_shown(line) for line in text.split("\n")))


def counts(tests: int, failures: int, errors: int, skipped: int = 0) -> dict[str, str]:
    """The attributes of a suite that say how many cases it has, and what became of them."""
    numbers = {"tests": tests, "failures": failures, "errors": errors, "skipped": skipped, "time": 0}
    return {name: str(number) for name, number in numbers.items()}


def _shown(text: str) -> str:
    return visible(text).translate(_NO_CHARACTERS)
