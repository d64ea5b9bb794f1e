"""Pages, blocks, changes, feeds and files of playbooks: what they say, and that all of it leads somewhere."""

import json
import re
import subprocess
import sys
from dataclasses import replace
from functools import partial
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest
from exhaustive import exhaustive
from steps import n_steps

from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.playbook.exchange import EXCHANGES
from acdl_mkdocs.playbook.model.bullets import Bullet, Pair, Policy
from acdl_mkdocs.playbook.model.near_pairs import digest_of
from acdl_mkdocs.playbook.pages.article import assess_evidence
from acdl_mkdocs.playbook.pages.block import (
    PlaybookOptions,
    block_problems,
    read_playbook_header,
    render_playbook,
)
from acdl_mkdocs.playbook.pages.changes import REVISIONS_A_PAGE
from acdl_mkdocs.playbook.pages.files import ALTERNATES, Addresses, alternate_links, file_names, machine_files
from acdl_mkdocs.playbook.pages.page import Site, bullet_address, folder_address, playbook_pages
from acdl_mkdocs.playbook.pages.plot import Point, measure_growth, render_plot
from acdl_mkdocs.playbook.pages.published import check_targets, publish_playbook
from acdl_mkdocs.playbook.pages.sections import render_lessons, top_bullets
from acdl_mkdocs.playbook.pages.view import Surroundings, Target
from playbook_pages.books import book, bullet, event, html_page, many, shown, story

ROOT = Path(__file__).parents[2]
LARGEST_PAGE = 600_000
_VOID = frozenset(("input", "meta", "br", "link"))


