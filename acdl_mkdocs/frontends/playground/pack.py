"""Runs inside Pyodide when the bundle is built: /sources.zip becomes /packed/engine.zip and /packed/stdlib.zip.

Both hold byte code of this Python version. The library has what our modules import, directly or not, and what Python
itself loads when it needs it.
"""

import importlib
import importlib.util
import marshal
import os
import re
import sys
import zipfile

LIBRARY = "/lib/python314.zip"
BY_ITSELF = (
    "encodings.ascii", "encodings.cp437", "encodings.idna", "encodings.latin_1", "encodings.utf_16", "encodings.utf_8",
    "_strptime", "linecache", "tokenize", "traceback", "pyodide.code", "pyodide.ffi", "zipimport", "string",
    "importlib.readers", "importlib.resources._adapters", "importlib.resources.readers",
)  # fmt: skip
LEFT_OUT = ("tkinter", "subprocess", "ctypes", "ssl", "socket", "asyncio", "multiprocessing")
"""Modules that are useless in a browser; modules in memory already need not be listed."""
IMPORT = re.compile(r"^[ \t]*(?:from[ \t]+(\w[\w.]*)[ \t]+import\b|import[ \t]+(\w[\w., \t]*))", re.MULTILINE)
"""An absolute import; those in other places than at the beginning of a line are not looked for."""
COMPRESSION_LEVEL = 7
"""Of compression; the best makes the archives smaller by a hundredth, in four times the time."""


def compile_module(source: bytes, name: str) -> bytes:
    """Compile a `.pyc` that is not compared with a source."""
    code = compile(source, name, "exec", dont_inherit=True, optimize=0)
    return importlib.util.MAGIC_NUMBER + (1).to_bytes(4, "little") + bytes(8) + marshal.dumps(code)


def add_file(packed: zipfile.ZipFile, name: str, content: bytes) -> None:
    """Add a file without a date."""
    entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
    entry.compress_type = zipfile.ZIP_DEFLATED
    packed.writestr(entry, content, compresslevel=COMPRESSION_LEVEL)


def list_all_imports(source: bytes) -> set[str]:
    """Return the modules that lines of a module import; a syntax tree takes thirty times as long."""
    modules: set[str] = set()
    for match in IMPORT.finditer(source.decode()):
        listed = match[1] or match[2]
        modules |= {name for each in listed.split(",") for name in each.split()[:1]}
    return modules


def write_archives() -> None:
    """Write both archives."""
    os.makedirs("/packed", exist_ok=True)
    with zipfile.ZipFile("/sources.zip") as sources, zipfile.ZipFile("/packed/engine.zip", "w") as packed:
        wanted = set(BY_ITSELF)
        for name in sorted(sources.namelist()):
            content = sources.read(name)
            if name.endswith(".py"):
                wanted |= list_all_imports(content)
                add_file(packed, f"{name}c", compile_module(content, f"/lib/acdl/{name}"))
            else:
                add_file(packed, name, content)

    for name in sorted(wanted):
        if name.partition(".")[0] not in LEFT_OUT:
            try:
                importlib.import_module(name)
            except ImportError:
                continue  # not of the library, or not there in a browser

    with zipfile.ZipFile(LIBRARY) as library, zipfile.ZipFile("/packed/stdlib.zip", "w") as packed:
        for module in sorted(sys.modules):
            spec = getattr(sys.modules[module], "__spec__", None)
            origin = (spec and spec.origin) or ""
            if origin.startswith(f"{LIBRARY}/") and origin.endswith(".py"):
                name = origin.removeprefix(f"{LIBRARY}/")
                add_file(packed, f"{name}c", compile_module(library.read(name), origin))
