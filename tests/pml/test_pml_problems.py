"""Every problem has an example that shows it at its place, with a cure; documents without one have none."""

import pytest

from acdl_mkdocs.prompts.pml.limits import Limits
from acdl_mkdocs.prompts.pml.problems import PML_RULES
from acdl_mkdocs.prompts.pml.read import read


def turn(inside: str) -> str:
    """A conversation of one turn."""
    return f"<conversation><turn>{inside}</turn></conversation>"


ONE = turn("<user><text>a</text></user>")
EXAMPLES = [
    (
        "unknown-attribute",
        turn('<assistant><call name="W" xmlns:x="urn:acdl-mkdocs:pml:1" x:rav="1"/></assistant>'),
        'x:rav="1"',
        "`<call>` has no attribute `x:rav`",
    ),
    ("not-xml", "", "", "the document is empty, expected `<prompt>` or `<conversation>`"),
    ("not-xml", "<conversation>", ">", "`<conversation>` is never closed"),
    (
        "not-xml",
        "<conversation><turn></conversation>",
        "</conversation",
        "`</conversation>` appears while `<turn>` is still open",
    ),
    ("not-xml", f"{ONE}<memory/>", "<", "there is content after the end of the document"),
    ("not-xml", f"hello {ONE}", "h", "there is text outside of the document"),
    ("not-xml", f"Sure!\n{ONE}", "S", "there is text outside of the document"),
    ("not-xml", f"```xml\n{ONE}\n```", "`", "there is text outside of the document"),
    ("not-xml", f"{ONE}\n```", "`", "there is content after the end of the document"),
    ("not-xml", turn("<!-- a -- b -->"), "--", "`--` ends a comment, but `>` does not follow"),
    ("not-xml", turn("<user><text>a & b</text></user>"), "&", "`&` begins an entity in XML"),
    ("not-xml", turn("<user><text>a &nbsp; b</text></user>"), "&nbsp;", "XML has no entity `&nbsp;`"),
    ("not-xml", turn('<user name="&lt; &nbsp;"/>'), "&nbsp;", "XML has no entity `&nbsp;`"),
    ("not-xml", turn("<user><text>a &#27; b</text></user>"), "&#27;", "`&#27;` is not a character that XML can hold"),
    ("not-xml", turn("<user><text>a < b</text></user>"), " ", "`<` begins a tag, but none can be read here"),
    ("not-xml", turn("<user><text>a ]]> b</text></user>"), "]]>", "`]]>` ends CDATA, but none is open"),
    ("not-xml", turn("<user><text>a \x1b b</text></user>"), "\x1b", "XML cannot hold the character U+001B"),
    ("not-xml", turn('<assistant><call name="W" name="x"/></assistant>'), "n", "the element has an attribute twice"),
    (
        "not-xml",
        turn('<assistant><call name="W" a:b="x"/></assistant>'),
        "<",
        "the part before `:` in a name is a prefix that is not declared",
    ),
    ("not-xml", " <?xml version='1.0'?>" + ONE, "<", "the declaration `<?xml ...?>` is not at the very beginning"),
    ("not-xml", turn("<user><text><![CDATA[a</text></user>"), "<![CDATA[", "`<![CDATA[` is never closed"),
    ("not-xml", turn("<user><text a></text></user>"), ">", "a tag cannot be read here"),
    (
        "wrong-encoding",
        '<?xml version="1.0" encoding="latin1"?><memory/>',
        '<?xml version="1.0" encoding="latin1"?>',
        None,
    ),
    (
        "raw-line-end",
        turn('<assistant><call name="W" code="for i:\n\tgo"/></assistant>'),
        "<call",
        "the line ends and tabs in `code` are kept; XML reads spaces",
    ),
    ("document-type", f"<!DOCTYPE a>{ONE}", "<!DOCTYPE", None),
    ("processing-instruction", turn("<?php echo ?>"), "<?php", None),
    ("over-limit", "<tools>" + "<tool>" * 70, "<", "the document has more than 64 elements inside each other"),
    ("unknown-element", turn("<usr/>"), "<usr/>", "PML has no element `<usr>`"),
    ("unknown-element", "<html/>", "<html/>", "PML has no element `<html>`"),
    (
        "foreign-element",
        turn('<a xmlns="b"/>'),
        '<a xmlns="b"/>',
        "`a` is in the namespace `b`, but PML elements have no namespace",
    ),
    ("foreign-element", '<memory xmlns="b"/>', '<memory xmlns="b"/>', None),
    (
        "foreign-element",
        '<memory xmlns:a="b" a:c="1"/>',
        'a:c="1"',
        "`c` is in the namespace `b`, but PML elements have no namespace",
    ),
    ("misplaced-element", turn("<fact/>"), "<fact/>", "`<fact>` cannot be in `<turn>`"),
    ("misplaced-element", "<turn/>", "<turn/>", "a document cannot begin with `<turn>`"),
    (
        "misplaced-element",
        turn('<assistant><call name="W"/><text>a</text></assistant>'),
        "<text>",
        "`<text>` in `<assistant>` cannot follow `<call>`",
    ),
    (
        "misplaced-element",
        turn("<user><text>a</text></user><user><text>b</text></user>"),
        "<user>",
        "`<user>` in `<turn>` cannot follow `<user>`",
    ),
    (
        "misplaced-element",
        "<prompt><conversation/><memory/></prompt>",
        "<memory/>",
        "`<memory>` in `<prompt>` cannot follow `<conversation>`",
    ),
    ("misplaced-element", turn("<user><text><b>a</b></text></user>").replace("b>", "fact>"), "<fact>", None),
    ("missing-element", "<prompt><memory/></prompt>", "<prompt>", "`<prompt>` has no `<conversation>`"),
    (
        "misplaced-text",
        turn("<user>hello <text>a</text></user>"),
        "hello ",
        "there is text between the elements of `<user>`",
    ),
    (
        "misplaced-text",
        turn('<user><attachment type="a"><content>a</content>b</attachment></user>'),
        "b",
        "there is text between the elements of `<attachment>`",
    ),
    ("unknown-attribute", '<conversation tpic="a"/>', 'tpic="a"', "`<conversation>` has no attribute `tpic`"),
    ("missing-attribute", "<tools><tool/></tools>", "<tool/>", "`<tool>` has no attribute `name`"),
    ("attribute-value", turn('<user role="system"/>'), 'role="system"', None),
    ("attribute-value", '<conversation><turn index="0"/></conversation>', 'index="0"', None),
    ("attribute-value", '<tools><tool name="a"><param key="a" type="str"/></tool></tools>', 'type="str"', None),
    ("bad-json", turn('<user><text encoding="json">a</text></user>'), '<text encoding="json">a</text>', None),
    ("bad-json", turn('<user><text encoding="json">1</text></user>'), '<text encoding="json">1</text>', None),
    (
        "bad-base64",
        turn('<user><attachment type="a"><content encoding="base64">a</content></attachment></user>'),
        None,
        None,
    ),
    ("two-contents", turn('<user><attachment type="a" href="b">c</attachment></user>'), 'href="b"', None),
    (
        "turn-order",
        ONE.replace("<turn>", '<turn index="2">').replace("</turn>", '</turn><turn index="1"/>'),
        'index="1"',
        "turn 1 comes after turn 2",
    ),
    (
        "repeated-call-id",
        turn('<assistant><call name="W" id="1"/><call name="W" id="1"/></assistant>'),
        'id="1"',
        "another call also has the id `1`",
    ),
    (
        "unanswered-call",
        turn('<assistant><call name="W"/></assistant><assistant><text>a</text></assistant>'),
        '<call name="W"/>',
        "the call of `W` has no result, and messages follow: providers reject that",
    ),
    (
        "result-without-call",
        turn('<tool_output id="1">a</tool_output>'),
        'id="1"',
        "no call before this result has the id `1`",
    ),
    (
        "result-without-call",
        turn(
            '<assistant><call name="W" id="1"/></assistant><tool_output id="1">a</tool_output>'
            '<tool_output id="1" name="W">b</tool_output>'
        ),
        'id="1"',
        "the call `1` already has a result",
    ),
    (
        "result-without-call",
        turn("<assistant><text>a</text></assistant><tool_output>a</tool_output>"),
        "<tool_output>",
        "no call before this result waits for one",
    ),
    (
        "result-without-call",
        turn(
            '<assistant><call name="V"/></assistant><tool_output name="W">a</tool_output><tool_output>a</tool_output>'
        ),
        '<tool_output name="W">',
        "no call of `W` before this result waits for one",
    ),
    (
        "document-type",
        "<!-- é <!DOCTYPE a> --><!DOCTYPE conversation><conversation/>",
        "<!DOCTYPE",
        "a PML document must not have a document type, which could define entities",
    ),
    (
        "not-xml",
        '<?xml version="1.1"?><conversation/>',
        '<?xml version="1.1"?>',
        "PML is XML 1.0, but this is declared as XML 1.1",
    ),
    ("not-xml", '{"messages": []}', "{", "this is JSON, but PML is XML"),
    ("not-xml", ' [{"name": "W"}]\n', "[", "this is JSON, but PML is XML"),
    ("not-xml", "[a] <conversation/>", "[", "there is text outside of the document"),
    (
        "repeated-argument",
        turn('<assistant><call name="W" a="1"><arg key="a">2</arg></call></assistant>'),
        '<arg key="a">2</arg>',
        "the call has the argument `a` twice",
    ),
    (
        "repeated-argument",
        turn(
            '<assistant><call name="W"><arg key="a">1</arg><arg type="json">{"b": 1, "a": 2}</arg></call></assistant>'
        ),
        '<arg type="json">{"b": 1, "a": 2}</arg>',
        "the call has the argument `a` twice",
    ),
    (
        "attribute-value",
        turn('<user><attachment type="image" href=" DATA:image/png;base64,AAAA"/></user>'),
        'href=" DATA:image/png;base64,AAAA"',
        "the `href` of the attachment is a `data:` URL, which contains data instead of an address",
    ),
    (
        "two-contents",
        turn('<user><attachment type="a" mime="b/c"><content mime="d/e">f</content></attachment></user>'),
        '<content mime="d/e">f</content>',
        "the media type of the attachment is `b/c`, but that of its content is `d/e`",
    ),
    (
        "misplaced-text",
        turn('<tool_output>words<x:opaque xmlns:x="urn:acdl-mkdocs:pml:1" provider="a">1</x:opaque></tool_output>'),
        "words",
        "there is text between the elements of `<tool_output>`",
    ),
    (
        "bad-json",
        turn('<assistant><call name="W"><arg key="a" type="json">[-1e400]</arg></call></assistant>'),
        '<arg key="a" type="json">[-1e400]</arg>',
        "the argument `a` is not valid JSON: `-1e400` is larger than a 64-bit float can be",
    ),
    (
        "repeated-tool",
        '<tools><tool name="a"/><tool name="b" alias="a"/></tools>',
        'alias="a"',
        "another tool is also named `a`",
    ),
    (
        "repeated-tool",
        '<tools><tool name="a"><param key="k"/><param key="k"/></tool></tools>',
        'key="k"',
        "another parameter is also named `k`",
    ),
    (
        "unknown-tool",
        '<prompt><tools><tool name="Weather"/></tools>'
        + turn('<assistant><call name="Wether"/></assistant>')
        + "</prompt>",
        'name="Wether"',
        "the document lists no tool `Wether`",
    ),
    (
        "odd-name",
        '<tools><tool name="a b"/></tools>',
        'name="a b"',
        "the tool is named `a b`, which not every provider accepts",
    ),
    ("odd-name", turn('<user><attachment type="a b"/></user>'), 'type="a b"', None),
    ("empty-message", turn("<user/>"), "<user/>", "the `<user>` message is empty, which providers reject"),
    (
        "unreadable-argument",
        '<prompt><tools><tool name="W"><param key="a" type="integer"/></tool></tools>'
        + turn('<assistant><call name="W" a="x"/></assistant>')
        + "</prompt>",
        None,
        None,
    ),
    ("unreadable-parameter", '<tools><tool name="W"><schema>[</schema></tool></tools>', None, None),
]


