"""Calls are found at the end of what a model has just written, and nowhere else; mending is bounded and reported."""

import tracemalloc
from functools import partial

import pytest
from exhaustive import few
from hypothesis import given
from hypothesis import strategies as st
from steps import n_steps, soon

from acdl_mkdocs.prompts.pml.read import read
from acdl_mkdocs.prompts.pml.tail import MOST_CALLS, MOST_CHARACTERS, tail
from acdl_mkdocs.prompts.prompt import Call, Message, Text, Tool

WEATHER = Tool(
    "W", parameters={"type": "object", "properties": {"loc": {"type": "string"}, "days": {"type": "integer"}}}
)
OSLO = '<call name="W" loc="Oslo"/>'


@pytest.mark.parametrize(
    ("said", "text", "args"),
    [
        (OSLO, "", [{"loc": "Oslo"}]),
        (f"I look.\n{OSLO}\n", "I look.\n", [{"loc": "Oslo"}]),
        (
            f'<thinking>hm</thinking>{OSLO} <call name="W" days="3"/>',
            "",
            [{"loc": "Oslo"}, {"days": 3}],
        ),
        (f"So: {OSLO} is how. {OSLO}", f"So: {OSLO} is how. ", [{"loc": "Oslo"}]),
        ("<call name='W' loc='a\"b'></call>", "", [{"loc": 'a"b'}]),
        ('<call name="W" loc="a &lt; b &amp; c > d"/>', "", [{"loc": "a < b & c > d"}]),
        (
            '<call name="W"><arg key="a" type="json">[1, 2]</arg>\n<arg key="b" type="string">x</arg></call >',
            "",
            [{"a": [1, 2], "b": "x"}],
        ),
        (f'<call name="W"><arg key="a" type="string"><![CDATA[{OSLO} ]]></arg></call>', "", [{"a": f"{OSLO} "}]),
        ('<call\n  name="W"\n  loc="x"\n/>', "", [{"loc": "x"}]),
        ("no call", "no call", []),
        ("", "", []),
    ],
)
def test_found(said: str, text: str, args: list[dict[str, object]]) -> None:
    """The longest run of calls that ends the text is found; what stands before is text."""
    found = tail(said, [WEATHER])
    assert found.text == text
    assert [dict(each.args) for each in found.calls] == args
    assert all(said[each.start : each.end].startswith("<call") and said[each.end - 1] == ">" for each in found.spans)
    assert (found.problems, found.repairs) == ((), ())


@pytest.mark.parametrize(
    ("said", "text", "thinking"),
    [
        (f"<thinking>a < b\n</thinking>\n{OSLO}", "\n", ("a < b\n",)),
        (f"\n<thinking>a</thinking>I look.\n{OSLO}", "I look.\n", ("a",)),
        (f"I look.<thinking>a</thinking>\n{OSLO}", "I look.", ("a",)),
        (f"<thinking>a</thinking>I look.<thinking>b</thinking>{OSLO}", "I look.", ("a", "b")),
        (f"a <thinking>b</thinking> c {OSLO}", "a <thinking>b</thinking> c ", ()),
        (f"a</thinking>{OSLO}", "a</thinking>", ()),
        (f"<thinking>a{OSLO}", "<thinking>a", ()),
        ("<thinking>a</thinking>b", "<thinking>a</thinking>b", ()),
    ],
)
def test_thinking(said: str, text: str, thinking: tuple[str, ...]) -> None:
    """What a model thought at the beginning and before its calls is apart from its words, as it is written."""
    found = tail(said, [WEATHER])
    assert (found.text, found.thinking) == (text, thinking)


