"""Write `facts.json`: what the metadata of every direct dependency says, and how large it is when it is installed.

Sizes are those of Linux on x86-64; what a package brings is counted with it. Needs the package indexes, uv and npm, and
a Python for which every extra has packages: the argument, or one that uv finds.
"""

import json
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import Distribution, PackageMetadata, distributions
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from supply.requirements import PACKAGES, ROOT, node_packages, requirements

FACTS = ROOT / "supply" / "facts.json"
ENVIRONMENT = ROOT / "build" / "facts"
EXTRAS = "test,supply,fuzz"
"""Together all of them."""
PYTHON = ">=3.12"
LICENCE = re.compile(
    r"(?:MIT|BSD|ISC|Apache|Mozilla Public)(?: [\w. -]*)? Licen[sc]e$|Permission is hereby granted, free of charge"
)
"""The title of a licence's text; that of MIT may have none."""
_UNTITLED = "Permission"
Fact = dict[str, str | int]
Installed = dict[str, Distribution]


def uv(*words: str | Path, cwd: Path = ROOT) -> None:
    """Run uv."""
    subprocess.run([sys.executable, "-m", "uv", *words], cwd=cwd, check=True)


def install(python: str) -> Installed:
    """An environment with everything, in the versions of the lock where it names them."""
    uv("venv", "--quiet", "--allow-existing", "--python", python, ENVIRONMENT)
    into = ("pip", "install", "--quiet", "--python", ENVIRONMENT)
    uv(*into, "--require-hashes", "--requirement", "supply/test.lock")
    uv(*into, f".[{EXTRAS}]")
    (packages,) = ENVIRONMENT.glob("lib/python*/site-packages")
    return {canonicalize_name(each.name): each for each in distributions(path=[str(packages)])}


def releases() -> dict[tuple[str, str], str]:
    """The day on which each version was published, as the index says."""
    folder = ENVIRONMENT / "project"
    folder.mkdir(exist_ok=True)
    shutil.copy(ROOT / "pyproject.toml", folder)
    uv("lock", "--quiet", "--upgrade", cwd=folder)
    days = {}
    for package in tomllib.loads((folder / "uv.lock").read_text("utf-8"))["package"]:
        files = [*package.get("wheels", ()), *([package["sdist"]] if "sdist" in package else [])]
        times = [file["upload-time"] for file in files if "upload-time" in file]
        if times:
            days[package["name"], package["version"]] = min(str(time) for time in times)[:10]
    return days


def field(said: PackageMetadata, name: str) -> str:
    """What metadata say in a field; nothing if they lack it."""
    return str(said[name]) if name in said else ""


def licence(found: Distribution) -> str:
    """The licence as the metadata names it: an expression, the old field, a classifier; else the title of its text."""
    said = found.metadata
    classifiers = [line for line in said.get_all("Classifier") or () if line.startswith("License :: ")]
    names = [line.rpartition(" :: ")[2] for line in classifiers if line != "License :: OSI Approved"]
    old = field(said, "License").strip().partition("\n")[0]
    texts = [read(found, name) for name in said.get_all("License-File") or ()]
    matched = [match[0] for text in texts for line in text.splitlines() if (match := LICENCE.match(line.strip()))]
    titles = ["MIT License" if title.startswith(_UNTITLED) else title for title in matched]
    return field(said, "License-Expression") or old or ", ".join(names) or (titles[0] if titles else "not said")


def read(found: Distribution, name: str) -> str:
    """The text of a licence file."""
    paths = [Path(str(file.locate())) for file in found.files or () if file.as_posix().endswith(f"/{name}")]
    return paths[0].read_text("utf-8", errors="replace") if paths else ""


def people(found: Distribution) -> str:
    """Who the metadata names, without addresses."""
    said = found.metadata
    fields = [field(said, name) for name in ("Author", "Author-email", "Maintainer", "Maintainer-email")]
    names = [name.strip(" \"'") for field in fields for name in re.sub(r"<[^>]*>", "", field).split(",")]
    told = list(dict.fromkeys(name for name in names if name and "@" not in name))
    return ", ".join(told[:2]) + (" and others" if told[2:] else "") if told else "not said"


def size_b(found: Distribution) -> int:
    """How many bytes an installed package has, without what Python compiles."""
    files = [file for file in found.files or () if "__pycache__" not in file.parts]
    return sum(Path(str(file.locate())).stat().st_size for file in files if Path(str(file.locate())).is_file())


def brought(installed: Installed, wanted: Requirement, seen: set[tuple[str, str]]) -> Iterator[str]:
    """The names of a package and of all that it brings, perhaps repeatedly."""
    name = canonicalize_name(wanted.name)
    for extra in ("", *sorted(wanted.extras)):
        if (name, extra) in seen or name not in installed:
            continue
        seen.add((name, extra))
        yield name
        for text in installed[name].requires or ():
            needed = Requirement(text)
            if needed.marker is None or needed.marker.evaluate({"extra": extra, "python_version": "3.12"}):
                yield from brought(installed, needed, seen)


def python_facts(python: str) -> dict[str, Fact]:
    """Of every direct dependency of `pyproject.toml`."""
    installed, days = install(python), releases()
    facts: dict[str, Fact] = {}
    for line in requirements():
        found = installed[line.name]
        names = set(brought(installed, Requirement(line.text), set()))
        facts[line.name] = {
            "version": found.version,
            "released": days.get((line.name, found.version), "not said"),
            "licence": licence(found),
            "by": people(found),
            "size_b": size_b(found),
            "n_brought": len(names) - 1,
            "size_with_brought_b": sum(size_b(installed[name]) for name in names),
        }
    return dict(sorted(facts.items()))


def unpacked(purpose: str) -> Path:
    """The folder of packages that a lock of npm names."""
    folder = ENVIRONMENT / purpose
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("package.json", "package-lock.json"):
        shutil.copy(ROOT / PACKAGES[purpose] / name, folder)
    subprocess.run(["npm", "ci", "--silent", "--ignore-scripts", "--no-audit", "--prefix", folder], check=True)
    return folder / "node_modules"


def node_facts() -> dict[str, Fact]:
    """Of every direct dependency of a `package.json`, as its lock and the registry say."""
    facts: dict[str, Fact] = {}
    folders = {purpose: unpacked(purpose) for purpose in PACKAGES}
    for title, (version, _) in node_packages().items():
        name, _, purpose = title.partition(" ")
        folder = folders[purpose.strip("()")]
        locked = json.loads((folder.parent / "package-lock.json").read_text("utf-8"))
        words = ["npm", "view", f"{name}@{version}", "--json", "time", "repository.url"]
        ran = subprocess.run(words, capture_output=True, text=True, check=True)
        said = json.loads(ran.stdout)
        repository = re.search(r"([^/:]+/[^/]+?)(?:\.git)?$", said.get("repository.url", ""))
        facts[title] = {
            "version": version,
            "released": said["time"][version][:10],
            "licence": locked["packages"][f"node_modules/{name}"].get("license", "not said"),
            "by": repository[1] if repository else "not said",
            "size_b": sum(path.stat().st_size for path in (folder / name).rglob("*") if path.is_file()),
        }
    return facts


if __name__ == "__main__":
    told = {"python": python_facts(sys.argv[1] if sys.argv[1:] else PYTHON), "node": node_facts()}
    FACTS.write_text(json.dumps(told, indent=1, ensure_ascii=False) + "\n", "utf-8")
