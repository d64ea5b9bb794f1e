"""What the text of a `laic` block says, and how tools and calls of it are drawn."""

from xml.etree.ElementTree import Element, fromstring

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acdl_mkdocs.evaluation.formats.tools_html import (
    Default,
    Parameter,
    has_rows,
    list_parameters,
    write_call,
    write_tools,
)
from acdl_mkdocs.frontends.docs.blocks.highlight import highlight_xml
from acdl_mkdocs.frontends.docs.blocks.laic_block import read_laic
from acdl_mkdocs.prompts.prompt import Call, Json, Tool

TOOL = (
    '<tool name="W" alias="get_weather" desc="Weather &amp; wind." trigger="1">'
    '<param key="loc" alias="location" req="1" desc="a city"/><param key="days" type="integer" default="1"/></tool>'
)
OBJECT_OF_LONG: Json = {"type": "object", "additionalProperties": {"type": "string", "minLength": 1}}
WEATHER = read_laic(TOOL).tools[0]


def rules(text: str, *, is_lenient: bool = False) -> list[str]:
    """The names of the problems of a text."""
    return [each.rule for each in read_laic(text, is_lenient=is_lenient).problems]


def element(html: str) -> Element:
    """A drawing as a tree, which it is only if every tag is closed."""
    return fromstring(f"<div>{html}</div>")  # noqa: S314  # our own


def words(html: str) -> str:
    """The words of a drawing."""
    return "".join(element(html).itertext())


@pytest.mark.parametrize(
    "text",
    [
        f'<tools>{TOOL}</tools><call name="W" loc="Oslo" days="2"/>',
        f'<call name="W" loc="Oslo" days="2"/>\n<tools>{TOOL}</tools>',
        f'{TOOL}<call name="get_weather" loc="Oslo" days="2"/>',
        f'<?xml version="1.0"?>\n<!-- both --><tools>{TOOL}</tools>\n\n<call name="W"><arg key="loc">Oslo</arg>'
        '<arg key="days">2</arg></call>\n',
    ],
)
def test_any_order(text: str) -> None:
    """Tools and calls may stand in any order, calls name a tool by either name, and tools say what values are."""
    read = read_laic(text)
    assert read.problems == ()
    assert read.tools == (WEATHER,)
    assert [call.args for call in read.calls] == [{"loc": "Oslo", "days": 2}]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f'{TOOL}<call name="W" days="2"/>', ["missing-argument"]),
        (f'{TOOL}<call name="W" loc="Oslo" days="soon"/>', ["wrong-type"]),
        (f'{TOOL}<call name="W" loc="Oslo" wind="1"/>', ["unknown-argument"]),
        (f'{TOOL}<call name="V"/>', ["unknown-tool"]),
        ('<call name="V" any="1"/>', []),
        ('<call name="V" id="a"/><call name="V" id="a"/>', ["repeated-call-id"]),
        ('<tools><tool name="A"/></tools><tools><tool name="A"/></tools>', ["repeated-tool"]),
        ("<tools>words</tools>", ["misplaced-text"]),
        ('words <call name="V"/>', ["misplaced-text"]),
        ("<tool/>", ["missing-attribute"]),
        ("<cal name='V'/>", ["misplaced-element"]),
        ("<conversation/>", ["misplaced-element"]),
        ('<call xmlns="urn:other" name="V"/>', ["foreign-element"]),
        ("<call", ["not-xml"]),
        ("<!DOCTYPE tools><tools/>", ["document-type"]),
        ('<call name="V"><arg key="a" type="json">{</arg></call>', ["bad-json"]),
        ("<tools/>", []),
    ],
)
def test_problems(text: str, expected: list[str]) -> None:
    """Everything that is wrong is told by the name that documents and answers have for it."""
    assert rules(text) == expected


@pytest.mark.parametrize(
    ("text", "message", "place"),
    [
        ('<tool name="W"', "a tag or a comment is never closed", "<"),
        ('<tools/><tool name="W', "a tag or a comment is never closed", "<"),
        ('<tool name="a"/></tools>', "`</tools>` closes nothing", "</tools"),
        ('<tool name="a"/></prompt><tools/>', "`</prompt>` closes nothing", "</prompt"),
        ("<tool name='\xe9'>x", "`<tool>` is never closed", "x"),
        ('<tools><tool name="W"/>\n', "`<tools>` is never closed", "\n"),
        ('<tools/><prompt><tool name="W"/>', "`<prompt>` is never closed", ">"),
        ("<tools/>&", "`&` begins an entity in XML", "&"),
    ],
)
def test_unclosed(text: str, message: str, place: str) -> None:
    """What is told names only tags that somebody has written, at their places."""
    (problem,) = read_laic(text).problems
    span = problem.label.span
    assert (problem.message, text[span.start : span.end]) == (message, place)
    assert "prompt" not in message or "prompt" in text


