"""`acdl-diff` blocks: what they name, what they show, what is wrong with them, what is kept between builds."""

import re
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.frontends.cli.main import main
from acdl_mkdocs.frontends.docs.block_kinds import draw_block, fence_problems
from acdl_mkdocs.frontends.docs.blocks.diff_block import plain
from acdl_mkdocs.frontends.docs.blocks.diff_options import DIFF_OPTIONS
from acdl_mkdocs.frontends.docs.page import Page
from acdl_mkdocs.frontends.docs.settings import Settings
from acdl_mkdocs.workspace.cache import open_page_cache
from acdl_mkdocs.workspace.fences import fences_of
from acdl_mkdocs.workspace.read_block import BlockText

OLD = "Chat[@T]: {\n    U: env.question[@T]\n}\n"
NEW = "Chat[@T]: {\n    S: BE_KIND\n    U: env.question[@T]\n}\n"
TWO = "One[@T]: { U: env.question[@T] }\n\nTwo[@T]: { U: env.query[@T] }\n"
STATE = "acdl_state: 1\nat: 1\nsteps: {1: {env: {question: Hi, query: Hi}}}\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder with specs."""
    (tmp_path / "specs").mkdir()
    for name, text in (("old", OLD), ("new", NEW), ("two", TWO)):
        (tmp_path / "specs" / f"{name}.acdl").write_text(text, "utf-8")
    return tmp_path


def page_of(text: str, root: Path, log: list[str] | None = None) -> Page:
    """A page of a project."""
    told: list[str] = [] if log is None else log
    return Page(name="a.md", text=text, root=root, report=lambda _, line: told.append(line))


def drawn(text: str, root: Path) -> tuple[list[str], list[str]]:
    """The blocks of a page as HTML, and what the page was told."""
    log: list[str] = []
    page = page_of(text, root, log)
    return [draw_block(fence, page).html for fence in fences_of(text)], log


def verdict(html: str) -> str:
    """The sentence above a figure."""
    found = re.search(r'<p class="acdl-verdict[^>]*>(.*?)</p>', html)
    return re.sub("<[^>]*>", "", found[1]) if found else ""


def git(folder: Path, *words: str) -> str:
    """Run git there as somebody."""
    who = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    return subprocess.run(("git", *who, *words), cwd=folder, check=True, capture_output=True, text=True).stdout.strip()


@pytest.mark.parametrize(
    ("block", "said"),
    [
        ("```acdl-diff old=specs/old.acdl new=specs/new.acdl\n```", "The messages can differ: 1 change from Chat"),
        (
            "```acdl-diff old=specs/two.acdl#One new=specs/two.acdl#Two\n```",
            "The messages can differ: 1 change from One to Two.",
        ),
        ("```acdl-diff\nold: specs/old.acdl\nnew: specs/new.acdl\n```", "The messages can differ: 1 change"),
        ("```{acdl-diff}\n:old: specs/old.acdl\n:new: specs/new.acdl\n```", "The messages can differ: 1 change"),
        (f"```acdl-diff old=specs/new.acdl\n{OLD}```", "The messages can differ: 1 change"),
        (f"```acdl-diff\n{OLD}---\n{NEW}```", "The messages can differ: 1 change from old to new."),
        (f"```acdl-diff\n{OLD}\n-----\n\n{OLD.replace('    ', ' ')}```", "No difference: old and new are equivalent."),
        (
            f"```acdl-diff\n{OLD}---\n{OLD.replace('T', 'T').replace('Chat', 'Talk')}```",
            "No difference: old and new are equivalent.",
        ),
    ],
    ids=["files", "definitions", "options below", "directive", "one named", "texts", "spacing", "renamed"],
)
def test_what_is_compared(block: str, said: str, project: Path) -> None:
    """Files, definitions of files and texts of the block; names of specs that stand for each other do not count."""
    (html,), log = drawn(f"{block}\n", project)
    assert log == []
    assert verdict(html).startswith(said.replace(" from Chat", ""))


def test_specs_of_the_page(project: Path) -> None:
    """A name is a spec of the page, and the sentence leads to its figure."""
    text = f"```acdl\n{OLD}```\n\n```acdl\n{NEW.replace('Chat', 'Kind')}```\n\n```acdl-diff old=Chat new=Kind\n```\n"
    log: list[str] = []
    page = page_of(text, project, log)
    page.expect_fences(fence for fence in fences_of(text) if fence.language == "acdl")
    html = [draw_block(fence, page).html for fence in fences_of(text)][-1]
    assert log == []
    assert verdict(html) == "The messages can differ: 1 change from Chat to Kind."
    assert '<a href="#Chat">Chat</a>' in html
    assert '<a href="#Kind">Kind</a>' in html


