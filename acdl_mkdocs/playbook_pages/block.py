"""A playbook, a section or single bullets as a block of a page, from an `acdl-playbook` fence or directive."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from html import escape

from acdl_mkdocs.foundation.diagnostics import Diagnostic, Label, error, note
from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.foundation.wording import closest
from acdl_mkdocs.playbook.bullets import Bullet, Playbook
from acdl_mkdocs.playbook_pages.controls import controls, has_filter
from acdl_mkdocs.playbook_pages.evaluated import evaluation_html
from acdl_mkdocs.playbook_pages.facets import Facets, facets_of
from acdl_mkdocs.playbook_pages.head import head
from acdl_mkdocs.playbook_pages.inline import clean
from acdl_mkdocs.playbook_pages.news import news_html
from acdl_mkdocs.playbook_pages.options import Header, PlaybookOptions
from acdl_mkdocs.playbook_pages.plot import growth, plot_svg
from acdl_mkdocs.playbook_pages.published import Published
from acdl_mkdocs.playbook_pages.sections import bullets_html, sorted_bullets, top_bullets, top_html, unused_html
from acdl_mkdocs.playbook_pages.undecided import undecided_html
from acdl_mkdocs.playbook_pages.view import Surroundings, View

_LEVEL = 3
"""Of the headings of sections inside a block."""


def playbook_html(
    options: PlaybookOptions, published: Published, around: Surroundings, take: Callable[[str], str] = str
) -> tuple[str, str]:
    """A block and its anchor; complete without scripts, and safe whatever bullets say.

    Parameters:
        options: What the block shows.
        published: The playbook.
        around: The site, seen from the block's page.
        take: Gives an anchor that the page does not have yet, best the one that is asked for.
    """
    bullets = chosen(published.playbook, options)
    name = take(options.id or "playbook")
    has_facets = options.filter and not options.bullet and options.top is None and has_filter(bullets)
    facets = facets_of(bullets, published) if has_facets else Facets()
    view = View(published, anchors(bullets, take) if options.top is None else {}, around, facets)
    parts = [f"<p><strong>{clean(options.title)}</strong></p>"] if options.title else []
    parts += [top_html(bullets, view)] if options.top is not None else _parts(bullets, options, view, name)
    classes = escape(" ".join(("acdl-playbook", *options.classes)))
    inside = "\n".join(filter(None, parts))
    return f'<div class="{classes}" id="{clean(name)}" data-acdl-book="{clean(name)}">\n{inside}\n</div>', name


def chosen(playbook: Playbook, options: PlaybookOptions) -> tuple[Bullet, ...]:
    """The bullets that a block shows, in its order."""
    if options.bullet:
        named = [playbook.by_id[name] for name in options.bullet if name in playbook.by_id]
        return tuple(dict.fromkeys(named))
    bullets = tuple(each for each in playbook.bullets if not options.section or each.section in options.section)
    if options.top is not None:
        return top_bullets(bullets, options.top)
    if options.status != "all":
        bullets = tuple(each for each in bullets if each.status == options.status)
    return sorted_bullets(bullets, options.sort)


def anchors(bullets: Iterable[Bullet], take: Callable[[str], str] = str) -> dict[str, str]:
    """The anchors of bullets and of what was merged into them."""
    return {name: take(name) for bullet in bullets for name in (bullet.id, *bullet.aliases)}


def block_problems(header: Header, published: Published) -> tuple[Diagnostic, ...]:
    """What the author of a block should know, beside `header.diagnostics`; spans are those of the header's source."""
    playbook, options = published.playbook, header.options
    found = [
        *_unknown("section", "section", options.section, [each.id for each in playbook.sections], header),
        *_unknown("bullet", "bullet", options.bullet, list(playbook.by_id), header),
    ]
    if not found and not chosen(playbook, options):
        what = "no bullet of the playbook is what it asks for"
        place = next(
            (header.places[name] for name in ("section", "status", "src") if name in header.places), Span(0, 0)
        )
        found.append(note("empty-playbook", f"this block is empty: {what}", Label(place, what)))
    return tuple(found)


def _unknown(
    option: str, thing: str, wanted: Sequence[str], known: Sequence[str], header: Header
) -> Iterator[Diagnostic]:
    for name in wanted:
        if name in known:
            continue
        near = closest(name, known)
        helps = f"did you mean `{near}`?" if near else f"`acdl playbook show` lists the {thing}s"
        label = Label(header.places.get(option, Span(0, 0)), f"no such {thing}, or it is not published")
        yield error(f"unknown-{thing}", f"the playbook has no {thing} `{name}`", label, help=helps)


def _parts(bullets: Sequence[Bullet], options: PlaybookOptions, view: View, name: str) -> list[str]:
    """Everything inside a block that shows bullets as they are."""
    if options.bullet:
        return [bullets_html(bullets, view, "")]
    playbook = view.published.playbook
    is_whole = not options.section
    is_reviewed = options.review and is_whole
    pairs = f"{name}-pairs" if is_reviewed else ""
    parts = (
        [news_html(view, view.around.evaluation, can_filter=options.filter and has_filter(bullets))]
        if is_reviewed
        else []
    )
    parts.append(head(view, name, pairs) if options.head and is_whole else "")
    parts.append(controls(bullets, view, name) if options.filter else "")
    top = top_bullets(bullets) if is_whole and options.status in ("active", "all") else ()
    if top:
        parts += [_heading("Top lessons", f"{name}-top"), top_html(top, view)]
    for section in playbook.sections:
        shown = [each for each in bullets if each.section == section.id and each.is_active]
        if shown:
            parts += [_heading(section.title, f"{name}-{section.id}"), bullets_html(shown, view, section.id)]
    if pairs and (waiting := undecided_html(view, pairs)):
        parts += [_heading("Pairs to decide", f"{pairs}-heading"), waiting]
    if options.growth:
        points = growth(view.published, view.around.accuracy)
        parts += [evaluation_html(view.around.evaluation), plot_svg(points, f"How {playbook.name} grew")]
    return [*parts, unused_html(bullets, view)]


def _heading(title: str, anchor: str) -> str:
    return f'<h{_LEVEL} id="{clean(anchor)}">{clean(title)}</h{_LEVEL}>'
