"""A whole prompt as HTML: memory, tools, then turns of messages, drawn like those of an evaluation.

Complete without styles and scripts. Every id begins with the name of the conversation; class names begin with
`acdl-sent`, as those of an evaluation, with `acdl-turn` and with `acdl-pml`.
"""

from collections.abc import Iterator, Mapping, Sequence
from html import escape

from acdl_mkdocs.evaluation.formats.message_html import (
    Anchors,
    Pair,
    Place,
    format_count,
    index_tools,
    pair_calls,
    write_memory_panel,
    write_message,
    write_part,
    write_tools_panel,
)
from acdl_mkdocs.foundation.safe_text import make_visible
from acdl_mkdocs.prompts.prompt import Attachment, Call, Message, Opaque, Part, Prompt, group_turns


class _ConversationWriter:
    """Writes the messages of one prompt, which share pairs of calls and results, tools, and ids."""

    def __init__(self, prompt: Prompt, name: str) -> None:
        ids = Anchors(name)
        self.anchor = ids.make_anchor
        self._pairs: Mapping[Place, Pair] = pair_calls(prompt.messages, name)
        self.tools = index_tools(prompt.tools, ids)

    def write_message(self, message: Message, number: int) -> str:
        """Write a message."""
        head, attributes = list(_write_head(message)), ""
        if message.id:
            anchor = self.anchor("id", message.id)
            attributes = f' id="{anchor}"'
            head.append(f'<a class="acdl-sent-line" href="#{anchor}">{escape(make_visible(message.id))}</a>')
        content = [self._write_part(part, (number, at)) for at, part in enumerate(message.parts)]
        return "".join(write_message(message.role, content, head=head, attributes=attributes))

    def _write_part(self, part: Part, position: Place) -> str:
        anchor = self.anchor("id", part.id) if isinstance(part, Attachment) and part.id else ""
        return f'<div class="acdl-sent-piece">{write_part(part, self._pairs.get(position), self.tools, anchor)}</div>'


def write_conversation(prompt: Prompt, name: str, remarks: Sequence[str] = ()) -> str:
    """Write a prompt.

    Parameters:
        prompt: The prompt.
        name: The prefix of ids.
        remarks: Sentences about the whole prompt, as plain text.
    """
    writer = _ConversationWriter(prompt, name)
    return "".join(
        (
            f'<div class="acdl-sent acdl-pml-conversation"><p class="acdl-sent-intro">{_write_intro(prompt)}</p>',
            _write_remarks(remarks),
            *write_memory_panel(prompt.memory),
            *write_tools_panel(writer.tools, is_open=not prompt.messages),
            *_write_settings(prompt.settings),
            *_write_turns(prompt.messages, writer),
            "</div>",
        )
    )


def _write_intro(prompt: Prompt) -> str:
    """Write the topic and the size of the prompt."""
    called = escape(make_visible(prompt.topic or prompt.id or ""))
    n_calls = sum(isinstance(part, Call) for message in prompt.messages for part in message.parts)
    n_attachments = sum(isinstance(part, Attachment) for message in prompt.messages for part in message.parts)
    amounts = (
        (len([turn for turn in group_turns(prompt.messages) if not turn.is_outside]), "turn"),
        (len(prompt.messages), "message"),
        (n_calls, "call"),
        (n_attachments, "attachment"),
        (len(prompt.tools), "tool"),
    )
    summary = ", ".join(format_count(number, noun) for number, noun in amounts if number) or "nothing"
    return f"<strong>{called}</strong> <small>{summary}</small>" if called else f"<small>{summary}</small>"


def _write_remarks(remarks: Sequence[str]) -> str:
    items = "".join(f"<li>{escape(make_visible(each))}</li>" for each in remarks)
    return f'<ul class="acdl-sent-remarks">{items}</ul>' if items else ""


def _write_settings(settings: Sequence[Opaque]) -> Iterator[str]:
    for each in settings:
        yield f'<div class="acdl-sent-piece">{write_part(each)}</div>'


# --------------------------------------------------------------------------------------------------------------- turns


def _write_turns(messages: Sequence[Message], writer: _ConversationWriter) -> Iterator[str]:
    """Yield messages by turns, counted if they have no number; instructions before the first turn are apart."""
    number = 0
    outside: list[str] = []
    for turn in group_turns(messages):
        items = [writer.write_message(each, at) for at, each in enumerate(turn.messages, turn.start)]
        if turn.is_outside:
            outside += items
            continue
        if outside:
            yield _write_list(outside)
            outside = []
        number = number + 1 if turn.number is None else turn.number
        anchor = writer.anchor("turn", str(number))
        title = f'<p class="acdl-turn-title" id="{anchor}-title"><a href="#{anchor}">Turn {number}</a></p>'
        named = f'id="{anchor}" role="group" aria-labelledby="{anchor}-title"'
        yield f'<section class="acdl-turn" {named}>{title}{_write_list(items)}</section>'
    if outside:
        yield _write_list(outside)


def _write_list(messages: Sequence[str]) -> str:
    return f'<ol class="acdl-sent-messages">{"".join(messages)}</ol>'


def _write_head(message: Message) -> Iterator[str]:
    if message.name:
        yield f'<span class="acdl-sent-who">{escape(make_visible(message.name))}</span>'
