"""The files of specs: what is in them, that they are made once, and what is said when some cannot be made."""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path
from typing import get_args

import pytest
from written_indexes import example_index, index_of

from acdl_mkdocs import check, render
from acdl_mkdocs.drawing.figure.describe import View
from acdl_mkdocs.drawing.formats import PICTURES
from acdl_mkdocs.drawing.formats.options import OutputOptions, ThemeName
from acdl_mkdocs.foundation.errors import MissingExtraError, UnknownFormatError
from acdl_mkdocs.frontends.docs.pages import downloads
from acdl_mkdocs.frontends.docs.pages.bundle import bundle_text
from acdl_mkdocs.frontends.docs.pages.downloads import FORMATS, Download, SiteDownloads
from acdl_mkdocs.frontends.docs.pages.spec_index import SpecIndex

TEXTS = ("acdl", "svg", "json")
AGENTS = """\
// title: Agents
// acdl: range=inclusive

// The first.
Agent[@T]: {
    S: Frag Tools[@T]
    ForEach(t: range(1, @T)) {
        U: env.question[@t]
    }
}

// The second.
Other[@T]: {
    U: env.question[@T]
}
"""
TOOLS = """\
// What an agent can call.
StrFrag Tools[@t]: {
    sys.tools[@t]
    Frag Note[@t]
}

StrFrag Note[@t]: {
    sys.note[@t]
}

StrFrag Unused[@t]: {
    sys.unused[@t]
}
"""
CODE = """
import sys, hashlib
from pathlib import Path
from written_indexes import example_index
from acdl_mkdocs.frontends.docs.pages.downloads import SiteDownloads
index, made = example_index(), SiteDownloads(None)
for entry in index.entries[:3]:
    for each in made.files_of(entry, index):
        print(each.address, hashlib.sha256(each.read_content()).hexdigest())
"""


def spec_index() -> SpecIndex:
    """Two files, of which one needs fragments of the other."""
    return index_of({"agents.acdl": AGENTS, "tools.acdl": TOOLS})


def by_name(found: tuple[Download, ...]) -> dict[str, Download]:
    """Files by their names."""
    return {each.name: each for each in found}


def by_ending(found: tuple[Download, ...]) -> dict[str, Download]:
    """Files by what comes after the name of the spec."""
    return {name.removeprefix("Agent"): each for name, each in by_name(found).items()}


def test_files_of_a_spec() -> None:
    """They are named after the spec, lie below its page, and are what the outputs write of the text to download."""
    specs = spec_index()
    made = SiteDownloads(None)
    found = made.files_of(specs.entries[0], specs)
    assert [each.address for each in found] == [
        f"specs/Agent/Agent{ending}" for ending in (".acdl", "-light.svg", "-dark.svg", ".png", ".pdf", ".json")
    ]
    files = by_ending(found)
    text = files[".acdl"].read_content().decode()
    view = View(spec="Agent")
    for theme in get_args(ThemeName)[1:]:
        drawn = render(text, view=view, options=OutputOptions(theme=theme))
        assert files[f"-{theme}.svg"].read_content().decode() == drawn
    assert json.loads(files[".json"].read_content())["title"] == "ACDL: Agent[@T]"
    assert files[".png"].read_content().startswith(b"\x89PNG")
    assert files[".pdf"].read_content().startswith(b"%PDF")
    assert all(each.n_bytes == len(each.read_content()) for each in found)
    assert made.notes == made.warnings == ()


def test_page_without_directory() -> None:
    """A page that is a file has its downloads in a folder of the same name."""
    specs = spec_index()
    entry = specs.entries[0]
    as_file = type(entry)(entry.spec, "specs/Agent.html", entry.file, entry.line, has_page=True)
    assert SiteDownloads(None, ["acdl"]).files_of(as_file, specs)[0].address == "specs/Agent/Agent.acdl"


