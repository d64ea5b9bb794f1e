"""Every spelling says the whole prompt or tells what it lacks, and counts of its parts add up."""

import json
from dataclasses import replace

import pytest
import yaml
from exhaustive import exhaustive
from hypothesis import example, given
from hypothesis import strategies as st
from wire.prompts import ANY, JSON, common
from wire.samples import AGENT, THOUGHTFUL

from acdl_mkdocs.prompts.pml.calls import read_call
from acdl_mkdocs.prompts.pml.read import read
from acdl_mkdocs.prompts.pml.tools import index_by_name
from acdl_mkdocs.prompts.pml.tree import read_tree
from acdl_mkdocs.prompts.prompt import (
    Attachment,
    Call,
    Json,
    Memory,
    Message,
    Opaque,
    Output,
    Prompt,
    Text,
    Thinking,
    Tool,
)
from acdl_mkdocs.prompts.providers import PROVIDERS
from acdl_mkdocs.prompts.tokens.compare import Comparison, compare
from acdl_mkdocs.prompts.tokens.counter import counter
from acdl_mkdocs.prompts.tokens.differences import NO_DATA, describe_differences, make_comparable
from acdl_mkdocs.prompts.tokens.spellings import BASE, KINDS, SPELLINGS, yaml_text

FULL = Prompt(
    (
        Message("system", (Text("Be brief."),)),
        Message("user", (Text("Why?"), Attachment("file", "a.py", text='x = "<call>"\n')), turn=1),
        Message("assistant", (Thinking("Look."), Call("find", {"q": "x y", "n": 3}, "c1")), turn=1),
        Message("tool", (Output((Text("line 1\nline 2"),), "c1"),), turn=1),
        Message("assistant", (Text("Because."),), turn=1),
    ),
    (
        Tool(
            "find",
            "Find words.",
            {
                "type": "object",
                "properties": {
                    "q": {"type": "string", "description": "Words"},
                    "n": {"type": "integer"},
                    "where": {"type": "array", "items": {"type": "object", "properties": {"path": {"type": "string"}}}},
                },
                "required": ["q"],
            },
        ),
    ),
    (Memory("Ann", key="name"),),
)
AWKWARD = st.text(alphabet=" \t\n\r:#-'\"ab|>\u2028\x85\x07é\ufeff\ud800", max_size=10)


def only(prompt: Prompt, encoding: str = "o200k_base") -> Comparison:
    """A comparison in one encoding."""
    (found,) = compare(prompt, counter(encoding))
    return found


def costs(prompt: Prompt) -> dict[str, dict[str, int]]:
    """Model tokens in `o200k_base` by spelling."""
    return {each.spelling: dict(each.model_tokens) for each in only(prompt).costs}


def lost(prompt: Prompt) -> dict[str, tuple[str, ...]]:
    """What is lost, by spelling."""
    return {each.spelling: each.lost for each in only(prompt, "estimate").costs}


def test_counts_are_those_of_the_texts() -> None:
    """Pinned counts of a prompt that has everything."""
    assert costs(FULL) == {
        "JSON": {
            "tools": 73,
            "memory": 16,
            "calls": 34,
            "results": 22,
            "files": 33,
            "words": 7,
            "wrapping": 58,
            "whole": 243,
        },
        "JSON pretty": {
            "tools": 156,
            "memory": 16,
            "calls": 58,
            "results": 34,
            "files": 40,
            "words": 7,
            "wrapping": 127,
            "whole": 438,
        },
        "YAML": {
            "tools": 87,
            "memory": 16,
            "calls": 40,
            "results": 28,
            "files": 35,
            "words": 7,
            "wrapping": 68,
            "whole": 281,
        },
        "PML": {
            "tools": 59,
            "memory": 14,
            "calls": 20,
            "results": 19,
            "files": 24,
            "words": 9,
            "wrapping": 46,
            "whole": 191,
        },
        "PML pretty": {
            "tools": 74,
            "memory": 19,
            "calls": 21,
            "results": 20,
            "files": 29,
            "words": 9,
            "wrapping": 84,
            "whole": 256,
        },
        "LAIC": {"tools": 59, "calls": 15},
        "Markdown": {
            "tools": 44,
            "memory": 8,
            "calls": 23,
            "results": 17,
            "files": 13,
            "words": 9,
            "wrapping": 14,
            "whole": 128,
        },
    }


def test_pieces_are_pieces_of_the_text() -> None:
    """What is counted as a part stands in the text, at most without the comma of its last element."""
    for name, spell in SPELLINGS.items():
        spelled = spell(FULL)
        if spelled.whole is None:
            continue
        for kind in KINDS:
            assert spelled.pieces[kind], (name, kind)
            if kind not in ("words", "memory"):
                for piece in spelled.pieces[kind]:
                    assert piece.rstrip(",\n") in spelled.whole, (name, kind)


@given(ANY)
def test_parts_add_up(prompt: Prompt) -> None:
    """All parts of a spelling are its whole, whatever the prompt."""
    for each in only(prompt, "estimate").costs:
        parts = dict(each.model_tokens)
        if "whole" in parts:
            assert parts.pop("whole") == sum(parts.values())
        else:
            assert each.spelling == "LAIC"


