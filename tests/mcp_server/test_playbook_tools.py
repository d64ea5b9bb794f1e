"""Tools about playbooks: what an agent finds, that what it proposes waits for a person, and what it may not do."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from acdl_mkdocs.frontends.cli.main import main
from acdl_mkdocs.frontends.mcp import playbooks
from acdl_mkdocs.frontends.mcp.answers import Answer
from acdl_mkdocs.frontends.mcp.folders import Folders
from acdl_mkdocs.frontends.mcp.tools import TOOLS, run_tool
from acdl_mkdocs.playbook.learn.loop_playbook import prepare_lessons
from acdl_mkdocs.playbook.model.bullets import Bullet, Pair, Playbook, Provenance, Section
from acdl_mkdocs.playbook.store import create, load
from acdl_mkdocs.playbook.store.load import get_usable_playbook

PAGES = Bullet(
    id="tu-7k3q9f2m", section="tool_usage", content="Paginate list endpoints until an empty page comes back.",
    helpful=3, source=(Provenance("person", reference="docs/api.md"),),
)  # fmt: skip
TOKEN = Bullet(
    id="tu-4h8w2n6p", section="tool_usage", content="Refresh the access token after a 401 answer, then retry."
)
STYLE = Bullet(id="st-3m9d6k1z", section="style", content="Answer in one sentence.")
HARM = Bullet(id="st-8x2c5v7b", section="style", content="Answer in a token of one word.", harmful=2)
GONE = replace(STYLE, id="st-9p4r6t8w", content="Answer in rhymes.", status="archived", reason="nobody likes it")
BOOK = Playbook(
    "orders",
    sections=(Section("tool_usage", "Tool usage"), Section("style", "Style")),
    bullets=(TOKEN, PAGES, STYLE, HARM, GONE),
)
LESSON = "Ask for the last 30 days first: older orders time out."


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A playbook in a folder of the server."""
    create(tmp_path / "playbook.yaml", BOOK, time=None)
    return tmp_path / "playbook.yaml"


def ask(path: Path, name: str, *, may_write: bool = True, **sent: object) -> Answer:
    """What a tool answers about the playbook; its data fits its schema."""
    answer = run_tool(name, {"path": path.name, **sent}, Folders((path.parent,), may_write))
    if not answer.is_error:
        (tool,) = [each for each in TOOLS if each.name == name]
        Draft202012Validator(tool.answer).validate(json.loads(json.dumps(answer.data)))
    return answer


def book(path: Path) -> Playbook:
    """The playbook of the file."""
    return get_usable_playbook(load(path))


def test_show(path: Path) -> None:
    """All lessons in use, those of a section, one with everything, and an earlier revision."""
    shown = ask(path, "playbook_show")
    assert shown.text.splitlines()[0] == "## Tool usage"
    assert shown.data == {"playbook": "orders", "revision": 0, "ids": [TOKEN.id, PAGES.id, STYLE.id, HARM.id]}
    assert shown.notes == "also: 1 lesson archived"
    assert ask(path, "playbook_show", section="Style").data["ids"] == [STYLE.id, HARM.id]
    one = ask(path, "playbook_show", id=f"[{PAGES.id}]")
    assert one.text.splitlines() == [
        f"[{PAGES.id}] helpful=3 harmful=0 :: {PAGES.content}",
        "status: active, section: tool_usage, seen: 0",
        "source: by person, see docs/api.md",
    ]
    assert "why: nobody likes it" in ask(path, "playbook_show", id=GONE.id).text
    ask(path, "playbook_tag", id=STYLE.id, tag="helpful")
    assert "helpful=1" in ask(path, "playbook_show", section="style").text
    assert "helpful=1" not in ask(path, "playbook_show", section="style", revision=0).text


def test_retrieve(path: Path) -> None:
    """The lessons nearest to the task, without those that only did harm, and how many more there are."""
    found = ask(path, "playbook_retrieve", task="Our access token is refused with 401", top=1)
    assert found.data["ids"] == [TOKEN.id]
    assert found.text == f"## Tool usage\n[{TOKEN.id}] helpful=0 harmful=0 :: {TOKEN.content}"
    assert "2 more lessons are not shown: send a larger `top`" in found.notes
    assert set(ask(path, "playbook_retrieve", task="token of one word").data["ids"]) == {TOKEN.id, PAGES.id, STYLE.id}  # type: ignore[call-overload]


