"""The recorded runs of a spec: files beside its own that are called like it. Knows nothing of what is in them.

`React2.run.jsonl` is of the spec `React2`, and so is `react.React2.run.jsonl` beside `react.acdl`. `react.run.jsonl`
and `react.monday.run.jsonl` are of the only spec of that file. A comment `// runs: runs/*.jsonl` comes before all.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING

from acdl_mkdocs.foundation.compile_later import compile_later
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.site.folder_names import FolderNames

if TYPE_CHECKING:
    from acdl_mkdocs.site.spec import Spec

ENDINGS = (
    ".run.jsonl",
    ".run.ndjson",
    ".run.json",
    ".run.har",
    ".run.traj",
    ".run.yaml",
    ".run.yml",
    ".run.csv",
    ".run.otlp.json",
    ".run.pml.xml",
)
"""How recordings end; also with `.gz` behind it."""
_ENDING = compile_later(rf"(?P<words>.+?)(?:{'|'.join(map(re.escape, ENDINGS))})(?:\.gz)?")


@dataclass(frozen=True, slots=True)
class Runs:
    """The recordings beside a file."""

    folder: Path
    """That of the file."""
    named: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Names of files, by spec."""
    shared: tuple[str, ...] = ()
    """Those that are called like the file alone."""

    def of(self, spec: "Spec", *, is_alone: bool) -> tuple[str, ...]:
        """The recordings of a spec, as paths or patterns from the folder; fragments have none, since nobody sends them.

        Parameters:
            spec: The spec.
            is_alone: Whether its file has no other spec, so that a recording of the file is one of it.
        """
        if spec.is_fragment:
            return ()
        if spec.runs:
            return spec.runs
        return (*(self.shared if is_alone else ()), *self.named.get(spec.name, ()))


def runs_beside(file: Path, names: Sequence[str], folders: FolderNames) -> Runs:
    """The recordings of a file of specs.

    Parameters:
        file: The file.
        names: Of its specs.
        folders: What is known of folders.
    """
    named: dict[str, tuple[str, ...]] = {}
    shared: list[str] = []
    stem = file.name.removesuffix(file.suffix)
    for name in folders.called(file.parent, (stem, *names)):
        match = _ENDING.fullmatch(name)
        words = match["words"] if match and not name.startswith(".") else ""
        first, _, rest = words.partition(".")
        spec = next((each for each in (words, first, rest.partition(".")[0]) if each in names and each != stem), "")
        if spec and (first in (spec, stem)):
            named[spec] = (*named.get(spec, ()), name)
        elif first == stem:
            shared.append(name)
    return Runs(file.parent, named, tuple(shared))


def companion(run: Path, ending: str) -> Path | None:
    """What lies beside a recording to say more of it: `react.run.state.yaml` beside `react.run.jsonl`, if it does."""
    match = _ENDING.fullmatch(run.name)
    if match is None:
        return None
    path = run.with_name(f"{match['words']}.run{ending}")
    return path if path.is_file() else None
