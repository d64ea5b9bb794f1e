"""`acdl playbook init, show, verify, repair, undo, log, diff, blame`, from the command line."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from store.playbooks import Made, added, made, stamp_of

from acdl_mkdocs.frontends.cli.main import main
from acdl_mkdocs.playbook.model.bullets import Bullet, Playbook, Policy, Section
from acdl_mkdocs.playbook.store import update

TIME = "2026-01-31T10:30:00+01:00"
BULLET = Bullet(id="gen-aaaaaaaa", section="general", content="Paginate until an empty page comes back.")


@pytest.fixture
def path(folder: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """A playbook of three revisions."""
    assert main(["playbook", "init", "playbook.yaml", "--name", "small", "--time", TIME]) == 0
    capsys.readouterr()
    path = folder / "playbook.yaml"
    update(path, added(BULLET), time="2026-02-01T00:00:00Z", trace="run/1/s1", actor="curator")
    update(path, made(content="Paginate until a page is empty.", helpful=2), time="2026-02-02T00:00:00Z")
    return path


def test_init_makes_an_empty_playbook(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A new playbook has a section, a name, a schema and a history; an old one is not written over."""
    (folder / "docs-agent").mkdir()
    assert main(["playbook", "init", "docs-agent/playbook.yaml", "--budget", "4000", "--time", TIME]) == 0
    assert capsys.readouterr().out == "docs-agent/playbook.yaml: an empty playbook `docs-agent`\n"
    text = (folder / "docs-agent" / "playbook.yaml").read_text()
    assert text == (
        "# yaml-language-server: $schema=./playbook-1.schema.json\nschema_version: 1\nname: docs-agent\nrevision: 0\n"
        f"{stamp_of(text)}\n"
        "policy:\n  budget_model_tokens: 4000\nsections:\n- {id: general, title: General}\nbullets: []\n"
    )
    assert '"time":"2026-01-31T09:30:00Z"' in (folder / "docs-agent" / "playbook.history.jsonl").read_text()
    assert main(["playbook", "init", "docs-agent/playbook.yaml"]) == 2
    assert "exists already" in capsys.readouterr().err
    assert main(["playbook", "verify", "docs-agent/playbook.yaml"]) == 0


def test_the_time_can_be_fixed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`SOURCE_DATE_EPOCH` is the time if `--time` says nothing; what is not a time is refused."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    assert main(["playbook", "init", "a.yaml"]) == 0
    assert '"time":"1970-01-02T00:00:00Z"' in (folder / "a.history.jsonl").read_text()
    with pytest.raises(SystemExit):
        main(["playbook", "init", "b.yaml", "--time", "yesterday"])


