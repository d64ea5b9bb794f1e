"""A document is read into the neutral model, with the place of every part."""

import pytest

from acdl_mkdocs.prompts.pml.read import read
from acdl_mkdocs.prompts.pml.write import write
from acdl_mkdocs.prompts.prompt import (
    Attachment,
    Call,
    Json,
    Memory,
    Message,
    Opaque,
    Output,
    Part,
    Prompt,
    Text,
    Thinking,
    Tool,
)

X = 'xmlns:x="urn:acdl-mkdocs:pml:1"'


def prompt_of(text: str, **options: bool) -> Prompt:
    """The prompt of a document without errors, nor warnings but those of results that stand alone."""
    found = read(text, **options)  # type: ignore[arg-type]
    assert {(problem.rule, problem.severity) for problem in found.problems} <= {("result-without-call", "warning")}
    assert found.prompt is not None
    return found.prompt


def parts_of(inside: str) -> tuple[Part, ...]:
    """The parts of the only message of a turn."""
    (message,) = prompt_of(f"<conversation {X}><turn>{inside}</turn></conversation>").messages
    return message.parts


def test_whole_prompt() -> None:
    """Memory, tools, settings, messages of all roles."""
    text = f"""<?xml version="1.0" encoding="UTF-8"?>
<!-- a comment -->
<prompt version="1" {X} xml:lang="en">
  <memory id="m"><fact key="k">a</fact><summary label="l">b</summary><content>c</content></memory>
  <tools><tool name="W" alias="weather" desc="d"><param key="n" type="integer" req="1"/></tool></tools>
  <conversation id="c" topic="t">
    <system><text>s</text></system>
    <turn index="3">
      <user role="user" name="Ann" id="u"><text>a &lt; b</text></user>
      <assistant><thinking signature="g" x:provider="anthropic">h</thinking><call name="W" id="1" n="4"/></assistant>
      <tool_output id="1" name="W" status="error">no</tool_output>
    </turn>
  </conversation>
  <x:opaque provider="openai" place="message">{{"temperature": 0}}</x:opaque>
</prompt>"""
    schema: dict[str, Json] = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    assert prompt_of(text) == Prompt(
        (
            Message("system", (Text("s"),)),
            Message("user", (Text("a < b"),), "Ann", "u", 3),
            Message("assistant", (Thinking("h", "g", provider="anthropic"), Call("W", {"n": 4}, "1")), turn=3),
            Message("tool", (Output((Text("no"),), "1", "W", True),), turn=3),
        ),
        (Tool("W", "d", schema, "weather"),),
        (Memory("a", "fact", "k"), Memory("b", "summary", "l"), Memory("c", "content")),
        "c",
        "t",
        (Opaque("openai", {"temperature": 0}, "message"),),
        "m",
    )


@pytest.mark.parametrize(("root", "kind"), [("memory", "memory"), ("tools", "tools"), ("conversation", "conversation")])
def test_kinds(root: str, kind: str) -> None:
    """Every root is a document of its kind."""
    found = read(f"<{root}/>")
    assert (found.prompt, found.kind) == (Prompt(()), kind)


@pytest.mark.parametrize(
    ("inside", "part"),
    [
        ("<text></text>", Text("")),
        ("<text> a\n b </text>", Text(" a\n b ")),
        ("<text>a<![CDATA[<b>]]>&amp;c</text>", Text("a<b>&c")),
        ('<text encoding="json">"a\\u001b\\ud800"</text>', Text("a\x1b\ud800")),
        ('<attachment type="file"/>', Attachment("file")),
        ('<attachment type="file">\n  </attachment>', Attachment("file")),
        ('<attachment type="file"> a </attachment>', Attachment("file", text=" a ")),
        ('<attachment type="file">\n <content> </content>\n</attachment>', Attachment("file", text=" ")),
        (
            '<attachment type="a" href="b" name="c" path="d" id="e" mime="f"/>',
            Attachment("a", "c", "d", "f", None, None, "b", "e"),
        ),
        (
            '<attachment type="image"><content encoding="base64" mime="image/png">YW\n  Jj</content></attachment>',
            Attachment("image", mime="image/png", data="YWJj"),
        ),
        (
            '<attachment type="a" x:text="t"><content encoding="base64">YWJj</content></attachment>',
            Attachment("a", data="YWJj", text="t"),
        ),
        ('<x:opaque provider="p">[1]</x:opaque>', Opaque("p", [1])),
    ],
)
def test_part(inside: str, part: Part) -> None:
    """A part of a message."""
    assert parts_of(f"<user>{inside}</user>") == (part,)


