"""Deltas as people and models write them."""

import json
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st
from steps import n_steps, soon

from acdl_mkdocs.playbook.model.delta import FIELDS, MAX_CHARACTERS, MAX_OPERATIONS, delta_of, read_delta
from acdl_mkdocs.playbook.model.operations import OPERATIONS, Add, Merge, TagBullet
from acdl_mkdocs.prompts.prompt import Json

ADD: dict[str, Json] = {"type": "ADD", "section": "general", "content": "Use UTC."}
TEXT = json.dumps({"reasoning": "why", "operations": [ADD]})
READ = Add(section="general", content="Use UTC.")


@pytest.mark.parametrize(
    "text",
    [
        TEXT,
        "\ufeff" + TEXT,
        json.dumps([ADD]),
        json.dumps({"operations": [{**ADD, "type": " add "}]}),
        json.dumps({"operations": [{**ADD, "reason": None}]}),
        "reasoning: why\noperations:\n- {type: ADD, section: general, content: Use UTC.}\n",
        "operations:\n- type: Add\n  section: general\n  content: |-\n    Use UTC.\n",
    ],
)
def test_json_and_yaml_are_read(text: str) -> None:
    """A delta is a map or a list of operations, in JSON or YAML; types may have any case, `null` is nothing."""
    found = read_delta(text)
    assert found.rejected == ()
    assert [(each.path, each.operation) for each in found.operations] == [("operations[0]", READ)]


def test_names_of_bullets() -> None:
    """`id` may stand for `bullet_id`, and `other` for `others`; both at once are too much."""
    found = delta_of(
        [
            {"type": "TAG", "id": "gen-a", "tag": "Helpful"},
            {"type": "MERGE", "bullet_id": "gen-a", "other": "gen-b"},
            {"type": "TAG", "id": "gen-a", "bullet_id": "gen-b", "tag": "helpful"},
        ]
    )
    assert [each.operation for each in found.operations] == [
        TagBullet(bullet_id="gen-a", tag="helpful"),
        Merge(bullet_id="gen-a", others=("gen-b",)),
    ]
    assert [str(each) for each in found.rejected] == [
        "operations[2].bullet_id: says `bullet_id` a second time; write it once"
    ]


def test_yaml_scalars_are_those_of_yaml_12() -> None:
    """`no` is text."""
    found = read_delta("operations: [{type: ADD, section: general, content: no}]")
    assert [each.operation for each in found.operations] == [Add(section="general", content="no")]


@pytest.mark.parametrize(
    ("operation", "said"),
    [
        ({**ADD, "contnet": "x"}, "operations[1].contnet: no key `contnet` here; did you mean `content`?"),
        ({**ADD, "helpful": 999}, "operations[1].helpful: no key `helpful` here"),
        ({**ADD, "content": ["x"]}, "operations[1].content: is a list, and text is needed"),
        ({**ADD, "content": 5}, "operations[1].content: is 5, and text is needed"),
        ({**ADD, "content": 1}, "operations[1].content: is 1, and text is needed"),
        ({**ADD, "content": None}, "operations[1].content: is missing"),
        ({**ADD, "applies_to": [1]}, "operations[1].applies_to: is a list, and a list of texts is needed"),
        ({**ADD, "publish": "no"}, 'operations[1].publish: is "no", and `true` or `false` is needed'),
        ({"type": "ADDD"}, "operations[1].type: no operation `ADDD`; did you mean `ADD`?"),
        ({"type": "DELETE", "bullet_id": "x"}, "operations[1].type: no operation `DELETE`; did you mean `REMOVE`?"),
        ({"type": "FROB"}, "operations[1].type: no operation `FROB`; there are ADD, UPDATE, TAG"),
        ({"type": 3}, "operations[1].type: is 3, and text is needed"),
        ({"section": "general"}, "operations[1].type: is missing; there are ADD"),
        (
            {"type": "TAG", "bullet_id": "x", "tag": "good"},
            'operations[1].tag: is "good", and `helpful`, `harmful` or `neutral` is needed',
        ),
        ({"type": "TAG", "bullet_id": True, "tag": "helpful"}, "operations[1].bullet_id: is true, and text is needed"),
        ({"type": "REMOVE", "bullet_id": "x"}, "operations[1].reason: is missing; say in one line why"),
        ("ADD", 'operations[1]: is "ADD", and an operation is a map'),
        (None, "operations[1]: is nothing, and an operation is a map"),
    ],
)
def test_wrong_operation_is_set_aside(operation: Json, said: str) -> None:
    """A wrong operation is rejected at its place, with a cure; the others are taken."""
    found = delta_of([ADD, operation, ADD])
    assert [each.path for each in found.operations] == ["operations[0]", "operations[2]"]
    (rejected,) = found.rejected
    assert str(rejected).startswith(said)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "the delta is empty"),
        (" \n", "the delta is empty"),
        ("{", "the delta is not JSON: line 1, column 2"),
        ('{"operations": [}', "the delta is not JSON: line 1, column 17"),
        ("operations: [", "the delta is not YAML: line"),
        ("just words", 'the delta is "just words", and a map is needed'),
        ("42", "the delta is 42, and a map is needed"),
        ("null", "the delta is nothing, and a map is needed"),
        ('{"operations": [NaN]}', "the delta has `NaN`, which is not a JSON number"),
        ('{"operations": [], "operations": []}', "the delta has the key `operations` twice in one map"),
        ("operations: []\noperations: []", "the delta has the key `operations` twice in one map"),
        ('{"a":' * 100 + "1" + "}" * 100, "lists and maps are nested deeper than 20"),
        ("[" * 100_000, "nested deeper"),
        ('{"operations": ' + "9" * 5_000 + "}", "the delta has a number of 5,000 digits"),
        ("x" * (MAX_CHARACTERS + 1), "the delta has 1,000,001 characters, and at most 1,000,000 are read"),
        (TEXT + "\nI hope this helps!", "the delta is not JSON: line 2, column 1: extra data"),
        (f"```json\n{TEXT}\n```", "the delta is not"),
        ('{"operations": {}}', "operations: is a map, and a list is needed"),
        ('{"reasoning": "x"}', "operations: is missing"),
        ('{"operations": [], "revision": true}', "revision: is true, and a whole number is needed"),
        ("operations: *x", "the delta is not YAML: line 1"),
        ("operations:\n- {type: ADD}\n- content: Note: x", "put a value that has `: ` in it in quotes"),
    ],
)
def test_unreadable_delta_says_why(text: str, said: str) -> None:
    """A text that is no delta gives no operation and one reason."""
    found = read_delta(text)
    assert found.operations == ()
    assert any(said in str(each) for each in found.rejected), found.rejected


