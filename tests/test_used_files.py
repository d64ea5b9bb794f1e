"""The files that texts name with `// acdl: use`: each is read once, and known by all that leads to it."""

import pickle
from pathlib import Path

import pytest

from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.workspace import used_files
from acdl_mkdocs.workspace.files import read_text
from acdl_mkdocs.workspace.used_files import UsedFiles, Uses, read_uses

WAYS = {
    "nothing": {"a": ""},
    "a chain": {"a": "b", "b": "c", "c": "d", "d": ""},
    "a diamond": {"a": "bc", "b": "d", "c": "d", "d": ""},
    "itself": {"a": "a"},
    "a ring": {"a": "b", "b": "c", "c": "a"},
    "a ring behind another": {"a": "b", "b": "ac", "c": "d", "d": "c"},
    "rings in rings": {"a": "bd", "b": "c", "c": "b", "d": "ea", "e": "fd", "f": "e"},
    "a missing file": {"a": "bx", "b": ""},
}


def write(folder: Path, names: dict[str, str]) -> None:
    """Files of one fragment each, which name others."""
    for name, others in names.items():
        use = f"// acdl: use {', '.join(f'{other}.acdl' for other in others)}\n" if others else ""
        (folder / f"{name}.acdl").write_text(f"{use}StrFrag {name.upper()}: {{ WORDS }}\n", "utf-8")


def uses_of(folder: Path, name: str, known: UsedFiles) -> Uses:
    """The files that one of them leads to."""
    return read_uses(Source((folder / f"{name}.acdl").read_text("utf-8")), folder, folder, known)[0]


def reached(names: dict[str, str], name: str) -> set[str]:
    """The same by walking from name to name."""
    found: set[str] = set()
    waiting = list(names[name])
    while waiting:
        each = waiting.pop()
        if each not in found:
            found.add(each)
            waiting += names.get(each, "")
    return found


@pytest.mark.parametrize("kind", WAYS)
@pytest.mark.parametrize("is_reversed", [False, True])
def test_what_a_text_leads_to(kind: str, is_reversed: bool, tmp_path: Path) -> None:
    """It is the same in whatever order texts are read, and files that do not exist are watched too."""
    names = WAYS[kind]
    write(tmp_path, names)
    known = UsedFiles()
    for name in sorted(names, reverse=is_reversed):
        uses = uses_of(tmp_path, name, known)
        assert {path.stem for path in uses.list_files()} == reached(names, name)
        defining = {each for each in names if uses.find_definitions(each.upper())}
        assert defining == reached(names, name) & names.keys()


@pytest.mark.parametrize("kind", WAYS)
def test_each_file_is_read_once(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many texts lead to it."""
    write(tmp_path, WAYS[kind])
    read: list[str] = []

    def counted(path: Path) -> str:
        read.append(path.stem)
        return read_text(path)

    monkeypatch.setattr(used_files, "read_text", counted)
    known = UsedFiles()
    for name in [*WAYS[kind]] * 3:
        uses_of(tmp_path, name, known)
    assert sorted(read) == sorted(set("".join(WAYS[kind].values())))


def test_a_long_chain_can_be_kept(tmp_path: Path) -> None:
    """What is known of a thousand files that each name the next can be written to a file and read again."""
    for number in range(1_000):
        (tmp_path / f"{number}.acdl").write_text(f"// acdl: use {number + 1}.acdl\nStrFrag F{number}: {{ A }}\n")
    kept = pickle.dumps(uses_of(tmp_path, "0", UsedFiles()))
    uses = pickle.loads(kept)  # noqa: S301 - it was written in the line before
    assert [each.name for each in uses.find_definitions("F999")] == ["999.acdl"]
    assert len(list(uses.list_files())) == 1_000
