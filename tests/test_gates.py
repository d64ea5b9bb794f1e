"""What other projects run of this one: hooks for pre-commit, a GitHub Action, and the pages that explain them."""

import re
import shlex
import subprocess
from collections.abc import Iterator, Mapping
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pytest
import yaml
from action_steps import ACTION, run_check

from acdl_mkdocs.frontends.cli import COMMANDS
from acdl_mkdocs.frontends.cli.main import main
from acdl_mkdocs.workspace.fences import Fence, scan_fences

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "site_src" / "tools" / "ci.md"
HOOKS = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))

GOOD = "Chat[@T]: {\n    U: env.q[@T]\n}\n"
TWICE = GOOD + "\n" + GOOD
NESTED = "Chat[@T]: {\n    U: {\n        S: { INSTRUCTIONS }\n    }\n}\n"


def blocks() -> Iterator[Fence]:
    """The YAML of the page."""
    yield from (fence for fence in scan_fences(PAGE.read_text("utf-8").split("\n")) if fence.language == "yaml")


def texts_in(value: object) -> Iterator[str]:
    """All texts of a YAML value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from texts_in(each)
    elif isinstance(value, list):
        for each in value:
            yield from texts_in(each)


def test_hooks() -> None:
    """Each has what pre-commit requires, and runs a command of the program that this package installs."""
    assert [hook["id"] for hook in HOOKS] == ["acdl-check", "acdl-format", "acdl-embed"]
    for hook in HOOKS:
        assert {"id", "name", "entry", "language", "files"} <= set(hook)
        assert hook["language"] == "python"
        program, command = hook["entry"].split()
        assert program == "acdl"
        assert command in COMMANDS
        assert hook["id"] == f"acdl-{command}"
        assert hook["require_serial"] is True  # files of one commit may use each other's fragments


@pytest.mark.parametrize("hook", HOOKS, ids=lambda hook: hook["id"])
def test_files_of_hooks(hook: Mapping[str, str]) -> None:
    """Hooks get specs and pages, and no other files; what is put into pages needs no specs."""
    is_embed = hook["id"] == "acdl-embed"
    pages = ["docs/a.md", "docs/a.markdown", "a.mdx", "a.qmd"]
    others = ["a.mdown", "a.mkdn", "a.mkd", "a.rst", "a.py", "a.ipynb"]
    names = ("a.acdl", *pages, *others, "acdl", "a.md.txt", "a.pyc")
    wanted = pages if is_embed else ["a.acdl", *pages, *others]
    assert [name for name in names if re.search(hook["files"], name)] == wanted


def test_hooks_do_what_pre_commit_expects(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A hook fails on what is wrong, and changes what can be changed; a second run changes nothing."""
    monkeypatch.chdir(tmp_path)
    check, form, embed = (hook["entry"].split()[1] for hook in HOOKS)
    Path("good.acdl").write_text(GOOD)
    Path("ugly.acdl").write_text(GOOD.replace("    U:   ", "U:").replace("\n    ", "\n"))
    Path("bad.acdl").write_text(NESTED)
    assert main([check, "good.acdl", "bad.acdl"]) == 1
    assert main([check, "good.acdl", "ugly.acdl"]) == 0
    for _ in range(2):
        main([form, "good.acdl", "ugly.acdl"])
        assert Path("ugly.acdl").read_text() == Path("good.acdl").read_text() == GOOD
    Path("page.md").write_text(f"```acdl\n{GOOD}```\n")
    assert main([embed, "page.md"]) == 0
    embedded = Path("page.md").read_text()
    assert "<picture>" in embedded
    assert main([embed, "page.md"]) == 0
    assert Path("page.md").read_text() == embedded


def test_action() -> None:
    """What GitHub requires of a composite action; no input reaches a script except as a variable."""
    assert ACTION["name"]
    assert ACTION["description"]
    assert ACTION["runs"]["using"] == "composite"
    assert set(ACTION["inputs"]) == {"paths", "strict", "args"}
    for each in ACTION["inputs"].values():
        assert each["description"]
        assert isinstance(each["default"], str)
    steps = ACTION["runs"]["steps"]
    for step in steps:
        assert ("run" in step) is ("shell" in step) is ("uses" not in step)
        assert "${{" not in step.get("run", "")
    named = {found for text in texts_in(steps) for found in re.findall(r"inputs\.(\w+)", text)}
    assert named == set(ACTION["inputs"])


def test_actions_are_pinned() -> None:
    """Whoever moves a tag cannot change what runs: each action has its commit, with the version beside it."""
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    names = [name for name in tracked.split("\n") if name.endswith((".yml", ".yaml")) or name.startswith("site_src/")]
    used: dict[str, set[str]] = {}
    for name in names:
        if (ROOT / name).suffix in {".yml", ".yaml", ".md"}:
            for action, version in re.findall(
                r"uses: ((?:actions|github|pypa)/\S+?)@(.*)", (ROOT / name).read_text("utf-8")
            ):
                used.setdefault(action, set()).add(version)
    assert {"actions/checkout", "actions/setup-python", "actions/deploy-pages"} <= used.keys()
    for action, versions in used.items():
        assert len(versions) == 1, action
        assert re.fullmatch(r"[0-9a-f]{40} # v\d+\.\d+\.\d+", min(versions)), action


