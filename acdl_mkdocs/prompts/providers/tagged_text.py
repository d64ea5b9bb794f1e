"""Parts of a prompt as text in tags, for formats that have only words: files, memory, results without a call."""

from collections.abc import Sequence
from dataclasses import replace
from html import escape

from acdl_mkdocs.prompts.prompt import Attachment, Call, Json, Memory, Opaque, Output, Part, Text, Thinking

_STATUS = '<tool_output status="{}">\n'
_END = "\n</tool_output>"


def describe_part(part: Part) -> str:
    """Describe the kind of a part, for messages."""
    match part:
        case Output():
            return "a result of a tool"
        case Call():
            return "a call"
        case Thinking():
            return "thinking"
        case _:
            return "text"


def write_memory(memory: Sequence[Memory]) -> str:
    """Write memory in `<memory>` tags, an element for each entry."""
    return "\n".join(["<memory>", *(_write_memory(each) for each in memory), "</memory>"])


def _write_memory(each: Memory) -> str:
    key = {"fact": "key"}.get(each.kind, "label")
    return _write_element(each.kind, {key: each.key}, each.text)


def tag_block(block: dict[str, Json]) -> dict[str, Json]:
    """Put a block of instructions that is sent in a user message into tags; return other blocks unchanged."""
    text = block.get("text")
    return {**block, "text": f"<system>{escape(text, quote=False)}</system>"} if isinstance(text, str) else block


def write_attachment(attachment: Attachment) -> str:
    """Write a file as text in tags; of binary data, only the name and type."""
    names = {"type": attachment.type, "name": attachment.name, "path": attachment.path, "id": attachment.id}
    return _write_element(
        "attachment", {**names, "mime": attachment.mime, "href": attachment.href}, attachment.text or ""
    )


def write_output(output: Output) -> str:
    """Write a result without a call as text in tags."""
    inside = "\n".join(_get_text(part) for part in output.parts)
    names = {"id": output.call_id, "name": output.tool, "status": "error" if output.is_error else None}
    return _write_element("tool_output", {**names, "mime": output.mime}, inside)


def _get_text(part: Text | Attachment | Opaque) -> str:
    match part:
        case Text(text):
            return text
        case Attachment():
            return write_attachment(part)
        case Opaque():
            return ""


def _write_element(name: str, attributes: dict[str, str | None], text: str) -> str:
    attribute_text = "".join(f' {key}="{escape(value)}"' for key, value in attributes.items() if value is not None)
    return f"<{name}{attribute_text}>{escape(text, quote=False)}</{name}>" if text else f"<{name}{attribute_text}/>"


def add_status(blocks: list[dict[str, Json]], kind: str, *, is_error: bool) -> list[dict[str, Json]]:
    """Add the error status to the blocks of a result, for formats without a flag.

    `remove_status` removes it again.
    """
    texts = [text for block in blocks if block.get("type") == kind and isinstance(text := block.get("text"), str)]
    if not is_error and not (texts and texts[0].startswith("<tool_output ")):
        return blocks
    if not texts:
        blocks, texts = [*blocks, {"type": kind, "text": ""}], [""]
    texts[0] = _STATUS.format("error" if is_error else "ok") + texts[0]
    texts[-1] += _END
    rest = iter(texts)
    is_text = [block.get("type") == kind and isinstance(block.get("text"), str) for block in blocks]
    return [{**block, "text": next(rest)} if is_it else block for block, is_it in zip(blocks, is_text, strict=True)]


FORGEABLE = (
    "whether the result is an error is read from the tags around its text, which the tool could have written itself",
    "no change is needed if your program wrote them, as this format has no other place for it",
)
"""The problem if `remove_status` has removed tags, and its help."""
_Inside = Text | Attachment | Opaque


def remove_status(parts: tuple[_Inside, ...]) -> tuple[tuple[_Inside, ...], bool]:
    """Remove what `add_status` added to the parts of a result; also return whether it is an error."""
    texts = [part.text for part in parts if isinstance(part, Text)]
    for status in ("error", "ok"):
        start = _STATUS.format(status)
        if not texts or not texts[0].startswith(start) or not texts[-1].endswith(_END):
            continue
        if len(texts) == 1 and len(texts[0]) < len(start) + len(_END):
            continue
        texts[0] = texts[0].removeprefix(start)
        texts[-1] = texts[-1].removesuffix(_END)
        rest = iter(texts)
        bare = tuple(replace(part, text=next(rest)) if isinstance(part, Text) else part for part in parts)
        return bare, status == "error"
    return parts, False
