"""A name that very many documents use: those that cannot have changed are not read again, with the same outcome."""

import random

import pytest
from exhaustive import few

from acdl_mkdocs.foundation.errors import RenameError
from acdl_mkdocs.frontends.editor import rename_trial
from acdl_mkdocs.frontends.editor.documents import Document
from acdl_mkdocs.frontends.editor.name_occurrences import NameOccurrence, names_of
from acdl_mkdocs.frontends.editor.places import TextEdit
from acdl_mkdocs.frontends.editor.rename import rename_at
from acdl_mkdocs.frontends.editor.workspace import Workspace
from acdl_mkdocs.language.names.resolve import Resolved

BODIES = (
    "P{n}[@T]: {{ U: {{ Frag Old[@T] }} }}\n",
    "P{n}[@T]: {{ U: {{ Frag Old[@T] Frag Own{n}[@T] }} }}\nStrFrag Own{n}[@T]: {{ A }}\n",
    "P{n}[@T]: {{ U: {{ Frag Old[@T] }} }} // Old and New\n",
    "P{n}[@T]: {{ Name New := A U: {{ Frag Old[@T] $New }} }}\n",
    "P{n}[@T]: {{ U: {{ Frag Old[@T] OLD(Old) }} }}\n",
    "P{n}[@T]: {{ U: env.Old[@T] }}\n",
)
TAKEN = ("Q[@T]: { U: { Frag New[@T] } }\nStrFrag New[@T]: { B }\n", "StrFrag Old[@T]: { C }\n")


def documents(chance: random.Random, n: int, *, has_taken: bool) -> Workspace:
    """Documents that use a fragment in several ways, among them one that has its name or the new one already."""
    texts = ["StrFrag Old[@T]: { A }\n", *(chance.choice(BODIES).format(n=number) for number in range(n))]
    if has_taken:
        texts[chance.randrange(1, n)] = chance.choice(TAKEN)
    named = [Document(f"file:///project/d{number}.acdl", text, "acdl") for number, text in enumerate(texts)]
    return Workspace({each.uri: each for each in named})


def outcome(given: Workspace, new_name: str) -> tuple[TextEdit, ...] | str:
    """The edits, or why there are none."""
    try:
        return rename_at(given, "file:///project/d0.acdl", 9, new_name)
    except RenameError as reason:
        return reason.message


@pytest.mark.parametrize("seed", few(range(24), 6))
def test_the_same_as_reading_all(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """With and without the short cut a name is given or refused alike."""
    chance = random.Random(seed)  # noqa: S311 - the same each time
    given = documents(chance, 12, has_taken=seed % 2 == 0)
    for new_name in ("New", "NEW", "Own3", "user", "Fresh"):
        monkeypatch.setattr(rename_trial, "_MOST_CHECKED", 1_000)
        every = outcome(given, new_name)
        monkeypatch.setattr(rename_trial, "_MOST_CHECKED", 1)
        short = outcome(given, new_name)
        assert isinstance(short, str) == isinstance(every, str), (every, short)
        assert isinstance(short, str) or short == every


def test_most_are_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three hundred documents are understood once, and fifty again with the new name."""
    texts = ["StrFrag Old[@T]: { A }\n", *(BODIES[0].format(n=number) for number in range(300))]
    named = [Document(f"file:///project/d{number}.acdl", text, "acdl") for number, text in enumerate(texts)]
    understood: list[str] = []

    def read(resolved: Resolved) -> tuple[NameOccurrence, ...]:
        understood.append(resolved.source.name)
        return names_of(resolved)

    monkeypatch.setattr("acdl_mkdocs.frontends.editor.workspace.names_of", read)
    edits = rename_at(Workspace({each.uri: each for each in named}), named[0].uri, 9, "Shared")
    assert len(edits) == 301
    assert len(understood) < 301 + 60
