"""The documents among the examples: right, in their normal form, and the same as the request beside them."""

import json
from pathlib import Path

import pytest

import acdl_mkdocs
from acdl_mkdocs.frontends.cli.main import main
from acdl_mkdocs.prompts.convert import convert

EXAMPLES = Path(acdl_mkdocs.__file__).parent.parent / "examples" / "pml"
DOCUMENTS = sorted(EXAMPLES.glob("*.xml"))


@pytest.mark.parametrize("path", DOCUMENTS, ids=[path.name for path in DOCUMENTS])
def test_right(path: Path) -> None:
    """Nothing is wrong with a document, and it is written as `acdl pml format` writes it."""
    assert main(["pml", "check", "--strict", str(path)]) == 0
    assert main(["pml", "format", "--check", str(path)]) == 0


def test_request() -> None:
    """The request beside the weather is what the document is converted to."""
    converted = convert((EXAMPLES / "weather.pml.xml").read_text("utf-8"), "openai", model="gpt-5")
    assert converted.text is not None
    assert json.loads(converted.text) == json.loads((EXAMPLES / "weather.openai.json").read_text("utf-8"))


def test_every_file_is_listed() -> None:
    """The table of examples has each."""
    page = (EXAMPLES.parent / "README.md").read_text("utf-8")
    assert [path.name for path in sorted(EXAMPLES.iterdir()) if f"pml/{path.name}" not in page] == []
    assert len(DOCUMENTS) == 3