def test_what_is_proposed_waits(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A proposal is in the file and in no prompt, until a person approves it; it knows who said it."""
    answer = ask(path, "playbook_propose", content=LESSON, section="tool_usage", reason="two timeouts today")
    name = str(answer.data["id"])
    assert (answer.data["is_waiting"], answer.text) == (True, f"[{name}] waits until a person approves it")
    bullet = book(path).by_id[name]
    assert (bullet.status, bullet.reason, bullet.source[0].by) == ("proposed", "two timeouts today", "agent")
    assert name not in prepare_lessons(book(path), LESSON, 10).ids
    assert name not in ask(path, "playbook_retrieve", task=LESSON).text
    assert name in ask(path, "playbook_review").text
    words = ["playbook", "approve", str(path)]
    assert main(words) == 0
    listed = capsys.readouterr().out
    assert f"[{name}] helpful=0 harmful=0 :: {LESSON}\n  section tool_usage; by agent; two timeouts today\n" in listed
    assert main([*words, name]) == 0
    assert name in prepare_lessons(book(path), LESSON, 1).ids
    assert book(path).by_id[name].source[0].by == "agent"
    assert main(["playbook", "verify", str(path)]) == 0


def test_proposals_that_are_no_news(path: Path) -> None:
    """What a lesson says already is not proposed again; a section that does not exist waits too."""
    again = ask(path, "playbook_propose", content=STYLE.content, section="style")
    assert again.is_error
    assert f"content: is not a proposal: `{STYLE.id}` says so already; TAG it if it helped" in again.text
    other = ask(path, "playbook_propose", content=LESSON, section="limits")
    assert other.data["is_waiting"]
    assert book(path).by_id[str(other.data["id"])].status == "proposed"


def test_a_proposal_for_a_playbook_without_sections(path: Path) -> None:
    """It waits for the usual section, which its approval adds."""
    other = path.with_name("empty.yaml")
    create(other, replace(BOOK, sections=(), bullets=(), pairs=()))
    answer = ask(other, "playbook_propose", content=LESSON)
    assert not answer.is_error
    assert book(other).by_id[str(answer.data["id"])].section == "general"


def test_tags(path: Path) -> None:
    """Tags count, in the name of an agent."""
    answer = ask(path, "playbook_tag", id=PAGES.id, tag="helpful", reason="saved a page")
    assert (answer.data["helpful"], answer.data["revision"]) == (4, 1)
    assert answer.text.startswith(f"[{PAGES.id}] helpful=4 ")
    history = path.with_name("playbook.history.jsonl").read_text("utf-8").splitlines()
    assert json.loads(history[-1])["actor"] == "agent"


def test_review(path: Path) -> None:
    """Proposals and near pairs, to show to a person."""
    near = replace(BOOK, bullets=BOOK.bullets, pairs=(Pair(STYLE.id, HARM.id, "review", 0.5),))
    other = path.with_name("other.yaml")
    create(other, near, time=None)
    answer = ask(other, "playbook_review")
    pairs = answer.data["pairs"]
    assert isinstance(pairs, list)
    assert pairs[0] == [STYLE.id, HARM.id]
    assert f"{STYLE.id}: {STYLE.content}" in answer.text
    assert "a person decides" in answer.notes


@pytest.mark.parametrize(
    ("name", "sent", "message"),
    [
        ("playbook_show", {"path": "none.yaml"}, "`none.yaml` is not a playbook file; `acdl playbook init"),
        ("playbook_show", {"path": "../playbook.yaml"}, "lies outside the folders"),
        ("playbook_show", {"path": "x.txt"}, "is not a file of such a kind"),
        ("playbook_show", {"section": "stile"}, "there is no section `stile`; there are `tool_usage`, `style`"),
        ("playbook_show", {"id": "st-00000000"}, "there is no lesson `st-00000000`; call `playbook_show`"),
        ("playbook_show", {"revision": 7}, "revision 7"),
        ("playbook_retrieve", {"task": " "}, "`task` is empty; say in a sentence"),
        ("playbook_retrieve", {"task": "x", "top": 0}, "`top` is 0; send a number from 1 to 100"),
        ("playbook_propose", {"content": ""}, "content: "),
        ("playbook_propose", {"content": "Use the key sk-proj-abcdefghijklmnopqrstuvwx0123456789ABCD."}, "content: "),
        ("playbook_tag", {"id": PAGES.id, "tag": "good"}, "`tag` cannot be `good`"),
        ("playbook_tag", {"id": GONE.id, "tag": "helpful"}, "was archived"),
    ],
)
def test_mistakes(path: Path, name: str, sent: dict[str, object], message: str) -> None:
    """What cannot be done is an answer with a cure, and changes nothing."""
    before = path.read_bytes()
    answer = run_tool(name, {"path": path.name, **sent}, Folders((path.parent,), may_write=True))
    assert answer.is_error
    assert message in answer.text
    assert path.read_bytes() == before


def test_a_server_that_may_not_write(path: Path) -> None:
    """Without `--allow-writes` nothing is proposed or tagged."""
    for name, sent in (("playbook_propose", {"content": LESSON}), ("playbook_tag", {"id": PAGES.id, "tag": "helpful"})):
        answer = ask(path, name, may_write=False, **sent)
        assert answer.is_error
        assert "this server may not write files; let a person start it with `--allow-writes`" in answer.text
    assert book(path).revision == 0


def test_a_link_does_not_lead_out(tmp_path: Path) -> None:
    """A history that is a link to another folder is not written."""
    inside, outside = tmp_path / "inside", tmp_path / "outside"
    for each in (inside, outside):
        each.mkdir()
    create(inside / "playbook.yaml", BOOK, time=None)
    (outside / "h.jsonl").write_bytes((inside / "playbook.history.jsonl").read_bytes())
    (inside / "playbook.history.jsonl").unlink()
    (inside / "playbook.history.jsonl").symlink_to(outside / "h.jsonl")
    before = (outside / "h.jsonl").read_bytes()
    answer = ask(inside / "playbook.yaml", "playbook_propose", content=LESSON)
    assert "`playbook.history.jsonl` leads out of the folders of this server" in answer.text
    assert (outside / "h.jsonl").read_bytes() == before


def test_proposals_have_a_limit(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An agent that proposes without end is stopped until a person has looked."""
    monkeypatch.setattr(playbooks, "MAX_WAITING", 1)
    assert not ask(path, "playbook_propose", content=LESSON).is_error
    answer = ask(path, "playbook_propose", content="Another lesson about something else.")
    assert "1 proposals wait already; let a person review them first" in answer.text


def test_approve_and_reject(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A person approves for another section or rejects with a reason; what cannot be is said."""
    first, second = (
        str(ask(path, "playbook_propose", content=each, section="new").data["id"]) for each in (LESSON, "B.")
    )
    words = ["playbook", "approve", str(path)]
    for more, message in (
        ([first, "--every"], "--every is about all proposals"),
        ([first, "--reject"], "--reject needs a reason"),
        (["--reject", "--reason", "x"], "which proposals? name their ids, or `--every`"),
        ([first, "--reject", "--reason", "x", "--section", "style"], "--section is for proposals that are approved"),
    ):
        assert main([*words, *more]) == 2
        assert message in capsys.readouterr().err
    assert main([*words, PAGES.id]) == 1  # no proposal
    assert main([*words, first, "--section", "style"]) == 0
    assert main([*words, second, "--reject", "--reason", "says nothing"]) == 0
    found = book(path)
    assert (found.by_id[first].status, found.by_id[first].section) == ("active", "style")
    assert (found.by_id[second].status, found.by_id[second].reason) == ("archived", "says nothing")
    capsys.readouterr()
    assert main([*words, "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["proposed"] == []
