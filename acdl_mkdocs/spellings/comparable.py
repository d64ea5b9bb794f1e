"""`comparable()`: a prompt without what is no text for a model, so that spellings are compared by what they say."""

from collections.abc import Iterator
from dataclasses import replace

from acdl_mkdocs.evaluation.formats.message_html import counted
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.prompt import Attachment, Call, Opaque, Output, Part, Prompt, Text, Thinking

NO_DATA = "AA=="
"""Stands for the data of images and other files."""


@dataclass(frozen=True, slots=True)
class Comparable:
    """A prompt, and what was left out of it."""

    prompt: Prompt
    left_out: tuple[str, ...]
    """For a person: `the data of 2 files, which providers count by size`."""


def comparable(prompt: Prompt) -> Comparable:
    """The prompt without settings, data of files, signatures, and what one provider alone understands.

    Providers count images by their size and not by the letters of their data. A call's arguments are spelled anew, and
    a result names its tool only where it names no call.
    """
    made = _Made({part.id for each in prompt.messages for part in each.parts if isinstance(part, Call) and part.id})
    messages = tuple(
        message
        for each in prompt.messages
        if (message := replace(each, parts=tuple(made.parts(each.parts)))).parts or not each.parts
    )
    n_own = made.n_own + len(prompt.settings) + sum(tool.more is not None for tool in prompt.tools)
    left_out = []
    if made.n_data:
        left_out.append(f"the data of {counted(made.n_data, 'file')}, which providers count by size")
    if n_own:
        left_out.append(f"{counted(n_own, 'thing')} that one provider alone understands")
    if made.n_signed:
        left_out.append(counted(made.n_signed, "signature"))
    if made.n_respelled:
        left_out.append(f"how the arguments of {counted(made.n_respelled, 'call')} were spelled")
    tools = tuple(replace(tool, more=None) for tool in prompt.tools)
    return Comparable(replace(prompt, messages=messages, tools=tools, settings=()), tuple(left_out))


@dataclass(slots=True)
class _Made:
    """Makes parts anew, and counts what is left out of them."""

    calls: set[str]
    """Ids of all calls."""
    n_own: int = 0
    n_data: int = 0
    n_signed: int = 0
    n_respelled: int = 0

    def parts(self, parts: tuple[Part, ...]) -> Iterator[Part]:
        """Parts of a message."""
        for part in parts:
            match part:
                case Call():
                    self.n_signed += part.signature is not None
                    self.n_respelled += part.args_raw is not None
                    yield replace(part, args_raw=None, signature=None)
                case Output():
                    tool = None if part.call_id in self.calls else part.tool
                    yield replace(part, parts=tuple(self.inside(part)), tool=tool)
                case Attachment():
                    yield self.attachment(part)
                case Thinking(is_redacted=False):
                    self.n_signed += part.signature is not None
                    yield replace(part, signature=None, provider=None)
                case Text():
                    yield part
                case _:
                    self.n_own += 1

    def inside(self, output: Output) -> Iterator[Text | Attachment]:
        """Parts of a result."""
        for part in output.parts:
            match part:
                case Text():
                    yield part
                case Attachment():
                    yield self.attachment(part)
                case Opaque():
                    self.n_own += 1

    def attachment(self, part: Attachment) -> Attachment:
        """A file without its data."""
        if part.data is None:
            return part
        self.n_data += 1
        return replace(part, data=NO_DATA)
