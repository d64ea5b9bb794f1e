"""The workflows of `examples/workflows`: valid for GitHub, safe with forks, and their scripts do what they say."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from cli.repositories import Repository
from exhaustive import exhaustive

from acdl_mkdocs.frontends.cli.main import main

FOLDER = Path(__file__).parent.parent / "examples" / "workflows"
REVIEW = yaml.safe_load((FOLDER / "context-review.yml").read_text("utf-8"))
COMMENT = yaml.safe_load((FOLDER / "context-comment.yml").read_text("utf-8"))
PAGE = FOLDER.parent.parent / "site_src" / "compare" / "pull-requests.md"
SPEC = "P[@T]: {\n    U: env.q[@T]\n}\n"
GH = """#!/bin/sh
printf '%s\\n' "$*" >> "$LOG"
case "$*" in
  *pulls*) printf '%s' "$NUMBER" ;;
  *--paginate*) printf '%s' "$FIRST" ;;
esac
"""


def steps(workflow: dict[str, dict[str, dict[str, list[dict[str, str]]]]]) -> list[dict[str, str]]:
    """The steps of its one job."""
    (job,) = workflow["jobs"].values()
    return job["steps"]


def script(workflow: dict[str, dict[str, dict[str, list[dict[str, str]]]]]) -> str:
    """The longest script of it."""
    return max((step["run"] for step in steps(workflow) if "run" in step), key=len)


def shell(text: str, folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a script as GitHub does."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, **variables}
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", text]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def test_they_are_valid() -> None:
    """GitHub's schema accepts them."""
    files = sorted(map(str, FOLDER.glob("*.yml")))
    assert len(files) == 2
    check = Path(sys.executable).with_name("check-jsonschema")
    ran = subprocess.run([str(check), "--builtin-schema", "vendor.github-workflows", *files], capture_output=True)
    assert ran.returncode == 0, ran.stdout


def test_they_are_safe_with_forks() -> None:
    """What runs the code of a pull request may only read; what may write runs nothing of it."""
    assert REVIEW[True] == "pull_request"  # `on` is a boolean of YAML 1.1
    assert REVIEW["permissions"] == {"contents": "read"}
    assert list(COMMENT[True]) == ["workflow_run"]
    assert COMMENT[True]["workflow_run"]["workflows"] == [REVIEW["name"]]
    assert COMMENT["permissions"] == {"actions": "read", "pull-requests": "write"}
    assert not any("checkout" in step.get("uses", "") for step in steps(COMMENT))
    for workflow in (REVIEW, COMMENT):
        assert all("${{" not in step.get("run", "") for step in steps(workflow))
        assert all(step["uses"].startswith("actions/") for step in steps(workflow) if "uses" in step)
    assert REVIEW["jobs"]["review"]["steps"][0]["with"] == {"fetch-depth": 0, "persist-credentials": False}


