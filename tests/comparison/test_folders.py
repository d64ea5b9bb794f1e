"""Which file of one folder is which of another."""

import pytest

from acdl_mkdocs.compare.folders import FilePair, pair_files

TEXT = b"P[@T]: {\n    S: INSTRUCTIONS\n    U: env.question[@T]\n    A: resp.answer[@T]\n}\n"
OTHER = b"Q[@T]: {\n    ForEach(t: range(1, 9)) { U: env.message[@t] }\n    T: sys.result[@T]\n}\n"


def named(old: dict[str, bytes], new: dict[str, bytes]) -> list[tuple[str, str | None, str | None]]:
    """Status and both paths of all pairs."""
    return [(each.status, each.old, each.new) for each in pair_files(old, new)]


def test_paths_come_first() -> None:
    """A file of the same path is the same file, however unlike; what is equal is not told."""
    old = {"a.acdl": TEXT, "b.acdl": OTHER, "c.acdl": TEXT}
    new = {"a.acdl": OTHER, "b.acdl": OTHER, "d.acdl": OTHER}
    assert named(old, new) == [
        ("changed", "a.acdl", "a.acdl"),
        ("removed", "c.acdl", None),
        ("added", None, "d.acdl"),
    ]


def test_a_renamed_file_is_known_by_what_it_says() -> None:
    """Also where a line of it changed; spaces at the ends of lines do not make it another one."""
    changed = TEXT.replace(b"answer", b"reply")
    assert named({"a.acdl": TEXT}, {"x/b.acdl": changed}) == [("renamed", "a.acdl", "x/b.acdl")]
    assert named({"a.acdl": TEXT}, {"b.acdl": OTHER}) == [("removed", "a.acdl", None), ("added", None, "b.acdl")]


def test_words_count_and_not_lines() -> None:
    """A spec of one line is known too, and one that is indented otherwise."""
    line = b"P1[@T]: { U: env.q1[@T] S: { a b c } }\n"
    other = line.replace(b"P1", b"P2").replace(b"q1", b"q2")
    assert named({"a.acdl": line}, {"b.acdl": other}) == [("renamed", "a.acdl", "b.acdl")]
    indented = TEXT.replace(b"    ", b"\t")
    assert named({"a.acdl": TEXT}, {"b.acdl": indented}) == [("renamed", "a.acdl", "b.acdl")]


def test_the_most_alike_are_one_file() -> None:
    """Of several that are alike, each is taken once; equal ones go by their names."""
    nearly = TEXT.replace(b"question", b"query")
    assert named({"a.acdl": TEXT, "b.acdl": nearly}, {"c.acdl": nearly, "d.acdl": TEXT}) == [
        ("renamed", "b.acdl", "c.acdl"),
        ("renamed", "a.acdl", "d.acdl"),
    ]
    assert named({"x/a.acdl": TEXT, "x/b.acdl": TEXT}, {"y/b.acdl": TEXT, "y/a.acdl": TEXT}) == [
        ("renamed", "x/a.acdl", "y/a.acdl"),
        ("renamed", "x/b.acdl", "y/b.acdl"),
    ]


def test_empty_files_are_not_alike() -> None:
    """There is nothing by which they could be known."""
    assert named({"a.acdl": b""}, {"b.acdl": b"\n"}) == [("removed", "a.acdl", None), ("added", None, "b.acdl")]


def test_many_files_are_only_known_by_all_that_they_say() -> None:
    """Two folders with thousands of new files do not take minutes."""
    old = {f"a/{number}.acdl": b"%d\n" % number for number in range(2_000)}
    new = {f"b/{number}.acdl": b"%d\n" % number for number in range(2_000)}
    found = pair_files(old, new)
    assert len(found) == 2_000
    assert {each.status for each in found} == {"renamed"}


@pytest.mark.parametrize("pair", [FilePair("a", "a"), FilePair(None, "a"), FilePair("a", None), FilePair("b", "a")])
def test_a_pair_has_a_path(pair: FilePair) -> None:
    """By which it is listed."""
    assert pair.path == "a"
