"""Files of the project that hosts, indexes and agents read: what they name exists and says the same as the rest."""

import re
import tomllib
from pathlib import Path

import pytest
import yaml

from acdl_mkdocs import __version__
from hatch_build import addresses, shown_by_an_index

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text("utf-8")
REPOSITORY = "https://git.example/us/acdl"
_TARGET = re.compile(r"\]\(([^)\s]+)\)|(?:src|href)=\"([^\"]+)\"")


def targets(text: str) -> list[str]:
    """Where links and pictures lead."""
    return [one or other for one, other in _TARGET.findall(re.sub(r"```.*?```", "", text, flags=re.DOTALL))]


def test_readme_of_an_index() -> None:
    """On an index every link and picture is an address, of a file that exists in the tag; no words are lost."""
    shown = shown_by_an_index(README, REPOSITORY, "v1")
    assert [each for each in targets(shown) if not each.startswith("https://")] == []
    ours = [each for each in targets(shown) if each.startswith(REPOSITORY)]
    paths = [re.sub(r"^/(?:blob|raw)/v1/", "", each.removeprefix(REPOSITORY).partition("#")[0]) for each in ours]
    assert len(paths) > 20
    assert [path for path in paths if not (ROOT / path).exists()] == []
    assert f'<img src="{REPOSITORY}/raw/v1/site_src/assets/readme.svg"' in shown


def test_readme_without_an_address() -> None:
    """Where nobody knows the repository, no link leads nowhere, and the picture is in words."""
    shown = shown_by_an_index(README, "", "v1")
    assert [each for each in targets(shown) if not each.startswith("https://")] == []
    assert "<img" not in shown
    assert "SupportAgent: a System message" in shown
    assert "kept in a playbook:" in " ".join(shown.split())


def test_addresses() -> None:
    """An index lists the repository, its issues and its changes."""
    assert set(addresses(REPOSITORY)) >= {"Homepage", "Documentation", "Source", "Issues", "Changelog"}
    assert all(each.startswith("https://") for each in addresses(REPOSITORY).values())
    assert set(addresses("")) == {"Paper"}


@pytest.mark.parametrize("name", ["CONTRIBUTING.md", "SECURITY.md", "AGENTS.md"])
def test_links_of_project_files(name: str) -> None:
    """Every file that is named exists, every task of make too; they are in the source archive."""
    text = (ROOT / name).read_text("utf-8")
    assert targets(text)
    assert [each for each in targets(text) if not (ROOT / each.partition("#")[0]).exists()] == []
    tasks = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    assert [each for each in re.findall(r"make ([a-z-]+)", text) if each not in tasks] == []
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    assert name in project["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]


def test_citation() -> None:
    """The citation has the version of the package, and the paper."""
    said = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert said["version"] == __version__
    assert said["preferred-citation"]["doi"] in README
    assert [each["family-names"] for each in said["preferred-citation"]["authors"]][-1] == "Goldberg"
