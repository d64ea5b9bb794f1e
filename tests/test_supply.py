"""Dependencies: each is on its page with a reason, in the lock with a hash, and tried in its lowest version."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from supply.audit import rounds
from supply.lowest import CORE, GROUPS
from supply.page import PARTS, names
from supply.requirements import Line, node_packages, requirements
from supply.sbom import OURS, extras

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "site_src" / "develop" / "dependencies.md").read_text("utf-8")
LOCKS = {path.stem: path.read_text("utf-8") for path in sorted((ROOT / "supply").glob("*.lock"))}
FACTS = json.loads((ROOT / "supply" / "facts.json").read_text("utf-8"))
_PIN = re.compile(r"^(\S+)==(\S+)(?: ; (.*?))? \\\n((?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n)+)", re.MULTILINE)
PINS = {lock: _PIN.findall(text) for lock, text in LOCKS.items()}
UNLOCKED = {"build", "fuzz"}
"""Extras that the locks leave out."""
UNTESTED = {*UNLOCKED, "supply"}
"""Those whose lowest versions are not tried."""
DIRECT = {line.name for line in requirements()}


def versions(name: str) -> list[str]:
    """The versions of a package in the locks, several where Pythons need different ones."""
    return sorted({version for pins in PINS.values() for pinned, version, _, _ in pins if pinned == name})


def test_every_dependency_has_a_reason_and_every_reason_a_dependency() -> None:
    """The lists that are written by hand have each dependency once, with why."""
    by_hand = re.sub(r"<!-- generated: .*?<!-- end -->", "", PAGE, flags=re.DOTALL).partition("## Third-party files")
    files, _, others = by_hand[2].partition("\n## ")
    items = re.findall(r"^- ((?:`[^`]+`,?\s+)*`[^`]+`): \w", by_hand[0] + others, re.MULTILINE)
    bundled = {name.partition(" ")[0] for name in node_packages()}
    assert sorted(name for item in items for name in re.findall(r"`(.*?)`", item)) == sorted(DIRECT | bundled)
    assert files.count("\n| `") == 2


def test_files_of_others_are_named() -> None:
    """Fonts and licences that the package carries are on the page."""
    assets = ROOT / "acdl_mkdocs" / "assets"
    carried = [*assets.glob("*.ttf"), *assets.glob("*OFL*"), *(assets / "playground" / "licences").iterdir()]
    assert [path.name for path in carried if path.stem.rpartition("-")[2] not in PAGE] == []


def test_facts_are_of_the_versions_in_use() -> None:
    """Facts are told of each dependency, in the version that the lock has: `make lock` asks for both."""
    assert sorted(FACTS["python"]) == sorted(DIRECT)
    assert {name: fact["version"] for name, fact in FACTS["node"].items()} == {
        name: version for name, (version, _) in node_packages().items()
    }
    told = {name: FACTS["python"][name]["version"] for name in DIRECT if versions(name)}
    assert {name: version for name, version in told.items() if version not in versions(name)} == {}


@pytest.mark.parametrize("fact", [*FACTS["python"].items(), *FACTS["node"].items()], ids=lambda fact: fact[0])
def test_facts(fact: tuple[str, dict[str, str | int]]) -> None:
    """A dependency has a licence, a day of release and a size."""
    told = fact[1]
    assert told["licence"] != "not said"
    assert re.fullmatch(r"20\d\d-\d\d-\d\d", str(told["released"]))
    assert int(told["size_b"]) > 0


def test_every_extra_is_in_one_part_of_the_page() -> None:
    """The tables of facts are complete."""
    assert {extra for part in PARTS.values() for extra in part} == {line.extra for line in requirements()}
    assert sorted(name for part in PARTS for name in names(part)) == sorted(DIRECT)


@pytest.mark.parametrize("line", [each for each in requirements() if each.extra not in UNLOCKED], ids=str)
def test_lock_fits(line: Line) -> None:
    """The lock has a version that each requirement allows."""
    wanted = Requirement(line.text)
    assert versions(line.name)
    assert [version for version in versions(line.name) if not wanted.specifier.contains(version)] == []


@pytest.mark.parametrize("lock", LOCKS)
def test_lock_is_whole(lock: str) -> None:
    """Each line of a lock is a pin with hashes, and no line names an index or a path; what both have is the same."""
    pins, text = PINS[lock], LOCKS[lock]
    assert len(pins) == len(re.findall(r"^\S+==", text, re.MULTILINE))
    assert [name for name, *_ in pins if name != canonicalize_name(name)] == []
    assert re.findall(r"^(?![a-z0-9-]+==|    --hash=|    #|#).+", text, re.MULTILINE) == []
    assert "://" not in text
    tested = {name for name, *_ in PINS["test"]}
    assert [pin[:2] for pin in pins if pin[0] in tested and pin[:2] not in {each[:2] for each in PINS["test"]}] == []


def test_continuous_integration_installs_the_lock() -> None:
    """What CI tests and publishes is what the lock says."""
    workflows = ROOT / ".github" / "workflows"
    assert "make test LOCKED=1" in (ROOT / ".ci" / "run").read_text("utf-8")
    assert "make site LOCKED=1" in (workflows / "pages.yml").read_text("utf-8")
    assert [path.name for path in workflows.iterdir() if "pip install" in path.read_text("utf-8")] == []


@pytest.mark.skipif(shutil.which("make") is None, reason="Windows has no make")
def test_environment_is_made_anew_for_the_other_mode(tmp_path: Path) -> None:
    """With the lock, nothing stays that was installed without it, and the reverse; docs and tests are locked."""
    outside = {name: value for name, value in os.environ.items() if name not in ("LOCKED", "MAKEFLAGS")}

    def tasks(*words: str) -> str:
        command: list[str] = ["make", "--dry-run", f"VENV={tmp_path}", "PYTHON=python3", *words]
        return subprocess.run(command, cwd=ROOT, env=outside, capture_output=True, text=True, check=True).stdout

    assert "--clear" not in tasks("test") + tasks("test", "LOCKED=1")
    for done, there, other in ((".installed", (), ("LOCKED=1",)), (".locked", ("LOCKED=1",), ())):
        (tmp_path / f"{done}-test").touch()
        assert "-m venv" not in tasks("check", *there)
        assert "-m venv --clear" in tasks("check", *other)
        (tmp_path / f"{done}-test").unlink()
    for target in ("test", "site"):
        locked = tasks(target, "LOCKED=1")
        assert "--require-hashes --no-deps --requirement supply/test.lock" in locked
        assert "-m pip check" in locked
        assert "supply/test.lock" not in tasks(target)
    for target in ("sbom", "audit", "test-lowest"):
        assert "--require-hashes --no-deps --requirement supply/supply.lock" in tasks(target, "LOCKED=1")
        assert "--editable" not in tasks(target, "LOCKED=1")


def test_audit_looks_up_every_pin() -> None:
    """Pins for other Pythons and platforms are among them, and no package has two versions in one round."""
    locks = "".join(LOCKS.values())
    found = [re.findall(r"^([^ =]+)==(\S+) \\\n    --hash", pins, re.MULTILINE) for pins in rounds(locks)]
    every = {pin[:2] for pins in PINS.values() for pin in pins}
    assert sorted(pin for pins in found for pin in pins) == sorted(every)
    assert [name for pins in found for name, n in Counter(name for name, _ in pins).items() if n > 1] == []
    assert ";" not in "".join(rounds(locks))


@pytest.mark.parametrize("line", requirements(), ids=lambda line: f"{line.extra}:{line.name}")
def test_lower_bounds(line: Line) -> None:
    """Each dependency has a lowest version, and a group in which that is tried."""
    assert [each for each in Requirement(line.text).specifier if each.operator in (">=", "==")]
    groups = [{*CORE, *packages} for packages, _ in GROUPS.values()]
    assert line.extra in UNTESTED or any(line.name in group for group in groups)


@pytest.mark.parametrize("group", GROUPS)
def test_groups(group: str) -> None:
    """A group names dependencies that exist, and tests that exist."""
    packages, tests = GROUPS[group]
    assert {*packages} <= DIRECT
    paths = [ROOT / "tests" / name for name in tests]
    assert [path for path in paths if not path.is_dir() and not path.with_suffix(".py").is_file()] == []


def test_bills_of_materials_are_for_users() -> None:
    """There is a bill for everybody's install and for each extra that is not ours alone."""
    assert extras()[0] == ""
    assert {"mkdocs", "sphinx", "pdf", "playground"} <= set(extras())
    assert not OURS & set(extras())


@pytest.mark.parametrize("path", sorted((ROOT / ".github" / "workflows").glob("*.yml")), ids=lambda path: path.name)
def test_workflows(path: Path) -> None:
    """Workflows are what GitHub understands, and run no task that the Makefile lacks."""
    checker = ("check_jsonschema", "--builtin-schema", "vendor.github-workflows")
    words: list[str | Path] = [sys.executable, "-m", *checker, path]
    ran = subprocess.run(words, capture_output=True, text=True, encoding="utf-8")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    assert set(re.findall(r"\bmake (?:--\w+ )?([a-z-]+)", path.read_text("utf-8"))) <= targets
