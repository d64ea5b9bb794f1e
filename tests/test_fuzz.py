"""What is fuzzed holds for the corpus and for everything that was ever found, without a fuzzer; the runner is clear."""

import json
import sys
from pathlib import Path
from random import Random

import pytest

from acdl_mkdocs.playbook.store.load import load_bytes
from fuzz.keep import MOST_BYTES, reached
from fuzz.ledger import LEDGER, Entry, added, read_ledger, write_ledger
from fuzz.run import main
from fuzz.safe_html import SafeHtml
from fuzz.shrink import failure, shrunk
from fuzz.splice import spliced
from fuzz.target import files, lines_of, pairs
from fuzz.targets import TARGETS, target

FOLDER = Path(__file__).parent.parent / "fuzz"
MOST_BYTES_OF_ALL = 200_000
_OF_BLOCKS = ("state/read", "evaluation/evaluate", "runs/match/match", "docs/blocks/run_findings", "compare/sent/sent")


def inputs(folder: str) -> list[object]:
    """The files of all targets in a folder of `fuzz/`, each as a case."""
    paths = [(name, path) for name in TARGETS for path in sorted((FOLDER / folder / name).glob("*"))]
    return [pytest.param(name, path, id=f"{name}-{path.name}") for name, path in paths]


@pytest.mark.parametrize("name", TARGETS)
def test_corpus(name: str) -> None:
    """A promise holds for the corpus, which is there and small."""
    paths = sorted((FOLDER / "corpus" / name).iterdir())
    assert paths, f"python -m fuzz.run --keep {name}"
    assert sum(path.stat().st_size for path in paths) <= MOST_BYTES
    for path in paths:
        target(name).run(path.read_bytes())


@pytest.mark.parametrize(("name", "path"), inputs("findings"))
def test_finding(name: str, path: Path) -> None:
    """An input that broke a promise once breaks it no more."""
    target(name).run(path.read_bytes())


def test_every_target_is_listed() -> None:
    """A module of `fuzz/targets/` is a line of `TARGETS`, with seeds that it can take; no corpus is of none."""
    modules = {path.stem for path in (FOLDER / "targets").glob("*.py")} - {"__init__"}
    assert modules == set(TARGETS)
    for folder in ("corpus", "findings"):
        assert {path.name for path in (FOLDER / folder).iterdir()} <= set(TARGETS)
    for name in TARGETS:
        sizes = [len(seed) for seed in target(name).seeds()]
        assert sizes
        assert max(sizes) <= target(name).max_bytes
        assert all(target(name).words)


def test_corpus_is_small() -> None:
    """All inputs together are no burden of the repository."""
    paths = [path for folder in ("corpus", "findings") for path in (FOLDER / folder).rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in paths) <= MOST_BYTES_OF_ALL


def test_ledger_is_as_it_is_written(tmp_path: Path) -> None:
    """The ledger names all targets, and is written as it is read; another file is refused."""
    write_ledger(read_ledger(), tmp_path / "ledger.json")
    assert (tmp_path / "ledger.json").read_text("utf-8") == LEDGER.read_text("utf-8")
    assert list(json.loads(LEDGER.read_text("utf-8"))) == list(TARGETS)
    (tmp_path / "ledger.json").write_text('{"parser": {"hours": 1}}', "utf-8")
    with pytest.raises(ValueError, match="hours"):
        read_ledger(tmp_path / "ledger.json")


