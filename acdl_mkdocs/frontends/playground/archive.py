"""The archive that is sent to a browser: the sources of the engine's modules, and of PyYAML.

The same sources give the same bytes on every machine: names are sorted, nothing has a date.
"""

import io
import os
import zipfile
from collections.abc import Iterator
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

from acdl_mkdocs.frontends.playground.modules import ASSETS, list_needed_files

_LONG_AGO = (1980, 1, 1, 0, 0, 0)
_MODE = 0o100644 << 16
_PACKAGE = Path(__file__).parents[2]
_ROOT = _PACKAGE.parent
_ASSET_NAMES = frozenset(each.rpartition("/")[2] for each in ASSETS)


def build_archive() -> bytes:
    """Build a zip file that Python can import from once it is unpacked; cached until a module changes."""
    return _build_cached(tuple(_list_stamps()))


def _list_stamps() -> Iterator[tuple[str, int, int]]:
    """Yield a stamp of each module of this package: quick to read, unlike the imports of modules."""
    for folder, _, names in os.walk(_PACKAGE):
        for name in sorted(names):
            if name.endswith(".py") or name in _ASSET_NAMES:
                status = os.stat(os.path.join(folder, name))
                yield os.path.join(folder, name), status.st_mtime_ns, status.st_size


@lru_cache(maxsize=1)
def _build_cached(stamps: tuple[tuple[str, int, int], ...]) -> bytes:
    """Build the archive of the current modules; cached because a preview asks for it repeatedly."""
    del stamps
    files = {path.relative_to(_ROOT).as_posix(): path for path in list_needed_files()}
    files |= {f"yaml/{path.name}": path for path in _find_yaml_folder().glob("*.py") if path.name != "cyaml.py"}
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as packed:
        for name, path in sorted(files.items()):
            entry = zipfile.ZipInfo(name, _LONG_AGO)
            entry.external_attr = _MODE
            entry.compress_type = zipfile.ZIP_DEFLATED
            packed.writestr(entry, path.read_bytes())
    return buffer.getvalue()


def _find_yaml_folder() -> Path:
    """Return the folder of PyYAML, of which only the pure Python part is used."""
    spec = find_spec("yaml")
    assert spec is not None  # noqa: S101 - this package depends on it
    assert spec.origin  # noqa: S101
    return Path(spec.origin).parent
