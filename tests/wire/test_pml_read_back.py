"""What a writer forgets is told all the same: every text that is written is read again and compared."""

import json
from collections.abc import Callable
from dataclasses import replace

import pytest

from acdl_mkdocs.prompts.changes import find_offsets
from acdl_mkdocs.prompts.convert import convert
from acdl_mkdocs.prompts.pml.write import write
from acdl_mkdocs.prompts.prompt import Call, Json, Memory, Message, Opaque, Output, Prompt, Text, Tool
from acdl_mkdocs.prompts.providers import PROVIDERS, Written, chat_completions
from acdl_mkdocs.prompts.providers.tagged_text import write_memory
from acdl_mkdocs.prompts.round_trip import find_differences
from wire.samples import AGENT

WHOLE = replace(
    AGENT,
    memory=(Memory("metric", key="units"),),
    id="c",
    topic="weather",
    settings=(Opaque("openai", {"temperature": 0}),),
)


def changed(number: int, **fields: object) -> Prompt:
    """The prompt, of which one message has other fields."""
    messages = [replace(each, **fields) if at == number else each for at, each in enumerate(WHOLE.messages)]  # type: ignore[arg-type]  # by name
    return replace(WHOLE, messages=tuple(messages))


CALL = Call("get_weather", {"city": "Oslo"}, "call_a")
CASES: dict[str, tuple[Prompt, list[tuple[str, str]]]] = {
    "nothing": (WHOLE, []),
    "memory": (replace(WHOLE, memory=()), [("memory", "memory is read back differently")]),
    "topic": (replace(WHOLE, topic=None), [("", "id and topic of the conversation are not kept")]),
    "settings": (replace(WHOLE, settings=()), [("settings", "the setting `temperature` is read back differently")]),
    "tools": (
        replace(WHOLE, tools=WHOLE.tools[:1]),
        [("tools", "the number of tools changes from 2 to 1 when the text is read back")],
    ),
    "description": (
        replace(WHOLE, tools=(replace(WHOLE.tools[0], description=None), WHOLE.tools[1])),
        [("tools[0]", "`description` is read back as nothing")],
    ),
    "message": (
        replace(WHOLE, messages=WHOLE.messages[:-1]),
        [
            ("messages", "the number of messages changes from 7 to 6 when the text is read back"),
            ("messages[6].parts[0]", "the part is not read back"),
        ],
    ),
    "role": (
        changed(6, role="system"),
        [
            ("messages", "a message of `user` is read back as one of `system`"),
            ("messages[6].parts[0]", "the part is read back in a message of `system`"),
        ],
    ),
    "name": (changed(6, name="anna"), [("messages[6]", "`name` is filled in: `anna`")]),
    "turn": (changed(6, turn=2), [("messages[6]", "`turn` is filled in: `2`")]),
    "text": (changed(5, parts=(Text("no"),)), [("messages[5].parts[0]", "`text` is read back as `no`")]),
    "kind of part": (
        changed(5, parts=(CALL,)),
        [("messages[5].parts[0]", "a part is read back as another kind of part, call")],
    ),
    "parts": (changed(5, parts=()), [("messages[5].parts[0]", "the part is not read back")]),
    "result": (
        changed(3, parts=(Output((Text("5 °C"),), "call_a", "get_weather"),)),
        [("messages[3].parts[0]", "the content of the result is read back differently")],
    ),
    "tool of a result": (
        changed(3, parts=(Output((Text("4 °C, rain"),), "call_a", "clock"),)),
        [("messages[3].parts[0]", "`tool` is read back as `clock`")],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_difference(name: str) -> None:
    """Every difference has its place and its words."""
    back, expected = CASES[name]
    assert [(each.part, each.sentence) for each in find_differences(WHOLE, back, "openai", ())] == expected


def test_what_is_told_is_not_told_again() -> None:
    """A difference that a writer has told is none."""
    assert list(find_differences(WHOLE, changed(5, parts=()), "openai", {"messages[5].parts[0]"})) == []
    assert list(find_differences(WHOLE, changed(5, parts=()), "openai", {"messages[50]"})) != []


def test_ids_and_spelling() -> None:
    """Ids that are filled in and arguments that are spelled otherwise are told; the tool of a named result is not."""
    sent = Prompt((Message("assistant", (Call("f", {}, None, "{ }"),)), Message("tool", (Output((), "a"),))))
    back = Prompt((Message("assistant", (Call("f", {}, "call_1"),)), Message("tool", (Output((), "a", "f"),))))
    assert [(each.sentence, each.is_loss) for each in find_differences(sent, back, "anthropic", ())] == [
        ("`id` is filled in: `call_1`", False),
        ("the arguments are written differently; their values are the same", False),
    ]


def test_tool_of_a_result_without_an_id() -> None:
    """A result that names nothing is given a tool, which is told."""
    sent = Prompt((Message("tool", (Output(()),)),))
    back = Prompt((Message("tool", (Output((), None, "f"),)),))
    expected = ("messages[0].parts[0]", "`tool` is filled in: `f`", False)
    assert list(find_differences(sent, back, "gemini", ())) == [expected]


@pytest.mark.parametrize("before", [(), (Message("system", (Text("a"),)),)])
def test_memory_that_is_told(before: tuple[Message, ...]) -> None:
    """The instructions that memory is sent with are not a difference, what follows them is one."""
    hi, ho = (Message("user", (Text(text),)) for text in ("hi", "ho"))
    words = Text(write_memory((Memory("x"),)))
    system = Message("system", (words, *(part for message in before for part in message.parts)))
    sent = Prompt((*before, hi), memory=(Memory("x"),))
    assert list(find_differences(sent, Prompt((system, hi)), "openai", {"memory"})) == []
    assert len(list(find_differences(sent, Prompt((system, ho)), "openai", {"memory"}))) == 1


def test_long_names_of_tools() -> None:
    """That a tool is sent by its long name is told of the tool, not of its calls."""
    sent = Prompt((Message("assistant", (Call("W", {}, "a"),)),), (Tool("W", alias="get_weather"),))
    back = Prompt((Message("assistant", (Call("get_weather", {}, "a"),)),), (Tool("get_weather"),))
    assert list(find_differences(sent, back, "openai", {"tools[0]"})) == []


@pytest.mark.parametrize("lost", ["messages", "tools"])
def test_forgetful_writer(lost: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A writer that drops something silently is found out."""
    whole: Callable[..., Written] = chat_completions.write

    def forgetful(prompt: Prompt, model: str | None = None) -> Written:
        return whole(replace(prompt, **{lost: getattr(prompt, lost)[:1]}), model)

    document = write(AGENT)
    assert not [each for each in convert(document, "openai").changes if each.kind == "loss"]
    monkeypatch.setattr(chat_completions, "PROVIDER", replace(chat_completions.PROVIDER, writer=forgetful))
    forgotten = convert(document, "openai")
    assert next(each.part for each in forgotten.changes if each.kind == "loss") == lost
    assert not forgotten.is_lossless


TEXT = '\ufeff {"a" : [ 1, {"b.c": 2, "d": "}]\\"" } , [[3]]], "e":{}}'


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("", "{"),
        ("a", "["),
        ("a[0]", "1"),
        ("a[1].d", '"}]'),
        ("a[2][0][0]", "3"),
        ("e", "{}"),
        ("e.x.y", "{}"),
        ("a[7]", "[ 1"),
        ("a.x", "[ 1"),
    ],
)
def test_offsets(path: str, found: str) -> None:
    """The value that a path names, or the nearest one around it that is there."""
    (offset,) = find_offsets(TEXT, [path])
    assert offset is not None
    assert TEXT[offset:].startswith(found)


def test_offsets_are_not_looked_for_forever() -> None:
    """In a text of megabytes only the first problems get a place."""
    text = json_of_megabytes()
    found = find_offsets(text, ["a"] * 100)
    assert found[0] is not None
    assert found[-1] is None


def json_of_megabytes() -> str:
    """An object with a long string."""
    value: dict[str, Json] = {"b": "x" * 1_000_000, "a": 1}
    return str(value).replace("'", '"')


def test_every_format_is_read_again() -> None:
    """A conversation that every format holds differs in none."""
    for name in PROVIDERS:
        converted = convert(write(AGENT), name, model="m")
        assert {each.kind for each in converted.changes} <= {"warning"}


@pytest.mark.parametrize("is_error", [False, True])
def test_a_result_without_content(is_error: bool) -> None:
    """It becomes an empty text where the format needs one, which loses nothing."""
    result: Json = {"type": "tool_result", "tool_use_id": "c", "is_error": is_error}
    messages: Json = [
        {"role": "user", "content": "hi"},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "c", "name": "f", "input": {}}]},
        {"role": "user", "content": [result]},
    ]
    converted = convert(json.dumps({"max_tokens": 9, "messages": messages}), "openai", model="m")
    about = [(each.kind, each.sentence) for each in converted.changes if each.part.startswith("messages[2]")]
    assert about == [("change", "the result is sent with an empty text: the format has no result without content")]
