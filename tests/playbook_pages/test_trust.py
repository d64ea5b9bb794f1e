"""What a page tells somebody who has to trust a playbook: revisions, differences, news, origins and open decisions."""

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import product

import pytest

from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.playbook.model.bullets import Bullet, Pair, Playbook, Provenance
from acdl_mkdocs.playbook.model.near_pairs import digest_of
from acdl_mkdocs.playbook.pages.block import PlaybookOptions, render_playbook
from acdl_mkdocs.playbook.pages.changes import compare_revisions, revisions_json
from acdl_mkdocs.playbook.pages.news import find_news
from acdl_mkdocs.playbook.pages.page import Site, playbook_pages
from acdl_mkdocs.playbook.pages.published import Published, publish_playbook
from acdl_mkdocs.playbook.pages.sections import MOST_PAIRS
from acdl_mkdocs.playbook.pages.view import Surroundings, changed_in, facets_of, values_of
from acdl_mkdocs.playbook.store.history import Event, data_of
from acdl_mkdocs.playbook.store.look import Difference, diff_playbooks
from acdl_mkdocs.prompts.prompt import Json
from playbook_pages.books import book, bullet, event, history, random_history, shown

NEAR = (
    "Retry a failed request after 5 seconds, at most three times.",
    "Retry a failed request after 50 seconds, at most three times.",
)
N_LARGE, N_REVISIONS = 250, 50
LARGEST_DATA = 100_000
LAST_WEEK = "2026-11-{:02}T08:00:00Z"


def index(found: Published, site: Site | None = None) -> str:
    """The page of a playbook."""
    return playbook_pages(found, site)[0].markdown


def said(found: Sequence[Difference]) -> list[tuple[object, ...]]:
    """Differences without where bullets come from, which pages do not compare."""
    kept = [(each.group, each.kind, each.id, tuple(sorted({*each.fields} - {"source"}))) for each in found]
    return [each for each in kept if each[3] or each[0] != "counters"]


@pytest.mark.parametrize("seed", range(6))
def test_head_and_changes_agree(seed: int) -> None:
    """The revision in the head is the newest of the changes, which have each revision once, whatever is hidden."""
    books, events = random_history(seed, 60)
    for end in (*range(1, 60, 7), 60):
        found = publish_playbook(books[end], [each for each in events if each.revision <= end])
        first, *others = playbook_pages(found)
        anchors = [int(each) for page in others for each in re.findall(r'id="r(\d+)"', page.markdown)]
        assert anchors == list(range(end, -1, -1))
        assert f'<dt>Revision</dt><dd><a href="changes/#r{end}">{end}</a>' in first.markdown
        assert found.gap == ""
        hidden = [each for each in books[end].bullets if not each.publish]
        pages = "".join(page.markdown for page in (first, *others))
        assert [each.id for each in hidden if each.id in pages or each.content in pages] == []


def test_gap_is_said() -> None:
    """A file that has what its history does not have says so, in the head and above the changes."""
    books, events = random_history(1, 20)
    edited = replace(books[-1], name="renamed")
    cases = {
        "The file was edited after revision 20; the next change makes these edits a revision.": (edited, events),
        "The file is at revision 20, and its history ends with revision 12.": (
            books[-1],
            [each for each in events if each.revision <= 12],
        ),
        "The file is at revision 9, and its history ends with revision 20.": (books[9], events),
    }
    for words, (playbook, had) in cases.items():
        first, changes = playbook_pages(publish_playbook(playbook, had))
        assert f"revisions<br>{words}</dd>" in first.markdown
        assert f'<p class="acdl-book-gap">{words}</p>' in changes.markdown


def test_comparison() -> None:
    """Any two revisions, in either order, differ on a page as `acdl playbook diff` says."""
    books, events = random_history(3, 30, can_hide=False)
    found = publish_playbook(books[-1], events)
    for one, two in product(range(0, 31, 3), repeat=2):
        assert said(compare_revisions(found, one, two)) == said(diff_playbooks(books[one], books[two])), (one, two)
    assert compare_revisions(found, 7, 7) == []


def test_comparison_hides() -> None:
    """The data of the comparison has no word and no id of a bullet that is not published, whenever that was."""
    for seed in range(6):
        books, events = random_history(seed, 60)
        data = revisions_json(publish_playbook(books[-1], events))
        hidden = [each for each in books[-1].bullets if not each.publish]
        assert [each.id for each in hidden if each.id in data or each.content in data] == []