def test_text_works_alone() -> None:
    """It has the top of its file, the definition, and the fragments that it needs, but nothing else."""
    specs = spec_index()
    text = bundle_text(specs.entries[0], specs)
    assert text.startswith("// title: Agents\n// acdl: range=inclusive\n\n// The first.\nAgent[@T]: {")
    assert "\n\n// From tools.acdl\n// What an agent can call.\nStrFrag Tools[@t]: {" in text
    assert "StrFrag Note" in text
    assert "Other" not in text
    assert "Unused" not in text
    assert check(text) == ()


def test_texts_of_the_examples_work_alone() -> None:
    """Nothing is wrong with any of them that is not wrong with its file, and each draws the same figure."""
    specs = example_index()
    for entry in specs.entries:
        text = bundle_text(entry, specs)
        assert check(text) == (), entry.spec.name
        view = View(spec=entry.spec.name)
        assert render(text, "text", view=view) == render(entry.spec.source.text, "text", view=view)


def test_settings_above_the_first_definition() -> None:
    """What the comments of a first definition tell the tools, they tell for the others too."""
    specs = index_of({"a.acdl": "// acdl: range=inclusive\n// One.\nA[@T]: {\n    U: X\n}\n\nB[@T]: {\n    U: X\n}\n"})
    first, second = (bundle_text(each, specs) for each in specs.entries)
    assert first == "// acdl: range=inclusive\n// One.\nA[@T]: {\n    U: X\n}\n"
    assert second == "// acdl: range=inclusive\n\nB[@T]: {\n    U: X\n}\n"


def test_ranges_of_a_site() -> None:
    """A text to download says how its ranges are read if that is not the usual way, and its figure shows it."""
    text = "A[@T]: {\n    Frag F[@T]\n}\n\nB[@T]: {\n    U: X\n}\n"
    fragment = "RolesFrag F[@T]: {\n    ForEach(t: range(1, @T)) {\n        U: env.q[@t]\n    }\n}\n"
    specs = index_of({"a.acdl": text, "f.acdl": fragment}, "inclusive")
    texts = [bundle_text(each, specs) for each in specs.entries]
    assert [each.startswith("// acdl: range=inclusive\n\n") for each in texts] == [True, False, True]
    drawn = (
        by_name(SiteDownloads(None, ["svg"]).files_of(specs.entries[2], specs))["F-light.svg"].read_content().decode()
    )
    assert drawn == render(texts[2], view=View(spec="F"), options=OutputOptions(theme="light"))
    said = index_of({"f.acdl": f"// acdl: range=half-open\n{fragment}"}, "inclusive")
    assert bundle_text(said.entries[0], said).count("range=") == 1


def test_fragments_that_use_each_other() -> None:
    """A circle of fragments ends."""
    circle = "StrFrag F[x]: {\n    Frag G[x]\n}\n\nStrFrag G[x]: {\n    Frag F[x]\n}\n"
    specs = index_of({"a.acdl": circle})
    assert bundle_text(specs.entries[0], specs).count("StrFrag") == 2


def groups(path: Path) -> set[str]:
    """The groups of files that are kept."""
    return {each.name.partition(".")[0] or each.name for each in path.iterdir()}


def make_older(folder: Path, hours: int) -> None:
    """Let it be some hours since anything in a folder was used."""
    for path in folder.iterdir():
        moment = path.stat().st_mtime - hours * 3600
        os.utime(path, (moment, moment))


