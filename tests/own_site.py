"""The project's own site, built once for all tests of a run, whichever worker asks first."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from filelock import FileLock

ROOT = Path(__file__).parent.parent
ADDRESS = "https://own-site.example/"
"""Where the site believes to be; navigation without page loads wants an address."""
_TEXTS = (".html", ".json", ".txt", ".xml")


def own_site(factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The folder of the site, built strictly and without the cache, and what was said."""
    base = factory.getbasetemp()
    base = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    folder, said = base / "own-site", base / "own-site.log"
    with FileLock(base / "own-site.lock"):
        if not said.exists():
            environment = {**os.environ, "ACDL_NO_CACHE": "1", "NO_MKDOCS_2_WARNING": "1", "SITE_URL": ADDRESS}
            command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
            ran = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, encoding="utf-8")
            assert ran.returncode == 0, ran.stderr
            said.write_text(ran.stderr, "utf-8")
    return folder, said.read_text("utf-8")


def copy_for(address: str, site: Path, folder: Path) -> None:
    """Copy the site for another address, which ends in a slash."""

    def copied(source: str, target: str) -> None:
        if source.endswith(_TEXTS):
            Path(target).write_bytes(Path(source).read_bytes().replace(ADDRESS.encode(), address.encode()))
        else:
            shutil.copyfile(source, target)

    shutil.copytree(site, folder, copy_function=copied, dirs_exist_ok=True)
