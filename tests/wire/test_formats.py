"""Every format is listed, everywhere where formats are listed."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

import acdl_mkdocs.prompts.providers
from acdl_mkdocs.prompts.providers import PROVIDERS, WIRES
from acdl_mkdocs.prompts.providers.curl import curl
from wire.official import OFFICIAL

FOLDER = Path(acdl_mkdocs.prompts.providers.__file__).parent


def test_every_format_is_listed() -> None:
    """A module with `write(prompt, model)` is a line of `WIRES`."""
    modules = {path.stem for path in FOLDER.glob("*.py") if "\ndef write(prompt: Prompt" in path.read_text("utf-8")}
    assert set(WIRES.modules.values()) == modules


def test_every_format_is_known_elsewhere() -> None:
    """Each can be sent by a shell, is compared with the provider's types, and has pinned bodies and documentation."""
    page = (FOLDER.parents[2] / "site_src" / "reference" / "wire-formats.md").read_text("utf-8")
    for name in PROVIDERS:
        assert curl({}, name, "m").startswith("curl ")
        assert name in OFFICIAL
        assert f"| `{name}` |" in page
        for case in ("agent", "real"):
            assert (Path(__file__).parent / "data" / f"{case}.{name}.json").exists()


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
