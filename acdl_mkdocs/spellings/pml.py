"""A prompt as a document of PML, with and without white space between its elements."""

from collections.abc import Iterator

from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.pml.limits import Limits
from acdl_mkdocs.pml.read import ReadPml, read
from acdl_mkdocs.pml.write import Style, write
from acdl_mkdocs.prompt import Attachment, Call, Output, Prompt, Text, Thinking
from acdl_mkdocs.spellings.differences import differences
from acdl_mkdocs.spellings.spelled import Kind, Spelled

_ANY = Limits(size_bytes=2**31, elements=2**31, all_attributes=2**31)
"""The text is ours."""


def pml(prompt: Prompt) -> Spelled:
    """A line for each element."""
    return _spelled(prompt, "pretty")


def pml_min(prompt: Prompt) -> Spelled:
    """No white space between elements."""
    return _spelled(prompt, "min")


def _spelled(prompt: Prompt, style: Style) -> Spelled:
    text = write(prompt, style)
    found = read(text, limits=_ANY)
    pieces: dict[Kind, list[str]] = {
        "tools": list(_sections(found, "tools", len(prompt.tools))),
        "memory": list(_sections(found, "memory", len(prompt.memory))),
        "calls": [],
        "results": [],
        "files": [],
        "words": [part.text for each in prompt.messages for part in each.parts if isinstance(part, Text | Thinking)],
    }
    back = found.prompt
    for number, message in enumerate(back.messages if back is not None else ()):
        for at, part in enumerate(message.parts):
            kind = _KINDS.get(type(part))
            if kind is not None:
                pieces[kind].append(_with_line(text, found.places[f"messages[{number}].parts[{at}]"]))
    lost = ("all of it: what is written is no valid document",) if back is None else differences(prompt, back)
    return Spelled(text, pieces, lost)


_KINDS: dict[type, Kind] = {Call: "calls", Output: "results", Attachment: "files"}


def _sections(found: ReadPml, name: str, number: int) -> Iterator[str]:
    """The section of all tools, or of memory."""
    if number and f"{name}[{number - 1}]" in found.places:
        text = found.source.text
        start = text.rfind(f"<{name}", 0, found.places[f"{name}[0]"].start)
        end = text.find(f"</{name}>", found.places[f"{name}[{number - 1}]"].end) + len(f"</{name}>")
        yield _with_line(text, Span(start, end))


def _with_line(text: str, span: Span) -> str:
    """An element with the blanks before it and the line end behind it, if it stands in lines of its own."""
    start = span.start
    while text[start - 1 : start] == " ":
        start -= 1
    is_line = text[start - 1 : start] == "\n" and text[span.end : span.end + 1] == "\n"
    return text[start : span.end + 1] if is_line else text[span.start : span.end]