class _Outline(HTMLParser):
    """The ids and links of a page; fails where elements are not closed in turn."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.attributes: set[str] = set()
        self._open: list[str] = []
        self.feed(html)
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        facts = dict(attrs)
        assert len(facts) == len(attrs)
        self.attributes |= set(facts)
        self.ids += [facts["id"] or ""] if "id" in facts else []
        self.links += [facts["href"] or ""] if tag == "a" and "href" in facts else []
        if tag not in _VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in _VOID:
            self._open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag


def link(page: str, words: str) -> Target | None:
    """A site that has one spec."""
    up = folder_address(page, "index")
    return Target(f"{up}../specs/React2/", "React2") if words == "acdl:React2" else None


SITE = Site(link=link, accuracy={1: 0.31, 3: 0.6, 4: 0.92})


def index() -> str:
    """The page of the playbook with a bit of everything."""
    return playbook_pages(story(), SITE)[0].markdown


def article_of(html: str, id: str) -> str:
    """The element of a bullet."""
    found = re.search(rf'<article id="{id}".*?</article>', html)
    assert found
    return found[0]


def test_every_link_leads_somewhere() -> None:
    """Each id is there once, also of merged and archived bullets, and links between the pages lead to ids."""
    pages = {page.name: _Outline(html_page(page)) for page in playbook_pages(story(), SITE)}
    assert list(pages) == ["index", "changes"]
    files = file_names(story())
    for name, outline in pages.items():
        assert len(outline.ids) == len(set(outline.ids))
        for address in outline.links:
            if address.startswith(("http", "./../specs")):
                continue
            path, _, anchor = address.partition("#")
            to = {folder_address(name, other): other for other in (*pages, *files)}
            target = to[path] if path else name
            assert not anchor or anchor in pages[target].ids
    assert {"tu-dddddddd", "gen-bbbbbbbb", "tu-cccccccc", "r1", "r4"} <= {*pages["index"].ids, *pages["changes"].ids}
    assert bullet_address(story(), "tu-dddddddd") == ("index", "tu-cccccccc")


def test_no_script_no_style() -> None:
    """Pages have no styles, scripts and handlers of their own, and no line that Markdown would read."""
    for page in playbook_pages(story(), SITE):
        outline = _Outline(html_page(page))
        assert [each for each in outline.attributes if each == "style" or each.startswith("on")] == []
        for part in re.findall(r'<div class="acdl-playbook.*?\n</div>', page.markdown, re.DOTALL):
            assert "\n\n" not in part
            assert [line for line in part.splitlines() if not line.startswith("<")] == []


def test_head() -> None:
    """The facts: revision, date, counts, size against the budget, how it was learned, a hash, and the files."""
    html = index()
    head = html.partition("## Top")[0]
    for words in (
        '<a href="changes/#r4">4</a>, <time>2026-11-04</time>',
        "15 in 2 sections, 1 pinned, 1 critical, 1 archived",
        "≈ ",
        " of 900 <small>estimate (characters / 3.6)</small>",
        "1 run: run-1; 1 model: deepseek-v3.1; by reflector 1",
        "4 revisions",
        'href="prompt.txt" data-acdl-copy',
        'href="AGENTS.md" data-acdl-copy',
        'href="feed.xml"',
    ):
        assert words in head
    assert re.search(r'title="SHA-256 [0-9a-f]{64}"', head)


def test_hash_is_of_the_lessons() -> None:
    """The hash changes with a word of a bullet, not with the number of the revision."""

    def digest(*bullets: Bullet, revision: int = 4) -> str:
        found = re.search(r"SHA-256 ([0-9a-f]+)", playbook_pages(shown(*bullets, revision=revision))[0].markdown)
        return found[1] if found else ""

    one = bullet("gen-aaaaaaaa")
    assert digest(one) == digest(one, revision=9)
    assert digest(one) != digest(replace(one, content="Something else."))


def test_exact_counts_are_exact() -> None:
    """A size in an encoding that is counted has no sign of an estimate."""
    pytest.importorskip("tiktoken")
    html = playbook_pages(shown(bullet("gen-aaaaaaaa"), policy=Policy(encoding="o200k_base")))[0].markdown
    assert re.search(r"<dd>\d+ <small>o200k_base</small>", html)


def test_bullet() -> None:
    """A bullet has its text, evidence, counters, interval, badges, revisions, chips and a link to itself."""
    html = article_of(index(), "gen-aaaaaaaa")
    for words in (
        "<p>Retry after 5 seconds, at most <code>3</code> times; see "
        '<a href="https://example.org/retry">the guide</a>.</p>',
        '<a href="#gen-aaaaaaaa">gen-aaaaaaaa</a> <b class="acdl-well">well tested</b> <i>pinned</i>',
        "▲ 38 helpful ▼ 2 harmful · 83–99 % · seen 55",
        'added <a href="changes/#r1">1</a> · changed <a href="changes/#r2">2</a>',
        '<u><a href="./../specs/React2/">acdl:React2</a></u><u>fragment:Nothing</u>',
    ):
        assert words in html


def test_origin() -> None:
    """The folded part tells the sources, earlier texts, merges, and near bullets, in both of them."""
    html = index()
    first = article_of(html, "gen-aaaaaaaa")
    assert 'reflector, run run-1, sample s1, model deepseek-v3.1, <a href="https://example.org/issue/7">' in first
    assert 'changed in revision <a href="changes/#r2">2</a><br>Retry after 5 seconds<ins>, at most' in first
    assert 'contradicts <a href="#gen-bbbbbbbb">gen-bbbbbbbb</a>: 5 or 50 seconds' in first
    second = article_of(html, "gen-bbbbbbbb")
    assert 'contradicts <a href="#gen-aaaaaaaa">gen-aaaaaaaa</a>: 5 or 50 seconds' in second
    assert '<p>Archived: Wrong by <em>ten</em>., see <a href="#gen-aaaaaaaa">gen-aaaaaaaa</a></p>' in second
    merged = article_of(html, "tu-cccccccc")
    assert '<a id="tu-dddddddd"></a>' in merged
    assert 'merged with tu-dddddddd in revision <a href="changes/#r3">3</a>: <q>Do not push with force.</q>' in merged


@pytest.mark.parametrize(
    ("helpful", "harmful", "words"),
    [
        (38, 2, "well tested 38/40"),
        (12, 0, "well tested 12/12"),
        (3, 0, "tested 3/3"),
        (2, 0, "new 2/2"),
        (0, 0, "new"),
        (2, 6, "disputed 2/8"),
    ],
)
def test_evidence(helpful: int, harmful: int, words: str) -> None:
    """A word says how well a bullet is tested."""
    assert assess_evidence(bullet("gen-aaaaaaaa", helpful=helpful, harmful=harmful)).words == words


def test_top_lessons() -> None:
    """Critical and pinned bullets are first, then those that surely help most; archived ones never are."""
    playbook = story().playbook
    top = [each.id for each in top_bullets(playbook.bullets)]
    assert top[:3] == ["gen-aaaaaaaa", "tu-eeeeeeee", "tu-00000011"]
    assert len(top) == 7
    assert top_bullets(playbook.bullets[:5]) == ()
    assert len(top_bullets(many().playbook.bullets)) == 10


def test_order_of_sections() -> None:
    """Sections stand in the order of the file, archived bullets at the end; empty sections are not shown."""
    titles = re.findall(r"^## (.*)$", index(), re.MULTILINE)
    assert titles == ["Top lessons", "General", "Tool usage", "Archived bullets", "Pairs to decide", "How it grew"]
    assert "Tool usage" not in playbook_pages(shown(bullet("gen-aaaaaaaa")))[0].markdown


def test_title_is_text() -> None:
    """A name that looks like markup is a name."""
    page = playbook_pages(shown(bullet("gen-aaaaaaaa"), name="<b>*a*</b> {{ b }}"))[0]
    assert "<b>" not in page.markdown.replace("<b>new</b>", "")
    assert "{{" not in page.markdown.split("---\n", 2)[2]


@exhaustive
def test_many_bullets() -> None:
    """A page of 1,000 bullets stays small, and is made in four times the steps of one of 250."""
    found = many()
    page = playbook_pages(found)[0]
    assert n_steps(partial(playbook_pages, found)) < 5 * n_steps(partial(playbook_pages, many(250)))
    assert page.markdown.count("<article ") == 1000
    assert len(html_page(page).encode()) <= LARGEST_PAGE


def test_very_many_bullets() -> None:
    """Above a limit each section has a page; the index has every id, which leads to its page."""
    site = Site(most_on_a_page=15, address=lambda _, other: other if "." in other else f"{other}.html")
    pages = {page.name: page.markdown for page in playbook_pages(story(), site)}
    assert list(pages) == ["index", "section-general", "section-tool_usage", "changes"]
    assert '<a id="tu-dddddddd" href="section-tool_usage.html#tu-cccccccc">tu-dddddddd</a>' in pages["index"]
    assert '<a href="section-general.html">General</a> 2 bullets' in pages["index"]
    assert '<article id="gen-bbbbbbbb"' in pages["section-general"]
    assert '<a id="tu-dddddddd"></a>' in pages["section-tool_usage"]
    assert "<article" not in pages["index"]
    assert 'href="section-tool_usage.html#tu-eeeeeeee"' in pages["changes"]
    assert bullet_address(story(), "tu-dddddddd", site) == ("section-tool_usage", "tu-cccccccc")


def test_changes() -> None:
    """Each revision says what was added, changed, archived and merged, and why, the newest first."""
    html = playbook_pages(story(), SITE)[1].markdown
    assert re.findall(r'id="r(\d)"', html) == ["4", "3", "2", "1"]
    newest = html.partition('id="r3"')[0]
    time = '<time datetime="2026-11-04T08:00:00Z">2026-11-04 08:00 UTC</time>'
    assert f"<p><small>{time} · person · run-1/0/s4</small></p>" in newest
    assert '<p>Back to the playbook <a href="' in newest
    contents = re.findall(r'<li><a href="#(r\d+)">Revision \d+</a>: (.*?)</li>', newest)
    assert contents[0] == ("r4", "2026-11-04, 12 added, 1 archived, 1 compared, 1 of sections and settings")
    assert [name for name, _ in contents] == ["r4", "r3", "r2", "r1"]
    assert re.findall(r"<h3>(.*?)</h3>", newest) == ["Added", "Archived", "Decided", "Sections and settings"]
    assert "budget model tokens: none → 900" in newest
    near = '<a href="../#gen-aaaaaaaa">gen-aaaaaaaa</a> and <a href="../#gen-bbbbbbbb">gen-bbbbbbbb</a>'
    assert f"{near}: they contradict each other, 5 or 50 seconds" in newest
    assert "<small>Wrong by <em>ten</em>.</small>" in newest
    assert 'replaced by <a href="../#gen-aaaaaaaa">gen-aaaaaaaa</a>' in newest
    assert "Never use <code>--force</code>." in html
    assert "helpful 0 → 38" in html
    assert "pinned: no → yes" in html
    assert "aliases: none → tu-dddddddd" in html


def test_reasons_in_changes() -> None:
    """Reasons and what guards found are said beside what was done; only moved counters are a group of their own."""
    before, after = bullet("gen-aaaaaaaa", helpful=1), bullet("gen-aaaaaaaa", helpful=2)
    events = [
        event(1, "ADD", None, before, reason="seen in *s3*", guards=("numbers differ: 5 / 50",)),
        event(2, "TAG", before, after),
        event(3, "MERGE", bullet("gen-bbbbbbbb", "Other words."), None, reason="says the same"),
    ]
    html = playbook_pages(shown(after, events=events))[1].markdown
    assert "<small>seen in <em>s3</em>; numbers differ: 5 / 50</small>" in html
    link = '<a href="../#gen-aaaaaaaa">gen-aaaaaaaa</a>'
    counted = f"<li>{link} Check the header before the body. · helpful 1 → 2</li>"
    assert f"<h3>Counters</h3><ul>{counted}</ul>" in html
    assert "<h3>Merged</h3><ul><li>gen-bbbbbbbb Other words.<br><small>says the same</small></li></ul>" in html


def test_pages_of_changes() -> None:
    """Pages of older revisions keep their addresses as more come."""
    one = bullet("gen-aaaaaaaa")
    events = [
        event(number, "TAG", replace(one, seen=number), replace(one, seen=number + 1)) for number in range(1, 451)
    ]
    pages = playbook_pages(shown(one, events=events))
    assert [page.name for page in pages] == ["index", "changes", "changes-201", "changes-1"]
    assert [page.markdown.count("<section") for page in pages[1:]] == [50, REVISIONS_A_PAGE, REVISIONS_A_PAGE]
    assert '<a href="../changes-201/">revisions from 201</a>' in pages[1].markdown


def test_without_history() -> None:
    """A playbook that has no history has a page, without changes, feeds and plot."""
    found = shown(bullet("gen-aaaaaaaa"))
    (page,) = playbook_pages(found)
    assert "changes" not in page.markdown
    assert "feed.json" not in machine_files(found, lambda _: Addresses())
    assert playbook_pages(shown())[0].markdown.startswith('---\ntitle: "docs-agent"')


def test_agents_get_no_lesson_that_only_did_harm() -> None:
    """The block for agents is the one that the command exports: it also keeps to the budget."""
    found = shown(bullet("gen-aaaaaaaa", helpful=1), bullet("gen-bbbbbbbb", harmful=2))
    text = machine_files(found, lambda _: Addresses())["AGENTS.md"]
    assert "[gen-aaaaaaaa]" in text
    assert "gen-bbbbbbbb" not in text
    tight = replace(found, playbook=replace(found.playbook, policy=Policy(budget_model_tokens=1)))
    assert "gen-aaaaaaaa" not in machine_files(tight, lambda _: Addresses())["AGENTS.md"]


def test_files() -> None:
    """The files are those of the formats for exchange, made from what is published."""
    found = story()
    files = machine_files(found, lambda name: Addresses(home="https://e.org/", feed=f"https://e.org/{name}"))
    assert tuple(files) == file_names(found) == tuple(ALTERNATES)
    read = EXCHANGES["json"].read(files["playbook.json"]).playbook
    assert read == found.playbook
    assert files["AGENTS.md"] == EXCHANGES["agents-md"].write(found.playbook)
    assert files["prompt.txt"].startswith("## General\n[gen-aaaaaaaa] helpful=38 harmful=2 :: Retry after 5")
    assert json.loads(files["changes.json"])["revisions"][0]["revision"] == 4
    assert [name for name, text in files.items() if not text.endswith("\n") or text.endswith("\n\n")] == []
    links = alternate_links({"feed.xml": "feed.xml"})
    assert (
        links == '<link rel="alternate " type="application/atom+xml" title="Changes of the playbook" href="feed.xml">'
    )


def test_prompt_file_keeps_the_budget() -> None:
    """What is copied as a prompt is never larger than the budget."""
    found = shown(*story().playbook.bullets, policy=Policy(budget_model_tokens=120))
    files = machine_files(found, lambda _: Addresses())
    assert len(files["prompt.txt"]) / 3.6 <= 121
    assert "gen-aaaaaaaa" in files["prompt.txt"]


def test_only_decisions_link_bullets() -> None:
    """A page links what somebody decided, both ways with the reason; links of a program say nothing."""
    bullets = [bullet(f"gen-{number:08}", content=f"Lesson {number}.") for number in range(4)]
    near = [Pair(bullets[0].id, each.id, "review", 0.5, "a: b; c: d") for each in bullets[1:]]
    texts = [digest_of(bullets[1].content, each.content) for each in bullets[2:]]
    said = [
        Pair(bullets[1].id, bullets[2].id, "conflicts", None, "both cannot hold", "person", texts[0]),
        Pair(bullets[1].id, bullets[3].id, "differs", None, "one is for drafts", "model m", texts[0]),
    ]
    html = playbook_pages(shown(*bullets, pairs=(*near, *said)))[0].markdown
    named = {each.id: set(re.findall(r'href="#(gen-\d+)"', article_of(html, each.id))) for each in bullets}
    assert [len(each - {name}) for name, each in named.items()] == [0, 1, 1, 0]  # the last is about other texts
    for one, other in ((1, 2), (2, 1)):
        link = f'contradicts <a href="#gen-0000000{other}">gen-0000000{other}</a>: both cannot hold'
        assert link in article_of(html, bullets[one].id)


def test_feeds() -> None:
    """Both feeds have the newest revisions that say something, with ids that stay, and are what their formats want."""
    found = story()
    files = machine_files(
        found,
        lambda name: Addresses(
            home="https://e.org/p/",
            feed=f"https://e.org/p/{name}",
            revision=lambda number: f"https://e.org/p/changes/#r{number}",
            bullet=lambda name: f"https://e.org/p/#{name}",
        ),
    )
    feed = json.loads(files["feed.json"])
    assert feed["version"] == "https://jsonfeed.org/version/1.1"
    assert feed["feed_url"] == "https://e.org/p/feed.json"
    assert [item["url"][-2:] for item in feed["items"]] == ["r4", "r3", "r2", "r1"]
    assert feed["items"][0]["title"].startswith("Revision 4: 12 added, 1 archived")
    assert feed["items"][0]["date_published"] == "2026-11-04T08:00:00Z"
    names = {"a": "http://www.w3.org/2005/Atom"}
    atom = ElementTree.fromstring(files["feed.xml"])  # noqa: S314  # our own
    entries = atom.findall("a:entry", names)
    assert [entry.findtext("a:id", "", names) for entry in entries] == [item["id"] for item in feed["items"]]
    assert atom.findtext("a:updated", "", names) == "2026-11-04T08:00:00Z"
    assert entries[0].findtext("a:content", "", names) == feed["items"][0]["content_html"]
    assert 'href="https://e.org/p/#gen-bbbbbbbb"' in feed["items"][0]["content_html"]


def test_feeds_leave_counters_out() -> None:
    """A revision that only moved counters is no news."""
    one = bullet("gen-aaaaaaaa")
    found = shown(one, events=[event(1, "ADD", None, one), event(2, "TAG", one, replace(one, helpful=1))])
    assert len(json.loads(machine_files(found, lambda _: Addresses())["feed.json"])["items"]) == 1


def test_plot() -> None:
    """The chart goes through the sizes and accuracies of the history, and says so in words."""
    points = measure_growth(story(), SITE.accuracy)
    assert points == (Point(1, 5, 0.31), Point(2, 5), Point(3, 4, 0.6), Point(4, 15, 0.92))
    svg = ElementTree.fromstring(render_plot(points, "How <it> grew"))  # noqa: S314  # our own
    space = "{http://www.w3.org/2000/svg}"
    assert svg.findtext(f"{space}title") == "How <it> grew"
    said = svg.findtext(f"{space}desc") or ""
    assert said == (
        "From 5 bullets in revision 1 to 15 in revision 4. Accuracy 31 % in revision 1, 92 % in revision 4."
    )
    assert len(svg.findall(f"{space}circle")) == 3
    assert render_plot(points[:1], "x") == ""
    long = [Point(number, number) for number in range(1, 5001)]
    assert len(render_plot(long, "x")) < 10_000
    assert "revision 5000" in render_plot(long, "x")


def test_plot_of_nothing() -> None:
    """A playbook that stays empty has a chart too."""
    assert "NaN" not in render_plot([Point(1, 0), Point(1, 0)], "x")


def test_lessons_for_a_spec() -> None:
    """A spec's page lists the bullets in use that apply to it, and nothing for other specs."""
    html = render_lessons(story(), "acdl:React2", lambda name: f"../playbook/#{name}")
    assert html.count("<li>") == 1
    assert '<b class="acdl-well">well tested 38/40</b> <a href="../playbook/#gen-aaaaaaaa">gen-aaaaaaaa</a>' in html
    assert render_lessons(story(), "acdl:Other", str) == ""


