"""Every Python from 3.11 on writes the same bytes, with and without what PyYAML has compiled.

Uses the interpreters that are installed here: `python3.12` and so on on the path, and those of pyenv.
"""

import json
import os
import shutil
import subprocess
import sys
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pytest
from exhaustive import exhaustive

ROOT = Path(__file__).parent.parent
PROGRAM = ROOT / "tests" / "written_bytes.py"
MINORS = range(11, 16)
NEEDED = ("filelock", "markdown", "yaml")
"""The packages that everybody gets: all of them work without compiled parts."""


def answers(python: Path, minor: int) -> bool:
    """Whether a program is that Python."""
    code = "import sys; print(*sys.version_info[:2])"
    ran = subprocess.run([python, "-I", "-c", code], capture_output=True, text=True)
    return ran.stdout.strip() == f"3 {minor}"


@cache
def interpreter(minor: int) -> Path | None:
    """A Python 3.`minor` of this machine."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    named = shutil.which(f"python3.{minor}")
    paths = [*([Path(named)] if named else []), *sorted(pyenv.glob(f"versions/3.{minor}.*/bin/python"))]
    return next((path for path in paths if answers(path, minor)), None)


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the package's own needs, without parts that are compiled for one Python."""
    folder = tmp_path_factory.mktemp("packages")
    for name in NEEDED:
        found = find_spec(name)
        assert found
        assert found.origin
        source = Path(found.origin).parent
        shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("*.so", "*.pyd", "__pycache__"))
    return folder


def digests(python: Path | str, *path: Path, hash_seed: str = "0") -> dict[str, str]:
    """What a Python writes about the examples."""
    variables = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    variables |= {"PYTHONPATH": os.pathsep.join(map(str, path)), "PYTHONHASHSEED": hash_seed}
    variables |= {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONWARNINGS": "error"}
    words = [python, PROGRAM]
    ran = subprocess.run(words, cwd=ROOT / "examples", env=variables, capture_output=True, text=True, encoding="utf-8")
    assert ran.returncode == 0, ran.stderr[-4000:]
    found: dict[str, str] = json.loads(ran.stdout)
    return found


@pytest.fixture(scope="module")
def expected() -> dict[str, str]:
    """What this Python writes, with everything that is installed."""
    return digests(sys.executable, ROOT)


@exhaustive
def test_there_is_something_to_compare(expected: dict[str, str]) -> None:
    """Commands of each kind ran; some tell what is missing, or that one point has to be chosen."""
    assert {command.partition(" ")[0] for command in expected} >= {
        "render",
        "explain",
        "format",
        "check",
        "unroll",
        "pml",
    }
    assert {digest.partition(" ")[0] for digest in expected.values()} == {"0", "1", "2"}
    assert sum(digest.startswith("0 ") for digest in expected.values()) > 200


@exhaustive
@pytest.mark.parametrize("minor", MINORS)
def test_same_bytes(minor: int, packages: Path, expected: dict[str, str]) -> None:
    """A Python writes what this one does, and warns of nothing."""
    python = interpreter(minor)
    if not python:
        pytest.skip(f"there is no Python 3.{minor} here")
    actual = digests(python, ROOT, packages, hash_seed=str(minor))
    assert [command for command in expected if actual.get(command) != expected[command]] == []
    assert actual.keys() == expected.keys()