@pytest.mark.parametrize(
    ("said", "rule", "message", "at"),
    [
        (f"{OSLO}.", "misplaced-text", "something follows the call", 0),
        (f"I look.\n\n{OSLO}\n\nNow I wait.", "misplaced-text", "something follows the call", 9),
        (f"{OSLO}\n<tool_output>sunny</tool_output>\nIt is sunny.", "misplaced-text", "something follows", 0),
        (f"I look. {OSLO}</assistant>", "misplaced-text", "something follows the call", 8),
        (f"```xml\n{OSLO}\n```", "misplaced-text", "something follows the call", 7),
        (f"Like this:\n```xml\n{OSLO}\n```\nI wait.", "misplaced-text", "something follows the call", 18),
        (f"~~~\n{OSLO}\n~~~\nI wait.", "misplaced-text", "something follows the call", 4),
        ('<call name="W" loc="say "hi" now"/>', "not-xml", "this looks like a call, but cannot be read", 0),
        ('<call name="W" days=1/>', "not-xml", "this looks like a call, but cannot be read", 0),
        ('<call name=W loc="x"/>.', "not-xml", "this looks like a call, but cannot be read", 0),
        ('<call name="W"><loc>Oslo</loc></call>', "not-xml", "there is `<loc>` in the call", 0),
        ('<call name="W"><arg key="a">b</arg>\n<c>d</c></call>', "not-xml", "there is `<c>` in the call", 0),
        ('<call name="W">{"loc": "Oslo"}</call>', "not-xml", "there is text in the call", 0),
        ('<call name="W" loc="a &amp; b & c"/>', "not-xml", "`&` begins an entity", 30),
        ('I look. <call name="W" loc="x', "not-xml", "the answer ends inside a call", 8),
        ('<call name="W"><arg key="a" type="string">print(', "not-xml", "the answer ends inside a call", 0),
        (f'{OSLO}\n<call name="W" loc="x', "not-xml", "the answer ends inside a call", 28),
    ],
)
@pytest.mark.parametrize("is_repaired", [False, True])
def test_missed(said: str, rule: str, message: str, at: int, is_repaired: bool) -> None:
    """What was probably meant as a call is not a call, and does not vanish silently."""
    found = tail(said, [WEATHER], is_repaired=is_repaired)
    assert found.calls == ()
    (problem,) = found.problems
    assert (problem.rule, problem.label.span.start) == (rule, at)
    assert problem.message.startswith(message)
    assert problem.help


@pytest.mark.parametrize(
    "said",
    [
        f"You could write {OSLO} for that.",
        f"Write `{OSLO}`.",
        f"<!-- {OSLO} -->",
        f"<thinking>or {OSLO}</thinking>",
        "end with a <call>",
        "<callback name='W'",
        "I have no <call for that",
        f'He said "{OSLO}".',
        'In <CALL name="W"/> the name is wrong.',
        "I use <tool_call> for that.",
        "<tool_call> is the tag of others.",
        'They write <invoke name="W"></invoke> there.',
        'The text `&lt;call name="W"/&gt;` is escaped.',
        'Of {"name": "W", "arguments": {}} others make a call.',
    ],
)
def test_quoted(said: str) -> None:
    """A call that a sentence quotes is not told."""
    found = tail(said, [WEATHER])
    assert (found.calls, found.problems) == ((), ())


LISTED = "the call is in a list or a quotation, so it is not made"


@pytest.mark.parametrize(
    "said",
    [
        f"I would do one of:\n- {OSLO}\n- {OSLO}",
        f"1. {OSLO}\n2. {OSLO}\n",
        f"10) {OSLO}",
        f"* **First**: {OSLO}",
        f"  + - {OSLO}",
        f"- [x] {OSLO}.",
        f"- `{OSLO}`",
        f"> {OSLO}",
        f"> > {OSLO}\n> {OSLO}",
        f"\u2022 {OSLO}",
        f"- {OSLO}\nNow I wait.",
    ],
)
@pytest.mark.parametrize("is_repaired", [False, True])
def test_listed(said: str, is_repaired: bool) -> None:
    """Calls in a list or a quotation are not made, not even the last one alone, and one problem says so."""
    found = tail(said, [WEATHER], is_repaired=is_repaired)
    assert (found.calls, found.text) == ((), said)
    assert [(each.rule, each.message) for each in found.problems] == [("misplaced-text", LISTED)]
    assert found.problems[0].help == ("end the answer with the calls that are meant, each at the beginning of a line",)


@pytest.mark.parametrize("before", ["- a\n- b\n\n", "- a\n", "1. I look.\n   ", "2 > 1\n", "a - b: ", "-"])
def test_not_listed(before: str) -> None:
    """A call behind a list, and behind a sign that begins none, is made."""
    found = tail(before + OSLO, [WEATHER])
    assert (len(found.calls), found.text, found.problems) == (1, before, ())