def test_entries_add_up() -> None:
    """Time and inputs of two runs are added; branches are those of the run that reached more."""
    assert added(Entry(10, 100, 50), Entry(5, 20, 70)) == Entry(15, 120, 70)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        pytest.param(["no_such"], "there is no target `no_such`; there are parser, formatter", id="target"),
        pytest.param(["--seconds", "0"], "`0` is not a number from 1", id="seconds"),
        pytest.param(["--jobs", "-1"], "`-1` is not a number from 1", id="jobs"),
        pytest.param(["parser"], 'Atheris is not installed; install it with: pip install -e ".[fuzz]"', id="atheris"),
    ],
)
def test_what_cannot_be_run(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The runner says what is wrong with how it is called, and what it needs."""
    monkeypatch.setattr("fuzz.run.importlib.util.find_spec", lambda _: None)
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert ended.value.code == 2
    assert said in capsys.readouterr().err


def chance(seed: int) -> Random:
    """The same chance for the same seed."""
    return Random(seed)  # noqa: S311 - no secret


def test_spliced_inputs_are_pieces() -> None:
    """Inputs are made of lines and words of others, are as short as is asked for, and the same for the same chance."""
    data, others, words = b"S: { A }\nU: (B [C])\n", [b"one\ntwo\n"], [b"ForEach"]
    made = [spliced(data, 60, chance(seed), others, words) for seed in range(300)]
    assert made == [spliced(data, 60, chance(seed), others, words) for seed in range(300)]
    assert max(map(len, made)) <= 60
    assert len(set(made)) > 100
    assert any(b"ForEach" in each for each in made)
    assert any(b"two" in each for each in made)
    assert spliced(b"", 0, chance(1), [], []) == b""


def test_shrunk_input_fails_alike() -> None:
    """What is left out of an input leaves its failure what it is: another one does not count."""

    def run(data: bytes) -> None:
        if b"[" in data and b"]" in data:
            raise ValueError(data)
        assert b"(" not in data

    found = shrunk(run, b"some [ words ] and ( more")
    assert found == b"[]"
    assert failure(run, found).startswith("ValueError")
    assert failure(run, b"") == ""
    assert shrunk(run, b"good") == b"good"


def test_slow_input_is_made_smaller() -> None:
    """An input that never ends is ended, and one that is as slow is found; without a limit there is no timer."""

    def run(data: bytes) -> None:
        while b"x" in data:
            pass

    assert failure(run, b"some x more", 0.01) == "slow"
    assert failure(run, b"some more", 60) == ""
    assert shrunk(run, b"some x more", input_cpu_s=0.01) == b"x"


@pytest.mark.parametrize(("name", "reaches"), [("fence_options", _OF_BLOCKS), ("page", _OF_BLOCKS[:-1])])
def test_seeds_reach_what_blocks_can_do(name: str, reaches: tuple[str, ...]) -> None:
    """The files that seeds name are there: their states are evaluated, their runs checked."""
    found = {step[0] for seed in target(name).seeds() if b"a.acdl" in seed for step in reached(target(name).run, seed)}
    missing = [each for each in reaches if not any(file.endswith(f"{each}.py") for file in found)]
    assert missing == []


def test_steps_that_an_input_reaches() -> None:
    """The steps of an input are those of the package alone, more if it says more; whoever traced goes on."""
    before, run = sys.gettrace(), target("parser").run
    run(b"P[@T]: {\n    U: env.q\n}\n")  # what is imported on first use is no step
    few, many = (reached(run, data) for data in (b"P[@T]: {\n}\n", b"P[@T]: {\n    U: env.q\n}\n"))
    assert sys.gettrace() is before
    assert len(few) < len(many)
    assert all("acdl_mkdocs" in file for file, _, _ in many)


@pytest.mark.parametrize(
    "html",
    [
        pytest.param("<p><b>a</p></b>", id="crossed"),
        pytest.param("<p>a", id="open"),
        pytest.param("</p>", id="closed"),
        pytest.param("<script>a</script>", id="script"),
        pytest.param('<p onclick="a">b</p>', id="handler"),
        pytest.param('<a href=" JavaScript:a">b</a>', id="address"),
        pytest.param("<iframe></iframe>", id="frame"),
    ],
)
def test_unsafe_html(html: str) -> None:
    """HTML that is not whole or acts is a finding; where it is neither, its words and classes are known."""
    with pytest.raises(AssertionError):
        SafeHtml(html)
    good = SafeHtml('<p class="a b">c<br>d<svg><path d="M0"/></svg></p>')
    assert (good.words, good.classes) == ("cd", {"a", "b"})


@pytest.mark.parametrize("made", ["", "<figure class='acdl'><script>a</script></figure>"])
def test_lost_blocks_are_noticed(made: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A block that leaves nothing on its page is a finding, and so is one that acts."""
    monkeypatch.setattr("fuzz.targets.fence_options.Markdown.convert", lambda *_: made)
    with pytest.raises(AssertionError):
        target("fence_options").run(b'title="A"\n')


def test_seeds_are_there() -> None:
    """A pattern that gives no seed is a mistake; those of playbooks are playbooks."""
    for take in (files, lines_of):
        with pytest.raises(AssertionError, match=r"no/such"):
            take("pyproject.toml", "no/such/*.acdl", most_bytes=100_000)
    with pytest.raises(AssertionError, match=r"golden/check"):
        pairs("tests/golden/check/*.acdl", suffix=".no.such")
    loaded = [load_bytes(seed, "book.yaml").playbook for seed in target("playbook_loader").seeds()]
    assert sum(each is not None for each in loaded) > len(loaded) * 0.9 > 20