def test_files_are_made_once(tmp_path: Path) -> None:
    """The next build finds them; a change of one spec makes its files again and no others."""
    specs = spec_index()
    first = SiteDownloads(tmp_path, TEXTS)
    made = [each.read_content() for entry in specs.entries for each in first.files_of(entry, specs)]
    assert first.n_made == len(specs.entries) == 5
    second = SiteDownloads(tmp_path, TEXTS)
    found = [each for entry in specs.entries for each in second.files_of(entry, specs)]
    assert second.n_made == 0
    assert [each.read_content() for each in found] == made
    assert all(each.path and each.path.is_relative_to(tmp_path) and not each.content for each in found)
    changed = index_of({"agents.acdl": AGENTS.replace("The second", "The other"), "tools.acdl": TOOLS})
    third = SiteDownloads(tmp_path, TEXTS)
    for entry in changed.entries:
        third.files_of(entry, changed)
    assert third.n_made == 1
    third.delete_unused()
    assert len(groups(tmp_path)) == len(changed.entries) + 1  # another build may be copying what this one did not use
    for hours in (-2, 2):  # a clock may have been wrong
        for entry in specs.entries:
            SiteDownloads(tmp_path, TEXTS).files_of(entry, specs)
        make_older(tmp_path, hours)
        fourth = SiteDownloads(tmp_path, TEXTS)
        for entry in changed.entries:
            fourth.files_of(entry, changed)
        fourth.delete_unused()
        assert len(groups(tmp_path)) == len(changed.entries)


@pytest.mark.parametrize(("formats", "least"), [(FORMATS, "_LEAST_SPECS"), (TEXTS, "_LEAST_TEXTS")])
def test_files_made_by_several_processes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, formats: Sequence[str], least: str
) -> None:
    """The same files, found by the build, which makes those that a process did not."""
    monkeypatch.setattr(downloads, least, 1)
    specs = spec_index()
    alone = SiteDownloads(tmp_path / "alone", formats)
    expected = [each.read_content() for entry in specs.entries for each in alone.files_of(entry, specs)]
    helped = SiteDownloads(tmp_path / "helped", formats)
    helped.make_ahead(specs.entries, specs, 2)
    assert len(groups(tmp_path / "helped")) == helped.n_made == len(specs.entries)
    assert [each.read_content() for entry in specs.entries for each in helped.files_of(entry, specs)] == expected
    assert (helped.n_made, helped.warnings) == (len(specs.entries), alone.warnings)
    monkeypatch.setattr(sys, "executable", "no-such-program")
    left_alone = SiteDownloads(tmp_path / "left-alone", formats)
    left_alone.make_ahead(specs.entries, specs, 2)
    assert left_alone.n_made == 0
    assert [each.read_content() for entry in specs.entries for each in left_alone.files_of(entry, specs)] == expected


@pytest.mark.parametrize(("formats", "n_jobs", "least"), [(TEXTS, 2, 50), ((), 2, 1), (FORMATS, 1, 1)])
def test_files_that_take_no_time_or_one_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, formats: Sequence[str], n_jobs: int, least: int
) -> None:
    """Nothing is made ahead."""
    monkeypatch.setattr(downloads, "_LEAST_SPECS", 1)
    monkeypatch.setattr(downloads, "_LEAST_TEXTS", least)
    specs = spec_index()
    SiteDownloads(tmp_path, formats).make_ahead(specs.entries, specs, n_jobs)
    assert list(tmp_path.iterdir()) == []


def test_damaged_files_are_made_again(tmp_path: Path) -> None:
    """A file that is gone or cut, or an index that is none, counts as absent; so does what was never finished."""
    specs = spec_index()
    entry = specs.entries[0]
    good = [each.read_content() for each in SiteDownloads(tmp_path, TEXTS).files_of(entry, specs)]
    (key,) = groups(tmp_path)
    for name, damage in (("file.acdl", b""), ("index.json", b"{"), ("index.json", b"[]"), ("index.json", b"{}")):
        (tmp_path / f"{key}.{name}").write_bytes(damage)
        again = SiteDownloads(tmp_path, TEXTS)
        assert [each.read_content() for each in again.files_of(entry, specs)] == good
        assert again.n_made == 1
    (tmp_path / f".{key}.file.acdl.12345678.tmp").touch()
    (tmp_path / "of-an-earlier-version").mkdir()
    again.delete_unused()
    assert len(groups(tmp_path)) == 3
    make_older(tmp_path, 2)
    again.delete_unused()
    assert groups(tmp_path) == {key}


