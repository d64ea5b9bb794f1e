"""Values of a state file: plain data, and maps that represent parts of messages: `{$call: …}`, `{$image: a.png}`.

A map with one special key is that part; other keys beside it are fields of the value. `$$name` is the key `$name`.
"""

import base64
import os
import posixpath
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from stat import S_ISDIR, S_ISREG

from acdl_mkdocs.evaluation.state.entries import Entries, Entry
from acdl_mkdocs.evaluation.values import Value, ValueWithFields
from acdl_mkdocs.foundation.real_path import is_on_share, real_path
from acdl_mkdocs.foundation.wording import find_closest
from acdl_mkdocs.foundation.yaml.nodes import YamlList, YamlMap, describe_value
from acdl_mkdocs.prompts.prompt import Attachment, Call, Json, Output, Text, Thinking

MAX_TEXT_BYTES = 1_000_000
MAX_IMAGE_BYTES = 5_000_000
"""More than providers accept."""


class UnusableFileError(Exception):
    """A file cannot be read; the message is a clause with the reason, and `help` has the fix."""

    def __init__(self, message: str, help: str) -> None:
        super().__init__(message)
        self.help = help


def read_bytes_below(folder: Path | None, name: str, max_bytes: int) -> bytes:
    """Return the bytes of a file.

    Parameters:
        folder: That of the state file; `None` if it has none.
        name: Path from there.
        max_bytes: A larger file is refused.

    Raises:
        UnusableFileError: It lies outside the folder, also by a symbolic link; it is missing, too large or no file.
    """
    if folder is None:
        raise UnusableFileError("cannot be read: the state comes from no folder", "save the state as a file")
    outside = UnusableFileError(
        "lies outside the folder of the state file", "copy it there, and name it by its path from there"
    )
    try:
        base = folder.resolve()
        if is_on_share(name, base):
            raise outside
        path = real_path(base / name)
        if os.path.isabs(name) or not path.is_relative_to(base):
            raise outside
        mode = path.stat().st_mode
        if S_ISDIR(mode):
            raise UnusableFileError("is a folder", "name a file in it")
        if not S_ISREG(mode):
            raise UnusableFileError("is a device or a pipe, not a file", "name a file")
        with path.open("rb") as file:
            data = file.read(max_bytes + 1)
    except (FileNotFoundError, NotADirectoryError):
        raise _make_missing_error(path.parent, name) from None
    except (OSError, ValueError) as reason:
        why = reason.strerror if isinstance(reason, OSError) and reason.strerror else str(reason)
        raise UnusableFileError(f"cannot be read: {why.lower()}", "check the name of the file") from None
    if len(data) > max_bytes:
        raise UnusableFileError(f"is larger than {max_bytes // 1_000_000} MB", "use a smaller one")
    return data


def read_text_below(folder: Path | None, name: str) -> str:
    """Return the text of a UTF-8 file, without a byte order mark; see `read_bytes_below`."""
    data = read_bytes_below(folder, name, MAX_TEXT_BYTES)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as reason:
        line = data.count(b"\n", 0, reason.start) + 1
        raise UnusableFileError(f"is not UTF-8 text: line {line}", "save it as UTF-8") from None
    if "\0" in text:
        raise UnusableFileError("is a binary file, not text", "name a text file")
    return text.replace("\r\n", "\n")


def _make_missing_error(parent: Path, name: str) -> UnusableFileError:
    names: list[str] = []
    with suppress(OSError):  # a folder that may not be listed gives no similar name
        names = [each.name for each in parent.iterdir()]
    near = find_closest(Path(name).name, names)
    cure = f"did you mean `{(Path(name).parent / near).as_posix()}`?" if near else "name it by its path from there"
    return UnusableFileError("does not exist in the folder of the state file", cure)


_IMAGE_TYPES = {".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif"} | {
    ".webp": "image/webp"
}
_ADDRESS = ("https://", "http://")


def read_value(entries: Entries, entry: Entry) -> Value:
    """Return the value of an entry; report problems and return a substitute."""
    match entry.node:
        case YamlList():
            return tuple(read_value(entries, each) for each in entries.read_items(entry) or ())
        case YamlMap():
            return _read_map(entries, entry)
    value = entries.read_value(entry)
    return None if isinstance(value, (YamlList, YamlMap)) else value


def read_json_value(entries: Entries, entry: Entry) -> Json:
    """Return the value of an entry as JSON, without parts of messages."""
    match entry.node:
        case YamlList():
            return [read_json_value(entries, each) for each in entries.read_items(entry) or ()]
        case YamlMap():
            return {each.key: read_json_value(entries, each) for each in entries.read_pairs(entry) or ()}
    value = entries.read_value(entry)
    return None if isinstance(value, (YamlList, YamlMap)) else value


def _read_map(entries: Entries, entry: Entry) -> Value:
    special: list[Entry] = []
    fields: dict[str, Value] = {}
    for each in entries.read_pairs(entry) or ():
        if not each.key.startswith("$"):
            fields[each.key] = read_value(entries, each)
        elif each.key.startswith("$$"):
            fields[each.key[1:]] = read_value(entries, each)
        elif each.key in _PARTS or each.key == "$value":
            special.append(each)
        else:
            near = find_closest(each.key, ("$value", *_PARTS))
            message = f": did you mean {near}?" if near else "is not a special key"
            listed = ", ".join(f"`{name}`" for name in ("$value", *_PARTS))
            entries.report_problem(
                each, message, f"special keys are {listed}; for the key itself write `${each.key}`", at=each.name_span
            )
    if not special:
        return fields
    for other in special[1:]:
        entries.report_problem(other, f"stands beside `{special[0].key}`", "write them as two values, in a list")
    first = special[0]
    value = read_value(entries, first) if first.key == "$value" else _PARTS[first.key](entries, first)
    return ValueWithFields(value, fields) if fields else value


