"""The corpus of the repository: the small inputs that together reach most lines, and not too many."""

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType

from fuzz.target import ROOT
from fuzz.targets import target

MOST_BYTES = 10_000
"""Of a target's corpus in the repository."""
_MOST_TRIED = 3000
_PACKAGE = str(ROOT / "acdl_mkdocs")
_Tracer = Callable[[FrameType, str, object], "_Tracer | None"]


def reached(run: Callable[[bytes], None], data: bytes) -> set[tuple[str, int, int]]:
    """The steps from one line of the package to the next that an input makes."""
    found: set[tuple[str, int, int]] = set()

    def enter(frame: FrameType, event: str, argument: object) -> "_Tracer | None":
        del event, argument
        file = frame.f_code.co_filename
        if not file.startswith(_PACKAGE):
            return None
        last = frame.f_lineno

        def line(frame: FrameType, event: str, argument: object) -> "_Tracer":
            del event, argument
            nonlocal last
            found.add((file, last, frame.f_lineno))
            last = frame.f_lineno
            return line

        return line

    outer = sys.gettrace()
    sys.settrace(enter)
    try:
        run(data)
    finally:
        sys.settrace(outer)
    return found


def keep(name: str, folder: Path) -> list[str]:
    """Choose from the corpus that a target has worked on, and from the one that is there; what was done, in a line."""
    chosen, corpus = target(name), ROOT / "fuzz" / "corpus" / name
    corpus.mkdir(parents=True, exist_ok=True)
    inputs = {path.read_bytes() for place in (folder, corpus) if place.is_dir() for path in place.iterdir()}
    inputs |= set() if inputs else set(chosen.seeds())
    known: set[tuple[str, int, int]] = set()
    kept: list[bytes] = []
    for data in sorted(inputs, key=lambda each: (len(each), each))[:_MOST_TRIED]:
        steps = reached(chosen.run, data)
        if steps - known and sum(map(len, kept)) + len(data) <= MOST_BYTES:
            known |= steps
            kept.append(data)
    for path in corpus.iterdir():
        path.unlink()
    for number, data in enumerate(kept):
        (corpus / f"{number:03}").write_bytes(data)
    return [f"{name}: {len(kept)} of {len(inputs)} inputs, {sum(map(len, kept)):,} bytes, {len(known):,} steps"]
