"""Segments: every part of a prompt can be named, taken out and replaced."""

import pytest

from acdl_mkdocs.foundation.errors import SegmentError
from acdl_mkdocs.prompts.pml.segments import remove, replace, select
from acdl_mkdocs.prompts.prompt import Attachment, Call, Memory, Message, Output, Prompt, Text, Tool

FILE = Attachment("file", "a.py", text="x", id="f")
CURSOR = Attachment("cursor", text="Line 1")
CALL, OTHER = Call("W", {"a": 1}, "c1"), Call("W", {"a": 2})
PROMPT = Prompt(
    (
        Message("system", (Text("s"),)),
        Message("user", (Text("q"), FILE, CURSOR), id="u"),
        Message("assistant", (Text("a"), CALL, OTHER)),
        Message("tool", (Output((Text("1"), CURSOR), "c1"),)),
        Message("tool", (Output((Text("2"),)),)),
        Message("user", (Text("r"),)),
    ),
    (Tool("W"), Tool("V")),
    (Memory("m"), Memory("n", "summary"), Memory("o")),
)


@pytest.mark.parametrize(
    ("where", "paths"),
    [
        ("system", ["system[1]"]),
        ("system/text", ["system[1]/text[1]"]),
        ("turn[1]/user", ["turn[1]/user[1]"]),
        ("turn/user", ["turn[1]/user[1]", "turn[2]/user[1]"]),
        ("turn[1]/user/attachment[2]", ["turn[1]/user[1]/attachment[2]"]),
        (
            "turn[1]/user/*",
            ["turn[1]/user[1]/text[1]", "turn[1]/user[1]/attachment[1]", "turn[1]/user[1]/attachment[2]"],
        ),
        ("turn[1]/assistant/call", ["turn[1]/assistant[1]/call[1]", "turn[1]/assistant[1]/call[2]"]),
        ("turn[1]/tool_output[2]", ["turn[1]/tool_output[2]"]),
        ("turn[1]/tool_output[1]/content", ["turn[1]/tool_output[1]/content[1]"]),
        ("turn[1]", ["turn[1]/user[1]", "turn[1]/assistant[1]", "turn[1]/tool_output[1]", "turn[1]/tool_output[2]"]),
        ("memory", ["memory/fact[1]", "memory/summary[1]", "memory/fact[2]"]),
        ("memory/fact[2]", ["memory/fact[2]"]),
        ("tools/tool[2]", ["tools/tool[2]"]),
        ("#f", ["turn[1]/user[1]/attachment[1]"]),
        ("#u", ["turn[1]/user[1]"]),
        ("#c1", ["turn[1]/assistant[1]/call[1]"]),
        ("turn[3]", []),
        ("#nobody", []),
    ],
)
def test_select(where: str, paths: list[str]) -> None:
    """A path or an id means these segments, and the path of each means it alone."""
    found = select(PROMPT, where)
    assert [segment.path for segment in found] == paths
    for segment in found:
        assert select(PROMPT, segment.path) == (segment,)


def test_remove_attachment() -> None:
    """The message stays, the file is forgotten."""
    left = remove(PROMPT, "#f")
    assert left.messages[1].parts == (Text("q"), CURSOR)
    assert (left.messages[0], *left.messages[2:]) == (PROMPT.messages[0], *PROMPT.messages[2:])


def test_remove_last_part() -> None:
    """A message of nothing goes too."""
    assert remove(PROMPT, "turn[2]/user/text").messages == PROMPT.messages[:-1]


@pytest.mark.parametrize(("where", "gone"), [("turn[1]/assistant/call[1]", 3), ("turn[1]/assistant/call[2]", 4)])
def test_remove_call(where: str, gone: int) -> None:
    """Its result goes too, whether it names the call or is the next one."""
    left = remove(PROMPT, where)
    assert PROMPT.messages[gone] not in left.messages
    assert len(left.messages) == len(PROMPT.messages) - 1


def test_remove_message_of_calls() -> None:
    """The results of all its calls go too."""
    assert remove(PROMPT, "turn[1]/assistant").messages == (*PROMPT.messages[:2], PROMPT.messages[-1])


def test_remove_others() -> None:
    """Turns, memory, tools, parts of results."""
    assert remove(PROMPT, "turn[1]").messages == (PROMPT.messages[0], PROMPT.messages[-1])
    assert remove(PROMPT, "memory").memory == ()
    assert remove(PROMPT, "tools/tool[1]").tools == (Tool("V"),)
    assert remove(PROMPT, "turn[1]/tool_output[1]/attachment").messages[3].parts == (Output((Text("1"),), "c1"),)