def test_unknown_targets() -> None:
    """What no site has is a warning at its place in the file; it is shown without a link."""
    playbook = story().playbook
    text = "bullets:\n- id: gen-aaaaaaaa\n  applies_to: [acdl:React2, fragment:Nothing]\n- id: gen-bbbbbbbb\n"
    (problem,) = check_targets(playbook, lambda words: words == "acdl:React2", Source(text, "p.yaml"))
    assert (problem.rule, problem.severity) == ("unknown-target", "warning")
    assert text[problem.label.span.start : problem.label.span.end] == "fragment:Nothing"
    assert "<u>fragment:Nothing</u>" in index()


def block(opening: str, around: Surroundings | None = None) -> str:
    """The HTML of a block of the playbook with a bit of everything."""
    header = read_playbook_header(Source(f"```acdl-playbook {opening}"))
    assert header.diagnostics == ()
    html, _ = render_playbook(header.options, story(), around or Surroundings())
    _Outline(html)
    assert "\n\n" not in html
    return html


def test_block_of_a_whole_playbook() -> None:
    """Without more words a block shows everything, with controls."""
    html = block("src=p.yaml")
    assert html.count("<article ") == 16
    assert 'role="search"' in html
    assert '<h3 id="playbook-tool_usage">Tool usage</h3>' in html
    assert '<a href="changes' not in html


