"""The files that blocks name: which are read, which are refused, what is said."""

import os
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from acdl_mkdocs.foundation.real_path import real_path
from acdl_mkdocs.foundation.safe_text import make_printable
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.workspace.files import (
    MAX_BYTES,
    UnreadableFileError,
    find_nearest_file,
    include_file,
    match_pattern,
    read_text,
)

REACT = "React2[@T]: {\n  S: SYSTEM_PROMPT\n  Mark 2 {\n    U: env.question[@T]\n  }\n}\n"


def test_src(tmp_path: Path) -> None:
    """A file of the project is read, with the part after `#`, under its name from the project's folder."""
    (tmp_path / "examples").mkdir()
    (tmp_path / "examples" / "a.acdl").write_bytes(b"\xef\xbb\xbf" + REACT.encode())
    found = include_file("examples/a.acdl#React2", Source("```acdl"), tmp_path)
    assert found.source == Source(REACT, "examples/a.acdl")
    assert (found.spec, found.diagnostics) == ("React2", ())


def test_src_with_a_number_sign(tmp_path: Path) -> None:
    """A path may contain `#`; a definition without a path is explained."""
    (tmp_path / "c#.acdl").write_text(REACT)
    for src, spec in (("c#.acdl", ""), ("c#.acdl#React2", "React2")):
        found = include_file(src, Source(f'```acdl src="{src}"'), tmp_path)
        assert (found.path, found.spec, found.diagnostics) == (tmp_path / "c#.acdl", spec, ())
    (problem,) = include_file("#React2", Source('```acdl src="#React2"'), tmp_path).diagnostics
    assert (problem.rule, problem.message) == ("missing-src", "`#React2` names no file")
    assert problem.help == ("write the path of the file before `#`: `specs/chat.acdl#React2`",)


def test_src_that_begins_with_a_slash(tmp_path: Path) -> None:
    """A path from the project's folder that begins with a slash is refused with the path to write."""
    (tmp_path / "a.acdl").write_text(REACT)
    (problem,) = include_file("/a.acdl", Source("```acdl src=/a.acdl"), tmp_path).diagnostics
    assert (problem.rule, problem.help) == (
        "src-outside-project",
        ("paths begin at the project's folder: write `a.acdl`",),
    )


@pytest.mark.parametrize("src", ["../x.acdl", "/etc/passwd", "a/../../x.acdl", "link.acdl"])
def test_src_outside_of_the_project(src: str, tmp_path: Path) -> None:
    """A file outside the project is refused, also by a link, and is not watched."""
    (tmp_path / "x.acdl").write_text("secret")
    root = tmp_path / "project"
    root.mkdir()
    (root / "a").mkdir()
    (root / "link.acdl").symlink_to(tmp_path / "x.acdl")
    found = include_file(src, Source(f'```acdl src="{src}"'), root)
    assert [each.rule for each in found.diagnostics] == ["src-outside-project"]
    assert (found.source, found.path) == (None, None)


def test_missing_src_names_the_near_file(tmp_path: Path) -> None:
    """A file that does not exist is looked for under a similar name, and watched so that it is seen when it comes."""
    (tmp_path / "examples").mkdir()
    (tmp_path / "examples" / "react.acdl").write_text(REACT)
    for src in ("examples/reakt.acdl", "example/react.acdl", "react.acdl"):
        found = include_file(src, Source(f"```acdl src={src}"), tmp_path)
        assert [each.help for each in found.diagnostics] == [("did you mean `examples/react.acdl`?",)]
        assert found.path == tmp_path / src


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("nope.acdl", None),
        ("chta.acdl", "chat.acdl"),
        ("chta.md", "chat.md"),
        ("chat", "chat.acdl"),
        ("chat.txt", "chat.acdl"),
        ("lib/react.acdl", "libs/react.acdl"),
        ("libs/gone.acdl", None),
    ],
)
def test_nearest_file(name: str, near: str | None, tmp_path: Path) -> None:
    """A suffix that files have in common makes no names near; of names that are equal, the one with that suffix."""
    (tmp_path / "libs").mkdir()
    for each in ("e.acdl", "chat.acdl", "chat.md", "libs/react.acdl"):
        (tmp_path / each).write_text(REACT)
    (tmp_path / "libs" / "gone.acdl").symlink_to("nowhere.acdl")
    assert find_nearest_file(name, tmp_path) == near


