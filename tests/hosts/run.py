"""Build the site of every row with the real thing: `make hosts`. Prints a table, writes `results.json`.

The environment is `build/hosts`, with the versions of `supply/hosts.txt`; with `--newest`, it has the newest of all
packages, whose versions are written to that file. With names of rows, only those are built; other results stay.
"""

import argparse
import json
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from shutil import rmtree

sys.path.insert(0, str(Path(__file__).parent.parent))

from hosts.rows import ROWS
from hosts.sites import Row, check, missing, versions

ROOT = Path(__file__).parent.parent.parent
PINS = ROOT / "supply" / "hosts.txt"
RESULTS = Path(__file__).with_name("results.json")
_FOLDER = ROOT / "build" / "hosts"
_INSIDE = "--inside"
_PINS_HEAD = "# The versions that `make hosts` tests with; `python tests/hosts/run.py --newest` writes them anew.\n"


def main(arguments: Sequence[str] | None = None) -> int:
    """Build what is asked for; 1 if a row differs from what it says of itself."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="ROW", help="rows to build (default: all)")
    parser.add_argument("--newest", action="store_true", help="install the newest packages and pin them")
    parser.add_argument(_INSIDE, action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args(arguments)
    unknown = set(args.names) - {row.name for row in ROWS}
    if unknown:
        parser.error(
            f"there is no row {', '.join(sorted(unknown))}; the rows are {', '.join(row.name for row in ROWS)}"
        )
    if args.inside:
        return build(row for row in ROWS if not args.names or row.name in args.names)
    python = install(is_newest=args.newest)
    return subprocess.run([python, __file__, _INSIDE, *args.names], check=False).returncode


def install(*, is_newest: bool) -> str:
    """Make the environment; its Python."""
    venv = _FOLDER / "venv"
    python = str(venv / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python"))
    if not venv.exists():
        subprocess.run([sys.executable, "-m", "venv", str(venv)], check=True)
    pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    wanted = sorted({"pypdf", *(each for row in ROWS for each in row.needs)})  # `pypdf` reads what some of them write
    what = ["--upgrade", *wanted] if is_newest else ["--requirement", str(PINS)]
    subprocess.run([*pip, *what, "--editable", str(ROOT)], check=True)
    if is_newest:
        frozen = subprocess.run(
            [python, "-m", "pip", "freeze", "--exclude-editable"], capture_output=True, text=True, check=True
        )
        PINS.write_text(_PINS_HEAD + frozen.stdout, "utf-8")
    return python


def tell(line: str) -> None:
    """Say how far it is."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def build(rows: Iterable[Row]) -> int:
    """Build rows in this environment and keep what came of it."""
    found: dict[str, object] = {}
    is_as_said = True
    for row in rows:
        folder = _FOLDER / "sites" / row.name
        rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        lacking = missing(row)
        failed = check(row, folder) if not lacking else {"builds": f"not installed: {', '.join(lacking)}"}
        found[row.name] = {"versions": versions(row), "failed": sorted(failed)}
        said = "works" if not failed else f"fails: {', '.join(sorted(failed))}"
        tell(f"{row.name:24} {said}")
        if failed.keys() != row.known.keys():
            is_as_said = False
            for name, words in failed.items():
                tell(f"  {name}:\n    " + words.replace("\n", "\n    "))
    results = (json.loads(RESULTS.read_text("utf-8")) if RESULTS.exists() else {}) | found
    kept = {row.name: results[row.name] for row in ROWS if row.name in results}
    RESULTS.write_text(json.dumps(kept, indent=2, ensure_ascii=False) + "\n", "utf-8")
    return 0 if is_as_said else 1


if __name__ == "__main__":
    sys.exit(main())
