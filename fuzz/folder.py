"""A small project that blocks may name files of: specs, a state, a recorded run, a playbook, prompts."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from fuzz.target import ROOT

FILES = {
    "a.acdl": "examples/agents/react_openai.acdl",
    "a.state.yaml": "examples/agents/react_openai.state.yaml",
    "a.run.jsonl": "examples/agents/react_openai.run.jsonl",
    "b.acdl": "examples/chat.acdl",
    "b.state.yaml": "examples/chat.state.yaml",
    "p.xml": "examples/pml/weather.pml.xml",
    "tools.xml": "examples/pml/tools.laic.xml",
    "book.yaml": "fuzz/book.yaml",
}
"""What each file is a copy of."""


@cache
def _folder() -> "tuple[TemporaryDirectory[str], dict[str, bytes]]":
    """It is removed when the process ends."""
    folder = TemporaryDirectory(prefix="acdl-fuzz-")
    for name, source in FILES.items():
        Path(folder.name, name).write_bytes((ROOT / source).read_bytes())
    return folder, _contents(Path(folder.name))


@contextmanager
def project_folder() -> Iterator[Path]:
    """The folder; the same one every time, since making one costs more than most inputs. Nothing in it may change."""
    folder, before = _folder()
    path = Path(folder.name).resolve()
    yield path
    assert _contents(path) == before


def _contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() if path.is_file() else b"" for path in folder.iterdir()}