def test_unknown_key_beside_the_operations_is_told() -> None:
    """A mistyped key of the delta does not hold up its operations, and is not silent."""
    found = delta_of({"resoning": "x", "operations": [ADD]})
    assert len(found.operations) == 1
    assert [str(each) for each in found.rejected] == ["resoning: no key `resoning` here; did you mean `reasoning`?"]


def test_too_many_operations() -> None:
    """A delta with more operations than anyone can review is not taken at all."""
    found = delta_of([ADD] * (MAX_OPERATIONS + 1))
    assert found.operations == ()
    assert "has 1,001 entries, and a delta has at most 1,000" in str(found.rejected[0])


@pytest.mark.parametrize(
    "answer",
    [
        f"```json\n{TEXT}\n```",
        f"Here is the delta:\n{TEXT}\nI hope it helps {{really}}.",
        f"I read {{everything}} and [all]. {TEXT}",
        f'First a draft {{"reasoning": "x"}}, then {TEXT}',
        f"Only operations: {json.dumps([ADD])}",
        f"One operation: {json.dumps(ADD)}",
        f'<think>{{"operations": []}}</think>\n{TEXT}',
        TEXT,
    ],
)
def test_lenient_reading_finds_the_delta_in_an_answer(answer: str) -> None:
    """What a model writes around its delta does not matter, if that is wanted."""
    assert [each.operation for each in read_delta(answer, is_lenient=True).operations] == [READ]


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (f'Here: {TEXT[:-2]}, {{"type": "ADD", "sec', "unterminated string"),
        (f"Here: [{json.dumps(ADD)}, {json.dumps(ADD)[:20]}", "unterminated string"),
        (f'Here: {TEXT[:-1]}, "operations": []}}', "the key `operations` twice"),
        (f'Here: {TEXT[:-2]}, {{"type": "TAG", "tag": NaN}}]}}', "`NaN`, which is not a JSON number"),
    ],
)
def test_no_part_of_a_broken_delta_is_taken(answer: str, reason: str) -> None:
    """Of a delta that is cut off or invalid, the operations that can be read are not applied without the others."""
    found = read_delta(answer, is_lenient=True)
    assert found.operations == ()
    assert "the delta in the answer is not whole JSON: " in str(found.rejected[0])
    assert reason in str(found.rejected[0])


def test_operations_of_an_answer_are_taken_together() -> None:
    """Operations on lines of their own are one delta, also with line ends in their texts."""
    content = ADD["content"]
    assert isinstance(content, str)
    answer = (
        f"{json.dumps(ADD)}\n{json.dumps({**ADD, 'content': f'Then {content}'}).replace('Then ', 'Then' + chr(10))}"
    )
    contents = [getattr(each.operation, "content", "") for each in read_delta(answer, is_lenient=True).operations]
    assert contents == [content, f"Then\n{content}"]


@given(
    st.text()
    | st.lists(
        st.sampled_from(("{", "}", "[", "]", '"', ":", ",", "operations", "\n", "- ", "type", "ADD", "\\u"))
    ).map("".join),
    st.booleans(),
)
def test_reading_never_raises(text: str, is_lenient: bool) -> None:
    """Whatever a text is, there is a delta, and if it has no operation and is not empty of them, a reason."""
    found = read_delta(text, is_lenient=is_lenient)
    assert found.operations or found.rejected or "operations" in text or "[" in text


@pytest.mark.parametrize("part", ["{", "[", '{"a":', '{"type":', '"', "- ", "&a [", "a: {"])
def test_hostile_answers_take_little_time(part: str) -> None:
    """Answers made to be hard to read take no more than a moment, in Python and in what reads JSON and YAML."""
    text = (part * MAX_CHARACTERS)[:MAX_CHARACTERS]
    soon(partial(read_delta, text, is_lenient=True))
    assert n_steps(partial(read_delta, text, is_lenient=True)) < 100_000


def test_every_type_can_be_written() -> None:
    """Each operation has its fields in the table, and the table has no others."""
    assert set(FIELDS) == set(OPERATIONS)
    for kind, (needed, optional) in FIELDS.items():
        assert {*needed, *optional} <= set(OPERATIONS[kind].__dataclass_fields__)
