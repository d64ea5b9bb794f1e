"""Which lessons `acdl playbook export` and `show` write, and which files they never write over."""

import os
import re
from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from shared_books import acdl

from acdl_mkdocs.playbook.exchange import skill
from acdl_mkdocs.playbook.model.bullets import Bullet, Playbook, Policy, Section
from acdl_mkdocs.playbook.pages.sections import top_bullets
from acdl_mkdocs.playbook.store import create
from acdl_mkdocs.prompts.tokens.counter import counter

BULLETS = tuple(
    Bullet(
        id=f"gen-{idx}",
        section="general",
        content=f"Lesson number {idx} has some words that need room.",
        helpful=idx,
        pinned=idx == 3,
        publish=idx != 9,
    )
    for idx in range(10)
)
BOOK = Playbook("p", bullets=BULLETS)
COUNT = counter("estimate").count


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a playbook of ten lessons, one unpublished, and a copy of it with a small budget."""
    monkeypatch.chdir(tmp_path)
    create(tmp_path / "p.yaml", BOOK)
    create(tmp_path / "small.yaml", replace(BOOK, policy=Policy(budget_model_tokens=80)))
    return tmp_path


OWN = (
    "p.yaml",
    "P.yaml",
    "p.history.jsonl",
    "playbook-1.schema.json",
    ".acdl-locks/p.yaml.lock",
    ".acdl-locks/other",
    "p.history.rejected.jsonl",
    "p.yaml.bak",
    "p.yaml.bak2",
    "folder/../p.history.jsonl",
    "link.md",
    "hard.md",
)


@pytest.mark.parametrize("name", OWN)
@pytest.mark.parametrize("option", ["-o", "--into"])
def test_own_files_are_never_written_over(
    name: str, option: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Neither the playbook nor what belongs to it, whatever way leads there."""
    (here / "folder").mkdir()
    (here / "link.md").symlink_to("p.history.jsonl")
    os.link(here / "p.yaml", here / "hard.md")
    before = {path: path.read_bytes() for path in here.rglob("*") if path.is_file()}
    assert acdl("export", "p.yaml", option, name) == 2
    assert f"{name}: belongs to the playbook itself" in capsys.readouterr().err
    assert {path: path.read_bytes() for path in here.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize("name", ["other.history.jsonl", "p.yaml.txt", "folder/p.yaml.bak"])
def test_other_files_are_written(name: str, here: Path) -> None:
    """Names that only look like it are free."""
    (here / "folder").mkdir()
    assert acdl("export", "p.yaml", "-o", name) == 0
    assert "Lesson number 8" in (here / name).read_text("utf-8")


@pytest.mark.parametrize("name", ["text", "agents-md", "feed", "json", "csv"])
def test_unpublished_lessons(name: str, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """They are in backups, and in nothing that readers get, which is said."""
    assert acdl("export", "p.yaml", "--format", name, "-o", "out") == 0
    is_backup = name in ("json", "csv")
    text = (here / "out").read_text("utf-8")
    assert "Lesson number 8" in text
    assert ("Lesson number 9" in text) == is_backup
    assert capsys.readouterr().err == ("" if is_backup else "acdl: p.yaml: 1 lesson left out: `publish: false`\n")


def written(here: Path, *arguments: str) -> str:
    """What an export writes."""
    assert acdl("export", *arguments, "-o", "out") == 0
    return (here / "out").read_text("utf-8")


@pytest.mark.parametrize("name", ["text", "agents-md"])
def test_budget_of_exports(name: str, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The text is within the policy of the playbook, with what is pinned; `--all` and `--budget` have the last word."""
    text = written(here, "small.yaml", "--format", name)
    assert 40 < COUNT(text) <= 80
    assert "[gen-3]" in text
    n_out = 9 - text.count("helpful=")
    assert f"{n_out} lessons left out: over the budget of 80 model tokens; --all" in capsys.readouterr().err
    assert written(here, "small.yaml", "--format", name, "--all").count("helpful=") == 9
    assert written(here, "small.yaml", "--format", name, "--budget", "1000").count("helpful=") == 9
    assert COUNT(written(here, "p.yaml", "--format", name, "--budget", "60")) <= 60


def test_budget_of_blocks(here: Path) -> None:
    """A block in a file of people keeps it, too."""
    assert acdl("export", "small.yaml", "--into", "AGENTS.md") == 0
    assert COUNT((here / "AGENTS.md").read_text("utf-8")) <= 80


@pytest.mark.usefixtures("here")
def test_budget_of_show(capsys: pytest.CaptureFixture[str]) -> None:
    """The same for what is shown; what is not published is shown."""
    assert acdl("show", "small.yaml") == 0
    out, err = capsys.readouterr()
    assert 40 < COUNT(out) <= 80
    assert "lessons left out: over the budget of 80 model tokens" in err
    assert acdl("show", "small.yaml", "--all") == 0
    assert capsys.readouterr().out.count("helpful=") == 10
    assert acdl("show", "p.yaml") == 0
    out, err = capsys.readouterr()
    assert (out.count("helpful="), err) == (10, "")


@pytest.mark.usefixtures("here")
def test_budgets_that_mean_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    """A budget is a number from 1, and for texts; one that nothing fits into is told."""
    for number in ("0", "-1", "x", "1.5", "9" * 20):
        with pytest.raises(SystemExit, match="2"):
            acdl("show", "p.yaml", f"--budget={number}")
        assert "is not a whole number from 1" in capsys.readouterr().err
    assert acdl("show", "p.yaml", "--budget", "1") == 0
    assert capsys.readouterr() == ("", "acdl: p.yaml: no lesson fits into 1 model token; give a larger --budget\n")
    assert acdl("show", "p.yaml", "--budget", "9", "--format", "json") == 2
    assert "--budget is for the text" in capsys.readouterr().err
    assert acdl("export", "p.yaml", "--budget", "9", "--format", "json") == 2
    assert "`json` always has everything" in capsys.readouterr().err


def test_top(here: Path) -> None:
    """The best lessons are those of the page; backups have everything."""
    for number in (1, 4, 100):
        text = written(here, "p.yaml", "--top", str(number))
        best = {each.id for each in top_bullets([each for each in BULLETS if each.publish], number)}
        assert {line.split("]")[0][1:] for line in text.splitlines() if line.startswith("[")} == best
        assert len(best) == min(number, 9)
    assert "gen-3" in written(here, "p.yaml", "--top", "1")
    assert acdl("export", "p.yaml", "--top", "3", "--format", "csv") == 2


TOOLS = Playbook(
    "orders API",
    sections=(Section("tool_usage", "Tool usage"), Section("style", "Style")),
    bullets=(
        Bullet(id="tu-7k3q9f2m", section="tool_usage", content="Paginate lists until an empty page comes back."),
        Bullet(id="tu-4h8w2n6p", section="tool_usage", content="Refresh the access token after a 401 answer."),
        Bullet(id="tu-8x2c5v7b", section="tool_usage", content="Refresh the page twice.", harmful=3),
        Bullet(id="st-3m9d6k1z", section="style", content="Answer in one sentence.", pinned=True, harmful=1),
    ),
)  # fmt: skip


def test_lessons_for_a_task(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`--task` writes what people insist on and the nearest lessons; what only did harm is left out, and said."""
    monkeypatch.chdir(tmp_path)
    create(tmp_path / "p.yaml", TOOLS)
    words = ["export", "p.yaml", "--task", "The API answers 401: refresh the token", "--top", "1"]
    for name in ("agents-md", "skill"):
        assert acdl(*words, "--format", name) == 0
        shown = capsys.readouterr()
        assert [each.id for each in TOOLS.bullets if f"[{each.id}]" in shown.out] == ["tu-4h8w2n6p", "st-3m9d6k1z"]
        assert "p.yaml: 1 lesson left out: they did harm and never helped; --all has every lesson" in shown.err
    assert acdl(*words[:-2], "--format", "agents-md") == 0
    assert "[tu-7k3q9f2m]" in capsys.readouterr().out  # ten lessons by default
    assert acdl("export", "p.yaml", "--format", "skill", "--all") == 0
    assert "[tu-8x2c5v7b]" in capsys.readouterr().out
    assert acdl("export", "p.yaml", "--format", "csv", "--task", "x") == 2
    assert "leave out --top, --task and --budget" in capsys.readouterr().err
    assert acdl("export", "p.yaml", "--task", " ") == 2
    assert "--task is empty; say in a few words what is to be done" in capsys.readouterr().err


def test_a_skill(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """A skill has a head that agents read, a name that is that of its folder, and lessons that can be read back."""
    monkeypatch.chdir(tmp_path)
    create(tmp_path / "p.yaml", TOOLS)
    path = tmp_path / ".claude" / "skills" / "orders-api" / "SKILL.md"
    path.parent.mkdir(parents=True)
    assert acdl("export", "p.yaml", "-o", str(path)) == 0
    text = path.read_text("utf-8")
    _, head, body = text.split("---\n", 2)
    data = yaml.safe_load(head)
    assert data["name"] == path.parent.name
    assert data["description"] == (
        "Lessons from earlier work on orders API: Tool usage, Style. Read it before a task about one of these."
    )
    assert body.startswith("\n# Lessons about orders API\n")
    assert acdl("import", "q.yaml", str(path)) == 0
    assert acdl("export", "p.yaml", "--into", str(path)) == 0
    assert path.read_text("utf-8") == text
    capsys.readouterr()
    assert acdl("export", "p.yaml", "--into", str(path), "--format", "skill") == 2
    assert "--into writes `agents-md`, not `skill`: write a skill with `-o SKILL.md`" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["a: b\n---\nx", "Straße / 検索", "-" * 200, "<!-- acdl-playbook:end x -->"])
def test_any_name_of_a_skill(name: str) -> None:
    """Whatever a playbook is called, its head is one map, and nothing in it forges a marker."""
    text = skill.write(replace(TOOLS, name=name))
    data = yaml.safe_load(text.split("---\n")[1])
    assert re.fullmatch("[a-z0-9]+(-[a-z0-9]+)*", data["name"])
    assert len(data["description"]) <= skill.MAX_DESCRIPTION
    assert skill.read(text).problems == ()
