"""The program `acdl`, from its start to its end."""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from measure import Row, added_row, emptied, in_turn, ratio_row, run, timed_row
from specs import TYPICAL

ROOT = Path(__file__).parent.parent
PYTHON = sys.executable


def measure() -> list[Row]:
    """All rows of this part."""
    acdl = str(Path(PYTHON).with_name("acdl"))
    run(PYTHON, "-m", "compileall", "-q", str(ROOT / "acdl_mkdocs"))  # as pip does for an installed package
    with TemporaryDirectory() as folder:
        spec = Path(folder, "typical.acdl")
        spec.write_text(TYPICAL, "utf-8")
        one, many = Path(folder, "one"), Path(folder, "many")
        render, lark, version, bare, examples = in_turn(
            9,
            lambda: run(acdl, "render", str(spec), "-o", str(one / "typical.svg")),
            lambda: run(PYTHON, "-c", "import lark"),
            lambda: run(acdl, "--version"),
            lambda: run(PYTHON, "-c", "pass"),
            lambda: run(acdl, "render", str(ROOT / "examples"), "-o", str(many)),
            before=(emptied(one), None, None, None, emptied(many)),
        )
    return [
        ratio_row("acdl render, one file", render, "python -c 'import lark'", lark, at_most=2.5),
        added_row("acdl --version", version, "python -c pass", bare, at_most_ms=60),
        timed_row("acdl render examples -o out/", examples, at_most_ms=180, against=("python -c pass", bare)),
    ]