def large_history() -> tuple[Playbook, list[Event]]:
    """250 bullets that grow over 50 revisions, of which each adds, tags, rewrites and counts some."""
    books = [book(revision=0)]
    for number in range(1, N_REVISIONS + 1):
        old = [
            replace(each, helpful=each.helpful + 1, updated=number) if (place + number) % 40 == 0 else each
            for place, each in enumerate(books[-1].bullets)
        ]
        if old:
            place = number * 7 % len(old)
            old[place] = replace(old[place], content=f"{old[place].content} See {number}.", updated=number)
        old = [replace(each, seen=each.seen + (place % 3 > 0)) for place, each in enumerate(old)]
        words = "check every answer of the endpoint before it is cached, and page until an empty one comes back"
        new = [
            bullet(f"gen-{number:04}{each:04}", f"Lesson {number} of {each}: {words}.", added=number, updated=number)
            for each in range(N_LARGE // N_REVISIONS)
        ]
        books.append(book(*old, *new, revision=number))
    return books[-1], list(history(books[1:], "2026-11-01T08:00:{:02}Z"))


def test_comparison_is_compact() -> None:
    """What a page reads to compare revisions is small beside the history that it is made from."""
    playbook, events = large_history()
    data = revisions_json(publish_playbook(playbook, events)).encode()
    assert len(data) < LARGEST_DATA
    assert len(data) * 10 < len(json.dumps(data_of(events)))


def test_counters_are_folded() -> None:
    """Neighbours that only counted are one line with their sums; what was hidden is not told as a count."""
    one = bullet("gen-aaaaaaaa")
    two, three = replace(one, helpful=2), replace(one, helpful=2, harmful=1)
    four = replace(three, helpful=1)
    hidden = bullet("gen-bbbbbbbb", "Nobody may read this.", publish=False)
    seen = Event(revision=5, n=1, of=1, op="SEEN", kind="seen", id="", before={}, after={one.id: 3})
    events = [
        event(1, "ADD", None, one),
        event(2, "TAG", one, two),
        event(3, "TAG", two, three),
        event(4, "UNDO", three, four),
        seen,
        event(6, "UPDATE", four, replace(four, content="Other words.")),
        event(7, "ADD", None, hidden),
    ]
    last = replace(four, content="Other words.", seen=3)
    html = playbook_pages(shown(last, hidden, events=events, revision=7))[1].markdown
    assert re.findall(r"<summary>(Revisions? \d.*?)</summary>", html) == [
        "Revision 7: nothing that is published",
        "Revisions 2–5: counters only, +1 helpful, +1 harmful, +3 seen",
    ]
    folded = html.partition('<details class="acdl-counted"><summary>Revisions')[2].partition("</details>")[0]
    assert re.findall(r'id="r(\d)"', folded) == ["5", "4", "3", "2"]
    assert "1 bullet in prompts · seen +3" in folded


def week() -> Published:
    """Two lessons of a month ago, and a week in which one was reworded, two were learned and one was archived."""
    source = Provenance("reflector", "run-2", "s1", "model-b")
    old, out = bullet("gen-oldold00", "An old lesson.", helpful=4), bullet("gen-outout00", "A lesson that goes.")
    first = book(old, out, revision=1)
    fresh = bullet("gen-fresh000", "A fresh lesson.", source=(source,), added=2, updated=2)
    other = bullet("gen-other000", "Another fresh lesson.", source=(replace(source, by="person"),), added=2, updated=2)
    second = book(old, out, fresh, other, revision=20)
    used = replace(fresh, helpful=3, harmful=1)
    reworded = replace(old, content="An old lesson in other words.", helpful=5)
    gone = replace(out, status="archived", reason="of no use")
    third = book(reworded, gone, used, other, revision=27)
    return publish_playbook(third, history([first, second, third], LAST_WEEK), Source("", "books/my book.yaml"))


def test_news() -> None:
    """The summary tells what the last week of the history brought, who said it, and what tags say since."""
    found = week()
    news = find_news(found)
    assert news
    assert (news.since, [each.number for each in news.revisions]) == ("2026-11-20", [20, 27])
    assert news.numbers == {"added": 2, "changed": 1, "archived": 1}
    assert [each.id for each in news.lessons] == ["gen-oldold00", "gen-fresh000", "gen-other000"]
    assert news.tags == {"gen-oldold00": (1, 0), "gen-fresh000": (3, 1), "gen-other000": (0, 0)}
    report: dict[str, Json] = {"before": {"accuracy": 0.61}, "after": {"accuracy": 0.685}}
    html = index(found, Site(accuracy={1: 0.5, 27: 0.75}, evaluation=report)).partition("acdl-book-news")[2]
    html = html.partition("</dl>")[0]
    for words in (
        "<dt>Learned since <time>2026-11-20</time></dt><dd>2 added, 1 changed, 1 archived</dd>",
        "<dt>Who says so</dt><dd>person 3, reflector 1<br>Model: model-b 2<br>Run: run-2 2</dd>",
        "These lessons: ▲\u00a04 helpful ▼\u00a01 harmful, 1 of 3 not tagged yet",
        "<br>All lessons in this time: ▲\u00a04 helpful ▼\u00a01 harmful",
        'Accuracy in its run: 50 % at revision <a href="changes/#r1">1</a> → 75 % at revision <a href="changes/#r27">',
        "Evaluation: accuracy 61.0 % → 68.5 %",
    ):
        assert words in html


def test_news_of_little() -> None:
    """A history without times, or none, has no summary; one whose newest days only counted says that."""
    one = bullet("gen-aaaaaaaa")
    timeless = shown(one, events=[event(1, "ADD", None, one)])
    assert find_news(timeless) is None
    assert find_news(shown(one)) is None
    assert "acdl-book-news" not in index(timeless)
    books = [book(one, revision=1), book(replace(one, helpful=1), revision=20)]
    html = index(publish_playbook(books[-1], history(books, LAST_WEEK)))
    assert "<dd>No lesson is new.</dd>" in html
    assert "All lessons in this time: ▲\u00a01 helpful ▼\u00a00 harmful" in html


def test_facets() -> None:
    """Bullets can be told apart by run, model, who said or changed them, and the revision that changed them last."""
    found = week()
    by_id = found.playbook.by_id
    assert values_of(by_id["gen-fresh000"], found) == {
        "run": ("run-2",),
        "model": ("model-b",),
        "who": ("person", "reflector"),
    }
    assert [changed_in(by_id[f"gen-{name}"], found) for name in ("oldold00", "outout00", "fresh000")] == [27, 27, 20]
    facets = facets_of(found.playbook.bullets, found)
    assert facets.choices == {"run": {"run-2": 2}, "model": {"model-b": 2}, "who": {"person": 4, "reflector": 1}}
    assert facets.codes["gen-fresh000"] == "20 run0 model0 who0 who1"
    assert facets.days == ((1, "2026-11-01"), (20, "2026-11-20"), (27, "2026-11-27"))
    many = [replace(by_id["gen-oldold00"], id=f"gen-{number:08}") for number in range(6)]
    form = index(shown(*many, *found.playbook.bullets, events=history([found.playbook]))).partition("<form")[2]
    for words in ('<select name="run">', '<option value="reflector">reflector (1)</option>', 'name="since"'):
        assert words in form


def near(*others: Bullet, **facts: object) -> Published:
    """A playbook with two bullets that are near each other."""
    one, two = (bullet(f"gen-{name * 8}", text, **facts) for name, text in zip("ab", NEAR, strict=True))
    return publish_playbook(book(one, two, *others), (), Source("", "books/my book.yaml"))


def test_undecided_pairs() -> None:
    """Pairs to decide have both texts with the words that differ, how near they are, and what to type."""
    html = index(near())
    assert '<a href="#playbook-pairs">1 pair</a> of near bullets' in html
    part = html.partition("## Pairs to decide")[2]
    assert 'id="playbook-pairs"' in part
    assert re.search(r"<small>similarity 0\.\d\d</small>", part)
    assert "after <mark>5</mark> seconds" in part
    assert "after <mark>50</mark> seconds" in part
    for opinion in ("same", "conflicts", "differs"):
        command = f"acdl playbook review &#x27;books/my book.yaml&#x27; {opinion} gen-aaaaaaaa gen-bbbbbbbb"
        assert f"<code>{command}</code>" in part
    assert "Pairs to decide" in render_playbook(PlaybookOptions(review=True), near(), Surroundings())[0]
    assert "Pairs to decide" not in render_playbook(PlaybookOptions(), near(), Surroundings())[0]


def test_undecided_pairs_of_what_is_shown() -> None:
    """A pair with a bullet that is decided, archived, hidden or holds a secret is not there."""
    one, two = near().playbook.bullets
    secret = replace(two, content=f"{two.content} ghp_{'a1B2c3D4e5' * 4}")
    decided = Pair(one.id, two.id, "differs", None, "", "person", digest_of(one.content, two.content))
    for found in (
        shown(one, replace(two, status="archived")),
        shown(one, replace(two, publish=False)),
        shown(one, secret),
        shown(one, two, pairs=(decided,)),
    ):
        assert found.undecided == ()
        assert "Pairs to decide" not in index(found)
    asked = Pair(one.id, two.id, "open", None, "changed on two branches")
    assert "a merge asks: changed on two branches" in index(shown(one, two, pairs=(asked,)))
    assert shown(one, replace(two, publish=False), pairs=(asked,)).undecided == ()


def test_undecided_pairs_are_bounded() -> None:
    """A page shows the nearest pairs, and says how many more there are."""
    bullets = [bullet(f"gen-{number:08}", NEAR[0].replace("5", str(number))) for number in range(40)]
    found = publish_playbook(book(*bullets), (), Source("", "playbook.yaml"))
    part = index(found).partition("## Pairs to decide")[2]
    assert part.count('class="acdl-pair"') == MOST_PAIRS
    rest = len(found.undecided) - MOST_PAIRS
    assert rest > 0
    assert f"<p>and {rest} more: <code>acdl playbook review playbook.yaml</code> lists them.</p>" in part