CAPITALS = "is not `<call`, so the call is not made"
FORMAT = "begins a call of another format, which is text here"
OTHERS = [
    ('<CALL name="W"/>', CAPITALS),
    ('I look. <Call Name="W" loc="x"></Call>.', CAPITALS),
    ('< call name="W"/>', "white space before `call`"),
    ('<call>{"name": "W"}</call>', FORMAT),
    ('<tool_call>\n{"name": "W", "arguments": {"loc": "x"}}\n</tool_call>', FORMAT),
    ('<tool_call>{"name": "W", "argum', FORMAT),
    ("<tool_call>W\n<arg_key>loc</arg_key>\n<arg_value>x</arg_value>\n</tool_call>", FORMAT),
    ('<tool_call name="W" loc="x"/>', FORMAT),
    ('<function_calls>\n<invoke name="W">\n</invoke>\n</function_calls>', FORMAT),
    ('I look. <invoke name="W"><parameter name="loc">x</parameter></invoke>', FORMAT),
    ("<function=W>\n<parameter=loc>\nx\n</parameter>\n</function>", FORMAT),
    ('- <function=W>{"loc": "x"}</function>\nI wait.', FORMAT),
    ('[TOOL_CALLS] [{"name": "W", "arguments": {}}]', FORMAT),
    ("<|python_tag|>W.call(loc='x')", FORMAT),
    ('{"name": "W", "arguments": {"loc": "x"}}', FORMAT),
    ('```json\n{"name": "W", "parameters": {"loc": "x"}}\n```\nI wait.', FORMAT),
    ('&lt;call name="W" loc="x"/&gt;', "`&lt;call` is text"),
    ('I look. &lt;call name="W"&gt;&lt;/call&gt;', "`&lt;call` is text"),
]


@pytest.mark.parametrize(("said", "message"), OTHERS)
@pytest.mark.parametrize("form", ["{}", "I look.\n\n{}\n", "```\n{}\n```"])
def test_other_formats(said: str, message: str, form: str) -> None:
    """A call in another format, in capitals or escaped is not a call, and one problem says how to write it."""
    answer = form.format(said) if "```" not in said else said
    found = tail(answer, [WEATHER])
    assert (found.calls, found.text) == ((), answer)
    (problem,) = found.problems
    assert (problem.severity, problem.rule) == ("warning", "not-xml")
    assert message in problem.message
    assert problem.help == ('write `<call name="tool" key="value"/>`, at the end of the answer',)


@pytest.mark.parametrize(
    ("said", "args", "names"),
    [
        ('<call name="W" code="for i in x:\n    go(i)"/>', {"code": "for i in x:\n    go(i)"}, "`code`"),
        ("<call name='W' a='\tgo:\r\n' b='1 2'></call>", {"a": "\tgo:\r\n", "b": "1 2"}, "`a`"),
        ('<call name="W" a="1\n" b="\n&amp;&#10;"/>', {"a": "1\n", "b": "\n&\n"}, "`a`, `b`"),
        (
            '<call name="W" a="x\ny"> <arg key="b" type="string">1\n2</arg> </call>',
            {"a": "x\ny", "b": "1\n2"},
            "`a`",
        ),
        ('<call name="W" days="\n2"/>', {"days": 2}, "`days`"),
    ],
)
def test_kept(said: str, args: dict[str, object], names: str) -> None:
    """Line ends and tabs in attributes are kept, since they may be code, and reported beside the call."""
    found = tail(f"I run it.\n{said}", [WEATHER])
    assert [dict(each.args) for each in found.calls] == [args]
    assert (found.problems, found.repairs) == ((), ())
    (kept,) = found.kept
    assert (kept.span, kept.message) == (
        found.spans[0],
        f"the line ends and tabs in {names} are kept; XML would read spaces",
    )


@pytest.mark.parametrize(
    "said", ['<call\n  name="W"\n\tloc="x"\n/>', '<call name="W" loc="a&#10;b"/>', f"a\n{OSLO}\n{OSLO}\n"]
)
def test_nothing_kept(said: str) -> None:
    """Line ends between attributes, and those that are written as XML has them, are not reported."""
    found = tail(said, [WEATHER])
    assert found.calls
    assert found.kept == ()


def test_kept_and_mended() -> None:
    """Mending what is no XML keeps line ends too; a problem of such a call has its place."""
    said = '<call name="W" code="a &&\n b"/>'
    mended = tail(said, [WEATHER], is_repaired=True)
    assert [dict(each.args) for each in mended.calls] == [{"code": "a &&\n b"}]
    assert (len(mended.repairs), len(mended.kept)) == (1, 1)
    (problem,) = tail('Well. <call name="W" a="x\n"><arg key="k" type="json">[1</arg></call>').problems
    assert (problem.rule, problem.label.span.start) == ("bad-json", 6)


