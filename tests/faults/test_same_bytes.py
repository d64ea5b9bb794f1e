"""One project worked on under different systems: figures, reports, requests, a site and a playbook, to the byte."""

import os
import re
import shutil
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from exhaustive import exhaustive, few

from faults.projects import CHAT, EXAMPLES, HOME, TIME, build_site, digests, make_project, run_acdl

OFFSETS = re.compile(' data-acdl="[^"]*"')
"""Places in the text, which are counted in its own letters."""
COMMANDS = (
    ("render", "examples", "-o", "figures"),
    ("render", "specs/chat.acdl", "--format", "html", "-o", "figures/chat.html"),
    ("render", "specs/chat.acdl", "--format", "png", "-o", "figures/chat.png"),
    ("render", "specs/chat.acdl", "--format", "pdf", "-o", "figures/chat.pdf"),
    ("check", "examples", "docs", "specs", "--format", "json"),
    ("check", "examples", "docs", "specs"),
    ("unroll", "specs/chat.acdl", "--format", "openai"),
    ("unroll", "examples/chat.acdl", "--at", "2"),
    ("explain", "specs/chat.acdl"),
    ("format", "specs/chat.acdl"),
    ("diff", "examples/react.acdl", "examples/react-variants.acdl"),
    ("playbook", "curate", "book/playbook.yaml", "delta.json", *TIME),
    ("playbook", "show", "book/playbook.yaml"),
)
SYSTEMS: Mapping[str, Mapping[str, str]] = {
    "the C locale, elsewhere": {
        "LC_ALL": "C",
        "PYTHONUTF8": "0",
        "PYTHONCOERCECLOCALE": "0",
        "TZ": "Pacific/Kiritimati",
        "PYTHONHASHSEED": "12345",
    },
    "a console of Windows, no home": {
        "PYTHONIOENCODING": "cp1252",
        "PYTHONUTF8": "0",
        "HOME": "/nonexistent",
        "TMPDIR": "/nonexistent",
        "XDG_CACHE_HOME": "/nonexistent",
    },
    "without assertions and docstrings, every leak an error": {
        "PYTHONOPTIMIZE": "2",
        "PYTHONIOENCODING": "ascii",
        "PYTHONDEVMODE": "1",
        "PYTHONWARNINGS": "ignore,error::ResourceWarning",
        "SOURCE_DATE_EPOCH": "0",
        "PYTHONHASHSEED": "0",
    },
}


def worked_on(root: Path, environment: Mapping[str, str]) -> dict[str, str]:
    """Everything that the commands say and write, by name, as digests."""
    project = make_project(root / "project")
    (project / "examples").mkdir()
    for name in ("chat", "react", "react-variants", "rag"):
        for path in EXAMPLES.glob(f"{name}.*"):
            shutil.copyfile(path, project / "examples" / path.name)
    said = project / "said"
    said.mkdir()
    for number, arguments in enumerate(COMMANDS):
        ran = run_acdl(*arguments, folder=project, environment=environment)
        assert ran.returncode in (0, 1), ran.stderr
        assert "Traceback" not in ran.stderr, ran.stderr
        (said / f"{number}.txt").write_text(f"{ran.returncode}\n{ran.stdout}\n{ran.stderr}", "utf-8", newline="\n")
    build = build_site(project, environment)
    assert (build.returncode, build.stderr) == (0, "")
    return digests(project)


@cache
def wanted() -> dict[str, str]:
    """What comes out of a plain system."""
    with TemporaryDirectory() as folder:
        environment = {name: "" for name in ("SOURCE_DATE_EPOCH",) if name in os.environ}
        return worked_on(Path(folder), environment)


@exhaustive
@pytest.mark.parametrize("environment", few(SYSTEMS.values()), ids=SYSTEMS)
def test_same_bytes_under(environment: Mapping[str, str], tmp_path: Path) -> None:
    """Language, encoding, clock, seed and folders of a system change nothing."""
    assert worked_on(tmp_path, environment) == wanted()


@exhaustive
def test_same_bytes_whatever_the_folder_and_the_mask(tmp_path: Path) -> None:
    """Neither a deep folder with spaces and other letters, nor who may read new files, changes what is in them."""
    deep = tmp_path / "a folder" / "\u00fcber \u540d" / ("long" * 40) / ("deep" * 40)
    deep.mkdir(parents=True)
    before = os.umask(0o077)
    try:
        found = worked_on(deep, {})
    finally:
        os.umask(before)
    assert found == wanted()


@exhaustive
def test_same_bytes_whatever_the_clock_says_of_files(tmp_path: Path) -> None:
    """Files of the future, of 1970 and of one moment give the same site, also with a cache; a change is seen though."""
    project = make_project(tmp_path / "project")
    assert build_site(project).returncode == 0
    first = digests(project)
    files = [path for path in project.rglob("*") if path.is_file() and "out" not in path.parts]
    for moment in (0, 4_000_000_000, 1_700_000_000):
        for path in files:
            os.utime(path, (moment, moment))
        assert build_site(project).returncode == 0
        assert digests(project) == first
    path = project / "specs" / "chat.acdl"
    path.write_text(CHAT.replace("env.q", "env.r"), "utf-8", newline="\n")  # as long as before
    os.utime(path, (1_700_000_000, 1_700_000_000))
    assert build_site(project).returncode == 0
    page = (project / "out" / "index.html").read_text("utf-8")
    assert "env.r" in page.replace("</tspan>", "").replace("<tspan>", "")
    assert (project / "out" / "specs" / "Chat" / "Chat.acdl").read_text("utf-8").count("env.r") == 1


@pytest.mark.parametrize("ends", few(["\r\n", "\r"]), ids=["CRLF", "CR"])
@pytest.mark.parametrize("mark", few([b"\xef\xbb\xbf", b""]), ids=["byte order mark", "plain"])
def test_same_figures_whatever_the_ends_of_lines(ends: str, mark: bytes, tmp_path: Path) -> None:
    """Files as Windows and old programs write them give the same pictures, requests and pages."""
    plain, other = make_project(tmp_path / "plain"), make_project(tmp_path / "other")
    for name in ("specs/chat.acdl", "docs/index.md", "specs/chat.state.yaml"):
        text = (plain / name).read_text("utf-8").replace("\n", ends)
        (other / name).write_bytes(mark + text.encode())
    for arguments in (
        ("render", "specs/chat.acdl", "--format", "text"),
        ("unroll", "specs/chat.acdl", "--format", "openai"),
    ):
        first, second = (run_acdl(*arguments, folder=each) for each in (plain, other))
        assert first.returncode == second.returncode == 0, second.stderr
        assert first.stdout == second.stdout
    assert (build_site(plain).returncode, build_site(other).returncode) == (0, 0)
    for name in ("index.html", "specs/Chat/Chat-light.svg"):
        pages = [(each / "out" / name).read_text("utf-8") for each in (plain, other)]
        if name.endswith(".svg"):
            assert OFFSETS.sub("", pages[0]) == OFFSETS.sub("", pages[1]), name
        else:
            assert pages[0].count("<svg") == pages[1].count("<svg") == HOME.count("```acdl"), name
