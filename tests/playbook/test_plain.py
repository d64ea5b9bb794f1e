"""Playbooks as plain data."""

import json
from typing import Any

import pytest
from hypothesis import given
from playbook_strategies import playbooks

from acdl_mkdocs.foundation.errors import ChangeError, PlaybookDataError
from acdl_mkdocs.playbook.model.bullets import Bullet, Pair, Playbook, Policy, Provenance, Section
from acdl_mkdocs.playbook.model.changes import Change, apply_changes, find_changes, revert_changes
from acdl_mkdocs.playbook.model.plain import bullet_data, bullet_of, playbook_data, playbook_of
from acdl_mkdocs.prompts.prompt import Json

BULLET: dict[str, Json] = {"id": "gen-a", "section": "general", "content": "x"}


@given(playbooks())
def test_data_is_json_and_leads_back(playbook: Playbook) -> None:
    """Data of a playbook survives JSON and is the same playbook again."""
    assert playbook_of(json.loads(json.dumps(playbook_data(playbook)))) == playbook


def test_defaults_are_left_out() -> None:
    """A bullet shows its id, section, text, two counters and two revisions; the rest only where it says something."""
    plain = Bullet(id="gen-a", section="general", content="x")
    assert list(bullet_data(plain)) == ["id", "section", "content", "helpful", "harmful", "added", "updated"]
    one, two = Provenance(by="person"), Provenance(run="r")
    assert bullet_data(Bullet(id="a", section="s", content="x", source=(one,)))["source"] == {"by": "person"}
    assert bullet_data(Bullet(id="a", section="s", content="x", source=(one, two)))["source"] == [
        {"by": "person"},
        {"run": "r"},
    ]
    assert list(playbook_data(Playbook("p"))) == ["schema_version", "name", "revision", "sections", "bullets"]


@pytest.mark.parametrize(
    ("changed", "path", "message"),
    [
        ({"helpful": True}, "helpful", "is true, and a whole number from 0 is needed"),
        ({"helpful": 1.0}, "helpful", "is 1.0, and a whole number"),
        ({"harmful": -1}, "harmful", "is -1"),
        ({"harmful": 1 - 10**15}, "harmful", "is -999999999999999"),
        ({"harmful": -(10**15)}, "harmful", "is a very large number"),
        ({"content": None}, "content", "is missing"),
        ({"content": ["x"]}, "content", "is a list, and text is needed"),
        ({"contnet": "x"}, "contnet", "did you mean `content`?"),
        ({"id": "1"}, "id", "an id is a letter"),
        ({"section": "Tool usage"}, "section", "lower-case words"),
        ({"status": "actve"}, "status", "did you mean `active`?"),
        ({"pinned": "yes"}, "pinned", "`true` or `false`"),
        ({"applies_to": [1]}, "applies_to[0]", "text is needed"),
        ({"source": {"bye": "x"}}, "source.bye", "did you mean `by`?"),
        ({"source": [{}, 3]}, "source[1]", "a map is needed"),
    ],
)
def test_wrong_data_is_named(changed: dict[str, Json], path: str, message: str) -> None:
    """What is not a bullet says where and why."""
    with pytest.raises(PlaybookDataError) as caught:
        bullet_of({**BULLET, **changed}, "")
    assert caught.value.path == path
    assert message in caught.value.message


def test_wrong_playbook_is_named() -> None:
    """Paths lead from the top."""
    whole = playbook_data(Playbook("p"))
    wrong: tuple[tuple[Any, str], ...] = (
        ({**whole, "schema_version": 2}, "schema_version"),
        ({**whole, "schema_version": True}, "schema_version"),
        ({**whole, "bullets": [BULLET, {**BULLET, "seen": "x"}]}, "bullets[1].seen"),
        ({**whole, "pairs": [{"a": "x", "b": "y", "verdict": "kept", "score": 2}]}, "pairs[0].score"),
        ({**whole, "policy": {"budget_model_tokens": "many"}}, "policy.budget_model_tokens"),
        ([], ""),
    )
    for data, path in wrong:
        with pytest.raises(PlaybookDataError) as caught:
            playbook_of(data)
        assert caught.value.path == path


SMALL = Playbook(
    "p",
    3,
    (Section("general", "General"),),
    (Bullet(id="gen-a", section="general", content="x"), Bullet(id="gen-b", section="general", content="y")),
    (Pair("gen-a", "gen-b", "review", 0.4),),
)


def test_changes_are_few_and_in_order() -> None:
    """The playbook's own particulars come first, then sections, bullets and pairs; what is equal is no change."""
    after = Playbook(
        "q",
        4,
        (Section("tools", "Tools"), Section("general", "General")),
        (SMALL.bullets[0], Bullet(id="gen-c", section="tools", content="z", updated=4)),
        (),
        Policy(budget_model_tokens=10),
    )
    found = find_changes(SMALL, after)
    assert [(each.kind, each.id) for each in found] == [
        ("playbook", ""),
        ("section", "tools"),
        ("bullet", "gen-b"),
        ("bullet", "gen-c"),
        ("pair", "gen-a gen-b"),
    ]
    assert apply_changes(SMALL, found, revision=4).sections == after.sections
    assert revert_changes(apply_changes(SMALL, found, revision=4), found, revision=3) == SMALL
    assert find_changes(SMALL, SMALL) == ()


def test_change_that_does_not_fit_is_refused() -> None:
    """A change is made to what it found, and to nothing else; the error says what differs."""
    found = find_changes(SMALL, Playbook("p", 4, SMALL.sections, SMALL.bullets[:1], SMALL.pairs))
    assert apply_changes(SMALL, found).bullets == SMALL.bullets[:1]
    other = Bullet(id="gen-b", section="general", content="other", helpful=1)
    with pytest.raises(ChangeError, match="bullet `gen-b` is not as the change found it: content, helpful differ"):
        apply_changes(Playbook("p", 3, SMALL.sections, (other,)), found)
    with pytest.raises(ChangeError, match="it does not exist"):
        apply_changes(Playbook("p", 3, SMALL.sections), found)
    with pytest.raises(ChangeError, match="it exists already"):
        revert_changes(SMALL, found)
    with pytest.raises(ChangeError, match="order of sections"):
        apply_changes(SMALL, [Change("section", "new", None, {"id": "new", "title": "New"})])
