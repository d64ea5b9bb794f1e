"""The merge driver in real repositories, and what it does with histories, comments and files that it cannot read."""

import os
import random
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from exhaustive import exhaustive, few
from random_branches import first_playbook, operation, sentence, step, texts

from acdl_mkdocs.frontends.cli.main import main
from acdl_mkdocs.playbook.model import operations as ops
from acdl_mkdocs.playbook.model.bullets import Playbook
from acdl_mkdocs.playbook.model.report import Report
from acdl_mkdocs.playbook.store import create, load, load_history, update
from acdl_mkdocs.playbook.store.history import read_history
from acdl_mkdocs.playbook.store.load import state_at
from acdl_mkdocs.playbook.store.merge import MERGED_BRANCH, merge_contents, merge_histories
from acdl_mkdocs.playbook.store.verify import verify

N_TRIALS = 20
HISTORY = "playbook.history.jsonl"


def chance(seed: int) -> random.Random:
    """The same branches in every run."""
    return random.Random(seed)  # noqa: S311


@dataclass(frozen=True)
class Changed:
    """What `update` wants of a change."""

    playbook: Playbook
    report: Report


class Repository:
    """A repository with a playbook, and git set up by `acdl playbook merge --setup`."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self.path = folder / "playbook.yaml"
        folder.mkdir()
        who = {f"GIT_{role}_{key}": "x@example.org" for role in ("AUTHOR", "COMMITTER") for key in ("NAME", "EMAIL")}
        self.environment = {**os.environ, **who, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
        self.git("init", "-q", "-b", "main")
        monkeypatch.chdir(folder)
        assert main(["playbook", "merge", "--setup"]) == 0

    def git(self, *arguments: str, status: int = 0) -> str:
        """What git prints when it ends as expected."""
        done = subprocess.run(
            ["git", *arguments], cwd=self.folder, env=self.environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == status, (arguments, done.stdout, done.stderr)
        return done.stdout

    def commit(self) -> None:
        """Commit every file."""
        self.git("add", "-A")
        self.git("commit", "-qm", "work", "--allow-empty")

    def work(self, *made: ops.Operation | Callable[[Playbook], ops.Operation]) -> Playbook:
        """Apply operations, each an update of its own, and commit."""
        for number, each in enumerate(made):

            def change(playbook: Playbook, each: ops.Operation | Callable[[Playbook], ops.Operation] = each) -> Changed:
                wanted = each(playbook) if callable(each) else each
                return Changed(step(playbook, wanted), Report())

            update(self.path, change, time=f"2026-01-01T00:00:{number:02}Z")
        self.commit()
        return self.playbook()

    def playbook(self) -> Playbook:
        """The playbook of the file, which has no errors."""
        found = load(self.path).playbook
        assert found is not None
        return found

    def check(self) -> None:
        """File and history agree."""
        found = verify(self.path)
        assert found.is_clean, found.inconsistencies


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    """A repository with a playbook of three bullets in its first commit."""
    made = Repository(tmp_path / "repository", monkeypatch)
    create(made.path, first_playbook(chance(1), 3), time="2026-01-01T00:00:00Z")
    made.commit()
    return made


@pytest.mark.parametrize("seed", few(range(N_TRIALS), 5))
def test_random_branches_in_git(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Git merges without a conflict, nothing is lost, counters add up, `verify` is clean, the direction is the same."""
    rng = chance(1000 + seed)
    repository = Repository(tmp_path / "repository", monkeypatch)
    create(repository.path, first_playbook(rng, 5), time="2026-01-01T00:00:00Z")
    base = repository.work(*[lambda playbook: operation(rng, playbook)] * 3)
    files = {}
    ends = []
    for name in ("ours", "theirs"):
        repository.git("checkout", "-q", "-b", name, "main")
        some = [lambda playbook: operation(rng, playbook)] * rng.randrange(2, 9)
        ends.append(repository.work(ops.Add(section="general", content=sentence(rng)), *some))
        files[name] = (repository.path.read_bytes(), (repository.folder / HISTORY).read_bytes())
    repository.git("checkout", "-q", "ours")
    repository.git("merge", "-q", "--no-edit", "theirs")
    repository.check()
    whole = repository.playbook()
    assert b"<<<<<<<" not in repository.path.read_bytes()
    assert texts([whole]) >= texts(ends) - texts([base])
    assert {*whole.by_id} >= {*ends[0].by_id, *ends[1].by_id}
    told = (repository.folder / HISTORY).read_text("utf-8")
    assert all(text in told for text in texts([base, *ends]))
    for counter in ("helpful", "harmful", "neutral"):
        one, two, old, new = (sum(getattr(each, counter) for each in side.bullets) for side in (*ends, base, whole))
        assert new == one + two - old
    base_file = repository.git("show", "main:playbook.yaml").encode()
    back = merge_contents(base_file, files["theirs"][0], files["ours"][0])
    assert back.data == repository.path.read_bytes()
    base_history = repository.git("show", f"main:{HISTORY}").encode()
    assert merge_histories(base_history, files["theirs"][1], files["ours"][1]).playbook == whole


