"""Every format is listed, everywhere where formats are listed."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

import acdl_mkdocs.prompts.providers
from acdl_mkdocs.prompts.providers import PROVIDERS, WIRES
from acdl_mkdocs.prompts.providers.curl import curl
from wire.expected import expected

FOLDER = Path(acdl_mkdocs.prompts.providers.__file__).parent


def test_every_format_is_listed() -> None:
    """A module with `write(prompt, model)` is a line of `WIRES`."""
    modules = {path.stem for path in FOLDER.glob("*.py") if "\ndef write(prompt: Prompt" in path.read_text("utf-8")}
    assert set(WIRES.modules.values()) == modules


@pytest.mark.parametrize("name", PROVIDERS)
def test_every_format_is_known_elsewhere(name: str) -> None:
    """Each can be sent by a shell, and has a row of what tests expect, pinned bodies, documentation and a choice."""
    root, data = FOLDER.parents[2], "tests/wire/data"
    assert curl({}, name, "m").startswith("curl ")
    assert expected(name)
    for row, file in (
        (f"| `{name}` |", "site_src/reference/wire-formats.md"),
        (f'<option value="{name}">', "acdl_mkdocs/assets/playground/index.html"),
    ):
        assert row in (root / file).read_text("utf-8"), f"{file}: there is no `{row}`"
    assert (root / data / f"agent.{name}.json").exists(), f"write {data}/agent.{name}.json with --update-golden"
    assert (root / data / f"real.{name}.json").exists(), f"write {data}/real.{name}.json: a request for the real server"


def test_missing_row() -> None:
    """A test of a provider that nobody has written expectations for names the file and the row."""
    with pytest.raises(AssertionError, match=r"add a row for `pond` to EXPECTED in tests/wire/expected\.py"):
        expected("pond")


_ASSETS, _MENU = Path("acdl_mkdocs/assets"), Path("editors/vscode/src/exports.ts")


def _listed(names: list[str | None], before: str = "") -> str:
    """Names as a list of JSON, one a line where that is how the file is laid out."""
    indent = len(before) - len(before.lstrip(" ")) if before else None
    return json.dumps(names, indent=None if indent is None else 2).replace("\n", "\n" + " " * (indent or 0))


def _replace_once(pattern: str, replacement: Callable[[re.Match[str]], str], text: str) -> str:
    text, count = re.subn(pattern, replacement, text)
    assert count == 1, f"there is no such list: {pattern}"
    return text


def _of_convert(key: str, names: list[str | None]) -> Callable[[str], str]:
    pattern = rf'("{key}": \{{\n +"description": "[^"\n]*",\n)( +"enum": )\[[^]]*\]'
    return lambda text: _replace_once(pattern, lambda found: f"{found[1]}{found[2]}{_listed(names, found[2])}", text)


def _of_replies(text: str) -> str:
    pattern = r'("description": "Format of the request: [^"]*", "enum": )\[[^]]*\]'
    return _replace_once(pattern, lambda found: f"{found[1]}{_listed([*PROVIDERS])}", text)


def _of_menu(text: str) -> str:
    lines = "".join(f'  {{ format: "{name}", label: "{each.label}" }},\n' for name, each in WIRES.items())
    pattern = r'(label: "Messages as JSON" \},\n)(?:  \{ format: .*\n)+(?=\];)'
    return _replace_once(pattern, lambda found: found[1] + lines, text)


@pytest.mark.parametrize(
    ("file", "regenerate"),
    [
        pytest.param(_ASSETS / "pml-convert.schema.json", _of_convert("from", ["pml", *PROVIDERS, None]), id="from"),
        pytest.param(_ASSETS / "pml-convert.schema.json", _of_convert("to", ["pml", *PROVIDERS]), id="to"),
        pytest.param(_ASSETS / "replies.schema.json", _of_replies, id="replies"),
        pytest.param(_MENU, _of_menu, id="menu"),
    ],
)
def test_lists_in_other_files(file: Path, regenerate: Callable[[str], str], request: pytest.FixtureRequest) -> None:
    """Schemas and the menu of VS Code name all formats: `pytest tests/wire/test_formats.py --update-golden`."""
    path = FOLDER.parents[2] / file
    text = path.read_text("utf-8")
    if request.config.getoption("--update-golden"):
        path.write_text(regenerate(text), "utf-8")
    else:
        assert regenerate(text) == text, f"{file} is out of date; if intended: pytest --update-golden"
