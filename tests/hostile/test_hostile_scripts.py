"""The scripts of pages, of the playground and of the VS Code extension make no HTML or code of texts."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCRIPTS = sorted(
    path.relative_to(ROOT).as_posix()
    for folder in ("acdl_mkdocs/assets", "editors/vscode/src")
    for path in (ROOT / folder).rglob("*")
    if path.suffix in (".js", ".ts", ".mjs") and "node_modules" not in path.parts
)
_MAKES_HTML = re.compile(
    r"\b(?:inner|outer)HTML\b|\binsertAdjacentHTML\b|\bdocument\s*\.\s*write|\bcreateContextualFragment\b"
    r"|\bsetHTML(?:Unsafe)?\b|\bDOMParser\b|\bsrcdoc\b|\beval\s*\(|\bnew\s+Function\b|\bset(?:Timeout|Interval)\s*\(\s*[\"'`]"
)
_OF_THE_ENGINE = {
    "acdl_mkdocs/assets/playground/src/dom.ts": ["createContextualFragment"],
    "editors/vscode/src/webview/preview.ts": ["innerHTML"],
}
"""What the engine has drawn, in which everything is escaped."""


def test_scripts_are_found() -> None:
    """Those of pages and those of the playground."""
    assert {"acdl_mkdocs/assets/acdl-steps.js", "acdl_mkdocs/assets/playground/src/main.ts"} <= set(SCRIPTS)


@pytest.mark.parametrize("path", SCRIPTS)
def test_scripts_make_no_html(path: str) -> None:
    """They put texts into text nodes and attributes: steps, filters of galleries, dialogs, lists of changes."""
    assert _MAKES_HTML.findall((ROOT / path).read_text("utf-8")) == _OF_THE_ENGINE.get(path, [])