@given(ANY)
def test_documents_lose_nothing(prompt: Prompt) -> None:
    """PML is read again as the same prompt, whatever that is."""
    said = make_comparable(prompt).prompt
    for name in ("PML", "PML pretty"):
        spelled = SPELLINGS[name](said)
        assert read(spelled.whole or "").prompt == said
        assert spelled.lost == ()


@given(common("openai"))
def test_requests_lose_nothing_of_the_common_subset(prompt: Prompt) -> None:
    """JSON and YAML are read again as the same request, and that as the same prompt."""
    said = make_comparable(prompt).prompt
    compact, indented, lines = (SPELLINGS[name](said) for name in ("JSON", "JSON pretty", "YAML"))
    bodies = [json.loads(compact.whole or ""), json.loads(indented.whole or ""), yaml.safe_load(lines.whole or "")]
    assert bodies[1] == bodies[2]
    for body, spelled in zip(bodies, (compact, indented, lines), strict=True):
        assert make_comparable(PROVIDERS["openai"].read(body).prompt).prompt == said
        assert spelled.lost == ()


@example({"a": "x\n\n"})
@example({"": ":\n\n"})
@example({"a": {}, "b": "\n\n"})
@given(st.dictionaries(AWKWARD, st.recursive(JSON | AWKWARD, lambda inner: st.lists(inner, max_size=3)), max_size=3))
def test_yaml_is_read_again(value: dict[str, object]) -> None:
    """YAML says the same value, whatever characters are in it."""
    text = yaml_text(value)  # type: ignore[arg-type]  # JSON that is made in parts
    assert yaml.safe_load(text) == value
    assert yaml.safe_load(f"a:\n{yaml_text(value, 1)}") == {"a": value}  # type: ignore[arg-type]


def test_yaml_is_what_people_write() -> None:
    """Lines are lines, words have no quotes, what stands twice is written twice."""
    same: list[Json] = ["x"]
    assert yaml_text({"text": "one\ntwo\n", "words": "it is", "list": same, "again": same, "é": "no"}) == (
        "text: |\n  one\n  two\nwords: it is\nlist:\n- x\nagain:\n- x\né: 'no'\n"
    )


def test_calls_of_the_convention_are_read_again() -> None:
    """What LAIC lists is read as the calls, but for their ids, with the tools that it lists."""
    pieces = SPELLINGS["LAIC"](FULL).pieces
    (tools_text,), (call,) = pieces["tools"], pieces["calls"]
    tools = read(tools_text).prompt
    assert tools is not None
    assert tools.tools == FULL.tools
    root = read_tree(call).root
    assert root is not None
    assert read_call(root, index_by_name(tools.tools)["find"]) == Call("find", {"q": "x y", "n": 3})


def test_lost() -> None:
    """What cannot be read again is told in words."""
    assert lost(FULL) == {
        **dict.fromkeys(
            ("JSON", "JSON pretty", "YAML"),
            (
                "numbers of turns",
                "memory, which is text of the instructions",
                "thinking",
                "files, which are text of their message",
            ),
        ),
        "PML": (),
        "PML pretty": (),
        "LAIC": ("ids of calls, so that results belong to them by their order",),
        "Markdown": ("types and ids, and what is a heading and what is text: no program can read it again",),
    }


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"topic": "t"}, "the id and the topic of the conversation"),
        ({"memory": (Memory("x"),)}, "memory, which is text of the instructions"),
        ({"tools": ()}, "tools"),
        ({"tools": (replace(AGENT.tools[0], alias="W"), *AGENT.tools[1:])}, "tools"),
        ({"tools": (replace(AGENT.tools[0], has_trigger=True), *AGENT.tools[1:])}, "short codes of tools"),
        ({"messages": AGENT.messages[1:]}, "roles of messages"),
        ({"messages": (replace(AGENT.messages[0], name="x"), *AGENT.messages[1:])}, "names and ids of messages"),
        ({"messages": (replace(AGENT.messages[0], turn=1), *AGENT.messages[1:])}, "numbers of turns"),
        ({"messages": AGENT.messages[:2]}, "calls"),
        ({"messages": AGENT.messages[:3]}, "results"),
    ],
)
def test_each_difference_is_told(change: dict[str, object], words: str) -> None:
    """What is other in what was read is named, also where it is the only thing."""
    other = replace(AGENT, **change)  # type: ignore[arg-type]
    assert words in describe_differences(_without_files(AGENT), _without_files(other))
    assert describe_differences(AGENT, AGENT) == ()


def _without_files(prompt: Prompt) -> Prompt:
    messages = (
        replace(each, parts=tuple(part for part in each.parts if not isinstance(part, Attachment)))
        for each in prompt.messages
    )
    return replace(prompt, messages=tuple(messages))