def test_places() -> None:
    """A problem stands where its element does."""
    text = f'{TOOL}\n<call name="W" loc="Oslo"/>\n<call name="W"/>'
    (problem,) = read_laic(text).problems
    span = problem.label.span
    assert text[span.start : span.end] == '<call name="W"/>'


def test_others() -> None:
    """Tools that are listed elsewhere are asked for only if there is a call; those of the text come first."""
    asked: list[bool] = []

    def others() -> list[Tool]:
        asked.append(True)
        return [Tool("W", "another"), Tool("V")]

    assert read_laic(TOOL, others).problems == ()
    assert asked == []
    read = read_laic(f'{TOOL}<call name="W" loc="Oslo" days="2"/><call name="V"/>', others)
    assert (read.problems, asked) == ((), [True])
    assert read.calls[0].args["days"] == 2


def test_lenient() -> None:
    """Lenient reading tells each repair as a warning."""
    text = '<tools><tool name="V" kind="x"/></tools><call name="V">words</call>'
    assert rules(text) == ["unknown-attribute", "misplaced-text"]
    assert rules(text, is_lenient=True) == ["repaired", "repaired"]
    assert [call.tool for call in read_laic(text, is_lenient=True).calls] == ["V"]
    assert rules("<?style none?><tools/>") == ["processing-instruction"]
    assert rules("<?style none?><tools/>", is_lenient=True) == ["repaired"]


def test_nothing_wrong_is_lost() -> None:
    """Where tools cannot be understood, what is wrong with them is told, and nothing is drawn as if it were right."""
    read = read_laic('<tools><tool name="A" nme="B"/></tools>')
    assert [each.rule for each in read.problems] == ["unknown-attribute"]
    assert read.tools == ()


@pytest.mark.parametrize(
    ("text", "message", "place"),
    [
        ('<tool name="W"', "a tag or a comment is never closed", 0),
        ('<tool name="a"/></tools>', "`</tools>` closes nothing", 16),
        ('<tool name="W">', "`<tool>` is never closed", 14),
        ('<tools><tool name="W"/>', "`<tools>` is never closed", 22),
        ('<tools><tool name="W"/></tool>', "`</tool>` appears while `<tools>` is still open", 23),
        ("<tools/>\n<!-- x", "a tag or a comment is never closed", 9),
    ],
)
def test_names_only_tags_that_are_written(text: str, message: str, place: int) -> None:
    """The element that holds all of them while they are read is not spoken of."""
    problem, *more = read_laic(text).problems
    assert more == []
    assert problem.message == message
    assert problem.label.span.start == place
    assert "prompt" not in f"{problem.help}{problem.related}"


def test_tool_table() -> None:
    """The table has a caption, heads with their scope, and only columns that some parameter fills."""
    drawn = element(write_tools([WEATHER], ["laic-tool-W"]))
    section = drawn.find(".//section")
    assert section is not None
    assert section.get("id") == "laic-tool-W"
    label = section.get("aria-labelledby")
    assert [each.get("id") for each in drawn.iter("strong")] == [label]
    assert ["".join(each.itertext()) for each in drawn.iter("caption")] == ["Parameters of W"]
    heads = [(each.get("scope"), each.text) for each in drawn.findall(".//thead//th")]
    assert heads == [("col", name) for name in ("Parameter", "Type", "Required", "Default", "Description")]
    rows = [["".join(cell.itertext()) for cell in row] for row in drawn.findall(".//tbody/tr")]
    assert rows == [["loc location", "string", "required", "", "a city"], ["days", "integer", "", "1", ""]]
    assert all(row[0].get("scope") == "row" for row in drawn.findall(".//tbody/tr"))
    said = words(write_tools([WEATHER], ["t"]))
    assert "get_weather" in said
    assert '[#W: "..."]' in said
    assert "Weather & wind." in said


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"type": "string", "enum": ["a", 1]}, Parameter("k", "string", values=("a", 1))),
        ({"default": None}, Parameter("k", "any", default=Default(None))),
        ({"type": ["string", "null"]}, Parameter("k", "string or null")),
        ({"type": "array", "items": {"type": "array", "items": {}}}, Parameter("k", "list of list of any")),
        ({"type": "array"}, Parameter("k", "list")),
        ({"type": "string", "format": "date"}, Parameter("k", "string (date)")),
        ({"type": "object", "additionalProperties": {"type": "integer"}}, Parameter("k", "object of integer")),
        ({"type": "integer", "minimum": 3}, Parameter("k", "integer", schema={"type": "integer", "minimum": 3})),
        (OBJECT_OF_LONG, Parameter("k", "object of string", schema=OBJECT_OF_LONG)),
        (True, Parameter("k", "any")),
        (False, Parameter("k", "any", schema=False)),
    ],
)
def test_rows(schema: Json, expected: Parameter) -> None:
    """Every schema of a parameter is a row; what its cells do not say is kept as JSON Schema."""
    assert list(list_parameters({"type": "object", "properties": {"k": schema}})) == [expected]