def _read_call(entries: Entries, entry: Entry) -> Value:
    """Read `$call: {id, name, arguments}`."""
    fields = entries.read_known_keys(entry, ("id", "name", "arguments"), needed=("name",))
    name = entries.read_text(fields["name"]) if "name" in fields else None
    arguments: Mapping[str, Json] = {}
    if "arguments" in fields:
        content = read_json_value(entries, fields["arguments"])
        if isinstance(content, dict):
            arguments = content
        elif content is not None:
            entries.report_problem(
                fields["arguments"], f"is {describe_value(fields['arguments'].node)}, and a map is needed", _ARGUMENTS
            )
    return Call(name or "", arguments, entries.read_text(fields["id"]) if "id" in fields else None)


_ARGUMENTS = "write each argument as `name: value`"


def _read_result(entries: Entries, entry: Entry) -> Value:
    """Read `$result: {id, name, content, error}`, or only its text."""
    if not isinstance(entry.node, YamlMap):
        return Output(_read_contents(entries, entry))
    fields = entries.read_known_keys(entry, ("id", "name", "content", "error"), needed=("content",))
    parts = _read_contents(entries, fields["content"]) if "content" in fields else ()
    call_id, tool = (entries.read_text(fields[each]) if each in fields else None for each in ("id", "name"))
    return Output(parts, call_id, tool, read_flag(entries, fields.get("error")))


def _read_contents(entries: Entries, entry: Entry) -> tuple[Text | Attachment, ...]:
    """Read text, an image, or a list of them."""
    if isinstance(entry.node, YamlList):
        return tuple(part for each in entries.read_items(entry) or () for part in _read_contents(entries, each))
    if isinstance(entry.node, YamlMap):
        value = read_value(entries, entry)
        if isinstance(value, Attachment):
            return (value,)
        entries.report_problem(
            entry, "is a map, and text or an image is needed", "write JSON as text: `content: '{\"a\": 1}'`"
        )
        return ()
    text = entries.read_text(entry)
    return (Text(text),) if text is not None else ()


def _read_image(entries: Entries, entry: Entry) -> Value:
    """Read `$image: path` with the data of the file; an address is not read."""
    name = entries.read_text(entry)
    if name is None:
        return Attachment("image")
    mime = _IMAGE_TYPES.get(posixpath.splitext(name)[1].lower())
    if name.startswith(_ADDRESS):
        return Attachment("image", mime=mime, href=name)
    try:
        data = read_bytes_below(entries.folder, name, MAX_IMAGE_BYTES)
    except UnusableFileError as reason:
        entries.report_problem(entry, f"names `{name}`, which {reason}", reason.help)
        return Attachment("image", posixpath.basename(name), name)
    mime = _detect_image_type(data)
    if mime is None:
        entries.report_problem(
            entry, f"names `{name}`, which is not a PNG, JPEG, GIF or WebP image", "convert it to PNG"
        )
    return Attachment("image", posixpath.basename(name), name, mime, base64.b64encode(data).decode("ascii"))


def _detect_image_type(data: bytes) -> str | None:
    """Detect the type of an image by its first bytes."""
    for start, mime in (
        (b"\x89PNG\r\n\x1a\n", "png"),
        (b"\xff\xd8\xff", "jpeg"),
        (b"GIF87a", "gif"),
        (b"GIF89a", "gif"),
    ):
        if data.startswith(start):
            return f"image/{mime}"
    return "image/webp" if data[:4] == b"RIFF" and data[8:12] == b"WEBP" else None


def _read_thinking(entries: Entries, entry: Entry) -> Value:
    """Read `$thinking: text`, or `{text, signature, provider}`."""
    if not isinstance(entry.node, YamlMap):
        return Thinking(entries.read_text(entry) or "")
    names = ("text", "signature", "provider")
    fields = entries.read_known_keys(entry, (*names, "redacted"), needed=("text",))
    text, signature, provider = (entries.read_text(fields[each]) if each in fields else None for each in names)
    return Thinking(text or "", signature, read_flag(entries, fields.get("redacted")), provider)


_ATTACHMENT = ("name", "path", "mime", "data", "text", "href", "id")


def _read_attachment(entries: Entries, entry: Entry) -> Value:
    """Read `$attachment: {type, name, path, mime, text}`, or with `data` in base64, or with an `href`."""
    fields = entries.read_known_keys(entry, ("type", *_ATTACHMENT), needed=("type",))
    kind = entries.read_text(fields["type"]) if "type" in fields else None
    values = {each: entries.read_text(fields[each]) for each in _ATTACHMENT if each in fields}
    data = values.get("data")
    if data is not None and not _is_base64(data):
        entries.report_problem(fields["data"], "is not base64", "write text as `text: …`")
    return Attachment("file" if kind is None else kind, **values)


def _is_base64(data: str) -> bool:
    try:
        base64.b64decode(data, validate=True)
    except ValueError:
        return False
    return True


def read_flag(entries: Entries, entry: Entry | None) -> bool:
    """Return a truth value; report anything but true and false."""
    value = entries.read_plain(entry) if entry is not None else False
    if entry is not None and not isinstance(value, bool):
        entries.report_problem(entry, f"is {describe_value(entry.node)}, and it can be `true` or `false`")
    return value is True


_PARTS = {
    "$call": _read_call,
    "$result": _read_result,
    "$image": _read_image,
    "$attachment": _read_attachment,
    "$thinking": _read_thinking,
}
"""Special keys, and what each makes of its value."""