@pytest.mark.parametrize(
    ("inside", "parts"),
    [
        ("", ()),
        (" \n", ()),
        (" a ", (Text(" a "),)),
        ("<content/>", (Text(""),)),
        ('<content>a</content>\n<attachment type="b"/>', (Text("a"), Attachment("b"))),
        ('<content encoding="json">"\\u0000"</content>', (Text("\x00"),)),
    ],
)
def test_output(inside: str, parts: tuple[Text | Attachment, ...]) -> None:
    """What a tool answered, in a turn and in a message."""
    assert parts_of(f"<tool_output>{inside}</tool_output>") == (Output(parts),)
    assert parts_of(f"<system><tool_output>{inside}</tool_output></system>") == (Output(parts),)
    assert parts_of(f'<tool_output mime="a/b">{inside}</tool_output>') == (Output(parts, mime="a/b"),)


def test_extension() -> None:
    """Messages of other shapes, joined results, hidden attributes, whatever the prefix is."""
    text = """<conversation xmlns:y="urn:acdl-mkdocs:pml:1"><turn>
      <y:message role="tool" name="n"><text>a</text><tool_output>b</tool_output></y:message>
      <tool_output>c</tool_output><tool_output y:joined="1">d</tool_output>
      <system y:turn="-2" y:json='{"name": "\\u001b"}'><text>e</text></system>
    </turn></conversation>"""
    assert prompt_of(text).messages == (
        Message("tool", (Text("a"), Output((Text("b"),))), "n"),
        Message("tool", (Output((Text("c"),)), Output((Text("d"),)))),
        Message("system", (Text("e"),), "\x1b", turn=-2),
    )


@pytest.mark.parametrize("said", ["{", "[]", '{"a": 1}', '{"role": "user"}'])
def test_wrong_hidden_attributes(said: str) -> None:
    """Hidden attributes are an object of strings that are nowhere else."""
    found = read(f"<conversation {X}><turn><user role='user' x:json='{said}'/></turn></conversation>")
    assert [problem.rule for problem in found.problems] == ["bad-json"]


def test_turns_without_numbers() -> None:
    """Turns that anybody would make of the messages need no numbers; others are counted."""
    user, assistant = "<user><text>a</text></user>", "<assistant><text>b</text></assistant>"
    plain = f"<conversation><turn>{user}{assistant}</turn><turn>{user}</turn></conversation>"
    assert [message.turn for message in prompt_of(plain).messages] == [None, None, None]
    steps = f"<conversation><turn>{user}</turn><turn>{assistant}</turn></conversation>"
    assert [message.turn for message in prompt_of(steps).messages] == [1, 2]


def test_typing_by_alias() -> None:
    """A call may name its tool by its long name."""
    tools = '<tools><tool name="W" alias="weather"><param key="n" type="number"/></tool></tools>'
    call = '<conversation><turn><assistant><call name="weather" n="1.5"/></assistant></turn></conversation>'
    assert prompt_of(f"<prompt>{tools}{call}</prompt>").messages[0].parts == (Call("weather", {"n": 1.5}),)


