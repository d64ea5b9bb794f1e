"""Images and files in requests: `data:` URLs, media types, and words for formats that cannot hold them."""

import re
from binascii import a2b_base64

from acdl_mkdocs.prompts.prompt import Attachment
from acdl_mkdocs.prompts.providers.results import AdaptedPrompt, ProviderPart
from acdl_mkdocs.prompts.providers.tagged_text import write_attachment

_DATA_URL = re.compile(r"data:([^,;]*);base64,")
_STARTS = {"iVBORw0KGgo": "image/png", "/9j/": "image/jpeg", "R0lGOD": "image/gif", "UklGR": "image/webp"}
_STARTS |= {"JVBERi0": "application/pdf"}
_UNKNOWN = "application/octet-stream"


def make_data_url(attachment: Attachment) -> str:
    """Return the data of an image or file as a URL."""
    return f"data:{detect_mime(attachment)};base64,{attachment.data}"


def detect_mime(attachment: Attachment) -> str:
    """Return the media type: as given, or detected from the data."""
    if attachment.mime:
        return attachment.mime
    return _detect_mime(attachment) or ("image/png" if attachment.type == "image" else _UNKNOWN)


def _detect_mime(attachment: Attachment) -> str | None:
    """Detect the media type by the first bytes."""
    return next((mime for start, mime in _STARTS.items() if (attachment.data or "").startswith(start)), None)


def read_url(type: str, url: str, name: str | None = None) -> Attachment | None:
    """Read a URL as data or a link; `None` if we would spell it differently or cannot hold it."""
    match = _DATA_URL.match(url)
    if match is not None:
        data = url[match.end() :]
        return Attachment(type, name=name, mime=match[1] or None, data=data) if is_base64(data) else None
    return None if url[:5].lower() == "data:" else Attachment(type, name=name, href=url)


def is_base64(data: str) -> bool:
    """Return whether a text is base64; if programs disagree about it, only the provider can read it."""
    try:
        a2b_base64(data, strict_mode=True)
    except ValueError:
        return False
    return True


def is_image(attachment: Attachment) -> bool:
    """Return whether it is an image."""
    return attachment.type == "image" or (attachment.mime or "").startswith("image/")


def describe_attachment(piece: ProviderPart, attachment: Attachment, adapted: AdaptedPrompt, where: str) -> str:
    """Return an attachment as text in tags, and report the loss: of text its structure, of data everything."""
    if attachment.text is not None:
        sentence = "the file is sent as text in `<attachment>` tags"
        cure = "if the tags are unwanted, write the text in a message"
    else:
        sentence = f"{where} cannot contain this {attachment.type}: only its description is sent, as text"
        cure = "put it into a user message, as an image or text" if attachment.data else "give its content as text"
    adapted.report_loss(piece.path, sentence, cure)
    return write_attachment(attachment)


def lose_fields(piece: ProviderPart, attachment: Attachment, adapted: AdaptedPrompt, *written: str) -> None:
    """Report what about an attachment is not sent."""
    if attachment.data and not attachment.mime and not _detect_mime(attachment):
        sentence = f"the media type of the {attachment.type} is not known: it is sent as `{detect_mime(attachment)}`"
        adapted.report_loss(piece.path, sentence, "set its `mime`")
    fields = ("name", "path", "mime", "id")
    lost = [f"`{name}`" for name in fields if name not in written and getattr(attachment, name) is not None]
    if attachment.type not in ("image", "file"):
        lost.append("`type`")
    if lost:
        verb = "is" if len(lost) == 1 else "are"
        adapted.report_loss(
            piece.path, f"{', '.join(lost)} of the {attachment.type} {verb} not sent", "write it in the text"
        )