@pytest.mark.parametrize(
    ("said", "rule", "cure"),
    [
        ('<call name="W"><arg type="json">[1]</arg></call>', "bad-json", "write an object, or a `key`"),
        ('<call name="W" loc="\x1b"/>', "not-xml", '<arg key="..." type="json">"\\u001b"</arg>'),
        ('<call name="W" loc="&#x1B;"/>', "not-xml", '<arg key="..." type="json">"\\u001b"</arg>'),
        ('<call name="W" loc="&#99999999999;"/>', "not-xml", '<arg key="..." type="json">" "</arg>'),
        ('<call name="W" id="a"/><call name="W" id="a"/>', "repeated-call-id", "give every call its own id"),
    ],
)
def test_refused(said: str, rule: str, cure: str) -> None:
    """What cannot be handed to a tool is told with what to write instead, in a call."""
    found = tail(said, [WEATHER])
    assert (found.calls, [each.rule for each in found.problems]) == ((), [rule])
    assert cure in found.problems[0].help[0]


def test_most_problems() -> None:
    """Of thousands of mistakes a hundred are told."""
    said = '<call name="W">' + '<arg key="a">x</arg>' * 40_000 + "</call>"
    assert len(tail(said, [WEATHER]).problems) == 100
    assert len(tail('<call name="W" loc="a" loc="b"/>' * 200).problems) == 100


@pytest.mark.parametrize(
    "said",
    [
        f"{OSLO}.",
        f"{OSLO} Now I wait.",
        f"```xml\n{OSLO}\n```",
        f"&lt;call name='W'/&gt; <!-- {OSLO} -->",
        f"<![CDATA[{OSLO}]]>",
        f"<tool_output>{OSLO}</tool_output>",
        f"<callback {OSLO[6:]}",
        '<CALL name="W"/>',
    ],
)
@pytest.mark.parametrize("is_repaired", [False, True])
def test_not_at_the_end(said: str, is_repaired: bool) -> None:
    """A call that something else follows is text, whatever is mended."""
    found = tail(said, [WEATHER], is_repaired=is_repaired)
    assert (found.calls, found.text) == ((), said)


@pytest.mark.parametrize(
    ("said", "args", "repair"),
    [
        ('<call name="W" loc="a && b"/>', {"loc": "a && b"}, "not escaped"),
        ('<call name="W" loc="a < b"/>', {"loc": "a < b"}, "not escaped"),
        ('<call name="W"><arg key="a" type="string">x <b> & y</arg></call>', {"a": "x <b> & y"}, "not escaped"),
        (
            '<call name="W"><arg key="a" type="string">x<arg key="b" type="json">1</arg></call>',
            {"a": "x", "b": 1},
            "</arg>",
        ),
        ('<call name="W"><arg key="a" type="string">x</call>', {"a": "x"}, "</arg>"),
        ('<call name="W" loc="x">', {"loc": "x"}, "</call>"),
        ('<call name="W"><arg key="a" type="json">1</arg>\n', {"a": 1}, "</call>"),
    ],
)
def test_mended(said: str, args: dict[str, object], repair: str) -> None:
    """What can be read in one way only is mended where that is asked for, and reported; else it is a problem."""
    strict, mended = tail(said, [WEATHER]), tail(said, [WEATHER], is_repaired=True)
    assert (strict.calls, strict.text, bool(strict.problems)) == ((), said, True)
    assert [dict(each.args) for each in mended.calls] == [args]
    assert repair in mended.repairs[0].message
    assert mended.problems == ()


@pytest.mark.parametrize(
    "said",
    [
        '<call name="W" loc="a &amp; b & c"/>',
        '<call name="W" loc="a&nbsp;b & c"/>',
        '<call name="W" loc="say "hi" now"/>',
        '<call name="W" loc=x/>',
        "<call/>",
        "end with a <call>",
        '<call name="W" loc="x',
        '<call name="W"><arg key="a" type="string">print(',
        '<call name="W"><arg key="a" type="string">x</arg> y</arg></call>',
        '<call name="W"><arg key="a" type="string"><![CDATA[x</arg></call>',
        '<call name="W">{"loc": "Oslo"}</call>',
        '<call name="W" loc="a" loc="b"/>',
        '<call name="W"><arg key="a" type="json">{"b": 1, "b": 2}</arg></call>',
        '<call name="W" loc="a"><arg key="loc" type="string">b</arg></call>',
        '<call name="W" loc="a"><arg type="json">{"loc": "b"}</arg></call>',
        '<call name="W" xmlns="urn:a" loc="b"/>',
        '<call name="W" xmlns:a="urn:a" a:loc="b"/>',
        '<call name="W"><arg key="a" type="int">1</arg></call>',
    ],
)
def test_not_mended(said: str) -> None:
    """What is cut off, or can be read in two ways, is never made a call."""
    found = tail(said, [WEATHER], is_repaired=True)
    assert (found.calls, found.text) == ((), said)


