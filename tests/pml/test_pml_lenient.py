"""Lenient reading repairs what has one meaning, and tells each repair with its place."""

import pytest

from acdl_mkdocs.prompts.pml.limits import Limits
from acdl_mkdocs.prompts.pml.read import ReadPml, read
from acdl_mkdocs.prompts.prompt import Attachment, Call, Memory, Message, Output, Part, Text


def lenient(text: str) -> ReadPml:
    """What a document says that is refused in strict reading."""
    assert read(text).prompt is None
    found = read(text, is_lenient=True)
    assert found.prompt is not None, found.problems
    assert found.repairs
    return found


def turn(inside: str) -> str:
    """A conversation of one turn."""
    return f"<conversation><turn>{inside}</turn></conversation>"


@pytest.mark.parametrize(
    ("inside", "part", "repair"),
    [
        (
            "<file name='a'>b</file>",
            Attachment("file", "a", text="b"),
            '`<file>` is read as `<attachment type="file">`',
        ),
        ("<context><content>b</content></context>", Attachment("context", text="b"), None),
        ("<edit>b</edit>", Attachment("edit", text="b"), '`<edit>` is read as `<attachment type="edit">`'),
        ("hello", Text("hello"), "words in `<user>` are read as `<text>`"),
        ("\n  <!-- a -->h&amp;<![CDATA[<b>]]>\n", Text("h&<b>"), "words in `<user>` are read as `<text>`"),
        ("<text lang='en'>a</text>", Text("a"), "the attribute `lang` of `<text>` is left out"),
        ("<text xmlns:a='b' a:c='d'>a</text>", Text("a"), "the attribute `c` of `<text>` is left out"),
        ("<a:x xmlns:a='b'>c</a:x><text>a</text>", Text("a"), "`<x>` of another namespace is left out"),
        ("<?php a?><text>a</text>", Text("a"), "the processing instruction `<?php ...?>` is left out"),
        ("<text xmlns='http://example.org'>a</text>", Text("a"), "the namespace `http://example.org` is read as none"),
    ],
)
def test_part(inside: str, part: Part, repair: str | None) -> None:
    """A part of a message of the user."""
    found = lenient(turn(f"<user>{inside}</user>"))
    assert found.prompt is not None
    assert found.prompt.messages == (Message("user", (part,)),)
    assert repair is None or [each.message for each in found.repairs] == [repair]


def test_words_among_elements() -> None:
    """They are texts at their places, in messages and in the memory; nowhere else is a place for them."""
    found = lenient(turn("<user>é a <text>b</text> c</user><assistant>d <call name='W'/></assistant>"))
    assert found.prompt is not None
    user, assistant = found.prompt.messages
    assert user.parts == (Text("é a"), Text("b"), Text("c"))
    assert assistant.parts == (Text("d"), Call("W", {}))
    span = found.places["messages[0].parts[2]"]
    assert found.source.text[span.start : span.end] == "c"
    assert [found.source.text[each.span.start : each.span.end] for each in found.repairs] == ["é a", "c", "d"]
    assert not any(each.lost for each in found.repairs)
    memory = lenient("<memory>a<fact>b</fact></memory>").prompt
    assert memory is not None
    assert memory.memory == (Memory("a"), Memory("b"))
    (repair,) = lenient("<tools>a</tools>").repairs
    assert repair.lost == "text between the elements of `<tools>`"
    assert repair.message == f"{repair.lost} is left out"


def test_namespace() -> None:
    """It is told once, however many elements have it."""
    text = "<a:conversation xmlns:a='u'><a:turn><a:user/><b:user xmlns:b='v'/></a:turn></a:conversation>"
    messages = [each.message for each in lenient(text).repairs]
    assert messages == [
        "the namespace `u` is read as none",
        "the namespace `v` is read as none",
        "this `<user>` is read as the beginning of another turn",
    ]


@pytest.mark.parametrize(
    ("text", "repair"),
    [
        ("<thinking>a</thinking>\n<call name='W'/>", "`<thinking>` and what follows is read as {}"),
        ("<user><text>a</text></user>", "`<user>` is read as {}"),
        ("<prompt><user><text>a</text></user></prompt>", "`<user>` and what follows is read as {}"),
    ],
)
def test_fragment(text: str, repair: str) -> None:
    """One thing is told once."""
    assert [each.message for each in lenient(text).repairs] == [repair.format("a separate conversation")]


def test_tool_result() -> None:
    """`<tool_result>` is the other name of the proposal."""
    found = lenient(turn("<tool_result>a</tool_result>"))
    assert found.prompt is not None
    assert found.prompt.messages == (Message("tool", (Output((Text("a"),)),)),)


def test_memory() -> None:
    """Elements of any name are contents with a label."""
    found = lenient("<memory><user_pref>Python</user_pref></memory>")
    assert found.prompt is not None
    assert found.prompt.memory == (Memory("Python", "content", "user_pref"),)


def test_words_behind_a_call() -> None:
    """They are another message, in the order of the document."""
    found = lenient(turn('<assistant name="A"><text>a</text><call name="W"/><text>b</text></assistant>'))
    assert found.prompt is not None
    assert found.prompt.messages == (
        Message("assistant", (Text("a"), Call("W", {})), "A"),
        Message("assistant", (Text("b"),), "A"),
    )
    assert [each.message for each in found.repairs] == ["what follows a `<call>` is read as another message"]