def test_every_edit_of_a_statement_leads_to_its_place(project: Path) -> None:
    """A statement with two edits is drawn once; both lead there."""
    one = "C[@T]: {\n    ForEach(t: range(1, @T)) { U: env.q[@t] }\n}\n"
    two = "C[@T]: {\n    ForEach(i: range(2, @T)) { U: env.q[@i] }\n}\n"
    (html,), _ = drawn(f"```acdl-diff\n{one}---\n{two}```\n", project)
    kinds = re.findall(r'<span class="acdl-edit-kind">(<a href="#([^"]+)">)?', html)
    assert len(kinds) == 2
    assert all(f' id="{target}"' in html for _, target in kinds)


def test_what_is_shown(project: Path) -> None:
    """One figure, two, text, or all of them; every edit leads to its place in a drawing."""
    shown = {}
    for show in ("unified", "side-by-side", "text", "all"):
        (html,), log = drawn(f"```acdl-diff old=specs/old.acdl new=specs/new.acdl show={show}\n```\n", project)
        assert log == []
        shown[show] = html
        targets = re.findall(r'<span class="acdl-edit-kind"><a href="#([^"]+)">', html)
        assert [f' id="{each}"' in html for each in targets] == ([True] if show != "text" else [])
        assert not re.search(r"\sstyle=|<script|\son\w+=", html)
        ids = re.findall(r'\sid="([^"]+)"', html)
        assert len(ids) == len(set(ids))
    assert [html.count("<svg") for html in shown.values()] == [1, 2, 0, 3]
    assert [html.count('<pre class="acdl-text"') for html in shown.values()] == [1, 1, 1, 1]


def test_title_caption_and_id(project: Path) -> None:
    """They are escaped; an id that is taken is told."""
    text = (
        '```acdl-diff old=specs/old.acdl new=specs/new.acdl title="<b>" caption="A & B" #mine .wide\n```\n\n'
        "```acdl-diff old=specs/old.acdl new=specs/new.acdl #mine\n```\n"
    )
    (first, second), log = drawn(text, project)
    assert '<figure class="acdl acdl-diff wide" id="mine">' in first
    assert '<div class="acdl-title">&lt;b&gt;</div>' in first
    assert "<figcaption>A &amp; B</figcaption>" in first
    assert 'id="mine-2"' in second
    assert [line.partition("; ")[0] for line in log] == [
        "a.md:4:52: warning[repeated-id]: another block of this page has the id `mine`"
    ]


