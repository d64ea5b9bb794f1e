"""`acdl-diff` and `acdl-variants` where the texts use other files: what differs there counts, also in git revisions."""

import re
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.frontends.docs.block_kinds import draw_block
from acdl_mkdocs.frontends.docs.page import Page
from acdl_mkdocs.workspace.cache import open_page_cache
from acdl_mkdocs.workspace.fences import fences_of
from acdl_mkdocs.workspace.read_block import BlockText

SPEC = "// acdl: use common.acdl\nChat[@T]: {\n    S: Frag Rules\n    U: env.question[@T]\n}\n"
STATE = "acdl_state: 1\nat: 1\nsteps: {1: {env: {question: Hi}}}\n"
DIFF = "```acdl-diff old=v1/a.acdl new=v2/a.acdl\n```\n"


def rules(word: str) -> str:
    """A file with a fragment."""
    return f"StrFrag Rules: {{ {word} }}\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Two versions of a spec that say the same and use files that do not."""
    for folder, word in (("v1", "RULE_ONE"), ("v2", "RULE_TWO")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a.acdl").write_text(SPEC, "utf-8")
        (tmp_path / folder / "common.acdl").write_text(rules(word), "utf-8")
    (tmp_path / "s.yaml").write_text(STATE, "utf-8")
    return tmp_path


def built(text: str, root: Path, *, is_kept: bool = False) -> tuple[str, list[str], set[str]]:
    """A page with a block: HTML, what it was told, the files that it depends on."""
    log: list[str] = []
    page = Page(name="a.md", text=text, root=root, report=lambda _, line: log.append(line))
    if is_kept:
        page = replace(page, cache=open_page_cache(root / ".cache", "a.md"))
    html = draw_block(fences_of(text)[0], page).html
    if page.cache is not None:
        page.cache.save_file()
    return html, log, {path.relative_to(root.resolve()).as_posix() for path in page.files if path.is_relative_to(root)}


def verdict(html: str) -> str:
    """The sentence above a figure."""
    found = re.search(r'<p class="acdl-verdict[^>]*>(.*?)</p>', html)
    return re.sub("<[^>]*>", "", found[1]) if found else ""


def git(folder: Path, *words: str) -> None:
    """Run git there as somebody."""
    who = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(("git", *who, *words), cwd=folder, check=True, capture_output=True)


def test_equal_texts_with_other_fragments_differ(project: Path) -> None:
    """Specs that say the same are not called the same where what they use is not; they are once it is."""
    html, log, files = built(DIFF, project)
    assert log == []
    assert verdict(html).startswith("The messages can differ: 1 change")
    assert {"v1/common.acdl", "v2/common.acdl"} <= files
    (project / "v2" / "common.acdl").write_text(rules("RULE_ONE"), "utf-8")
    assert verdict(built(DIFF, project)[0]) == "No difference: v1/a.acdl and v2/a.acdl are equivalent."


def test_files_used_by_used_files_count(project: Path) -> None:
    """A fragment two files away is compared too."""
    for folder, word in (("v1", "ONE"), ("v2", "TWO")):
        text = "// acdl: use base.acdl\nStrFrag Rules: { Frag Base }\n"
        (project / folder / "common.acdl").write_text(text, "utf-8")
        (project / folder / "base.acdl").write_text(f"StrFrag Base: {{ {word} }}\n", "utf-8")
    html, _, files = built(DIFF, project)
    assert verdict(html).startswith("The messages can differ")
    assert "v2/base.acdl" in files


def test_variants_with_other_fragments_differ(project: Path) -> None:
    """The same between columns; files with one spec are called by it, unless two would be called alike."""
    body = "~~~ acdl-variants\nspecs: [v1/a.acdl, v2/a.acdl]\nbase: v1/a.acdl\n~~~\n"
    html, log, files = built(body, project)
    assert log == []
    assert re.findall(r'<p class="acdl-column-said">([^<]*)</p>', html) == [
        "the others are marked against it",
        "1 change: the messages can differ",
    ]
    assert {"v1/common.acdl", "v2/common.acdl"} <= files
    (project / "v2" / "a.acdl").write_text(SPEC.replace("Chat", "Talk"), "utf-8")
    html, log, _ = built(body.replace("base: v1/a.acdl", "base: Chat"), project)
    assert log == []
    assert re.findall(r'role="group" aria-label="([^"]*)"><div class="acdl-column-head', html) == ["Chat", "Talk"]


@pytest.mark.parametrize("block", [DIFF, DIFF.replace("v2/a.acdl\n", "v2/a.acdl state=s.yaml\n")])
def test_cached_until_a_used_file_changes(block: str, project: Path) -> None:
    """What is kept between builds knows what the used files say."""
    first, _, _ = built(block, project, is_kept=True)
    assert built(block, project, is_kept=True)[0] == first
    (project / "v2" / "common.acdl").write_text(rules("RULE_ONE"), "utf-8")
    again, _, _ = built(block, project, is_kept=True)
    assert verdict(again).startswith("No difference")
    assert "≠ differs" not in again


def test_missing_used_file_is_told(project: Path) -> None:
    """A file that is not there has its place, and is watched."""
    (project / "v2" / "common.acdl").unlink()
    html, log, files = built(DIFF, project)
    assert any(each.startswith("v2/a.acdl:1:14: error[missing-src]: the file `common.acdl` does not") for each in log)
    assert not verdict(html).startswith("No difference")
    assert "v2/common.acdl" in files


def test_revision_uses_files_of_its_time(project: Path) -> None:
    """A side in git takes fragments from files of that revision, with and without a state."""
    git(project, "init", "-q")
    git(project, "add", ".")
    git(project, "commit", "-qm", "one")
    block = "```acdl-diff old=HEAD:v1/a.acdl new=v1/a.acdl state=s.yaml show=text\n```\n"
    html, log, _ = built(block, project)
    assert log == []
    assert verdict(html) == "No difference: v1/a.acdl at HEAD and v1/a.acdl are equivalent."
    (project / "v1" / "common.acdl").write_text(rules("RULE_NEW"), "utf-8")
    html, log, _ = built(block, project)
    assert log == []
    assert verdict(html).startswith("The messages differ")
    assert "<td>≠ differs</td>" in html
    git(project, "rm", "-q", "--cached", "v1/common.acdl")
    git(project, "commit", "-qm", "two")
    _, log, _ = built(block, project)
    assert any("error[unreadable-src]: the file `common.acdl` is not in `HEAD`" in each for each in log), log


def test_fragments_of_the_site_in_a_revision(project: Path) -> None:
    """Those of files are read from the revision; those of pages cannot be, which is told."""
    (project / "lone.acdl").write_text(SPEC.partition("\n")[2], "utf-8")
    git(project, "init", "-q")
    git(project, "add", ".")
    git(project, "commit", "-qm", "one")
    (project / "v1" / "common.acdl").write_text(rules("RULE_NEW"), "utf-8")
    block = "```acdl-diff old=HEAD:lone.acdl new=lone.acdl\n```\n"

    def said(name: str) -> tuple[str, list[str]]:
        log: list[str] = []
        page = Page(name="a.md", text=block, root=project, report=lambda _, line: log.append(line))
        page.catalog.add_text(BlockText(Source(rules("RULE_NEW"), name)), "#Rules")
        return verdict(draw_block(fences_of(block)[0], page).html), log

    assert said("v1/common.acdl")[0].startswith("The messages can differ")
    about, log = said("docs/page.md")
    assert about.startswith("The messages can differ: lone.acdl at HEAD and lone.acdl use fragments of pages, of which")
    assert log[0].startswith("HEAD:lone.acdl:1:1: warning[newer-fragments]: fragments of `docs/page.md` are taken as")
