"""Every command on ordinary input, in surroundings that no developer has; a new command without a line fails here."""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

import pytest
from exhaustive import exhaustive, few
from models.loopback import Loopback

from faults.every_command import ALL, LINES, URL, Around, Ran, make_full_project, reply, run_all
from faults.projects import digests, left_over, run, run_acdl
from faults.stepwise import UNDISTURBED, Faulty, with_faults
from faults.test_other_systems import without_privileges

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork and limits of processes")

MEMORY = 300 << 20
ODD = os.fsdecode(b" a\n#%41:\xff'$(x) -") + "long" * 40
"""The name of a folder: a space, the end of a line, what addresses and shells use, no UTF-8."""
N_PARTS = 5
"""The commands are run in so many parts, of which one always runs."""
STOPS = {"SIGTERM": 143, "SIGHUP": 129, "interrupt": 130, "ENOSPC": 2, "EROFS": 2, "EACCES": 2}
"""Each fault with the status of a command that it ends."""
KEEPING = ("EROFS", "EACCES")
"""Where nothing can be written, nothing can be removed either: a draft stays, and so does one of several new files."""
IN_STEPS = ("playbook learn",)
"""Its files have many states between the first and the last."""
LEFT_OUT = (".acdl-locks", ".git")
IN_GIT = ("git setup", "playbook merge --setup")
"""They write where git keeps its settings."""
READING = (
    *("check", "check --fix", "completion", "diff", "diff --git", "git driver", "git difftool", "lsp", "mcp", "rules"),
    *("playbook blame", "playbook diff", "playbook log", "playbook show", "playbook verify", "state check", "tokens"),
    *("pml calls", "pml check", "pml instructions", "pml parts"),
)
"""They change nothing, on this input."""
RACING = ("lsp", "mcp")
"""What they say last depends on how fast they notice that nobody listens any more."""
UNUSUAL = Around(
    flags=("-X", "dev", "-X", "warn_default_encoding", "-W", "error", "-X", "frozen_modules=off"),
    environment={
        "LC_ALL": "C",
        "PYTHONUTF8": "0",
        "PYTHONCOERCECLOCALE": "0",
        "PYTHONIOENCODING": "ascii",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": "7",
        "TZ": "Pacific/Kiritimati",
        "TERM": "dumb",
        "COLUMNS": "1",
        "FORCE_COLOR": "1",
        "HOME": None,
        "XDG_CACHE_HOME": None,
    },
    limits={"umask": 0o077, "RLIMIT_NOFILE": 32},
)
SURROUNDINGS: Mapping[str, Around] = {
    "everything unusual": UNUSUAL,
    "optimized": Around(flags=("-O",), environment={"PYTHONIOENCODING": "latin-1"}),
    "without docstrings": Around(flags=("-OO",), environment={"PYTHONIOENCODING": "cp1252", "PYTHONUTF8": "0"}),
    "Turkish": Around(environment={"LC_ALL": "tr_TR.UTF-8"}, limits={"locale": 1}),
    "Turkish, 8 bits": Around(environment={"LC_ALL": "tr_TR.ISO-8859-9", "PYTHONUTF8": "0"}, limits={"locale": 1}),
    "a home that is not there": Around(environment={"HOME": "/nonexistent/home", "NO_COLOR": "1"}),
    "umask 000": Around(limits={"umask": 0}),
    "closed standard input": Around(streams={0: "closed"}, prepare=partial(os.close, 0)),
}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with all that commands read."""
    return make_full_project(tmp_path_factory.mktemp("full") / "project")


@pytest.fixture(scope="module")
def usual(project: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Ran]:
    """What every line does on a plain system."""
    return run_all(project, tmp_path_factory.mktemp("usual") / "w", Around())


def is_loud(text: str) -> bool:
    """Whether something was said that is not for people."""
    return any(word in text for word in ("Traceback", "please report it", "Exception ignored", "Warning"))


def faults_of(ran: Mapping[str, Ran]) -> str:
    """The lines that did not end as they should, or said what is not for people."""
    return "\n".join(
        f"{name}: status {each.status}, {each.err[-300:]} {each.drafts}"
        for name, each in ran.items()
        if each.status != LINES[name].status or is_loud(each.err) or each.drafts
    )


def results(ran: Mapping[str, Ran]) -> dict[str, Ran | None]:
    """What has to be the same everywhere."""
    return {name: None if name in RACING else each for name, each in ran.items()}


def test_every_command_has_a_line() -> None:
    """A new command or action is tried with all the others."""
    assert [name for name in ALL if not any(line == name or line.startswith(f"{name} ") for line in LINES)] == []
    assert [line for line in LINES if not line.startswith(ALL)] == []
    assert len(ALL) > 40


@pytest.mark.parametrize("part", few(range(N_PARTS)))
def test_every_command_where_nothing_is_as_usual(part: int, project: Path, tmp_path: Path) -> None:
    """Another language and clock, no home, few files, every warning an error, an odd folder: the usual status."""
    around = Around(UNUSUAL.flags, UNUSUAL.environment, UNUSUAL.limits, named=ODD, is_absolute=True)
    ran = run_all(project, tmp_path / "w", around, [*LINES][part::N_PARTS])
    assert faults_of(ran) == ""
    assert len(ran) > 10


@exhaustive
@pytest.mark.parametrize("around", SURROUNDINGS.values(), ids=SURROUNDINGS)
def test_same_bytes_of_every_command(around: Around, project: Path, usual: dict[str, Ran], tmp_path: Path) -> None:
    """Neither flags of Python nor language, encoding, time zone, hash seed, folders or mask change a byte."""
    assert faults_of(usual) == ""
    assert [name for name, each in usual.items() if bool(each.files or name in IN_GIT) == (name in READING)] == []
    ran = run_all(project, tmp_path / "w", around)
    assert faults_of({name: each for name, each in ran.items() if name not in RACING or 0 not in around.streams}) == ""
    assert results(ran) == results(usual)


@exhaustive
def test_every_command_within_300_mb(project: Path, tmp_path: Path) -> None:
    """Of address space: ordinary input needs no more."""
    around = Around(limits={"RLIMIT_AS": MEMORY}, is_warm=False)
    assert faults_of(run_all(project, tmp_path / "w", around)) == ""


def without(number: int) -> Callable[[], None]:
    """Close a stream before Python starts."""
    return lambda: os.close(number)


@pytest.mark.parametrize("part", few(range(N_PARTS)))
def test_every_command_without_standard_output(part: int, project: Path, tmp_path: Path) -> None:
    """`>&-`: nothing is done, and why is said."""
    around = Around(streams={1: "closed"}, prepare=without(1))
    ran = run_all(project, tmp_path / "w", around, [*LINES][part::N_PARTS])
    said = {name: (each.status, each.err) for name, each in ran.items()}
    assert said == dict.fromkeys(ran, (2, "acdl: standard output is closed\n"))
    assert [name for name, each in ran.items() if each.files] == []


@exhaustive
def test_every_command_without_standard_error(project: Path, usual: dict[str, Ran], tmp_path: Path) -> None:
    """`2>&-`: the same results, and nobody is told about them."""
    ran = run_all(project, tmp_path / "w", Around(streams={2: "closed"}, prepare=without(2)))
    told = {name: Ran(each.status, each.out, "", each.files, each.drafts) for name, each in usual.items()}
    assert results(ran) == results(told)


@exhaustive
@pytest.mark.parametrize(("kind", "status", "said"), [("broken", 141, ""), ("full", 2, "no space left on device")])
def test_every_command_whose_output_goes_nowhere(
    kind: str, status: int, said: str, project: Path, usual: dict[str, Ran], tmp_path: Path
) -> None:
    """`| head -0` is quiet, `>/dev/full` is a sentence, and neither is a success."""
    ran = run_all(project, tmp_path / "w", Around(streams={1: kind}))
    ours = {name: each for name, each in ran.items() if not name.startswith("record") and name not in RACING}
    wrong = {name: each for name, each in ours.items() if usual[name].out and each.status != status}
    assert wrong == {}
    assert [
        name for name, each in ours.items() if is_loud(each.err) or (usual[name].out and said not in each.err)
    ] == []


@exhaustive
@pytest.mark.parametrize("kind", ["broken", "full"])
def test_every_command_whose_errors_go_nowhere(kind: str, project: Path, usual: dict[str, Ran], tmp_path: Path) -> None:
    """Results are the same where nothing had to be said; else the status says that it could not be."""
    ran = run_all(project, tmp_path / "w", Around(streams={2: kind}))
    expected = {name: (LINES[name].status, 141 if kind == "broken" else 2) for name in ran}
    assert {name: each.status for name, each in ran.items() if each.status not in expected[name]} == {}
    silent = [name for name, each in usual.items() if not each.err and name not in RACING]
    assert [name for name in silent if ran[name] != usual[name]] == []


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is always full")
@pytest.mark.parametrize("words", few(["--version", "help", "help check", "check --help"], 3))
def test_help_that_goes_nowhere(words: str, tmp_path: Path) -> None:
    """What prints help and the version says so too where it cannot."""
    command = [sys.executable, "-m", "acdl_mkdocs", *words.split()]
    with open("/dev/full", "wb") as full:
        ran = subprocess.run(command, cwd=tmp_path, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
        mute = subprocess.run([*command[:3], "no-command"], cwd=tmp_path, stderr=full, check=False)
    assert (ran.returncode, ran.stderr) == (2, "acdl: standard output: no space left on device\n")
    assert mute.returncode == 2


@exhaustive
def test_every_command_in_a_folder_that_is_only_read(project: Path, usual: dict[str, Ran], tmp_path: Path) -> None:
    """Who only reads gets the same; who writes gets status 2 and the file that cannot be written."""
    ran = run_all(project, tmp_path / "w", Around(protect=0o555, prepare=without_privileges))
    if all(each.status != 2 for each in ran.values()):
        pytest.skip("this system lets programs write what they may not")
    writing = {name for name, each in usual.items() if each.files} | {*IN_GIT}
    said = ("permission denied", "there is no permission")
    assert [
        name for name in writing if ran[name].status != 2 or not any(each in ran[name].err.lower() for each in said)
    ] == []
    assert [name for name, each in ran.items() if each.files or each.drafts or is_loud(each.err)] == []
    assert faults_of({name: each for name, each in ran.items() if name not in writing}) == ""


def writing() -> list[tuple[str, str, int]]:
    """A fault, a command that writes, and so many of its changes; those that people stop most often come first."""
    names = [name for name in LINES if name not in READING and not LINES[name].is_slow]
    return [
        *[("SIGTERM", name, 3) for name in ("embed", "playbook import", "record")],
        *[(fault, name, 40) for fault in STOPS for name in names],
    ]


def is_refused(each: Faulty) -> bool:
    """Whether a command says of a file that it is there already."""
    return "exist" in each.again.said or "is there" in each.again.said


def is_done(each: Faulty, whole: Path) -> bool:
    """Whether a command is refused because all that it makes is there, and nothing of it is empty.

    Or this run has finished it before it refused: a playbook whose history has the change already gets its text.
    """
    if digests(each.folder) == digests(whole):
        return True
    left = digests(each.left)
    return is_refused(each) and {*left} >= {*digests(whole)} and all((each.left / path).stat().st_size for path in left)


def find_torn_files(each: Faulty, project: Path, whole: Path) -> list[str]:
    """List files that a fault left neither as they were nor as they will be, or that it lost; some may only grow."""
    before, left, after = (digests(folder, leaving_out=LEFT_OUT) for folder in (project, each.left, whole))
    growing = (".jsonl", ".tmp", ".lock")
    return [
        *(path for path in before if path not in left),
        *(
            path
            for path, digest in left.items()
            if digest not in (before.get(path), after.get(path)) and not path.endswith(growing)
        ),
    ]


@pytest.mark.parametrize(("fault", "name", "most"), few(writing(), 3))
def test_every_writing_command_is_stopped_or_fails(
    fault: str, name: str, most: int, project: Path, tmp_path: Path
) -> None:
    """At any change of the disk: no traceback, no draft, no half or lost file, and the command can be repeated."""
    line = LINES[name]
    if line.needs:
        pytest.importorskip(line.needs)
    with Loopback(reply) as model:
        words = [word.replace(URL, model.url) for word in line.words]
        runs = with_faults(fault, project, tmp_path / "copies", "acdl", *words, most=most, status=line.status)
    whole = tmp_path / "copies" / UNDISTURBED
    for each in runs:
        assert each.ended.status in (STOPS[fault], line.status), each
        assert not is_loud(each.ended.said + each.again.said), each
        assert left_over(each.left) == [] or fault in KEEPING, each
        assert name in IN_STEPS or find_torn_files(each, project, whole) == [], each
        is_kept = fault in KEEPING and is_refused(each)
        assert each.again.status == line.status or is_kept or is_done(each, whole), each


@pytest.mark.parametrize("name", few(["SIGTERM", "SIGHUP", "SIGINT"]))
@pytest.mark.parametrize("words", few(["check specs", "render specs -o made"]))
def test_a_watching_command_is_stopped(name: str, words: str, project: Path, tmp_path: Path) -> None:
    """It ends at once, with the status of the signal, which `nohup` may have told these tests to ignore."""
    pytest.importorskip("watchfiles")
    shutil.copytree(project / "specs", tmp_path / "specs")
    command = [sys.executable, "-m", "acdl_mkdocs", *words.split(), "--watch"]
    number = getattr(signal, name)
    usual = signal.signal(number, signal.SIG_DFL)
    try:
        process = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    finally:
        signal.signal(number, usual)
    with process:
        try:
            assert process.stderr
            while not process.stderr.readline().startswith("watching"):
                assert process.poll() is None
            process.send_signal(number)
            assert process.wait(30) == 128 + number
            assert process.stderr.read() == ""
        finally:
            process.kill()


def test_a_package_in_an_archive(tmp_path: Path) -> None:
    """`python acdl.pyz`: it needs its files in a folder, and says so."""
    shutil.copytree(Path("acdl_mkdocs"), tmp_path / "a" / "acdl_mkdocs", ignore=shutil.ignore_patterns("__pycache__"))
    build = [sys.executable, "-m", "zipapp", "a", "-m", "acdl_mkdocs.frontends.cli.main:main", "-o", "acdl.pyz"]
    assert run(build, tmp_path).returncode == 0
    ran = run([sys.executable, "acdl.pyz", "rules"], tmp_path, {"PYTHONPATH": ""})
    said = "acdl: the package is inside an archive, but needs its files in a folder; install it with pip\n"
    assert (ran.returncode, ran.stderr) == (2, said)


@pytest.mark.parametrize("words", few(["rules nested-role", "help check", "rules"]))
def test_what_docstrings_say_without_docstrings(words: str, tmp_path: Path) -> None:
    """`python -OO` drops docstrings; the documentation of rules and commands is the same."""
    command = ("-m", "acdl_mkdocs", *words.split())
    plain, bare = (run([sys.executable, *flags, *command], tmp_path) for flags in ((), ("-OO",)))
    assert plain.returncode == 0
    assert (bare.returncode, bare.stdout, bare.stderr) == (0, plain.stdout, plain.stderr)


@pytest.mark.parametrize("flag", few(["-S", "-I", "-E", "-s", "-bb"], 1))
def test_flags_of_python(flag: str, project: Path) -> None:
    """Without `site`, without what the environment says: packages that are found are enough."""
    code = f"import sys; sys.path[:] = {sys.path!r}; from acdl_mkdocs.frontends.cli.main import main; sys.exit(main())"
    ran = run([sys.executable, flag, "-c", code, "check", "specs"], project)
    assert (ran.returncode, ran.stderr) == (0, run_acdl("check", "specs", folder=project).stderr)
