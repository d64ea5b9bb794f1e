"""The built wheel is complete: in an empty environment it makes the site of the README's configuration."""

import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from exhaustive import exhaustive

from acdl_mkdocs import __version__

ROOT = Path(__file__).parent.parent
_NO_INDEX = re.compile(
    r"No matching distribution|Could not find a version|Connection|Temporary failure in name resolution"
)


def run(*words: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run a program without this environment's settings."""
    environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    environment["NO_MKDOCS_2_WARNING"] = "1"
    return subprocess.run(words, cwd=cwd, env=environment, capture_output=True, text=True, encoding="utf-8")


def installing(*words: str | Path, cwd: Path) -> None:
    """Run a program that takes packages from an index; skip where there is none, though not in CI."""
    ran = run(*words, cwd=cwd)
    if ran.returncode and _NO_INDEX.search(ran.stdout + ran.stderr) and not os.environ.get("CI"):
        pytest.skip("no package index")
    assert ran.returncode == 0, ran.stdout + ran.stderr


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this checkout."""
    folder = tmp_path_factory.mktemp("wheel")
    installing(sys.executable, "-m", "build", "--wheel", "--outdir", folder, ROOT, cwd=folder)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def programs(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the programs of an environment are that has only the wheel and what it needs."""
    folder = tmp_path_factory.mktemp("environment")
    installing(sys.executable, "-m", "venv", folder, cwd=folder)
    python = folder / "bin" / "python"
    installing(python, "-m", "pip", "install", "--quiet", f"{wheel}[mkdocs]", cwd=folder)
    return folder / "bin"


def readme_block(language: str) -> str:
    """The first block of a language in the README."""
    found = re.search(rf"^```{language}.*\n([\s\S]*?)^```$", (ROOT / "README.md").read_text("utf-8"), re.MULTILINE)
    assert found
    return found[1]


def test_wheel_holds_the_package_only(wheel: Path) -> None:
    """Every file of the package is in the wheel, and nothing else of the project."""
    names = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    package = ROOT / "acdl_mkdocs"
    files = {path.relative_to(ROOT).as_posix() for path in package.rglob("*") if path.is_file()}
    examples = [*(ROOT / "examples").glob("*.acdl"), *(ROOT / "examples").glob("*.state.yaml")]
    shown = {f"acdl_mkdocs/assets/examples/{path.name}" for path in examples}  # to agents, by `acdl mcp`
    assert names == {name for name in files if "__pycache__" not in name} | shown


@exhaustive
def test_programs_run(programs: Path, tmp_path: Path) -> None:
    """`acdl` is there and works outside of the project."""
    assert run(programs / "acdl", "--version", cwd=tmp_path).stdout == f"acdl {__version__}\n"
    (tmp_path / "chat.acdl").write_text(readme_block("acdl"), "utf-8")
    assert run(programs / "acdl", "check", "--strict", "chat.acdl", cwd=tmp_path).returncode == 0
    assert run(programs / "acdl", "render", "chat.acdl", cwd=tmp_path).stdout.startswith("<svg")


@exhaustive
def test_four_lines_are_a_configuration(programs: Path, tmp_path: Path) -> None:
    """The README's `mkdocs.yml` and block make a site with a figure."""
    settings = readme_block("yaml")
    assert len(settings.splitlines()) == 4
    (tmp_path / "mkdocs.yml").write_text(settings, "utf-8")
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "index.md").write_text(f"# Agent\n\n```acdl\n{readme_block('acdl')}```\n", "utf-8")
    built = run(programs / "mkdocs", "build", "--strict", cwd=tmp_path)
    assert built.returncode == 0, built.stderr
    html = (tmp_path / "site" / "index.html").read_text("utf-8")
    assert '<figure class="acdl" id="SupportAgent">' in html
    assert (tmp_path / "site" / "assets" / "acdl" / "acdl.css").is_file()


@exhaustive
def test_snippets_of_the_readme_run(programs: Path, tmp_path: Path) -> None:
    """The README's Python runs with the wheel."""
    ran = run(programs / "python", "-c", readme_block("python"), cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr


def test_package_needs_no_docs_tool(wheel: Path, tmp_path: Path) -> None:
    """Drawing works where neither MkDocs nor anything but the dependencies is installed."""
    target = tmp_path / "packages"
    installing(sys.executable, "-m", "pip", "install", "--quiet", "--target", target, wheel, cwd=tmp_path)
    assert not shutil.which("mkdocs", path=str(target / "bin"))
    code = "import sys; sys.path.insert(0, sys.argv[1]); import acdl_mkdocs; print(acdl_mkdocs.render('U: env.x[@T]'))"
    ran = run(sys.executable, "-I", "-S", "-c", code, target, cwd=tmp_path)
    assert ran.stdout.startswith("<svg"), ran.stderr