@pytest.mark.parametrize(
    ("block", "told"),
    [
        ("```acdl-diff\n```", ["1:1: error[missing-side]: there is nothing to compare; name two specs"]),
        ("```acdl-diff old=specs/old.acdl\n```", ["1:1: error[missing-side]: there is nothing to compare `specs/old"]),
        (f"```acdl-diff\n{OLD}```", ["1:1: error[missing-side]: there is only one text to compare; put both"]),
        (
            "```acdl-diff old=specs/old.acdl new=specs/odl.acdl\n```",
            ["1:37: error[missing-src]: the file `specs/odl.acdl` does not exist; did you mean `specs/old.acdl`?"],
        ),
        (
            "> ```acdl-diff\n> old: specs/two.acdl#On\n> new: specs/two.acdl\n> ```",
            ["2:8: error[unknown-spec]: there is no spec named `On`; did you mean `One`?"],
        ),
        (
            "```acdl-diff old=Nobody new=specs/old.acdl\n```",
            ["1:18: error[unknown-spec]: there is no spec named `Nobody`; name a spec of this site"],
        ),
        (
            "```acdl-diff old=../x.acdl new=specs/old.acdl\n```",
            ["1:18: error[src-outside-project]: the file `../x.acdl` lies outside the project"],
        ),
        (
            "```acdl-diff old=HEAD:../x.acdl new=specs/old.acdl\n```",
            ["1:18: error[src-outside-project]: the file `../x.acdl` lies outside the project"],
        ),
        (
            "```acdl-diff old=specs/old.acdl new=specs/old.acdl\n```",
            ["1:37: warning[same-sides]: `specs/old.acdl` is compared with itself; name another spec"],
        ),
        (
            f"```acdl-diff old=specs/old.acdl new=specs/new.acdl\n{OLD}```",
            ["1:1: warning[src-and-text]: the block names both sides and also has text"],
        ),
        (
            "```acdl-diff\nA[@T]: { U: x }\n---\nA[@T]: { U: x }\nB[@T]: { U: {\n```",
            ["5:", "error[unbalanced-block]"],
        ),
        (
            "```acdl-diff stat=a new=specs/old.acdl\n```",
            ["1:14: error[unknown-option]", "did you mean `state`?", "missing-side"],
        ),
        (
            "```acdl-diff old=specs/old.acdl new=specs/new.acdl state=specs/no.yaml\n```",
            ["missing-src", "`specs/no.yaml`"],
        ),
        (
            "```acdl-diff\nolt: specs/old.acdl\nnew: specs/new.acdl\n```",
            ["2:1: error[unknown-option]: a difference has no option `olt`; the options are `old`, `new`, `show`"],
        ),
        (
            "```acdl-diff\nolt: specs/old.acdl\n```",
            ["2:1: error[unknown-option]: a difference has no option `olt`; the options are `old`", "missing-side"],
        ),
        (
            "```acdl-diff\nstat: s.yaml\n```",
            ["2:1: error[unknown-option]: a difference has no option `stat`; did you mean `state`?", "missing-side"],
        ),
        (
            "```acdl-diff old=specs/old.acdl new=specs/new.acdl at=2\n```",
            ["1:55: warning[idle-option]: `at` does nothing without `state`; give `state` too, or remove `at`"],
        ),
        (
            f"```acdl-diff\n{OLD}---\n{NEW}---\n{OLD}```",
            ["1:1: warning[src-and-text]: the block has a text too many; remove the last line `---` and what"],
        ),
        (
            '```acdl-diff old="HEAD:#x" new=specs/old.acdl\n```',
            ["1:18: error[unknown-revision]: no file of the revision `HEAD` is named; write its path behind the colon"],
        ),
        (
            "```acdl-diff old='C:\\x\\a.acdl' new=specs/old.acdl\n```",
            ["1:18: error[missing-src]: the file `C:\\x\\a.acdl` does not exist"],
        ),
    ],
)
def test_problems(block: str, told: list[str], project: Path) -> None:
    """Each has its place and a cure, in the log and in the page; the page is never lost."""
    (html,), log = drawn(f"{block}\n", project)
    said = "\n".join(log)
    for each in told:
        assert each in said, said
    assert html.startswith('<figure class="acdl acdl-diff"')
    assert ('class="acdl-problem' in html) == ("error[" in said)
    page = page_of(f"{block}\n", project)
    checked = [each.rule for fence in fences_of(f"{block}\n") for each, _ in fence_problems(fence, page)]
    assert checked == re.findall(r"\[([a-z-]+)\]: ", said)


def test_revisions(project: Path) -> None:
    """What git has is compared with what is there; the log of the repository is watched."""
    git(project, "init", "-q")
    git(project, "add", ".")
    git(project, "commit", "-qm", "one")
    (project / "specs" / "old.acdl").write_text(NEW, "utf-8")
    text = "```acdl-diff old=HEAD:specs/old.acdl#Chat new=specs/old.acdl#Chat\n```\n"
    log: list[str] = []
    page = page_of(text, project, log)
    html = draw_block(next(iter(fences_of(text))), page).html
    assert log == []
    assert verdict(html) == "The messages can differ: 1 change from Chat at HEAD to Chat."
    assert {path.name for path in page.files} == {"old.acdl", "HEAD", "master"}
    for asked, told in (
        ("nowhere:specs/old.acdl", "no revision `nowhere` in this repository; `git log --oneline` lists them"),
        ("HEAD:specs/none.acdl", "`HEAD` has no file `specs/none.acdl`; `git ls-tree"),
    ):
        _, log = drawn(f"```acdl-diff old={asked} new=specs/old.acdl\n```\n", project)
        assert len(log) == 1
        assert f"a.md:1:18: error[unknown-revision]: {told}" in log[0]