def test_times_are_exact_in_the_history_and_short_for_people(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without a fixed time the history has microseconds; `log` and `blame` show seconds."""
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    assert main(["playbook", "init", "a.yaml"]) == 0
    (exact,) = {json.loads(line)["time"] for line in (folder / "a.history.jsonl").read_text().splitlines()}
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z", exact)
    capsys.readouterr()
    assert main(["playbook", "log", "a.yaml"]) == 0
    assert capsys.readouterr().out.splitlines()[0] == f"revision 0  {exact[:19]}Z  person"
    assert main(["playbook", "init", "b.yaml", "--time", "2026-01-31T09:30:00.25Z"]) == 0
    assert '"time":"2026-01-31T09:30:00.250000Z"' in (folder / "b.history.jsonl").read_text()


def test_verify_and_repair(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A playbook that was changed by hand is no longer what its history says, until it is repaired."""
    assert main(["playbook", "verify", "playbook.yaml"]) == 0
    assert capsys.readouterr().out == ("playbook.yaml: file and history agree at revision 2: 3 revisions in 4 events\n")
    path.write_text(path.read_text().replace("helpful: 2", "helpful: 7"))
    assert main(["playbook", "verify", "playbook.yaml", "--format", "json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert found["wrong"][0]["message"] == "bullet `gen-aaaaaaaa`: helpful is `7` in the file and `2` in the history"
    assert main(["playbook", "repair", "playbook.yaml"]) == 0
    assert "by hand are revision 3" in capsys.readouterr().out
    assert main(["playbook", "verify", "playbook.yaml"]) == 0


def test_problems_of_the_file_are_shown(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file with errors is shown with the lines that are wrong, and nothing is done."""
    path.write_text(path.read_text().replace("helpful: 2", "helpfull: 2"))
    assert main(["playbook", "undo", "playbook.yaml"]) == 2
    error = capsys.readouterr().err
    assert "error[playbook-file]: a bullet has no key `helpfull`: did you mean `helpful`?" in error
    assert "playbook.yaml:12:3" in error
    assert main(["playbook", "verify", "playbook.yaml"]) == 1
    assert "playbook.yaml:12: a bullet has no key" in capsys.readouterr().out


@pytest.mark.parametrize("action", ["show", "verify", "undo", "log", "diff", "blame"])
def test_a_file_that_is_not_there(folder: Path, capsys: pytest.CaptureFixture[str], action: str) -> None:
    """Every action says which file is missing, and so it does of a folder."""
    assert main(["playbook", action, "none.yaml"]) == 2
    assert "none.yaml: no such file or directory" in capsys.readouterr().err
    (folder / "none.yaml").mkdir()
    assert main(["playbook", action, "none.yaml"]) == 2
    assert capsys.readouterr().err


@pytest.mark.usefixtures("path")
def test_undo_log_and_blame(capsys: pytest.CaptureFixture[str]) -> None:
    """What is undone is in the log; blame tells who wrote a bullet, and everything that happened to it."""
    assert main(["playbook", "undo", "playbook.yaml", "--time", TIME]) == 0
    assert capsys.readouterr().out == (
        "bullet gen-aaaaaaaa is as before\nplaybook.yaml: revision 3 takes back revision 2\n"
    )
    assert main(["playbook", "log", "playbook.yaml", "-n", "1"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "revision 3  2026-01-31T09:30:00Z  person",
        "  UNDO     gen-aaaaaaaa  content: Paginate until an empty page comes back., helpful 2 -> 0 "
        "(takes back revision 2)",
    ]
    assert main(["playbook", "blame", "playbook.yaml"]) == 0
    assert "gen-aaaaaaaa  revision 3  2026-01-31T09:30:00Z  person" in capsys.readouterr().out
    assert main(["playbook", "blame", "playbook.yaml", "gen-aaaaaaaa", "--format", "json"]) == 0
    events = json.loads(capsys.readouterr().out)["events"]
    assert [(event["revision"], event.get("trace")) for event in events] == [(1, "run/1/s1"), (2, None), (3, None)]
    assert main(["playbook", "blame", "playbook.yaml", "gen-aaaaaaab"]) == 2
    assert "did you mean `gen-aaaaaaaa`?" in capsys.readouterr().err


@pytest.mark.parametrize("action", ["log", "blame", "diff", "undo", "verify"])
def test_a_damaged_history_is_the_answer(path: Path, capsys: pytest.CaptureFixture[str], action: str) -> None:
    """Nothing is told of a history with a damaged line but the damage, with the cure; the status is 2."""
    history = path.with_name("playbook.history.jsonl")
    history.write_text(history.read_text().replace('"op":"ADD"', '"op":"AD').replace('"op":"EDIT"', '"op":"EDI', 1))
    assert main(["playbook", action, "playbook.yaml"]) == (1 if action == "verify" else 2)
    said = capsys.readouterr()
    assert "playbook.history.jsonl:3: " in said.out + said.err
    assert "run `acdl playbook repair playbook.yaml`" in said.out + said.err
    if action == "verify":
        lines = said.out.splitlines()
        assert [line.startswith("  = help: ") for line in lines] == [False, True] * (len(lines) // 2)
    else:
        assert said.out == ""


@pytest.mark.usefixtures("path")
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["log", "playbook.yaml", "-n", "0"], "`0` is not a number of revisions"),
        (["log", "playbook.yaml", "-n", "-5"], "`-5` is not a number of revisions"),
        (["log", "playbook.yaml", "--bullet", "gen-aaaaaaab"], "did you mean `gen-aaaaaaaa`?"),
        (["init", "."], "`.` names no file"),
        (["init", ""], "`` names no file"),
        (["curate", ".", "d.json"], "`.` names no file"),
        (["init", "new.yaml", "--time", "0001-01-01T00:00:00+14:00"], "is not a time; write one such as"),
        (["tag", "playbook.yaml", "gen-aaaaaaaa", "helpful", "--actor", "a\x1b[31m"], "U+001B"),
        (["tag", "playbook.yaml", "gen-aaaaaaaa", "helpful", "--actor", "AKIA" + "IOSFODNN7ABCDEFG"], "AWS access key"),
    ],
)
def test_arguments_that_mean_nothing(capsys: pytest.CaptureFixture[str], arguments: list[str], said: str) -> None:
    """What cannot be meant is said, with what can be written instead; the status is 2."""
    try:
        status = main(["playbook", *arguments])
    except SystemExit as end:
        status = int(end.code or 0)
    assert status == 2
    error = capsys.readouterr().err
    assert said in error
    assert "IOSFODNN7ABCDEFG" not in error


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("epoch", ["99999999999999999", "abc", "-1", "٣"])
def test_an_epoch_that_is_no_time(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], epoch: str
) -> None:
    """A wrong `SOURCE_DATE_EPOCH` is named instead of being passed over."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", epoch)
    assert main(["playbook", "init", "a.yaml"]) == 2
    assert f"SOURCE_DATE_EPOCH is `{epoch}`, which is not a time" in capsys.readouterr().err


def test_nothing_acts_on_the_terminal(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Control characters of a history, whoever wrote it, are shown as signs."""
    update(path, made(content="Plain."), actor="a\x1b[31m", trace="t\x1b]0;x\x07", time="2026-02-03T00:00:00Z")
    for action in ("log", "blame", "diff"):
        main(["playbook", action, "playbook.yaml"])
        said = capsys.readouterr().out
        assert "\x1b" not in said
        assert "\x07" not in said


def test_lists_are_said_in_words(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The order of sections and a policy are words in `log`; a bullet that an undo took away was removed."""

    def change(playbook: Playbook) -> Made:
        return Made(replace(playbook, sections=(Section("tools", "Tools"), *playbook.sections), policy=Policy(4000)))

    update(path, change, time="2026-02-03T00:00:00Z")
    assert main(["playbook", "log", "playbook.yaml", "-n", "1"]) == 0
    said = capsys.readouterr().out
    assert "policy none -> budget_model_tokens 4000, sections general -> tools, gen" in said
    assert "[" not in said
    update(path, added(replace(BULLET, id="gen-bbbbbbbb")), time="2026-02-04T00:00:00Z")
    assert main(["playbook", "undo", "playbook.yaml"]) == 0
    capsys.readouterr()
    assert main(["playbook", "diff", "playbook.yaml"]) == 1
    assert capsys.readouterr().out.splitlines()[0] == "Removed"


def test_what_was_seen_is_one_line(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Bullets that were in a prompt are counted in `log`, not listed."""

    def change(playbook: Playbook) -> Made:
        seen = tuple(replace(each, seen=each.seen + 1) for each in playbook.bullets)
        return Made(replace(playbook, bullets=seen))

    update(path, change, time="2026-02-03T00:00:00Z")
    assert main(["playbook", "log", "playbook.yaml", "-n", "1"]) == 0
    assert capsys.readouterr().out.splitlines()[1] == "  SEEN       1 bullet in the prompt"


@pytest.mark.parametrize("action", ["repair", "undo"])
def test_what_cannot_be_written_is_2(
    path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], action: str
) -> None:
    """A disk that refuses is no question to a person."""
    path.write_text(path.read_text().replace("helpful: 2", "helpful: 7"))

    def refuse(draft: Path, target: Path) -> None:
        raise PermissionError(13, "Permission denied", str(draft), str(target))

    monkeypatch.setattr(Path, "replace", refuse)
    assert main(["playbook", action, "playbook.yaml"]) == 2
    assert "cannot be written: permission denied" in capsys.readouterr().err


def test_undo_refuses_what_was_changed_later(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What a later revision changed again is not undone: the status is 1, and nothing is written."""
    before = path.read_bytes()
    assert main(["playbook", "undo", "playbook.yaml", "1"]) == 1
    assert "in revision 2; undo the later revisions first" in capsys.readouterr().err
    assert path.read_bytes() == before


def test_diff(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What differs is grouped, with the words of a text that changed marked; 1 means that something does."""
    assert main(["playbook", "diff", "playbook.yaml"]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "Changed",
        "  ~ gen-aaaaaaaa",
        "      content: Paginate until [-an empty-]{+a+} page [-comes back-]{+is empty+}.",
        "      helpful: 0 -> 2",
    ]
    assert main(["playbook", "diff", "playbook.yaml", "0..1", "--format", "json"]) == 1
    (found,) = json.loads(capsys.readouterr().out)["differences"]
    assert (found["group"], found["id"], found["before"]) == ("added", "gen-aaaaaaaa", None)
    assert main(["playbook", "diff", "playbook.yaml", "2..2"]) == 0
    for wrong in ("x", "2..9"):
        assert main(["playbook", "diff", "playbook.yaml", wrong]) == 2
    assert "there is no revision 9" in capsys.readouterr().err
    assert path.exists()


def test_show(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The playbook as a prompt has it, as its file, as JSON; one bullet; an older revision."""
    assert main(["playbook", "show", "playbook.yaml"]) == 0
    assert capsys.readouterr().out == (
        "## General\n[gen-aaaaaaaa] helpful=2 harmful=0 :: Paginate until a page is empty.\n"
    )
    assert main(["playbook", "show", "playbook.yaml", "--revision", "1"]) == 0
    assert "an empty page" in capsys.readouterr().out
    assert main(["playbook", "show", "playbook.yaml", "--format", "yaml"]) == 0
    assert path.read_text().replace(f"{stamp_of(path.read_text())}\n", "").endswith(capsys.readouterr().out)
    assert main(["playbook", "show", "playbook.yaml", "gen-aaaaaaaa"]) == 0
    assert capsys.readouterr().out.startswith("- id: gen-aaaaaaaa\n  section: general\n")
    assert main(["playbook", "show", "playbook.yaml", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["playbook"]["bullets"][0]["helpful"] == 2
    assert main(["playbook", "show", "playbook.yaml", "--budget", "1"]) == 0
    assert capsys.readouterr().out == ""
    assert main(["playbook", "show", "playbook.yaml", "--section", "genral"]) == 2
    assert "did you mean `general`?" in capsys.readouterr().err