def test_ids_that_a_format_adds_are_no_loss() -> None:
    """A request needs ids where the prompt has none; ids that go missing are told."""
    call = Message("assistant", (Call("find", {}, None),))
    result = Message("tool", (Output((Text("x"),)),))
    prompt = Prompt((Message("user", (Text("?"),)), call, result))
    assert lost(prompt)["JSON"] == ()
    assert describe_differences(AGENT, replace(AGENT, messages=tuple(map(_without_ids, AGENT.messages)))) == (
        "ids of calls",
    )


def _without_ids(message: Message) -> Message:
    def part_of(part: object) -> object:
        if isinstance(part, Call):
            return replace(part, id=None)
        return replace(part, call_id=None, tool=None) if isinstance(part, Output) else part

    return replace(message, parts=tuple(map(part_of, message.parts)))  # type: ignore[arg-type]


def test_what_is_left_out() -> None:
    """Data, settings and what one provider alone understands are in no spelling, and told."""
    own = Opaque("openai", {"cache": True}, "more")
    prompt = replace(
        AGENT,
        messages=(*AGENT.messages, Message("user", (Text("x"), own)), Message("none", (own,))),
        tools=(replace(AGENT.tools[0], more=own),),
        settings=(Opaque("openai", {"temperature": 1}),),
    )
    found = make_comparable(prompt)
    assert found.left_out == (
        "the data of 1 file, which providers count by size",
        "4 things that one provider alone understands",
    )
    assert len(found.prompt.messages) == len(AGENT.messages) + 1
    assert found.prompt.messages[1].parts[1] == Attachment("image", mime="image/png", data=NO_DATA)
    assert make_comparable(FULL).left_out == ()
    redacted = Message("assistant", (Thinking("QUJD", is_redacted=True), Thinking("Add.", "sig", provider="anthropic")))
    thoughts = make_comparable(Prompt((redacted,)))
    assert thoughts.prompt.messages[0].parts == (Thinking("Add."),)
    assert thoughts.left_out == ("1 thing that one provider alone understands", "1 signature")
    call = Call("W", {"a": 1}, "1", '{"a":1}', "sig")
    spelled = make_comparable(Prompt((Message("assistant", (call, replace(call, id="2", signature=None))),)))
    assert spelled.left_out == ("1 signature", "how the arguments of 2 calls were spelled")


def test_arguments_of_compact_json_are_compact() -> None:
    """JSON inside JSON has no blanks in the one and blanks in the other, whatever a provider wrote."""
    call = Call("find", {"q": "x", "n": 1}, "c1", '{"q":  "x", "n":1}')
    prompt = Prompt((Message("user", (Text("?"),)), Message("assistant", (call,))))
    said = make_comparable(prompt).prompt
    assert r'"{\"q\":\"x\",\"n\":1}"' in (SPELLINGS["JSON"](said).whole or "")
    assert r'"{\"q\": \"x\", \"n\": 1}"' in (SPELLINGS["JSON pretty"](said).whole or "")


def test_ratios() -> None:
    """Ratios are to compact JSON; where that has nothing there is none."""
    found = only(THOUGHTFUL)
    by_name = {each.spelling: each for each in found.costs}
    assert found.parts == ("words", "wrapping", "whole")
    assert found.compute_ratio(by_name[BASE], "whole") == 1
    assert found.compute_ratio(by_name["PML"], "calls") is None
    assert found.compute_ratio(by_name["LAIC"], "whole") is None
    pml, base = by_name["PML"].model_tokens["whole"], by_name[BASE].model_tokens["whole"]
    assert found.compute_ratio(by_name["PML"], "whole") == pml / base


def test_markdown() -> None:
    """Headings, fences longer than those in a file, parameters with those inside them."""
    fenced = Message(
        "user", (Attachment("file", path="x.md", text="```\na\n```"), Attachment("image", href="http://a/b"))
    )
    failed = Message("tool", (Output((Text("no"),), "c1", is_error=True),))
    prompt = replace(FULL, messages=(*FULL.messages[:3], failed, fenced))
    assert SPELLINGS["Markdown"](prompt).whole == (
        "# Tools\n\n## find\n\nFind words.\n\n- `q` (string, required): Words\n- `n` (integer)\n"
        "- `where` (list of object)\n  - `path` (string)\n\n# Memory\n\n- name: Ann\n\n"
        '# System\n\nBe brief.\n\n# User\n\nWhy?\n\n`a.py`\n\n```\nx = "<call>"\n```\n\n'
        '# Assistant\n\nThinking: Look.\n\nCall `find`:\n\n```json\n{"q": "x y", "n": 3}\n```\n\n'
        "# Error of find\n\n```\nno\n```\n\n"
        "# User\n\n`x.md`\n\n````\n```\na\n```\n````\n\n![image](http://a/b)\n\n"
    )


@exhaustive
def test_large_documents_are_counted() -> None:
    """The limits of reading do not hold for what is written here."""
    prompt = Prompt(tuple(Message("user", (Text("x"),)) for _ in range(34_000)))
    spelled = SPELLINGS["PML"](prompt)
    assert spelled.lost == ()
    assert len(spelled.pieces["words"]) == 34_000