def test_block_of_a_part() -> None:
    """A section, single bullets in their order, the best ones, or only what is archived."""
    assert re.findall(r'<article id="([^"]*)"', block("src=p.yaml section=general")) == ["gen-aaaaaaaa", "gen-bbbbbbbb"]
    ids = re.findall(r'<article id="([^"]*)"', block('src=p.yaml bullet="tu-dddddddd, gen-aaaaaaaa"'))
    assert ids == ["tu-cccccccc", "gen-aaaaaaaa"]
    assert block("src=p.yaml top=3").count("<li>") == 3
    archived = block("src=p.yaml status=archived")
    assert re.findall(r'<article id="([^"]*)"', archived) == ["gen-bbbbbbbb"]
    assert '<details class="acdl-archive">' in archived
    active = block("src=p.yaml status=active sort=helpful section=tool_usage")
    assert re.findall(r'<article id="([^"]*)"', active)[:2] == ["tu-00000011", "tu-00000010"]
    plain = block("src=p.yaml head=off filter=off title=Lessons")
    assert "<form" not in plain
    assert "<dl" not in plain
    assert "<strong>Lessons</strong>" in plain


def test_links_out_of_a_block() -> None:
    """Bullets that the block does not show are linked to where they are; without such a place they are text."""
    elsewhere = Surroundings(elsewhere=lambda name: f"/playbook/#{name}")
    assert '<a href="/playbook/#gen-bbbbbbbb">' in block("src=p.yaml bullet=gen-aaaaaaaa", elsewhere)
    assert "contradicts gen-bbbbbbbb" in block("src=p.yaml bullet=gen-aaaaaaaa")
    assert '<a href="/playbook/#gen-aaaaaaaa">' in block("src=p.yaml top=1", elsewhere)