@pytest.mark.parametrize(("rule", "text", "place", "message"), EXAMPLES)
def test_example(rule: str, text: str, place: str | None, message: str | None) -> None:
    """The problem is the only one, at its place, in the words of a person."""
    found = read(text)
    (problem,) = found.problems
    assert problem.rule == rule
    if place is not None:
        assert text[problem.label.span.start : problem.label.span.end] == place
    if message is not None:
        assert problem.message == message
    for words in (problem.message, problem.label.text, *problem.help):
        assert words == words.strip()
        assert not words.endswith(".")
    assert rule == "bad-json" or problem.help


def test_every_rule_has_an_example() -> None:
    """No rule is only a name; those of calls beside tools and of repairs are not for the reader to tell."""
    elsewhere = {
        "other-spelling",
        "missing-argument",
        "unknown-argument",
        "wrong-type",
        "wrong-value",
        "wrong-size",
        "repaired",
    }
    assert {rule for rule, *_ in EXAMPLES} == PML_RULES.keys() - elsewhere


@pytest.mark.parametrize(
    "inside",
    [
        '<turn index="2"><user><text>a</text></user></turn><turn index="2"><user><text>b</text></user></turn>',
        '<turn><assistant><call name="W" id="1"/><call name="V"/></assistant></turn>',
        '<turn><assistant><call name="W"/></assistant><system><text>a</text></system><tool_output/></turn>',
        '<turn><assistant><call name="W"/><call name="V"/></assistant></turn>'
        '<turn><tool_output name="V">a</tool_output><tool_output>b</tool_output>'
        "<assistant><text>c</text></assistant></turn>",
        '<turn><assistant><call name="W"/></assistant><assistant><tool_output>a</tool_output></assistant></turn>',
        '<turn><user><attachment type="a" mime="b/c"><content mime="b/c">d</content></attachment></user></turn>',
    ],
)
def test_no_problem(inside: str) -> None:
    """A turn may go on, the last calls may wait, and results without ids belong to calls by their tool or order."""
    assert read(f"<conversation>{inside}</conversation>").problems == ()


