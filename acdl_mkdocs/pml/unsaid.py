"""`unsaid()`: what stands in a document and in no prompt, so that whoever writes it anew can say what would be lost.

Comments, attributes of XML itself, and turns of nothing. Knows nothing about why a document is written.
"""

from xml.parsers import expat

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Source, Span


@dataclass(frozen=True, slots=True)
class Unsaid:
    """Something that is read over."""

    span: Span
    what: str
    """What it is: `a comment`, "the attribute `xml:lang` of `<text>`"."""


def unsaid(source: Source) -> tuple[Unsaid, ...]:
    """What of a document no prompt says, in its order.

    Parameters:
        source: A document that could be read; of another, what stands before its first error.
    """
    found = _Finding(source.text)
    try:
        found.parser.Parse(b"<prompt>", False)
        found.parser.Parse(found.data, False)
    except expat.ExpatError:
        pass
    finally:
        found.release()
    return tuple(found.found)


class _Finding:
    """Takes what expat reports."""

    def __init__(self, text: str) -> None:
        declaration = text.find("?>") + 2 if text.lstrip().startswith("<?xml") else 0
        self.data = (" " * declaration + text[declaration:]).encode(errors="replace")
        self.found: list[Unsaid] = []
        self.empty_turn: Span | None = None
        self.known_byte, self.known_offset = 0, 0
        self.parser = expat.ParserCreate("utf-8")
        self.parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
        self.parser.StartElementHandler = self.opened
        self.parser.EndElementHandler = self.closed
        self.parser.CommentHandler = self.commented

    def release(self) -> None:
        self.parser.StartElementHandler = None
        self.parser.EndElementHandler = None
        self.parser.CommentHandler = None

    def span(self, length: int) -> Span:
        """So many characters from here on; places are asked for in order."""
        byte = max(self.parser.CurrentByteIndex - len(b"<prompt>"), 0)
        self.known_offset += len(self.data[self.known_byte : byte].decode(errors="replace"))
        self.known_byte = byte
        return Span(self.known_offset, self.known_offset + length)

    def commented(self, text: str) -> None:
        self.found.append(Unsaid(self.span(len(text) + len("<!---->")), "a comment"))

    def opened(self, name: str, attributes: dict[str, str]) -> None:
        self.empty_turn = self.span(1) if name == "turn" else None
        for attribute in attributes:
            if attribute.startswith("xml:"):
                self.found.append(Unsaid(self.span(1), f"the attribute `{attribute}` of `<{name}>`"))

    def closed(self, _name: str) -> None:
        if self.empty_turn is not None:
            self.found.append(Unsaid(self.empty_turn, "an empty `<turn>`"))
        self.empty_turn = None
