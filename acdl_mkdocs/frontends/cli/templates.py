"""The files that `acdl new` makes: those of `assets/new` and `assets/skill`, with their placeholders filled.

Returns texts by path; writes nothing.
"""

import json
import re
import shlex
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import TypedDict, cast

from acdl_mkdocs import __version__


class _VcsInfo(TypedDict, total=False):
    vcs: str
    commit_id: str


class _DirectUrl(TypedDict, total=False):
    url: str
    vcs_info: _VcsInfo
    subdirectory: str


def requirement_line(extra: str = "") -> str:
    """Return the line of a requirements file that installs this package again.

    Parameters:
        extra: Name of an extra to install too.
    """
    name = f"{_NAME}[{extra}]" if extra else _NAME
    url = _url_of()
    return f"{name} @ {url}" if url else f"{name}>={__version__}"


def is_from_address() -> bool:
    """Return whether it was installed from an address, and not from an index, which only needs its name."""
    return bool(_url_of())


def is_on_this_machine() -> bool:
    """Return whether it can be installed again on this machine only."""
    return _url_of().startswith("file:")


def _url_of() -> str:
    """Return the address for pip; empty if the package came from an index."""
    try:
        written = distribution(_NAME).read_text("direct_url.json")
    except PackageNotFoundError:  # run from a checkout
        return Path(__file__).parents[3].as_uri()
    if not written:
        return ""
    origin = cast(_DirectUrl, json.loads(written))
    url, vcs = origin.get("url", ""), origin.get("vcs_info")
    if vcs:
        url = f"{vcs.get('vcs', 'git')}+{url}@{vcs.get('commit_id', '')}"
    part = origin.get("subdirectory")
    return f"{url}#subdirectory={part}" if part else url


_ASSETS = Path(__file__).parents[2] / "assets"
_PROJECT = _ASSETS / "new" / "project"
_SPEC = _ASSETS / "new" / "spec.txt"
_SKILL = _ASSETS / "skill" / "SKILL.md"

_ANY_NAME = "Agent"
_NAME = "acdl-mkdocs"


def project_files(name: str) -> dict[str, str]:
    """Return the files of a documentation site, by their paths from its folder.

    A name in `assets` that begins with `dot-` represents one that begins with a dot, so that no tool takes a template
    for a configuration of the package.

    Parameters:
        name: The name of the folder.
    """
    words = {
        "SITE_NAME": json.dumps(_make_title(name), ensure_ascii=False),
        "INSTALL": requirement_line(),
        "INSTALL_MKDOCS": requirement_line("mkdocs"),
    }
    paths = {path.relative_to(_PROJECT).as_posix(): path for path in sorted(_PROJECT.rglob("*")) if path.is_file()}
    return {re.sub(r"(^|/)dot-", r"\1.", name): _fill_template(path, words) for name, path in paths.items()}


def spec_text(stem: str) -> str:
    """Return a spec to begin with, named after its file if the language allows that.

    Parameters:
        stem: The name of the file, without `.acdl`.
    """
    from acdl_mkdocs.app.python import check

    title = _make_title(stem)
    name = "".join(word[:1].upper() + word[1:] for word in re.findall(r"[^\W_]+", stem))
    text = _fill_template(_SPEC, {"TITLE": title, "NAME": name})
    # Then the name is the problem: it begins with a digit, or is a keyword of the language.
    return _fill_template(_SPEC, {"TITLE": title, "NAME": _ANY_NAME}) if check(text) else text


def skill_text() -> str:
    """Return the skill that teaches ACDL to a coding agent, with instructions to install this package."""
    written = shlex.quote(requirement_line()) if is_from_address() else _NAME
    return _SKILL.read_text("utf-8").replace(f"pip install {_NAME}", f"pip install {written}")


def _fill_template(path: Path, words: Mapping[str, str]) -> str:
    """Fill the placeholders of a template."""
    return re.sub(r"%%([A-Z_]+)%%", lambda match: words[match[1]], path.read_text("utf-8"))


def _make_title(name: str) -> str:
    """Return the name of a file or folder as a heading."""
    words = " ".join(re.sub(r"[^\w&]|_", " ", name).split())
    return f"{words[:1].upper()}{words[1:]}" or "Agents"
