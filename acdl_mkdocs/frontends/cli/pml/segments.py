"""Parts of a PML document: their path, their id, their text, their element."""

from collections.abc import Mapping

from acdl_mkdocs.foundation.errors import SegmentError
from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.frontends.cli.messages import StoppedError
from acdl_mkdocs.frontends.cli.pml.files import bytes_at
from acdl_mkdocs.prompts.pml.calls import write_call
from acdl_mkdocs.prompts.pml.read import ReadPml
from acdl_mkdocs.prompts.pml.segments import Segment, Value, replace, select_existing
from acdl_mkdocs.prompts.prompt import Attachment, Call, Memory, Message, Opaque, Output, Prompt, Text, Thinking, Tool


def segments_at(prompt: Prompt, where: str) -> tuple[Segment, ...]:
    """Return the parts that a path or an id selects.

    Raises:
        StoppedError: It is not a path, or selects nothing.
    """
    try:
        return select_existing(prompt, where)
    except SegmentError as reason:
        raise StoppedError(str(reason)) from None


def replace_segment(prompt: Prompt, where: str, path: str) -> Prompt:
    """Replace the text of a part, or the data of an attachment, by the contents of a file.

    Raises:
        StoppedError: The file cannot be read, or its contents are not allowed there.
    """
    data = bytes_at(path)
    try:
        content: str | bytes = data.decode()
    except UnicodeDecodeError:
        content = data
    try:
        return replace(prompt, where, content)
    except SegmentError as reason:
        begin = "" if isinstance(content, str) else f"{path}: is not UTF-8 text: "
        raise StoppedError(f"{begin}{reason}") from None


def element_of(document: ReadPml, segment: Segment) -> Span:
    """Return the span of the element of a part; a text without one is inside that of its result."""
    name, *numbers = segment.place
    path = f"{name}[{numbers[0]}]" + "".join(f".parts[{number}]" for number in numbers[1:])
    return document.places.get(path) or document.places[path.rpartition(".")[0]]


def words_of(value: Value) -> str | None:
    """Return the text of a part; `None` if it has no text itself."""
    match value:
        case Text(text) | Thinking(text) | Memory(text):
            return text
        case Attachment():
            return value.text
        case Output(parts=(Text(text),)):
            return text
        case Message() | Call() | Output() | Opaque() | Tool():
            return None


def hint_of(value: Value, tools: Mapping[str, Tool]) -> str:
    """Return a hint that identifies a part: its words, or the name that it calls or has."""
    match value:
        case Call():
            return write_call(value, tools.get(value.tool))
        case Tool():
            return f"{value.name}: {value.description}" if value.description else value.name
        case Attachment(text=None):
            return value.name or value.path or value.href or ""
        case _:
            return words_of(value) or ""