def test_what_tells_that_a_branch_moved(project: Path) -> None:
    """A branch is watched by its own file, also where it was packed and no log is kept; links in git are followed."""
    git(project, "init", "-q", "-b", "trunk")
    (project / "specs" / "link.acdl").symlink_to("old.acdl")
    git(project, "add", ".")
    git(project, "commit", "-qm", "one")
    git(project, "branch", "main")
    text = "```acdl-diff old=main:specs/link.acdl new=specs/new.acdl\n```\n"
    page = page_of(text, project)
    assert verdict(draw_block(next(iter(fences_of(text))), page).html).startswith(
        "The messages can differ: 1 change from"
    )
    watched = {path.relative_to(project).as_posix() for path in page.files if ".git" in path.parts}
    assert {".git/refs/heads/main", ".git/logs/refs/heads/main", ".git/HEAD"} <= watched
    git(project, "pack-refs", "--all")
    (project / ".git/logs/refs/heads/main").unlink()
    page = page_of(text, project)
    draw_block(next(iter(fences_of(text))), page)
    watched = {path.relative_to(project).as_posix() for path in page.files if ".git" in path.parts}
    assert {".git/refs/heads/main", ".git/packed-refs"} <= watched


def test_ids_of_several_blocks(project: Path) -> None:
    """No id stands twice on a page, and edits lead into their own block, whatever others are called."""
    one = "```acdl-diff show=all old=specs/old.acdl new=specs/new.acdl\n```\n\n"
    named = one.replace("show=all", "id=acdl-diff-new")
    (html, *others), log = drawn(named + one * 3, project)
    assert log == []
    ids = re.findall(r' id="([^"]*)"', "".join((html, *others)))
    assert len(ids) == len(set(ids))
    for each in (html, *others):
        leads = re.findall(r'<span class="acdl-edit-kind"><a href="#([^"]*)"', each)
        assert leads
        assert all(f' id="{anchor}"' in each for anchor in leads)


def test_options_below_are_quoted_as_written(project: Path) -> None:
    """The panel shows the lines of the block; a spec that is called like an option is no option."""
    (html,), log = drawn("```acdl-diff\nold: specs/old.acdl\n  nwe: 'specs/new.acdl'\n```\n", project)
    assert log[0].startswith("a.md:3:3: error[unknown-option]: a difference has no option `nwe`; the options")
    assert "nwe: &#x27;specs/new.acdl&#x27;" in html
    (html,), log = drawn("```acdl-diff\nnew: { U: env.question }\n---\nnew: { U: env.query }\n```\n", project)
    assert "unknown-option" not in "".join(log)
    assert verdict(html).startswith("The messages can differ: 1 change from old to new")


def test_two_texts_of_one_name(project: Path) -> None:
    """Where the site has two specs of a name that differ, it is said that the first is compared."""
    text = "```acdl-diff old=One new=specs/old.acdl\n```\n"
    for words, n_told in ((TWO, 0), (TWO.replace("env.query", "env.words"), 0), (TWO.replace("question", "words"), 1)):
        log: list[str] = []
        page = page_of(text, project, log)
        page.catalog.add_text(BlockText(Source(TWO, "b.md")), "#One")
        page.catalog.add_text(BlockText(Source(words, "c.md")), "#One-2")
        draw_block(next(iter(fences_of(text))), page)
        assert len(log) == n_told, log
    assert log[0].startswith(
        "a.md:1:18: warning[ambiguous-side]: several texts define `One`, and the first is compared"
    )


