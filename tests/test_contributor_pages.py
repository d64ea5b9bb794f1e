"""Pages for contributors are followed word by word, each in a clean copy of the project.

A block with the name of a file as its title is that file; a `diff` block with a title changes the file; each line of a
shell block is run and has to succeed. Nothing else is done, so a page that forgets a step fails here.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from exhaustive import exhaustive, few

from acdl_mkdocs.workspace.fences import Fence, scan_fences

ROOT = Path(__file__).parents[1]
DEVELOP = ROOT / "site_src" / "develop"
PAGES = sorted(DEVELOP.glob("add-a*.md"))
ALWAYS = ("add-a-rule", "add-a-docs-tool")
"""Pages whose checks take less than ten seconds and are of other kinds; types take half a minute more."""
COPIED = ("acdl_mkdocs", "tests", "site_src", "examples", "editors", "fuzz", "benchmarks")
"""What the steps change and run; files beside them are copied too."""
PROGRAMS = {"pytest", "mypy", "acdl", "python"}

_TITLE = re.compile(r'\btitle="(?P<file>[^"]+)"')
_IGNORED = shutil.ignore_patterns("__pycache__", "node_modules", ".*_cache")


class StepError(AssertionError):
    """A page cannot be followed as it is written."""


def title_of(fence: Fence) -> str:
    """The file that a block is about; empty for others."""
    found = _TITLE.search(fence.header)
    return found["file"] if found else ""


def steps_of(text: str) -> list[tuple[int, Fence]]:
    """The blocks that a reader does something with, each with its line."""
    fences = scan_fences(text.split("\n"))
    return [(fence.first + 1, fence) for fence in fences if title_of(fence) or fence.language == "sh"]


def patched(text: str, diff: str) -> str:
    """A text with the changes of a `diff` block; hunks are separated by lines that begin with `@@`.

    Raises:
        StepError: If the lines that a hunk keeps or removes are not in the text exactly once.
    """
    for hunk in re.split(r"^@@.*\n", diff, flags=re.MULTILINE):
        lines = hunk.splitlines(keepends=True)
        if not lines:
            continue
        old = "".join(line[1:] or "\n" for line in lines if not line.startswith("+"))
        new = "".join(line[1:] or "\n" for line in lines if not line.startswith("-"))
        if not old or f"\n{text}".count(f"\n{old}") != 1:
            raise StepError(f"these lines are not in the file exactly once:\n{old}")
        text = f"\n{text}".replace(f"\n{old}", f"\n{new}")[1:]
    return text


def new_text(diff: str, problem: str) -> str:
    """The text of a new file.

    Raises:
        StepError: With the problem, if the diff also keeps or removes lines.
    """
    lines = diff.splitlines(keepends=True)
    if not all(line.startswith("+") for line in lines):
        raise StepError(problem)
    return "".join(line[1:] for line in lines)


def follow(text: str, tree: Path, name: str, skipped: str = "") -> list[str]:
    """Do what a page says, in its order; the commands that were run.

    Parameters:
        text: The page.
        tree: The copy of the project.
        name: What the page is called in messages.
        skipped: A program whose commands are not run.

    Raises:
        StepError: If a step cannot be done, or a command fails.
    """
    commands: list[str] = []
    for line, fence in steps_of(text):
        place, title = f"{name}:{line}", title_of(fence)
        if fence.language == "sh":
            for command in fence.text.splitlines():
                if skipped and command.split()[0].endswith(skipped):
                    continue
                run(command, tree, place)
                commands.append(command)
        elif fence.language == "diff":
            path = tree / title
            if not path.is_file():
                path.write_text(new_text(fence.text, f"{place}: there is no {title}"), "utf-8")
                continue
            try:
                path.write_text(patched(path.read_text("utf-8"), fence.text), "utf-8")
            except StepError as problem:
                raise StepError(f"{place}: {title}: {problem}") from None
        else:
            path = tree / title
            if path.exists():
                raise StepError(f"{place}: {title} exists already")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(fence.text, "utf-8")
    return commands


def run(command: str, tree: Path, place: str) -> None:
    """Run a command of a page with this interpreter and the code of the copy."""
    program, *words = shlex.split(command.removeprefix(".venv/bin/"))
    if program not in PROGRAMS:
        raise StepError(f"{place}: `{program}` is not among {sorted(PROGRAMS)}")
    module = {"acdl": ["-m", "acdl_mkdocs"], "python": []}.get(program, ["-m", program])
    more = ["-p", "no:cacheprovider"] if program == "pytest" else []
    environment = {**os.environ, "PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": ""}
    ran = subprocess.run(
        [sys.executable, *module, *words, *more],
        cwd=tree,
        env=environment,
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    if ran.returncode:
        raise StepError(f"{place}: `{command}` fails with status {ran.returncode}:\n{ran.stdout}{ran.stderr}")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A clean copy of the project."""
    for name in COPIED:
        shutil.copytree(ROOT / name, tmp_path / name, ignore=_IGNORED)
    for path in ROOT.iterdir():
        if path.is_file():
            shutil.copy(path, tmp_path)
    return tmp_path


@pytest.mark.parametrize("skipped", few(["mypy", ""]))
@pytest.mark.parametrize(
    "page", [pytest.param(page, id=page.stem, marks=() if page.stem in ALWAYS else exhaustive) for page in PAGES]
)
def test_page(page: Path, tree: Path, skipped: str) -> None:
    """Every step can be done, and every check that the page names succeeds."""
    name = page.relative_to(ROOT).as_posix()
    commands = follow(page.read_text("utf-8"), tree, name, skipped)
    assert any("pytest" in command for command in commands), f"{name} names no test"


@pytest.mark.parametrize(
    ("diff", "words"),
    [
        (" absent\n+new\n", "not in the file exactly once:\nabsent"),
        (" twice\n+new\n", "not in the file exactly once:\ntwice"),
        ("+nowhere\n", "not in the file exactly once"),
    ],
)
def test_change_that_does_not_fit(diff: str, words: str) -> None:
    """A page whose surroundings have changed is reported, and nothing is guessed."""
    with pytest.raises(StepError, match=words):
        patched("twice\nonce\ntwice\n", diff)


def test_change() -> None:
    """Lines are added and removed where a hunk says, and nowhere else."""
    diff = " a\n+b\n c\n@@ the end\n-d\n+D\n"
    assert patched("a\nc\nd\nad\n", diff) == "a\nb\nc\nD\nad\n"


def test_faults_of_a_page(tmp_path: Path) -> None:
    """A file that is there already, one that is not, and a command that fails, each with its place."""
    (tmp_path / "there.py").write_text("x = 1\n", "utf-8")
    for block, words in (
        ('```python title="there.py"\nx = 2\n```\n', "page.md:1: there.py exists already"),
        ('\n```diff title="gone.py"\n x\n+y\n```\n', "page.md:2: there is no gone.py"),
        ("```sh\n.venv/bin/python gone.py\n```\n", "page.md:1: `.venv/bin/python gone.py` fails with status 2"),
        ("```sh\nrm there.py\n```\n", "page.md:1: `rm` is not among"),
    ):
        with pytest.raises(StepError, match=re.escape(words)):
            follow(block, tmp_path, "page.md")