def test_a_review(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The comment, the figures, and the summary of the run."""
    (tmp_path / "repository").mkdir()
    repository = Repository(tmp_path / "repository", monkeypatch)
    repository.write("specs/a.acdl", SPEC)
    repository.commit()
    base = repository.git("rev-parse", "HEAD").strip()
    repository.write("specs/a.acdl", SPEC.replace("U:", "A:"))
    repository.commit()
    summary = tmp_path / "summary.md"
    ran = shell(script(REVIEW), repository.folder, BASE=base, GITHUB_STEP_SUMMARY=str(summary))
    assert ran.returncode == 0, ran.stderr
    review = repository.folder / "review"
    assert (review / "comment.md").read_text() == summary.read_text()
    assert summary.read_text().startswith("### Specs: 1 changed; the messages can differ in 1\n")
    assert (review / "figures/specs/a.svg").read_text().startswith("<svg")
    assert (review / "figures/specs/a.html").is_file()
    ran = shell(script(REVIEW), repository.folder, BASE="HEAD", GITHUB_STEP_SUMMARY=str(summary))
    assert ran.returncode == 0, ran.stderr
    assert (review / "comment.md").read_text() == "### Specs: no spec changed\n"
    ran = shell(script(REVIEW), repository.folder, BASE="nothing", GITHUB_STEP_SUMMARY=str(summary))
    assert ran.returncode != 0
    assert "no revision `nothing`" in ran.stderr


@exhaustive
def test_a_review_of_a_file_that_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The step fails, but only when the summary and the figures are there."""
    (tmp_path / "repository").mkdir()
    repository = Repository(tmp_path / "repository", monkeypatch)
    repository.write("a.acdl", SPEC)
    repository.write("b.acdl", SPEC)
    repository.commit()
    repository.write("a.acdl", SPEC.replace("U:", "A:"))
    (repository.folder / "b.acdl").write_bytes(b"\xff")
    repository.commit()
    summary = tmp_path / "summary.md"
    ran = shell(script(REVIEW), repository.folder, BASE="HEAD~1", GITHUB_STEP_SUMMARY=str(summary))
    assert ran.returncode == 1
    assert "| not compared | `b.acdl` |" in summary.read_text()
    assert (repository.folder / "review/figures/a.svg").is_file()
    (upload,) = (step for step in steps(REVIEW) if "upload" in step.get("uses", ""))
    assert upload["if"] == "always()"


@pytest.mark.parametrize(("first", "method"), [("", "POST repos/us/agents/issues/7/comments"), ("42", "PATCH repos")])
def test_a_comment(first: str, method: str, tmp_path: Path) -> None:
    """A new one, or the one that is there; a branch of any name is only a name."""
    gh = tmp_path / "bin" / "gh"
    gh.parent.mkdir()
    gh.write_text(GH)
    gh.chmod(0o755)
    (tmp_path / "review").mkdir()
    (tmp_path / "review/comment.md").write_text("### Specs: no spec changed\n")
    log = tmp_path / "log"
    known = {"LOG": str(log), "FIRST": first, "REPOSITORY": "us/agents", "OWNER": "them", "BRANCH": "a$(touch evil)`b"}
    path = f"{gh.parent}{os.pathsep}{os.environ['PATH']}"
    text = f"PATH={json.dumps(path)}\n{script(COMMENT)}"
    ran = shell(text, tmp_path, NUMBER="7", **known)
    assert ran.returncode == 0, ran.stderr
    asked = log.read_text().splitlines()
    assert "head=them:a$(touch evil)`b" in asked[0]
    assert asked[-1].startswith(f"api --method {method}")
    assert (tmp_path / "body.md").read_text() == "<!-- context review -->\n### Specs: no spec changed\n"
    assert not (tmp_path / "evil").exists()
    log.unlink()
    assert shell(text, tmp_path, NUMBER="", **known).returncode == 0
    assert len(log.read_text().splitlines()) == 1
    (tmp_path / "review/comment.md").unlink()
    (tmp_path / "review/comment.md").symlink_to("/etc/hostname")
    assert shell(text, tmp_path, NUMBER="7", **known).returncode != 0


def test_the_page_shows_them() -> None:
    """As they are."""
    page = PAGE.read_text("utf-8")
    for path in FOLDER.glob("*.yml"):
        assert f'```yaml title=".github/workflows/{path.name}"\n{path.read_text("utf-8")}```\n' in page


def test_what_git_shows_on_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is what git really shows."""
    (tmp_path / "repository").mkdir()
    repository = Repository(tmp_path / "repository", monkeypatch)
    text = (FOLDER.parent / "react.acdl").read_text("utf-8")
    repository.write("specs/react.acdl", text)
    repository.commit()
    monkeypatch.chdir(repository.folder)
    assert main(["git", "setup", "--attributes"]) == 0
    repository.write(
        "specs/react.acdl", text.replace("U: sys.tool_call[@t].tool_response", "U: sys.tool_call[@t].result")
    )
    said = repository.git("diff")
    assert f"```text\n$ git diff\n{said}```\n" in PAGE.read_text("utf-8")