def test_two_blocks_on_a_page() -> None:
    """Anchors that a page has already are others in the second block, and its links follow."""
    taken: dict[str, int] = {}

    def take(name: str) -> str:
        taken[name] = taken.get(name, 0) + 1
        return name if taken[name] == 1 else f"{name}-{taken[name]}"

    first, second = (render_playbook(PlaybookOptions(), story(), Surroundings(), take)[0] for _ in range(2))
    ids = [*_Outline(first).ids, *_Outline(second).ids]
    assert len(ids) == len(set(ids))
    assert '<a href="#gen-aaaaaaaa-2">gen-aaaaaaaa</a>' in second
    assert 'data-acdl-book="playbook-2"' in second


@pytest.mark.parametrize(
    ("opening", "rule", "words"),
    [
        ("sectoin=x", "unknown-option", "did you mean `section`?"),
        ("top=0", "bad-option-value", "`top` cannot be `0`"),
        ("status=old", "bad-option-value", "`status` cannot be `old`"),
        ("section=tool_usag", "unknown-section", "did you mean `tool_usage`?"),
        ("bullet=gen-aaaaaaab", "unknown-bullet", "did you mean `gen-aaaaaaaa`?"),
        ("section=general status=archived", "", ""),
        ("section=,", "bad-option-value", "an id, or several"),
    ],
)
def test_problems_of_a_block(opening: str, rule: str, words: str) -> None:
    """What a header asks for and cannot have is said at its place, with a cure."""
    header = read_playbook_header(Source(f"```acdl-playbook src=p.yaml {opening}"))
    found = [*header.diagnostics, *block_problems(header, story())]
    assert [each.rule for each in found] == ([rule] if rule else [])
    assert words in " ".join(f"{each.message} {each.label.text} {' '.join(each.help)}" for each in found)


