"""Find the sample states beside a file of specs, and the spec that each is for.

`react.state.yaml` beside `react.acdl` is for the spec that it names with `spec:`, or for all of them; so is every
`react.WORDS.state.yaml`. `React2.state.yaml` is for that spec. A comment `// state: other.yaml` takes precedence.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from acdl_mkdocs.foundation.compile_later import compile_later
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.workspace.files import UnreadableFileError, read_text
from acdl_mkdocs.workspace.folder_names import FolderNames
from acdl_mkdocs.workspace.read_block import find_defined_names
from acdl_mkdocs.workspace.spec import Spec

ENDINGS = (".state.yaml", ".state.yml", ".state.json")
_SPEC = compile_later(r"""^(?:\{\s*)?["']?spec["']?\s*:\s*["']?(?P<name>[^\s"',#]+)""", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class States:
    """The states beside a file."""

    folder: Path
    """The folder of the file."""
    by_spec: Mapping[str, Path]
    """States by the spec that they name."""
    shared: Path | None = None
    """The state for all other specs."""
    first: Path | None = None
    """The state with the base name of the file, whichever spec it names."""

    def find_state(self, spec: Spec) -> Path | None:
        """Return the state of a spec; fragments have none, since they are never sent alone."""
        if spec.is_fragment:
            return None
        if spec.state:
            return self.folder / spec.state
        return self.find_state_named(spec.name)

    def find_state_named(self, name: str) -> Path | None:
        """Return the state of the spec with that name."""
        return self.by_spec.get(name, self.shared)


def find_states(file: Path, names: Sequence[str], folders: FolderNames) -> States:
    """Find the states beside a file of specs.

    Parameters:
        file: The file.
        names: The names of its specs.
        folders: A cache of folder listings.
    """
    named: dict[str, Path] = {}
    shared: Path | None = None
    first: Path | None = None
    stem = file.name.removesuffix(file.suffix)
    state_names = [name for name in folders.find_names(file.parent, (stem, *names)) if name.endswith(ENDINGS)]
    for path in map(file.with_name, state_names):
        if path.name in [stem + ending for ending in ENDINGS]:
            first = first or path
        words = path.name[: path.name.index(".state.")]
        if words in names and words != stem:
            named.setdefault(words, path)
        elif words == stem or words.startswith(f"{stem}."):
            spec = _spec_of(path)
            if spec:
                named.setdefault(spec, path)
            elif words == stem:
                shared = shared or path
    return States(file.parent, named, shared, first)


def list_states(file: Path, names: Sequence[str], folders: FolderNames) -> list[Path]:
    """Return all states beside a file of specs, in the order of their names.

    Parameters:
        file: The file.
        names: The names of its specs.
        folders: A cache of folder listings.
    """
    stem = file.name.removesuffix(file.suffix)
    found = [name for name in folders.find_names(file.parent, (stem, *names)) if name.endswith(ENDINGS)]
    words = {name: name[: name.index(".state.")] for name in found}
    return [file.with_name(name) for name in found if words[name] in names or f"{words[name]}.".startswith(f"{stem}.")]


def find_file_of_state(state: Path, spec: str | None) -> Path | None:
    """Return the file of specs of a state: the one with the same base name, else one beside it with the spec.

    Parameters:
        state: The state.
        spec: The spec that it names, if it names one.
    """
    words = next((state.name.removesuffix(each) for each in ENDINGS if state.name.endswith(each)), state.stem)
    try:
        files = sorted(path for path in state.parent.iterdir() if path.suffix == ".acdl")
    except OSError:
        return None
    called = [path for path in files if words == path.stem or words.startswith(f"{path.stem}.")]
    called.sort(key=lambda path: len(path.stem), reverse=True)
    wanted = spec or words
    having = [path for path in (*called, *(each for each in files if each not in called)) if wanted in _names_in(path)]
    if spec is None and called:
        return called[0]
    return next(iter((*having, *called)), None)


def _names_in(file: Path) -> tuple[str, ...]:
    try:
        return find_defined_names(read_text(file))
    except UnreadableFileError:
        return ()  # it is not needed


def _spec_of(path: Path) -> str:
    """Return the spec that a state names; an unreadable state is reported where it is shown."""
    try:
        match = _SPEC.search(read_text(path))
    except UnreadableFileError:
        return ""
    return match["name"] if match else ""
