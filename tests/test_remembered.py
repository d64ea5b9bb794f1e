"""What is kept between the builds of a preview, and for how long."""

from pathlib import Path

from exhaustive import exhaustive
from integrations.mkdocs_site import Site

from acdl_mkdocs.workspace.cache import digest_of
from acdl_mkdocs.workspace.fences import _fences_of
from acdl_mkdocs.workspace.parts import specs_in
from acdl_mkdocs.workspace.remembered import begin_build, cache_across_builds
from acdl_mkdocs.workspace.used_files import find_mentioned_names, find_used_names, list_definitions


def test_kept_while_it_is_asked_for() -> None:
    """A result is made once as long as builds ask for it; of the others there are never more than a few builds'."""
    made: list[int] = []

    @cache_across_builds(1000)
    def double(number: int) -> int:
        made.append(number)
        return 2 * number

    for build in range(100):
        begin_build()
        assert (double(-1), double(build)) == (-2, 2 * build)
        assert double.count_kept() <= 19
    assert made == [-1, *range(100)]


def test_most() -> None:
    """Without builds, as in an editor, the results that were not asked for the longest make room."""
    made: list[str] = []

    @cache_across_builds(2)
    def upper(word: str) -> str:
        made.append(word)
        return word.upper()

    assert [upper(word) for word in "abacab"] == list("ABACAB")
    assert made == ["a", "b", "c", "b"]
    upper.cache_clear()
    assert upper.count_kept() == 0


@exhaustive
def test_a_preview_forgets_old_texts(tmp_path: Path) -> None:
    """A page that is edited all day leaves no more of its old texts than a few."""
    site = Site(tmp_path, specs=[])
    keepers = (_fences_of, specs_in, find_used_names, list_definitions, find_mentioned_names, digest_of)
    for each in keepers:
        each.cache_clear()
    for number in range(80):
        site.write("docs/index.md", f"# Home\n\n```acdl\nChat[@T]: {{ U: env.q{number}[@T] }}\n```\n")
        site.build()
    assert max(each.count_kept() for each in keepers) <= 40
