"""Parts of a PML document as a person sees them: their place, their id, their words, their element."""

from collections.abc import Mapping

from acdl_mkdocs.foundation.errors import SegmentError
from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.frontends.cli.messages import StoppedError
from acdl_mkdocs.frontends.cli.pml.files import bytes_at
from acdl_mkdocs.prompts.pml.calls import call_text
from acdl_mkdocs.prompts.pml.read import ReadPml
from acdl_mkdocs.prompts.pml.segments import Segment, Value, meant, replace
from acdl_mkdocs.prompts.prompt import Attachment, Call, Memory, Message, Opaque, Output, Prompt, Text, Thinking, Tool


def segments_at(prompt: Prompt, where: str) -> tuple[Segment, ...]:
    """The parts that a path or an id means.

    Raises:
        StoppedError: It is no path, or means nothing.
    """
    try:
        return meant(prompt, where)
    except SegmentError as reason:
        raise StoppedError(str(reason)) from None


def replaced(prompt: Prompt, where: str, path: str) -> Prompt:
    """A prompt with what a file has in the place of the words of a part, or of the data of an attachment.

    Raises:
        StoppedError: The file cannot be read, or its contents cannot stand there.
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
    """Where the element of a part stands; a text that has none stands in that of its result."""
    name, *numbers = segment.place
    path = f"{name}[{numbers[0]}]" + "".join(f".parts[{number}]" for number in numbers[1:])
    return document.places.get(path) or document.places[path.rpartition(".")[0]]


def words_of(value: Value) -> str | None:
    """The text of a part; `None` where it has none of its own."""
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
    """What tells a part from others: its words, or what it calls or is called."""
    match value:
        case Call():
            return call_text(value, tools.get(value.tool))
        case Tool():
            return f"{value.name}: {value.description}" if value.description else value.name
        case Attachment(text=None):
            return value.name or value.path or value.href or ""
        case _:
            return words_of(value) or ""