def test_prompt_is_kept() -> None:
    """What cannot be sent can still be looked at; what breaks the grammar cannot."""
    assert read(turn('<tool_output id="1">a</tool_output>')).prompt is not None
    assert read(turn("<fact/>")).prompt is None


def test_bytes_that_are_not_utf_8() -> None:
    """The first wrong byte is counted from 1, as in messages about recordings."""
    (found,) = read(b"<memory>\xff</memory>").problems
    assert (found.rule, found.message) == (
        "wrong-encoding",
        "PML has to be UTF-8, but this is not UTF-8 from byte 9 on",
    )


def test_several_problems() -> None:
    """All problems are told at once, in the order of the text, at most a hundred."""
    found = read(turn('<user nam="a"><txt/></user><fact/>'))
    assert [problem.rule for problem in found.problems] == ["unknown-attribute", "unknown-element", "misplaced-element"]
    assert len(read(turn("<fact/>" * 200)).problems) == 100


@pytest.mark.parametrize(
    ("limits", "what"),
    [
        (Limits(size_bytes=60), "60 bytes"),
        (Limits(depth=3), "3 elements inside each other"),
        (Limits(elements=2), "2 elements"),
        (Limits(attributes=1), "1 attributes in one element"),
        (Limits(all_attributes=2), "2 attributes"),
    ],
)
def test_limits(limits: Limits, what: str) -> None:
    """Each limit can be set, and says what it is."""
    text = turn('<user name="a" id="b"><text encoding="json">"a"</text></user>')
    (problem,) = read(text, limits=limits).problems
    assert problem.message == f"the document has more than {what}"
    assert read(text).problems == ()


def test_places_behind_other_letters() -> None:
    """Places count characters, not bytes, also behind an earlier line."""
    text = turn("<user><text>äöü€😀</text></user>\r\n<usr/>")
    found = read(text.encode())
    span = found.problems[0].label.span
    assert text[span.start : span.end] == "<usr/>"
    assert found.source.find_place(span.start).line == 2