def test_shallow_clone(project: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """A clone without the commit says how to get it."""
    git(project, "init", "-q")
    git(project, "add", ".")
    git(project, "commit", "-qm", "one")
    git(project, "commit", "-q", "--allow-empty", "-m", "two")
    clone = tmp_path_factory.mktemp("clone") / "it"
    git(project, "clone", "-q", "--depth", "1", project.as_uri(), str(clone))
    _, log = drawn("```acdl-diff old=HEAD~1:specs/old.acdl new=specs/new.acdl\n```\n", clone)
    assert "`fetch-depth: 0` of `actions/checkout`" in log[0]


def test_no_repository(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a repository, or without git, the page says so."""
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(project.parent))
    text = "```acdl-diff old=HEAD:specs/old.acdl new=specs/new.acdl\n```\n"
    assert "error[unknown-revision]: not a git repository" in drawn(text, project)[1][0]
    monkeypatch.setenv("PATH", str(project))
    assert "error[unknown-revision]: git is not installed" in drawn(text, project)[1][0]


def test_state(project: Path) -> None:
    """With a state, what is sent is compared at its points, and the verdict says what came of it."""
    (project / "s.yaml").write_text(STATE, "utf-8")
    block = '```acdl-diff old=specs/two.acdl#One new=specs/two.acdl#Two state="s.yaml"\n```\n'
    (html,), log = drawn(block, project)
    assert log == []
    assert verdict(html).startswith("The messages are the same at all points tested: 1 change from One to Two")
    assert "the messages are the same at the only point tested" in html
    assert '<table class="acdl-points">' in html  # without one, Material puts it into a box that no keyboard scrolls
    (text,), _ = drawn(block.replace("state=", "show=text state="), project)
    assert text.count("the messages are the same at the only point tested") == 1, "the table says it, the text need not"
    (html,), _ = drawn(
        block.replace("#Two", "#One")
        .replace("old=specs/two.acdl", "old=specs/new.acdl")
        .replace("new.acdl#One", "new.acdl#Chat"),
        project,
    )
    assert verdict(html).startswith("The messages differ")
    assert '<th scope="row">@1</th><td>≠ differs</td>' in html
    _, log = drawn(block.replace('"s.yaml"', '"s.yaml" at=x'), project)
    assert "a.md:1:" in log[0]
    assert "error[state-file]" in log[0]


def test_cache(project: Path) -> None:
    """A block is drawn again when a text or an option has changed, and only then."""
    text = "```acdl-diff old=specs/old.acdl new=specs/new.acdl\n```\n"

    def build(words: str = text) -> tuple[str, bool]:
        page = replace(page_of(words, project), cache=open_page_cache(project / ".cache", "a.md"))
        assert page.cache is not None
        known = set(page.cache.old_entries)
        html = draw_block(next(iter(fences_of(words))), page).html
        is_new = not set(page.cache.entries) <= known
        page.cache.save_file()
        return html, is_new

    first = build()
    assert first[1]
    assert build() == (first[0], False)
    assert build(text.replace("new.acdl\n", "new.acdl show=text\n"))[1]
    (project / "specs" / "new.acdl").write_text(NEW.replace("BE_KIND", "BE_BRIEF"), "utf-8")
    changed = build()
    assert changed[1]
    assert "BE_BRIEF" in changed[0]


def test_repository_links(project: Path) -> None:
    """Places lead to the lines of the repository where its address is known; those of a text in git do not."""
    text = "```acdl-diff old=specs/old.acdl new=specs/new.acdl\n```\n"
    page = replace(page_of(text, project), settings=Settings(source_url="https://example.org/x"))
    html = draw_block(next(iter(fences_of(text))), page).html
    assert '<a href="https://example.org/x/specs/new.acdl#L2">line 2</a>' in html


def test_plain(project: Path) -> None:
    """Whoever cannot show a drawing gets words."""
    text = '```acdl-diff old=specs/old.acdl new=specs/new.acdl title="Kinder"\n```\n'
    (fence,) = fences_of(text)
    said = plain(fence, page_of(text, project))
    assert said.startswith("Kinder\nThe messages can differ: 1 change from specs/old.acdl to specs/new.acdl.\n")
    assert "+ 2:5  S: BE_KIND" in said
    (broken,) = fences_of("```acdl-diff old=specs/no.acdl\n```\n")
    assert plain(broken, page_of("", project)) == ""


def test_check_and_format(project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """`acdl check` has the problems at their lines and knows specs of the project; `acdl format` changes nothing."""
    monkeypatch.chdir(project)
    (project / "acdl.toml").touch()
    named = "".join(f"```acdl-diff old={name} new=Two\n```\n\n" for name in ("One", "Onne"))
    text = f"# A\n\n{named}```acdl-diff\n{TWO}---\n{NEW}```\n"
    (project / "a.md").write_text(text, "utf-8")
    assert main(["check", "a.md"]) == 1
    shown = capsys.readouterr().out
    assert shown.count("error[") == 1
    assert "error[unknown-spec]: there is no spec named `Onne`" in shown
    assert "a.md:6:18" in shown
    assert main(["format", "a.md"]) == 0
    assert (project / "a.md").read_text("utf-8") == text


def test_every_option_is_a_field() -> None:
    """The table of options says each of them."""
    assert set(DIFF_OPTIONS) >= {"old", "new", "show", "state", "at", "title", "caption", "id"}