def test_all_or_none() -> None:
    """Where one of several calls is broken, none is given; all are where it can be mended."""
    said = f'{OSLO}<call name="W" loc="a && b"/>{OSLO}'
    assert tail(said, [WEATHER]).calls == ()
    assert len(tail(said, [WEATHER]).problems) == 1
    assert len(tail(said, [WEATHER], is_repaired=True).calls) == 3


def test_broken_before() -> None:
    """A call that is no XML before one that is gives a warning beside the call."""
    found = tail(f'<call name="W" loc="a < b"/>{OSLO}', [WEATHER])
    assert [dict(each.args) for each in found.calls] == [{"loc": "Oslo"}]
    assert [(each.severity, each.label.span.start) for each in found.problems] == [("warning", 0)]


@pytest.mark.parametrize(
    ("before", "rule"),
    [
        ('<call name="W" loc="a" n=1/>\n', "not-xml"),
        (f"First:\n{OSLO}\nThen:\n", "misplaced-text"),
        (f"{OSLO}.\n", "misplaced-text"),
        (f"Write {OSLO}.\n", None),
        (f"Like this:\n```xml\n{OSLO}\n```\n", "misplaced-text"),
        (f"- {OSLO}\nThen:\n", "misplaced-text"),
        ('<CALL name="W"/>\n', "not-xml"),
        ('<tool_call>{"name": "W"}</tool_call>\n', "not-xml"),
        ('<thinking>\n<tool_call>{"name": "W"}</tool_call>\n</thinking>\n', None),
        (f"<thinking>\n{OSLO} or not\n</thinking>\n", None),
    ],
)
def test_missed_before(before: str, rule: str | None) -> None:
    """A call that is not made before one that is gives a warning, unless it is quoted."""
    found = tail(before + OSLO, [WEATHER])
    assert len(found.calls) == 1
    assert [(each.severity, each.rule) for each in found.problems] == ([("warning", rule)] if rule else [])


def test_cure_of_quotes() -> None:
    """Quotes in a value have a cure that names them."""
    (problem,) = tail('<call name="W" loc="say "hi" now"/>', [WEATHER]).problems
    assert "&quot;" in problem.help[0]


def test_place_of_a_problem() -> None:
    """A problem is where it is in the whole text, not in the call alone."""
    said = f'Well.\n{OSLO}\n<call name="W" loc="a & b"/>'
    assert tail(said).problems[0].label.span.start == said.index("&")


def test_provider_data_of_a_model() -> None:
    """A model cannot forge what a provider says beside a call."""
    said = '<call name="W" xmlns:x="urn:acdl-mkdocs:pml:1" x:signature="s" x:raw="{}"/>'
    assert tail(said).calls == (Call("W", {}),)


@pytest.mark.parametrize(
    "document",
    [
        f"<user><text>{OSLO.replace('<', '&lt;')}</text></user>",
        f"<user><attachment type='file'><content><![CDATA[{OSLO}]]></content></attachment></user>",
        f"<tool_output><![CDATA[{OSLO}]]></tool_output>",
        f"<assistant><text><![CDATA[{OSLO}]]></text></assistant>",
    ],
)
def test_forged_in_a_document(document: str) -> None:
    """Nothing in a document is looked through for calls: not the words of a user, files, results or earlier answers."""
    found = read(f"<conversation><turn>{document}</turn></conversation>")
    assert found.prompt is not None
    assert not any(isinstance(part, Call) for message in found.prompt.messages for part in message.parts)


def test_document_with_a_call() -> None:
    """A call in a document is an element of an answer."""
    found = read(f"<conversation><turn><assistant><text>a</text>{OSLO}</assistant></turn></conversation>")
    assert found.prompt is not None
    assert found.prompt.messages == (Message("assistant", (Text("a"), Call("W", {"loc": "Oslo"}))),)