def workflows() -> Iterator[tuple[str, dict[Any, Any]]]:
    """Every workflow of this project, and those that it gives to others: in files, and on pages."""
    folders = (".github/workflows", "examples/workflows", "acdl_mkdocs/assets/new/project/dot-github/workflows")
    for path in sorted(path for folder in folders for path in (ROOT / folder).glob("*.yml")):
        yield path.relative_to(ROOT).as_posix(), yaml.safe_load(path.read_text("utf-8"))
    for path in sorted((ROOT / "site_src").rglob("*.md")):
        for fence in scan_fences(path.read_text("utf-8").split("\n")):
            if fence.language == "yaml" and "runs-on:" in fence.text:
                yield f"{path.name}:{fence.first}", yaml.safe_load(fence.text)


@pytest.mark.parametrize(("name", "workflow"), [pytest.param(*each, id=each[0]) for each in workflows()])
def test_workflows_have_few_rights(name: str, workflow: dict[Any, Any]) -> None:
    """No token is kept in a checkout, nothing runs a stranger's code with rights, who may write installs nothing."""
    events = workflow[True]  # `on` is a boolean of YAML 1.1
    assert "pull_request_target" not in events
    if name.startswith((".github/", "acdl_mkdocs/")):
        assert workflow["permissions"] == {}
    for job in workflow["jobs"].values():
        rights = job.get("permissions", workflow["permissions"])
        steps = job.get("steps", ())
        for step in steps:
            assert "checkout@" not in step.get("uses", "") or step["with"]["persist-credentials"] is False
        scripts = "".join(step.get("run", "") for step in steps)
        if {"write"} & {right for right_of, right in rights.items() if right_of != "security-events"}:
            assert not re.search(r"\b(?:make|pip|npm|npx|python|mkdocs)\b", scripts)


def test_audit_of_workflows() -> None:
    """`make audit` reads the folders of all workflows and the action, and runs when one of them changes."""
    files = re.search(r"^WORKFLOWS := (.*)", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    assert files
    audit = yaml.safe_load((ROOT / ".github/workflows/audit.yml").read_text("utf-8"))
    watched = audit[True]["push"]["paths"]
    assert watched == audit[True]["pull_request"]["paths"]
    names = [name for name, _ in workflows() if "/" in name]
    assert len(names) >= 7
    for name in ("action.yml", *names):
        assert [each for each in files[1].split() if fnmatch(name, f"{each.removesuffix('*.yml')}*")], name
        assert [each for each in watched if fnmatch(name, each)], name


def test_action_runs(tmp_path: Path) -> None:
    """Defaults check everything; paths, `strict` and `args` arrive; nothing in an input is run."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "bad.md").write_text(f"```acdl\n{NESTED}```\n")
    (tmp_path / "twice.acdl").write_text(TWICE)
    ran = run_check(tmp_path)
    assert ran.returncode == 1, ran.stderr
    assert "::error file=docs/bad.md,line=4,endLine=4,col=9," in ran.stdout
    assert "::warning file=twice.acdl," in ran.stdout
    assert run_check(tmp_path, paths="twice.acdl").returncode == 0
    assert run_check(tmp_path, paths="twice.acdl", strict="true").returncode == 1
    both = run_check(tmp_path, paths="docs\ntwice.acdl\n", args="--format line --range inclusive")
    assert [line.partition(":")[0] for line in both.stdout.splitlines()] == ["docs/bad.md", "twice.acdl"]
    evil = run_check(tmp_path, paths="$(touch evil) `touch evil` ; touch evil", args='"; touch evil #')
    assert evil.returncode == 2
    assert not (tmp_path / "evil").exists()


def test_inputs_are_explained() -> None:
    """The page has a line of a table for each input and each hook."""
    page = PAGE.read_text("utf-8")
    for name in (*ACTION["inputs"], *(hook["id"] for hook in HOOKS)):
        assert f"\n| `{name}` |" in page


def test_pages_use_what_there_is() -> None:
    """Inputs, hooks and options of the examples exist."""
    hooks = {hook["id"] for hook in HOOKS}
    used: set[str] = set()
    for fence in blocks():
        text = yaml.safe_load(fence.text)
        assert isinstance(text, dict)
        for repository in text.get("repos", ()):
            assert {hook["id"] for hook in repository["hooks"]} <= hooks
            assert repository["rev"]
            used |= hooks
        for job in text.get("jobs", {}).values():
            for step in job["steps"]:
                if "acdl-mkdocs@" in step.get("uses", ""):
                    assert set(step["with"]) <= set(ACTION["inputs"])
                    used.add("action")
    assert used == {*hooks, "action"}


def test_commands_of_the_pages_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each `acdl` line of a job runs as it stands, on a project whose specs are right."""
    monkeypatch.chdir(tmp_path)
    for name in ("docs/a.md", "specs/a.acdl"):
        path = tmp_path / name
        path.parent.mkdir()
        path.write_text(f"```acdl\n{GOOD}```\n" if name.endswith(".md") else GOOD)
    lines = [
        line
        for fence in blocks()
        for text in texts_in(yaml.safe_load(fence.text))
        for line in text.splitlines()
        if line.startswith("acdl ")
    ]
    assert len(lines) == 4
    for line in lines:
        program, *words = shlex.split(line.partition(" > ")[0])
        assert program == "acdl"
        assert main(words) == 0, line