def test_places() -> None:
    """Every part says where it is, whatever characters are before it."""
    text = (
        "<prompt><memory><fact>ä€😀</fact></memory><tools><tool name='W'/></tools><conversation><turn>\r\n"
        "<user><text>é</text><attachment type='a'/></user>"
        "<tool_output><content>1</content><attachment type='b'></attachment></tool_output>"
        "</turn></conversation></prompt>"
    )
    for given in (text, text.encode(), b"\xef\xbb\xbf" + text.encode()):
        found = read(given)
        said = {path: found.source.text[span.start : span.end] for path, span in found.places.items()}
        assert said == {
            "memory[0]": "<fact>ä€😀</fact>",
            "tools[0]": "<tool name='W'/>",
            "messages[0]": "<user><text>é</text><attachment type='a'/></user>",
            "messages[0].parts[0]": "<text>é</text>",
            "messages[0].parts[1]": "<attachment type='a'/>",
            "messages[1]": "<tool_output><content>1</content><attachment type='b'></attachment></tool_output>",
            "messages[1].parts[0]": "<tool_output><content>1</content><attachment type='b'></attachment></tool_output>",
            "messages[1].parts[0].parts[0]": "<content>1</content>",
            "messages[1].parts[0].parts[1]": "<attachment type='b'></attachment>",
        }


@pytest.mark.parametrize(
    ("inside", "expected"),
    [
        ("<turn><tool_output/><tool_output x:joined='1'/></turn>", [("tool", 2)]),
        ("<turn><tool_output/><tool_output x:joined='0'/></turn>", [("tool", 1), ("tool", 1)]),
        ("<turn><tool_output/></turn><turn><tool_output x:joined='1'/></turn>", [("tool", 1), ("tool", 1)]),
        ("<turn><system><text/></system><tool_output x:joined='1'/></turn>", [("system", 1), ("tool", 1)]),
    ],
)
def test_joined_results(inside: str, expected: list[tuple[str, int]]) -> None:
    """Results of one message stand next to each other in one turn."""
    found = prompt_of(f"<conversation xmlns:x='urn:acdl-mkdocs:pml:1'>{inside}</conversation>")
    assert [(message.role, len(message.parts)) for message in found.messages] == expected


def test_places_in_long_documents() -> None:
    """Characters of several bytes are counted from the beginning, and words are no end of a tag."""
    facts = [f"<fact>{letter * 3_000} /></fact>" for letter in "aä€😀ÿ"] * 2
    found = read(f"<memory>{''.join(facts)}</memory>")
    places = [found.places[f"memory[{number}]"] for number in (9, *range(10))]
    assert [found.source.text[place.start : place.end] for place in places] == [facts[9], *facts]


def test_newlines_at_the_edges() -> None:
    """A newline at the edges of a text is part of it, unless it is said that it is none."""
    text = "<memory><fact>\n  a\n  b\n  </fact></memory>"
    assert prompt_of(text).memory[0].text == "\n  a\n  b\n  "
    assert prompt_of(text, is_edge_kept=False).memory[0].text == "  a\n  b"


@pytest.mark.parametrize("spelled", ["a\nb\tc", "a\r\nb\tc", "a&#10;b&#9;c"])
@pytest.mark.parametrize("quote", ["'", '"'])
def test_line_ends_in_arguments_of_calls(spelled: str, quote: str) -> None:
    """They are kept, since they may be code; between attributes and in other elements they are white space."""
    call = f"<call\n  name={quote}run{quote}\n  code={quote}{spelled}{quote} é={quote}&lt;é{quote}/>"
    found = read(
        f'<conversation><turn index="1"><user name="A\nB"><text>é</text></user>'
        f"<assistant>{call}</assistant></turn></conversation>"
    )
    assert found.prompt is not None
    assert found.prompt.messages[1].parts == (Call("run", {"code": "a\nb\tc", "é": "<é"}),)
    assert found.prompt.messages[0].name == "A B"
    is_told = "&" not in spelled
    assert [(each.rule, each.severity) for each in found.problems] == [("raw-line-end", "warning")] * is_told
    again = read(write(found.prompt))
    assert again.problems == ()
    assert again.prompt == found.prompt