def filled(piece: str, end: str = "") -> str:
    """An answer as long as is allowed."""
    return piece * ((MOST_CHARACTERS - len(end)) // len(piece)) + end


def ended(said: str) -> str:
    """An answer that may end with a call."""
    return f"{said[:-1]}>"


ATTACKS = {
    "opened": filled("<call "),
    "quotes": filled('<call a="'),
    "both quotes": filled("<call a=\"'"),
    "attributes": "<call" + filled(' a="b"')[5:],
    "spaces": filled("<call" + " " * 1000),
    "args": '<call name="W">' + filled('<arg key="k">x</arg>', "</call>")[20:] + "</call>",
    "args of numbers": '<call name="W">' + "".join(f'<arg key="{n}">1</arg>' for n in range(43_000)) + "</call>",
    "begun calls": filled('<call name="W" '),
    "begun calls and a word": filled('<call name="W" x=') + "x",
    "long heads": filled("<call" + " " * 300 + "<"),
    "signs behind a call": OSLO + filled(").`")[30:],
    "cdata": filled('<call a="b"><arg key="k"><![CDATA['),
    "cdata and one end": filled('<call a="b"><arg key="k"><![CDATA[', "]]>"),
    "cdata, one end, args": filled('<call a="b"><arg key="k"><![CDATA[')[: MOST_CHARACTERS // 2]
    + "]]></arg>"
    + filled("<arg>x</arg>")[: MOST_CHARACTERS // 2 - 10],
    "less than": '<call a="' + filled("< ")[9:],
    "text": filled("a"),
    "white space behind": (OSLO + " " * MOST_CHARACTERS)[:MOST_CHARACTERS],
    "calls": filled(OSLO),
    "broken calls": filled('<call name="W" loc="a && b"/>'),
    "calls and text": filled(f"{OSLO} x "),
    "nested json": ('<call name="W"><arg key="a" type="json">' + filled("[")[60:] + "</arg></call>"),
    "other formats": filled('<tool_call>{"name": '),
    "lines of other formats": filled('x <tool_call>\n{"name": \n'),
    "escaped": filled('x &lt;call name="W"'),
    "capitals": filled('x <CALL name="W" '),
    "list": filled("- "),
    "list and calls": filled(f"- {OSLO}\n"),
    "quotation": filled("> ", OSLO),
    "white space before a name": filled("< " + " " * 500),
    "line ends": '<call name="W" a="' + filled("x\n", '"/>')[20:],
    "entities": '<call a="' + filled("&amp;", '"/>')[9:],
}


@pytest.mark.parametrize("name", few(ATTACKS, 12))
@pytest.mark.parametrize("is_repaired", few([False, True]))
def test_attacks(name: str, is_repaired: bool) -> None:
    """No answer takes more than steps that grow with it and 200 MB, whatever is in it."""
    said = ended(ATTACKS[name])
    soon(partial(tail, said, [WEATHER], is_repaired=is_repaired))
    few, many = (
        n_steps(partial(tail, ended(said[: MOST_CHARACTERS // part]), [WEATHER], is_repaired=is_repaired))
        for part in (80, 20)
    )
    assert many < 5 * few + 1_000
    tracemalloc.start()
    tail(ended(said[: MOST_CHARACTERS // 20]), [WEATHER], is_repaired=is_repaired)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10_000_000  # of a twentieth


def test_limits() -> None:
    """Answers that are too long, or have too many calls, give no call and a problem."""
    for said in ("x" * MOST_CHARACTERS + OSLO, OSLO * (MOST_CALLS + 1)):
        found = tail(said)
        assert (found.calls, [each.rule for each in found.problems]) == ((), ["over-limit"])
    assert len(tail(OSLO * MOST_CALLS).calls) == MOST_CALLS
    assert len(tail(OSLO.rjust(MOST_CHARACTERS, ".")).calls) == 1


PIECES = st.sampled_from(
    [
        "<call ",
        'name="W"',
        ' a="',
        '"',
        "/>",
        ">",
        "</call>",
        '<arg key="k">',
        "</arg>",
        "<![CDATA[",
        "]]>",
        "&",
        "<",
        " ",
        "x",
        OSLO,
    ]
)


@given(said=st.lists(PIECES, max_size=14).map("".join))
def test_any_answer(said: str) -> None:
    """Strict calls are those of a strict text; text and calls are all there is; mending never changes strict calls."""
    strict, mended = tail(said), tail(said, is_repaired=True)
    for found in (strict, mended):
        assert said.startswith(found.text)
        assert len(found.spans) == len(found.calls)
        if found.calls:
            assert found.spans[0].start == len(found.text)
            assert found.thinking == ()
    assert strict.repairs == ()
    if strict.calls:
        assert mended.calls == strict.calls
    assert bool(mended.repairs) <= bool(mended.calls)