def test_replace() -> None:
    """Words, whole parts, messages, memory and tools."""
    assert replace(PROMPT, "#f", "y").messages[1].parts[1] == Attachment("file", "a.py", text="y", id="f")
    assert replace(PROMPT, "#f", CURSOR).messages[1].parts == (Text("q"), CURSOR, CURSOR)
    assert replace(PROMPT, "turn[2]/user/text", "z").messages[-1] == Message("user", (Text("z"),))
    assert replace(PROMPT, "turn[1]/tool_output[1]", "z").messages[3].parts == (Output((Text("z"),), "c1"),)
    assert replace(PROMPT, "turn[1]/tool_output/content", "z").messages[4].parts == (Output((Text("z"),)),)
    assert replace(PROMPT, "system", Message("system", ())).messages[0].parts == ()
    assert replace(PROMPT, "memory/summary", "z").memory[1] == Memory("z", "summary")
    assert replace(PROMPT, "tools/tool", Tool("X")).tools == (Tool("X"), Tool("X"))


@pytest.mark.parametrize(
    ("where", "value", "words"),
    [
        ("turn[", "x", "is not a path"),
        ("", "x", "is not a path"),
        ("turn[0]", "x", "is not a path"),
        ("turn[1]/usr", "x", "the prompt has no `turn[1]/usr`; did you mean `turn[1]/user[1]`?"),
        ("turn[9]/call", "x", "its paths are: `memory/fact[1]`"),
        ("turn[9]/call", "x", "and 12 others"),
        ("conversation/turn[1]", "x", "the prompt has no `conversation/turn[1]`; did you mean `turn[1]`?"),
        ("prompt/memory", "x", "did you mean `memory`?"),
        ("#nobody", "x", "the prompt has no `#nobody`; its ids are: `#u` `#f` `#c1`"),
        ("turn[1]/user/text", b"\xff", "`turn[1]/user[1]/text[1]` can only have text"),
        ("turn[1]/user", "x", "`turn[1]/user[1]` has no text of its own"),
        ("turn[1]/user", Text("x"), "`turn[1]/user[1]` is a message, so a text cannot be there"),
        ("memory", Tool("x"), "`memory/fact[1]` is a memory, so a tool cannot be there"),
        ("turn[1]/tool_output/content", CALL, "can only contain texts and attachments"),
    ],
)
def test_what_means_nothing(where: str, value: Text | Tool | Call | str, words: str) -> None:
    """It is said what is there instead."""
    with pytest.raises(SegmentError) as error:
        replace(PROMPT, where, value)
    assert words in str(error.value)


def test_data() -> None:
    """An attachment can have bytes instead of a text."""
    (_, file, _) = replace(PROMPT, "#f", b"\xff\x00").messages[1].parts
    assert file == Attachment("file", "a.py", data="/wA=", id="f")


def test_many() -> None:
    """Each of very many parts is replaced, in one pass."""
    parts = tuple(Text(str(number)) for number in range(2_000))
    output = Output(parts, "1")
    prompt = Prompt((Message("user", parts), Message("tool", (output,))), (), (Memory("m"),) * 2_000)
    assert replace(prompt, "turn/user/text", "x").messages[0].parts == (Text("x"),) * 2_000
    assert replace(prompt, "turn/tool_output/content", "x").messages[1].parts == (Output((Text("x"),) * 2_000, "1"),)
    assert replace(prompt, "memory/fact", "x").memory == (Memory("x"),) * 2_000


def test_memory_id() -> None:
    """The id of the memory is all that is in it."""
    prompt = Prompt((), memory=(Memory("a"), Memory("b")), memory_id="m")
    assert [each.path for each in select(prompt, "#m")] == ["memory/fact[1]", "memory/fact[2]"]
    assert remove(prompt, "#m") == Prompt(())
    assert remove(prompt, "memory/fact[1]").memory_id == "m"
    with pytest.raises(SegmentError, match="its ids are: `#m`"):
        remove(prompt, "#other")


def test_no_ids() -> None:
    """A prompt without ids has paths only."""
    with pytest.raises(SegmentError, match="it has no ids, so name a part by its path"):
        remove(Prompt((Message("user", (Text("a"),)),)), "#a")


def test_doubtful_number() -> None:
    """A number that one turn says and that another is counted to means neither; a part of one can still be named."""
    messages = tuple(Message("user", (Text(word),), turn=number) for number, word in ((5, "a"), (None, "b"), (6, "c")))
    prompt = Prompt(messages)
    for where in ("turn[6]", "turn[6]/user", "turn[6]/*"):
        with pytest.raises(SegmentError, match="means 2 turns, as not all turns have a number"):
            remove(prompt, where)
    assert remove(prompt, "turn[6]/user[2]").messages == messages[:2]
    assert remove(prompt, "turn[5]").messages == messages[1:]


def test_nothing_at_all() -> None:
    """An empty prompt has no paths to name."""
    with pytest.raises(SegmentError, match="the prompt is empty"):
        remove(Prompt(()), "turn")


def test_numbers_of_turns() -> None:
    """A turn is found by its own number, where it has one; the same number again is the same turn."""
    messages = tuple(Message("user", (Text(word),), turn=number) for number, word in ((3, "a"), (3, "b"), (5, "c")))
    assert [segment.value for segment in select(Prompt(messages), "turn[3]/user")] == list(messages[:2])
    assert select(Prompt(messages), "turn[1]") == ()