@pytest.mark.parametrize(
    ("data", "words", "cure"),
    [
        (b"PNG\0\1\2", "binary", ()),
        (b"A: {\n\xff\n", "not UTF-8 text: byte 0xff in line 2", ()),
        (b" " * (MAX_BYTES + 1), "larger than 10 MB", ("name a file with a part of it",)),
    ],
)
def test_unreadable_src(data: bytes, words: str, cure: tuple[str, ...], tmp_path: Path) -> None:
    """A file that is not text is a diagnostic that says why, and what to do where that is not plain."""
    (tmp_path / "a.acdl").write_bytes(data)
    found = include_file("a.acdl", Source("```acdl src=a.acdl"), tmp_path)
    assert [each.rule for each in found.diagnostics] == ["unreadable-src"]
    assert words in found.diagnostics[0].message
    assert found.diagnostics[0].help == cure


def test_folders_and_odd_names(tmp_path: Path) -> None:
    """A folder and a name that no file can have are explained."""
    (tmp_path / "d").mkdir()
    with pytest.raises(UnreadableFileError, match="is a folder"):
        read_text(tmp_path / "d")
    assert include_file("a\0b", Source("```acdl"), tmp_path).diagnostics[0].rule == "missing-src"


def test_printable() -> None:
    """Control characters and lone surrogates are replaced one by one; all else stays."""
    text = "a\x02\x03\x1b\x7f\ud800\U0001f600\t\n\u540d\ufeff"
    assert make_printable(text) == "a" + "\ufffd" * 5 + "\U0001f600\t\n\u540d\ufeff"


def test_a_carriage_return_alone_ends_a_line() -> None:
    """A file of an old program is not one long comment; the ends of lines of Windows stay as they are."""
    assert make_printable("// a\rA\r\rB\r\n\r") == "// a\nA\n\nB\r\n\n"


@pytest.mark.skipif(sys.platform == "win32", reason="needs a named pipe")
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    """Only regular files are read: a pipe that nobody writes to would never end."""
    os.mkfifo(tmp_path / "pipe.acdl")
    with pytest.raises(UnreadableFileError, match="is a device or a pipe, not a file"):
        read_text(tmp_path / "pipe.acdl")


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("*.jsonl", ["a.jsonl"]),
        ("**/*.jsonl", ["a.jsonl", "sub/b.jsonl", "sub/deep/c.jsonl"]),
        ("sub/**", ["sub/b.jsonl", "sub/deep", "sub/deep/c.jsonl"]),
        ("sub/**.jsonl", ["sub/b.jsonl"]),
        ("a.jsonl", ["a.jsonl"]),
        ("none", []),
        ("", []),
        (".", []),
        ("./", []),
        ("..", []),
        ("a\0b", []),
        ("w" * 5000, []),
    ],
)
def test_matching(pattern: str, found: list[str], tmp_path: Path) -> None:
    """A pattern names the same in every version of Python; what is none names nothing."""
    (tmp_path / "sub" / "deep").mkdir(parents=True)
    for name in ("a.jsonl", "sub/b.jsonl", "sub/deep/c.jsonl"):
        (tmp_path / name).write_text("{}")
    names = [each.relative_to(tmp_path).as_posix() for each in match_pattern(tmp_path, pattern) if each != tmp_path]
    assert sorted(each for each in names if not each.startswith("..")) == found


def test_real_path(tmp_path: Path) -> None:
    """Links are followed to their end; one that leads to itself leads nowhere, and hides no other behind it."""
    inside, outside = tmp_path / "in", tmp_path / "out"
    for folder in (inside, outside):
        folder.mkdir()
    (outside / "a").write_text("")
    (inside / "link").symlink_to(outside)
    (inside / "ring").symlink_to("ring")
    assert real_path(inside / "link" / "a") == outside / "a"
    assert real_path(inside / "none" / ".." / "b") == inside / "b"
    for name in ("ring", "ring/a"):
        with pytest.raises(OSError, match="symbolic links"):
            real_path(inside / name)
    with suppress(OSError):  # newer versions of Python follow it, older ones do not
        assert real_path(inside / "ring" / ".." / "link" / "a") == outside / "a"