def test_nested_rows() -> None:
    """Parameters of an object, and of a list of objects, follow it with their path."""
    inner: Json = {"type": "object", "properties": {"b": {"type": "string"}}, "required": ["b"]}
    schema: dict[str, Json] = {"type": "object", "properties": {"a": inner, "l": {"type": "array", "items": inner}}}
    rows = [(row.inside + row.key, row.depth, row.is_required, row.schema) for row in list_parameters(schema)]
    assert rows == [("a", 0, False, None), ("a.b", 1, True, None), ("l", 0, False, None), ("l[].b", 1, True, None)]


def test_whole_schema() -> None:
    """A schema that no rows can say is shown as it is."""
    tool = Tool("A", None, {"anyOf": [{"type": "object"}]})
    assert not has_rows(tool.parameters)
    assert '"anyOf"' in words(write_tools([tool], ["t"]))
    assert "No parameters." in words(write_tools([Tool("A")], ["t"]))


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        ({}, "W()"),
        ({"loc": "Oslo", "days": 2}, 'W(loc = "Oslo", days = 2)'),
        ({"a": None, "b": True, "c": [1, {"d": 0.5}]}, 'W(a = null, b = true, c = [1, {"d": 0.5}])'),
        ({"2fa": "<b>", "": '"'}, 'W(2fa = "<b>",  = "\\"")'),
        ({"n": 10**40}, f"W(n = {10**40})"),
    ],
)
def test_call(args: dict[str, Json], expected: str) -> None:
    """A call is a line in which values have the form of their type."""
    assert words(write_call(Call("W", args))) == expected


def test_long_argument() -> None:
    """A long argument stands below the call as it is: a text with its lines, anything else as JSON."""
    text = "first <line>\n" + "x" * 80
    drawn = element(write_call(Call("W", {"text": text, "list": list(range(40))}, "c1"), WEATHER, "#t"))
    assert "".join(drawn.findall("code")[0].itertext()) == "W(text = …, list = …)"
    shown = ["".join(each.itertext()) for each in drawn.iter("pre")]
    assert shown[0] == text
    assert shown[1].split() == ["[", *(f"{number}," for number in range(39)), "39", "]"]
    assert [each.get("href") for each in drawn.iter("a")] == ["#t"]
    assert "c1" in "".join(drawn.itertext())


@pytest.mark.parametrize("name", ['"><script>alert(1)</script>', "a\x1b[2J\u202eb", "<!--", "]]>", "&amp;"])
def test_inert(name: str) -> None:
    """Whatever names, texts and schemas say is text."""
    tool = Tool(name, name, {"type": "object", "properties": {name: {"description": name, "default": name}}}, name)
    html = write_tools([tool], ["t"]) + write_call(Call(name, {name: name}, name), tool, "#t")
    for tag in element(html).iter():
        assert tag.tag != "script"
        assert not any(each.startswith("on") for each in tag.attrib)
    assert "\x1b" not in html
    assert "\u202e" not in html


KEYWORDS = ("type", "items", "properties", "required", "enum", "default", "additionalProperties", "x-alias", "anyOf")
ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.sampled_from(["object", "array", "string", "<&>"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYWORDS), inner, max_size=4),
    max_leaves=12,
)


@given(ANY_JSON, ANY_JSON)
def test_any_schema(schema: Json, value: Json) -> None:
    """Any JSON that says it is a schema is drawn, with every tag closed and nothing of it as markup."""
    tool = Tool("A", None, {"type": "object", "properties": {"k": schema}})
    drawn = element(write_tools([tool], ["a"]) + write_call(Call("A", {"k": value}), tool))
    assert next(each.text for each in drawn.findall(".//tbody/tr/th/code")) == "k"
    row = next(list_parameters(tool.parameters))
    assert row.schema in (None, schema)


@pytest.mark.parametrize(
    "text",
    [
        "<tools>\n  <tool name=\"a\" desc='b &amp; c'/>\n</tools>",
        '<a><![CDATA[ <b> ]]></a> <!-- c --> x = "y"',
        "<a b='",
        "<![CDATA[ open",
        "<!-- open",
        "no markup & none < at all\u202e",
    ],
)
def test_highlight(text: str) -> None:
    """Highlighting keeps every character of a text and closes every tag."""
    html = highlight_xml(text)
    assert words(html) == text


def test_highlight_is_linear() -> None:
    """A long word or many openings are no trap."""
    for text in ("<a " + "b" * 200_000, "<!--" * 50_000, "=\"'" * 60_000, "<a " + "b " * 100_000):
        assert len(highlight_xml(text)) >= len(text)
