"""Every front end draws and checks generated specs as the others do: command line, Python, docs tools, an editor."""

import asyncio
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import pytest
import yaml
from exhaustive import few
from integrations.mkdocs_site import TEMPLATE
from integrations.sphinx_project import CONF, sphinx_build
from lsp.talking import talk
from lsp.test_problems import checked, counting, shown
from markdown import markdown

import acdl_mkdocs
from acdl_mkdocs.drawing.formats import OUTPUTS
from acdl_mkdocs.frontends.cli.main import main
from generated.batches import some

N_SPECS = 25


@pytest.fixture(scope="module")
def batch() -> list[str]:
    """Specs with names of their own, so that none uses the fragments of another."""
    return [spec.renamed(f"X{number}") for number, spec in enumerate(some(N_SPECS, 1))]


@pytest.fixture(scope="module")
def page(batch: list[str]) -> str:
    """A page with all of them."""
    return "# All\n\n" + "\n\n".join(f"```acdl\n{text}```" for text in batch) + "\n"


def program(name: str) -> str:
    """The program beside this Python, or in the path."""
    found = shutil.which(name, path=str(Path(sys.executable).parent)) or shutil.which(name)
    if not found:
        pytest.skip(f"{name} is not installed")
    return found


def lines_of(svg: str) -> Counter[str]:
    """The lines of a drawing without markup."""
    texts = re.findall(r"<text\b.*?</text>", svg, re.DOTALL)
    return Counter("".join(unescape(re.sub(r"<[^>]*>", "", each)).split()) for each in texts)


def figures_of(html: str) -> Iterator[Counter[str]]:
    """The lines of each figure of a page, without the drawings for narrow columns."""
    return (lines_of(each) for each in re.findall(r"<svg\b(?![^>]*acdl-narrow)[^>]*acdl.*?</svg>", html, re.DOTALL))


def are_all_there(html: str, batch: list[str]) -> None:
    """Every spec is drawn once, in order, with the lines that Python draws, and no problem in its place."""
    assert html.count('<figure class="acdl"') == len(batch)
    assert "acdl-error" not in html
    found = list(figures_of(html))
    assert len(found) == len(batch)
    for figure, text in zip(found, batch, strict=True):
        assert figure == lines_of(acdl_mkdocs.render(text)), text


def test_plain_markdown(page: str, batch: list[str]) -> None:
    """Python-Markdown alone, and with the extensions that many sites have."""
    are_all_there(markdown(page, extensions=["acdl"]), batch)
    are_all_there(markdown(page, extensions=["admonition", "toc", "pymdownx.superfences", "acdl"]), batch)


@pytest.mark.parametrize("tool", few(["mkdocs", "properdocs", "zensical"]))
def test_docs_tool(tool: str, tmp_path: Path, page: str, batch: list[str]) -> None:
    """A built site shows every figure."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "index.md").write_text(page, "utf-8")
    (tmp_path / "theme").mkdir()
    (tmp_path / "theme" / "main.html").write_text(TEMPLATE, "utf-8")
    theme = {"name": None, "custom_dir": "theme"}
    config: dict[str, object] = {"site_name": "x", "theme": theme, "plugins": ["acdl"]}
    if tool == "zensical":
        config = {"site_name": "x", "theme": {"name": "material"}, "markdown_extensions": ["acdl"]}
    (tmp_path / ("properdocs.yml" if tool == "properdocs" else "mkdocs.yml")).write_text(yaml.safe_dump(config))
    ran = subprocess.run([program(tool), "build"], cwd=tmp_path, capture_output=True, text=True, encoding="utf-8")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert " error[" not in ran.stdout + ran.stderr
    are_all_there((tmp_path / "site" / "index.html").read_text("utf-8"), batch)


def test_sphinx(tmp_path: Path, page: str, batch: list[str]) -> None:
    """A project with MyST shows every figure."""
    pytest.importorskip("myst_parser")
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "conf.py").write_text(CONF, "utf-8")
    (tmp_path / "in" / "index.md").write_text(page, "utf-8")
    built = sphinx_build(tmp_path / "in", tmp_path / "out", "-q")
    assert built.code == 0, built.warned
    assert " error[" not in built.warned
    are_all_there(built.read(), batch)


def test_command_line(tmp_path: Path, batch: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """The command writes the bytes that Python gives, in every format; so it is with normal forms."""
    specs, out = tmp_path / "specs", tmp_path / "out"
    specs.mkdir()
    for number, text in enumerate(batch):
        (specs / f"s{number}.acdl").write_text(text, "utf-8")
    for name in OUTPUTS:
        assert main(["render", str(specs), "--format", name, "-o", str(out / name)]) == 0
        for number, text in enumerate(batch):
            (written,) = (out / name).glob(f"s{number}.*")
            assert written.read_text("utf-8") == acdl_mkdocs.render(text, name)
    assert main(["format", str(specs)]) == 0
    for number, text in enumerate(batch):
        assert (specs / f"s{number}.acdl").read_text("utf-8") == acdl_mkdocs.format(text)
    assert main(["check", str(specs), "--format", "json"]) == 0
    assert '"severity": "error"' not in capsys.readouterr().out


def test_editor(tmp_path: Path, batch: list[str]) -> None:
    """The language server finds what the command finds, in files and in a page, at the same places."""
    for number, text in enumerate(batch):
        (tmp_path / f"s{number}.acdl").write_text(text, "utf-8")
    others = "\n\n".join(f"```acdl\n{text.replace('X', 'Y')}```" for text in batch[:8])
    (tmp_path / "page.md").write_text(f"# Page\n\n{others}\n", "utf-8")

    async def scenario() -> Counter[tuple[str, str, int, int, int, int]]:
        async with talk(tmp_path, counting("utf-32")) as editor:
            await editor.until(lambda: bool(editor.checked))
            return shown(editor)

    told = asyncio.run(scenario())
    assert told == checked(tmp_path)
    assert told