def test_disk_that_refuses(tmp_path: Path) -> None:
    """Without a place to keep them the files are there all the same."""
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    specs = spec_index()
    found = SiteDownloads(blocked / "below", TEXTS).files_of(specs.entries[0], specs)
    assert [each.path for each in found] == [None] * 4
    assert all(len(each.read_content()) == each.n_bytes for each in found)


@pytest.mark.parametrize(
    ("absent", "command"),
    [
        (["resvg-py"], "specs cannot be downloaded as PNG, which needs other packages: pip install 'acdl-mkdocs[png]'"),
        (
            ["fonttools"],
            "specs cannot be downloaded as PNG and PDF, which needs other packages: pip install 'acdl-mkdocs[png,pdf]'",
        ),
    ],
)
def test_missing_extras(absent: list[str], command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without an extra its files are absent, and one note for the whole site says how to get them."""

    def version(name: str) -> str:
        if name in absent:
            raise metadata.PackageNotFoundError(name)
        return "1"

    specs = spec_index()
    SiteDownloads(tmp_path).files_of(specs.entries[0], specs)
    downloads._version_of.cache_clear()
    monkeypatch.setattr(metadata, "version", version)
    try:
        made = SiteDownloads(tmp_path)
        found = [by_ending(made.files_of(entry, specs)) for entry in specs.entries]
        assert made.notes == (command,)
        assert not any(".png" in files for files in found)
        assert SiteDownloads(tmp_path, TEXTS).notes == ()
    finally:
        downloads._version_of.cache_clear()


def test_package_that_does_not_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A package that is there but cannot be imported is noted, and the next build tries again."""

    def write(*_: object) -> bytes:
        raise MissingExtraError("`png` needs the package resvg_py, which cannot be imported")

    specs = spec_index()
    with monkeypatch.context() as patched:
        patched.setitem(PICTURES, "png", write)
        made = SiteDownloads(tmp_path, ("acdl", "png"))
        assert [each.name for each in made.files_of(specs.entries[0], specs)] == ["Agent.acdl"]
    (note,) = made.warnings
    assert note == (
        "agents.acdl:5: `Agent` as png: `png` needs the package resvg_py, which cannot be imported; "
        "or leave `png` out of the option `downloads`"
    )
    assert made.notes == ()
    assert len(SiteDownloads(tmp_path, ("acdl", "png")).files_of(specs.entries[0], specs)) == 2


def test_characters_without_a_font(tmp_path: Path) -> None:
    """What a picture lacks is said by every build, also by one that finds the picture."""
    specs = index_of({"a.acdl": "A[@T]: {\n    U: env.名前[@T]\n}\n"})
    for n_made in (1, 0):
        made = SiteDownloads(tmp_path, ("png", "pdf"))
        assert len(made.files_of(specs.entries[0], specs)) == 2
        (note,) = made.warnings
        assert made.notes == ()
        assert note.startswith("a.acdl:1: `A` as png and pdf: no font has ")
        assert note.endswith("; or leave `png` and `pdf` out of the option `downloads`")
        assert made.n_made == n_made


def test_unknown_format() -> None:
    """A format that does not exist is explained."""
    with pytest.raises(UnknownFormatError, match=r"cannot be downloaded as `jsn`; did you mean `json`\?"):
        SiteDownloads(None, ["jsn"])
    assert FORMATS == ("acdl", "svg", "png", "pdf", "json")


def test_same_bytes_everywhere() -> None:
    """Neither the run nor the order of sets changes a byte."""
    said = {
        subprocess.run(
            [sys.executable, "-c", CODE],
            cwd=Path(__file__).parent,
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": str(Path(__file__).parent.parent)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "77")
    }
    assert len(said) == 1
    assert said.pop().count("\n") == 18