def test_empty_block() -> None:
    """A block that shows nothing says so."""
    header = read_playbook_header(Source("```acdl-playbook src=p.yaml status=archived"))
    (problem,) = block_problems(header, shown(bullet("gen-aaaaaaaa")))
    assert (problem.rule, problem.severity) == ("empty-playbook", "note")


def test_hostile_everything() -> None:
    """Whatever stands in any field of a bullet or of the history, no tag of it gets into a page, a block or a feed."""
    evil = '"><img src=x onerror=alert(1)>'
    bad = bullet(
        "gen-aaaaaaaa", evil, applies_to=(evil,), reason=evil, status="archived", superseded_by=evil, helpful=1,
        source=(*bullet("x", source=()).source,),
    )  # fmt: skip
    events = [
        event(
            1,
            evil,
            bullet("gen-aaaaaaaa", f"old {evil}"),
            bad,
            reason=evil,
            guards=(evil,),
            actor=evil,
            time=evil,
            trace=evil,
        )
    ]
    found = publish_playbook(book(bad, bullet("gen-cccccccc"), name=evil), events)
    texts = [html_page(page) for page in playbook_pages(found)]
    texts.append(render_playbook(PlaybookOptions(title=evil), found, Surroundings())[0])
    texts += [
        item["content_html"] for item in json.loads(machine_files(found, lambda _: Addresses())["feed.json"])["items"]
    ]
    assert len(texts) == 4
    assert [text for text in texts if "<img" in text or "onerror" in "".join(_Outline(text).attributes)] == []


def test_the_same_every_time() -> None:
    """Pages and files are the same to the byte, whatever the hashes of a run are."""
    code = (
        "import sys; sys.path.insert(0, 'tests'); from hashlib import sha256; from playbook_pages.books import story; "
        "from acdl_mkdocs.playbook.pages.page import playbook_pages; "
        "from acdl_mkdocs.playbook.pages.files import Addresses; "
        "from acdl_mkdocs.playbook.pages.files import machine_files; "
        "texts = [page.markdown for page in playbook_pages(story())]; "
        "texts += machine_files(story(), lambda name: Addresses()).values(); "
        "print(sha256(''.join(texts).encode()).hexdigest())"
    )
    runs = {
        subprocess.run(
            [sys.executable, "-c", code], cwd=ROOT, env={"PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)},
            capture_output=True, text=True, encoding="utf-8", check=True,
        ).stdout
        for seed in ("0", "1", "2")
    }  # fmt: skip
    assert len(runs) == 1