def test_messages_outside_of_turns() -> None:
    """They are turns, each with one message of the user."""
    user, assistant = "<user><text>a</text></user>", "<assistant><text>b</text></assistant>"
    found = lenient(f"<conversation>{user}{assistant}{user}</conversation>")
    assert found.prompt is not None
    assert [message.role for message in found.prompt.messages] == ["user", "assistant", "user"]


@pytest.mark.parametrize(
    "text",
    [
        "Here it is:\n{}\nThat is all.",
        "<memory/>{}",
        "\n<?xml version='1.0'?>\n{}",
        "<prompt>{}<memory/></prompt>",
        "a <prompt><memory/>{}</prompt> b",
        "<conversation/>{}",
        "{}<?a?>",
    ],
)
def test_what_is_around(text: str) -> None:
    """What stands around or beside the conversation, or in another order."""
    found = lenient(text.format(turn("<user><text>ä</text></user>")))
    assert found.prompt is not None
    assert found.prompt.messages == (Message("user", (Text("ä"),)),)


def test_prompts_in_prompts() -> None:
    """All that is in them is in one, with their attributes, of which those that differ are left out; all is told."""
    hi = turn("<user><text>hi</text></user>")
    found = lenient(f'<prompt><prompt version="1">{hi}</prompt></prompt>')
    assert found.prompt is not None
    assert found.prompt.messages == (Message("user", (Text("hi"),)),)
    assert [each.message for each in found.repairs] == ["this `<prompt>` is read as part of the one around it"]
    text = f'hello <prompt version="1"><memory/></prompt><prompt version="2">{hi}</prompt>'
    found = lenient(text)
    assert found.prompt is not None
    assert len(found.prompt.messages) == 1
    (left_out,) = [each.span for each in found.repairs if each.message.startswith("the attribute `version`")]
    assert text[left_out.start : left_out.end] == 'version="2"'


def test_words_around() -> None:
    """Words around the document are left out, which is told with their place, whatever else is moved."""
    for rest in ("", "<tools/>", "<user/>"):
        text = f"Here it is:\n<conversation/><memory/>{rest}"
        found = lenient(text)
        places = [text[each.span.start : each.span.end] for each in found.repairs if "text between" in each.message]
        assert places == ["Here it is:"]


def test_places() -> None:
    """Repairs and parts are where they are, also where a root was put around."""
    text = "<memory><fact>ä</fact></memory>\n<conversation><turn><user>x<text>a</text></user></turn></conversation>"
    found = lenient(text)
    assert [text[each.span.start : each.span.end] for each in found.repairs] == ["<", "x"]
    span = found.places["messages[0].parts[1]"]
    assert text[span.start : span.end] == "<text>a</text>"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "hello",
        "<a>",
        "<html/>",
        "a & b",
        turn("<text>a"),
        "<memory/></prompt>",
        turn("<user><b>a<i>c</i></b></user>"),
    ],
)
def test_what_cannot_be_repaired(text: str) -> None:
    """It is refused as in strict reading."""
    found = read(text, is_lenient=True)
    assert found.prompt is None
    assert found.problems


def test_too_many_repairs() -> None:
    """What needs very many is no PML."""
    text = "<memory>" + "<a/>" * 11 + "</memory>"
    assert len(read(text, is_lenient=True, limits=Limits(repairs=11)).repairs) == 11
    (problem,) = read(text, is_lenient=True, limits=Limits(repairs=10)).problems
    assert problem.message == "the document has more than 10 things to repair"


@pytest.mark.parametrize(
    "text", [f"Sure!\n{turn('<user/>')}", f"```xml\n{turn('<user/>')}\n```", f"A:{turn('<user/>')}"]
)
def test_words_around_a_document(text: str) -> None:
    """Whatever signs are around a document, it is read, and what is left out is told."""
    found = read(text, is_lenient=True)
    assert found.prompt == read(turn("<user/>")).prompt
    assert "text between the elements of `<prompt>`" in [each.lost for each in found.repairs]


def test_strict_documents_stay() -> None:
    """A document without a fault is not repaired."""
    text = "<prompt><memory/><tools/>" + turn("<user/><assistant/>") + "</prompt>"
    assert read(text, is_lenient=True).repairs == ()
    assert read(text, is_lenient=True).prompt == read(text).prompt


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<user>a</user><user>b & c</user>", "`&` begins an entity in XML"),
        ("<user>a</user><user>b", "`<user>` is never closed"),
        ("<prompt/><prompt>", "`<prompt>` is never closed"),
        ("<user>a</user></turn>", "`</turn>` closes nothing"),
    ],
)
def test_last_attempt(text: str, message: str) -> None:
    """Several roots are read as one document: what is told is what keeps even that from being read."""
    assert [each.message for each in read(text, is_lenient=True).problems] == [message]


@pytest.mark.parametrize(("name", "home"), [("tool", "tools"), ("fact", "memory"), ("summary", "memory")])
def test_home_of_a_root(name: str, home: str) -> None:
    """What belongs into a section is sent there, with no promise of lenient reading."""
    (problem,) = read(f"<{name}/>").problems
    assert problem.help == (f"put it into `<{home}>...</{home}>`",)
