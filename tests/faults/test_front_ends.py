"""Tools for documentation in surroundings that no developer has: what they build, and what is said."""

import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from exhaustive import few

from faults.projects import CHAT, HOME, SMALL_SITE, run

WARNING = "EncodingWarning"
PAGE = HOME.partition("```acdl src")[0].replace("A[", "Caf\u00e9s[")
SPHINX = 'project = "T"\nextensions = ["myst_parser", "acdl_mkdocs.sphinx"]\n'
FENCE = (
    "site_name: T\ntheme: {name: material, font: false}\nmarkdown_extensions:\n  - acdl\n"
    "  - pymdownx.superfences:\n      custom_fences:\n        - name: acdl\n          class: acdl\n"
    "          validator: !!python/name:acdl_mkdocs.frontends.docs.markdown.superfences.validate\n"
    "          format: !!python/object/apply:acdl_mkdocs.fence\n            kwds: {watch: [docs, specs]}\n"
)
TOOLS = {
    "sphinx": ("docs/conf.py", SPHINX, "docs out -q"),
    "mkdocs": ("mkdocs.yml", SMALL_SITE, "build -q"),
    "properdocs": ("properdocs.yml", SMALL_SITE, "build -q"),
    "zensical": ("mkdocs.yml", FENCE, "build"),
}
"""By name: the file of settings, its text, and the arguments."""


@pytest.mark.parametrize("tool", few(TOOLS))
def test_no_text_is_read_as_the_system_likes(tool: str, tmp_path: Path) -> None:
    """With every `EncodingWarning` shown, none is of this package, and letters beyond ASCII are in the page."""
    if find_spec(tool) is None:
        pytest.skip(f"needs {tool}")
    name, settings, words = TOOLS[tool]
    made = {name: settings, "docs/index.md": PAGE, "specs/chat.acdl": CHAT, "theme/main.html": "{{ page.content }}"}
    for each, text in made.items():
        (tmp_path / each).parent.mkdir(exist_ok=True)
        (tmp_path / each).write_text(text, "utf-8")
    environment = {"PYTHONWARNDEFAULTENCODING": "1", "PYTHONWARNINGS": f"always::{WARNING}"}
    ran = run([sys.executable, "-m", tool, *words.split()], tmp_path, environment)
    said = ran.stdout + ran.stderr
    assert ran.returncode == 0, said
    assert [line for line in said.splitlines() if WARNING in line and "acdl_mkdocs" in line] == []
    (page,) = (path for path in tmp_path.rglob("index.html") if path.parent.name in ("out", "site"))
    assert "Caf\u00e9s" in page.read_text("utf-8")