@pytest.mark.parametrize("target", ["main", "theirs"])
def test_the_same_on_both_branches_counts_twice(
    target: str, repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both branches tag a bullet once, from the command line: it counts 2, whichever is merged into the other."""
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    first, bullet = repository.playbook().revision, repository.playbook().bullets[0]
    files = {}
    for name in ("theirs", "main"):
        repository.git("checkout", "-q", *(["-b"] if name == "theirs" else []), name)
        assert main(["playbook", "tag", "playbook.yaml", bullet.id, "helpful"]) == 0
        repository.commit()
        files[name] = (repository.path.read_bytes(), (repository.folder / HISTORY).read_bytes())
    (other,) = {"main", "theirs"} - {target}
    base = repository.git("merge-base", "main", "theirs").strip()
    repository.git("checkout", "-q", target)
    repository.git("merge", "-q", "--no-edit", other)
    repository.check()
    merged = repository.playbook()
    assert merged.by_id[bullet.id].helpful == bullet.helpful + 2
    assert merged.revision == first + 3
    assert repository.git("status", "--short") == ""
    back = merge_contents(repository.git("show", f"{base}:playbook.yaml").encode(), files[other][0], files[target][0])
    assert back.data == repository.path.read_bytes()
    assert load(repository.path).stamp == load_history(repository.path).stamp
    assert main(["playbook", "tag", "playbook.yaml", bullet.id, "helpful"]) == 0
    repository.check()


def test_the_same_at_the_same_time_counts_once(repository: Repository) -> None:
    """Where both branches fix the same time, what they did is one thing; so is a commit that both took over."""
    bullet = repository.playbook().bullets[0]
    tag = ops.TagBullet(bullet_id=bullet.id, tag="helpful")
    repository.git("checkout", "-q", "-b", "theirs")
    repository.work(tag)
    repository.git("checkout", "-q", "main")
    repository.work(tag)
    repository.git("merge", "-q", "--no-edit", "theirs")
    repository.check()
    assert repository.playbook().by_id[bullet.id].helpful == bullet.helpful + 1


def test_merges_in_both_directions_are_one(repository: Repository) -> None:
    """Each branch merges the other at the same time: the merges have one stamp, and merging them changes nothing."""
    repository.git("checkout", "-q", "-b", "theirs")
    repository.work(ops.Add(section="general", content="Theirs is here."))
    repository.git("branch", "old")
    repository.git("checkout", "-q", "main")
    repository.work(ops.Add(section="general", content="Ours is here."))
    repository.git("checkout", "-q", "theirs")
    repository.git("merge", "-q", "--no-edit", "main")
    one = repository.path.read_bytes()
    repository.git("checkout", "-q", "main")
    repository.git("merge", "-q", "--no-edit", "old")
    assert repository.path.read_bytes() == one
    repository.git("merge", "-q", "--no-edit", "theirs")
    assert repository.path.read_bytes() == one
    repository.check()


def test_branches_that_made_the_same_file_count_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a common file, two equal playbooks are one: nobody knows that their counts are of two branches."""
    repository = Repository(tmp_path / "repository", monkeypatch)
    repository.commit()
    first = first_playbook(chance(1), 3)
    for name in ("ours", "theirs"):
        repository.git("checkout", "-q", "-b", name, "main")
        create(repository.path, first, time=f"2026-01-01T00:00:0{len(name)}Z")
        repository.commit()
    repository.git("merge", "-q", "--no-edit", "ours")
    repository.check()
    assert repository.playbook() == first


@exhaustive
def test_branches_that_merge_each_other_again_and_again(repository: Repository) -> None:
    """Criss-cross merges stay without conflicts; histories carry every event once, so they do not explode."""
    rng = chance(3)
    repository.git("branch", "other")
    for _ in range(2):
        for mine, theirs in (("main", "other"), ("other", "main")):
            repository.git("checkout", "-q", mine)
            repository.work(*[lambda playbook: operation(rng, playbook)] * 3)
            repository.git("checkout", "-q", theirs)
            repository.work(ops.Add(section="general", content=sentence(rng)))
            repository.git("merge", "-q", "--no-edit", mine)
            repository.check()
    events = load_history(repository.path).events
    carried = [str(each) for event in events for each in (event.branch if isinstance(event.branch, list) else ())]
    assert any(event.op == MERGED_BRANCH for event in events)
    assert len(carried) == len(set(carried)) < 200
    assert not any("'branch'" in each for each in carried)


def test_both_branches_add_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a common file everything of both is there."""
    repository = Repository(tmp_path / "repository", monkeypatch)
    repository.commit()
    ends = []
    for name in ("ours", "theirs"):
        repository.git("checkout", "-q", "-b", name, "main")
        create(repository.path, Playbook("p"), time="2026-01-01T00:00:00Z")
        rng = chance(len(name))
        ends.append(repository.work(*(ops.Add(section="general", content=sentence(rng)) for _ in range(3))))
    repository.git("merge", "-q", "--no-edit", "ours")
    repository.check()
    assert texts([repository.playbook()]) == texts(ends)


def test_what_cannot_be_read_is_a_conflict(repository: Repository, capfd: pytest.CaptureFixture[str]) -> None:
    """A branch whose file is damaged: git says conflict, our file is as it was, and the message names the line."""
    repository.git("checkout", "-q", "-b", "broken")
    repository.path.write_text(repository.path.read_text("utf-8").replace("helpful: 0", "helpful: many", 1), "utf-8")
    repository.commit()
    repository.git("checkout", "-q", "main")
    repository.work(ops.Add(section="general", content="Something new."))
    before = repository.path.read_bytes()
    repository.git("merge", "-q", "--no-edit", "broken", status=1)
    assert repository.path.read_bytes() == before
    assert repository.git("diff", "--name-only", "--diff-filter=U").split() == ["playbook.yaml"]
    broken = repository.folder / "theirs.yaml"
    broken.write_text(repository.git("show", "broken:playbook.yaml"), "utf-8")
    assert main(["playbook", "merge", "playbook.yaml", "playbook.yaml", str(broken), "playbook.yaml"]) == 1
    assert "playbook.yaml (theirs), line " in capfd.readouterr().err
    assert main(["playbook", "merge", "playbook.yaml", "playbook.yaml", "missing.yaml"]) == 2


def test_set_up_is_made_once(repository: Repository, capsys: pytest.CaptureFixture[str]) -> None:
    """A second set-up changes nothing; other lines of the file stay; `--print` writes nothing at all."""
    attributes = repository.folder / ".gitattributes"
    attributes.write_text("*.png binary", "utf-8")
    assert main(["playbook", "merge", "--setup", "--print"]) == 0
    assert "merge.acdl-playbook.driver" in capsys.readouterr().out
    assert attributes.read_text("utf-8") == "*.png binary"
    assert main(["playbook", "merge", "--setup", "--file", "my lessons.yaml"]) == 0
    text = attributes.read_text("utf-8")
    assert text.startswith("*.png binary\n*playbook.yaml text eol=lf merge=acdl-playbook\n")
    assert '"my lessons.history.jsonl" text eol=lf merge=acdl-playbook\n' in text
    assert main(["playbook", "merge", "--setup", "--file", "my lessons.yaml"]) == 0
    assert attributes.read_text("utf-8") == text
    assert repository.git("config", "merge.acdl-playbook.driver").endswith(" playbook merge -- %O %A %B %P\n")


def test_set_up_outside_of_a_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It says what to do."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    assert main(["playbook", "merge", "--setup"]) == 2
    assert "run this in a repository, or with --global" in capsys.readouterr().err


def test_comments_of_both_branches_stay(repository: Repository) -> None:
    """Comments above the same bullet are both kept; one that would be lost is refused."""
    text = repository.path.read_text("utf-8")
    first, rest = text.split("- id: ", 1)
    ours, theirs = (f"{first}{note}\n- id: {rest}".encode() for note in ("# one", "# two"))
    merged = merge_contents(text.encode(), ours, theirs)
    assert merged.data is not None
    assert "# one\n# two\n- id: " in merged.data.decode()
    stray = text.replace("helpful: 0", "helpful: 0  # why", 1).encode()
    refused = merge_contents(text.encode(), stray, theirs)
    assert refused.data is None
    assert "the comment would be lost; move it to its own line" in refused.problems[0]
    broken = merge_contents(text.encode(), text.replace("content: ", "content: *all* ", 1).encode(), theirs)
    assert broken.problems[0].endswith("a value cannot begin with `*`; put it in quotes")


def test_a_merged_history_tells_both_branches(repository: Repository) -> None:
    """Ours goes on unchanged; the events of the other branch are in the merge as they were written."""
    history = repository.folder / HISTORY
    base = history.read_bytes()
    repository.git("checkout", "-q", "-b", "theirs")
    repository.work(ops.Add(section="general", content="Theirs is here."))
    theirs = history.read_bytes()
    repository.git("checkout", "-q", "main")
    repository.work(ops.Add(section="general", content="Ours is here."))
    ours = history.read_bytes()
    merged = merge_histories(base, ours, theirs)
    assert merged.data is not None
    assert merged.data.startswith(ours)
    read = read_history(merged.data)
    assert not read.damage
    assert state_at(read.events) == merged.playbook
    (event,) = [event for event in read.events if event.branch]
    assert isinstance(event.branch, list)
    (told,) = event.branch
    assert isinstance(told, dict)
    assert told["after"] == read_history(theirs).events[-1].after


def test_a_damaged_history_is_a_conflict(repository: Repository) -> None:
    """Nothing is made of a history that nobody can trust; the message names the line."""
    data = (repository.folder / HISTORY).read_bytes()
    broken = data.replace(b'"General"', b'"Generals"', 1)
    merged = merge_histories(data, data, broken)
    assert merged.data is None
    assert merged.problems[0].startswith("their history, line ")


def test_a_history_that_began_after_the_branches_parted(repository: Repository) -> None:
    """The file was there before, without a history: what it had counts once."""
    playbook = repository.playbook()
    (repository.folder / HISTORY).unlink()
    repository.git("rm", "-q", "--cached", HISTORY)
    repository.commit()
    tag = ops.TagBullet(bullet_id=playbook.bullets[0].id, tag="helpful")
    repository.git("checkout", "-q", "-b", "theirs")
    repository.work(tag, tag)
    repository.git("checkout", "-q", "main")
    repository.work(tag)
    repository.git("merge", "-q", "--no-edit", "theirs")
    repository.check()
    assert repository.playbook().bullets[0].helpful == 3
