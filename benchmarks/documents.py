"""PML: how long a document of 10 MB takes to be written and read, and one of many short messages."""

from functools import partial

from measure import Row, Series, in_turn, timed_row

from acdl_mkdocs.prompts.pml.read import read
from acdl_mkdocs.prompts.pml.write import Style, write
from acdl_mkdocs.prompts.prompt import Attachment, Call, Message, Output, Prompt, Role, Text, Thinking, Tool

LEAST_MB_PER_S = 5
_SEARCH = Tool("S", "search", {"type": "object", "properties": {"q": {"type": "string"}, "n": {"type": "integer"}}})
_CODE = "def total(items):\n    return sum(each.price for each in items if each.price > 0 and each.n < 9)\n" * 60


def measure() -> list[Row]:
    """All rows of this part."""
    files, many = _with_files(1_400), short(20_000)
    return [*_rows("files, 10 MB", files), *_rows("short messages", many), *_rows("short messages, min", many, "min")]


def _rows(what: str, prompt: Prompt, style: Style = "pretty") -> list[Row]:
    """Writing and reading of one document, with a bar that grows with its size."""
    text = write(prompt, style)
    size_mb = len(text.encode()) / 1e6
    written, found = in_turn(5, partial(write, prompt, style), partial(read, text))
    return [_row(f"write PML, {what}", written, size_mb), _row(f"read PML, {what}", found, size_mb)]


def _row(what: str, series: Series, size_mb: float) -> Row:
    return timed_row(f"{what} ({size_mb:.1f} MB)", series, at_most_ms=round(size_mb / LEAST_MB_PER_S * 1000))


def _with_files(n_turns: int) -> Prompt:
    """Questions with a file, answers with a thought and a call, and results."""
    messages: list[Message] = []
    for turn in range(1, n_turns + 1):
        call = Call("S", {"q": f"price of {turn}", "n": 3, "text": "one\ntwo"}, f"call_{turn}")
        messages += [
            Message("user", (Text("What is the total? " * 5), Attachment("file", "total.py", text=_CODE)), turn=turn),
            Message("assistant", (Thinking("Prices & sums " * 10), Text("I look. " * 20), call), turn=turn),
            Message("tool", (Output((Text('{"price": 12} ' * 20),), call.id),), turn=turn),
            Message("assistant", (Text("It is 12. " * 20),), turn=turn),
        ]
    return Prompt(tuple(messages), (_SEARCH,))


def short(n_messages: int) -> Prompt:
    """Messages of a few words, so that elements are most of the text."""
    roles: tuple[Role, ...] = ("user", "assistant")
    return Prompt(tuple(Message(roles[n % 2], (Text(f"no. {n}: é & ü"),)) for n in range(n_messages)))
