"""What `pyproject.toml` and the `package.json` files ask for: every direct dependency of the project."""

import json
import tomllib
from pathlib import Path
from typing import NamedTuple

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = {"playground": "acdl_mkdocs/assets/playground", "vscode": "editors/vscode"}
"""Folders with a `package.json`, by what is built there."""
_OWN = "acdl-mkdocs"


class Line(NamedTuple):
    """One requirement of `pyproject.toml`."""

    name: str
    extra: str
    """Which extra it belongs to; empty for what everybody gets, `build` for what builds the package."""
    text: str

    def __str__(self) -> str:
        """The requirement as it is written."""
        return self.text


def requirements() -> list[Line]:
    """Every requirement of `pyproject.toml` on another project, in its order."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    extras = project["project"]["optional-dependencies"]
    asked = {"build": project["build-system"]["requires"], "": project["project"]["dependencies"], **extras}
    lines = [
        Line(canonicalize_name(Requirement(text).name), extra, text) for extra, texts in asked.items() for text in texts
    ]
    return [line for line in lines if line.name != _OWN]


def node_packages() -> dict[str, tuple[str, str]]:
    """What the `package.json` files ask for: the version, and what it is for, by `name (playground)`."""
    found: dict[str, tuple[str, str]] = {}
    for purpose, folder in PACKAGES.items():
        asked = json.loads((ROOT / folder / "package.json").read_text("utf-8"))
        for kind in ("dependencies", "devDependencies"):
            found |= {f"{name} ({purpose})": (wanted, kind) for name, wanted in asked.get(kind, {}).items()}
    return found
