"""Every spec of a site as cards, with tags, a filter and a legend.

Returns HTML that is safe whatever authors write, without scripts and styles. Without `acdl-gallery.js` tags
and constructs lead to lists at the end of the gallery; with it they filter the cards in their place.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from html import escape, unescape

from acdl_mkdocs.drawing.formats import OUTPUTS
from acdl_mkdocs.drawing.formats.options import OutputOptions
from acdl_mkdocs.foundation.diagnostics import Diagnostic, Label, warning
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.markdown import percent_encode
from acdl_mkdocs.foundation.safe_text import make_printable
from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.foundation.wording import find_closest
from acdl_mkdocs.foundation.write_details import write_details
from acdl_mkdocs.frontends.docs.blocks.gallery_options import LANGUAGE, GalleryOptions, Header, read_gallery_header
from acdl_mkdocs.frontends.docs.pages.spec_index import SpecEntry, SpecIndex
from acdl_mkdocs.workspace.fences import fences_of
from acdl_mkdocs.workspace.spec import Spec

BADGES = {"string-fragment": "string fragment", "roles-fragment": "roles fragment"}
_CORRECTED = "Corrected"
"""At the end of the name of a spec: the corrected version of a spec of the same file."""
_LONGEST_DESCRIPTION = 160


def escape_author_text(text: str) -> str:
    """Escape an author's text for HTML, between tags or in an attribute."""
    return escape(make_printable(text))


def tag_anchor(tag: str, gallery: str = "acdl-gallery") -> str:
    """Return the id of the list of all specs with a tag.

    Parameters:
        tag: Any text without a comma.
        gallery: The id of the gallery.
    """
    word = re.sub(r"[^\w.-]", lambda sign: f"_{ord(sign[0]):x}", make_printable(tag))
    return f"{gallery.removesuffix('-gallery')}-tag-{word}"


def use_anchor(name: str, gallery: str = "acdl-gallery") -> str:
    """Return the id of the list of all specs with a construct.

    Parameters:
        name: As the language writes it: `ForEach`.
        gallery: The id of the gallery.
    """
    return f"{gallery.removesuffix('-gallery')}-uses-{name}"


def tag_link(tag: str, options: GalleryOptions, n_specs: int | None = None) -> str:
    """Render a tag that links to the list of its specs, with their number."""
    number = f" <span>{n_specs}</span>" if n_specs is not None else ""
    return f'<a href="#{escape(tag_anchor(tag, options.id))}">{escape_author_text(tag)}{number}</a>'


def render_card(
    entry: SpecEntry,
    spec_index: SpecIndex,
    options: GalleryOptions,
    href: Callable[[str], str],
    opens: Callable[[SpecEntry], str] | None = None,
) -> str:
    """Render the card of a spec or fragment.

    Parameters:
        entry: The spec or fragment.
        spec_index: All specs of the site, for its variants.
        options: Of the gallery.
        href: From an address of the site to one that works on the gallery's page.
        opens: Returns the address that opens it in a playground, or nothing; only if the site has one.
    """
    version = _render_version(entry, spec_index, options, href, opens)
    return f'<li class="acdl-card"{version.facts}>{version.top}{version.link}{version.foot}</li>'


@dataclass(frozen=True, slots=True)
class _Version:
    """The parts of the card of a spec, as HTML."""

    facts: str
    """Attributes with the hidden words for the filter."""
    top: str
    foot: str
    """Its tags, whether it has a state, and how many variants: mostly the same for two versions of a spec."""
    link: str
    """To the playground."""


def _render_version(
    entry: SpecEntry,
    spec_index: SpecIndex,
    options: GalleryOptions,
    href: Callable[[str], str],
    opens: Callable[[SpecEntry], str] | None,
) -> _Version:
    spec = entry.spec
    badge = f' <span class="acdl-kind">{BADGES[spec.kind]}</span>' if spec.is_fragment else ""
    top = [
        spec.miniature if options.thumbnails else "",
        f'<p class="acdl-card-title"><a href="{escape_author_text(href(entry.address))}">'
        f"{escape_author_text(spec.title)}</a>{badge}</p>",
        *(f"<p>{part}</p>" for part in _list_lines(spec, spec_index.get_distinguishing_file(entry))),
    ]
    foot = [
        _render_tags(spec, options),
        "<p><small>step by step, with a sample state</small></p>" if entry.state else "",
        _render_variant_count(entry, spec_index),
    ]
    facts = _render_facts(entry, "".join((*top, *foot))) if options.filter else ""
    address = opens(entry) if opens else ""
    return _Version(facts, "".join(top), "".join(foot), _open_link(address, spec) if address else "")


def _render_pair(
    pair: tuple[SpecEntry, SpecEntry],
    number: int,
    spec_index: SpecIndex,
    options: GalleryOptions,
    href: Callable[[str], str],
    opens: Callable[[SpecEntry], str] | None,
) -> str:
    """Render the card of a spec as published and as corrected, with a switch that needs no script."""
    versions = [_render_version(entry, spec_index, options, href, opens) for entry in pair]
    if versions[0].foot == versions[1].foot:
        shared_foot, own_feet = versions[0].foot, ["", ""]
    else:
        shared_foot, own_feet = "", [version.foot for version in versions]
    content = "".join(
        f'<div class="acdl-version"{version.facts}>{version.top}{version.link}{foot}</div>'
        for version, foot in zip(versions, own_feet, strict=True)
    )
    name = f"{escape(options.id)}-{number}"
    switch = "".join(
        f'<label><input type="radio" name="{name}"{checked}>{label}</label>'
        for label, checked in (("as published", " checked"), ("corrected", ""))
    )
    return (
        f'<li class="acdl-card"><div class="acdl-versions">{content}</div>{shared_foot}'
        f'<div class="acdl-switch" role="radiogroup" aria-label="Version">{switch}</div></li>'
    )


def _open_link(address: str, spec: Spec) -> str:
    label = escape_author_text(f"Open in playground: {spec.title}")
    return (
        f'<p><a class="acdl-open" href="{escape_author_text(address)}" aria-label="{label}">Open in playground</a></p>'
    )


def shorten_description(description: str, longest: int = _LONGEST_DESCRIPTION) -> str:
    """Return the first paragraph, cut at a word if it is long."""
    first = description.partition("\n\n")[0]
    if len(first) <= longest:
        return first
    cut = first[:longest].rpartition(" ")[0] or first[:longest]
    return f"{cut.rstrip(' ,;:.')} …"


def _list_lines(spec: Spec, file: str) -> Iterator[str]:
    """Yield the lines about a spec below its title; its file if that is needed."""
    if spec.title != spec.name:
        yield f"<code>{escape_author_text(spec.name)}</code>"
    if spec.file_title and spec.file_title != spec.title:
        yield f"<small>{escape_author_text(spec.file_title)}</small>"
    if file:
        yield f"<small>{escape_author_text(file)}</small>"
    if spec.description:
        yield escape_author_text(shorten_description(spec.description))


def _render_tags(spec: Spec, options: GalleryOptions) -> str:
    links = " ".join(tag_link(tag, options) for tag in dict.fromkeys(spec.tags))
    return f'<p class="acdl-card-tags">{links}</p>' if links else ""


def _render_variant_count(entry: SpecEntry, spec_index: SpecIndex) -> str:
    n_variants = len(spec_index.family_of(entry))
    return f"<p><small>one of {n_variants} variants</small></p>" if n_variants else ""


def _render_facts(entry: SpecEntry, html: str) -> str:
    """Return the hidden words for the filter: roles, constructs and text."""
    spec = entry.spec
    figure_text = unescape(re.sub(r"<[^>]*>", " ", html)).lower()
    text = " ".join((spec.name, spec.description, entry.file, *(mention.name for mention in spec.mentions)))
    words = [word for word in dict.fromkeys(make_printable(text).lower().split()) if word not in figure_text]
    distinct = [word for word in words if not any(word in other for other in words if other != word)]
    facts = {"uses": ",".join((*spec.roles, *spec.constructs)), "words": " ".join(distinct)}
    return "".join(f' data-{name}="{escape_author_text(value)}"' for name, value in facts.items() if value)


LEGEND = """\
Spec[@T]: { // a spec: everything a model is sent at turn @T
    S: { // messages, by role: System
        TEMPLATE // text that somebody wrote
        sys.state // what the program around the model knows
    }
    ForEach(t: range(1, @T)) { // a loop, here over all turns before @T
        Mark 1 { // a part that the text around the figure refers to
            U: env.input[@t] // User; what comes from outside, at that turn
            A: resp.answer[@t] // Assistant; what a model answered
        }
        If (sys.has_called[@t]) { // only if the condition holds
            T: call(sys.tool[@t]) // Tool; what a function gives back
        }
    }
    Frag Reminder[@T] // messages from a fragment
}

RolesFrag Reminder[@t]: { // a fragment with messages: RF; with content only: SF
    U: env.input[@t]
}
"""

_WIDTH_PX = 360
"""The width that a phone can show with legible text."""


@lru_cache(maxsize=8)
def legend_svg(id_prefix: str) -> str:
    """Return the legend as an inline figure.

    Parameters:
        id_prefix: Put before every id, so that it cannot collide with others of the page.
    """
    from acdl_mkdocs.drawing.figure.describe import describe
    from acdl_mkdocs.language.analyse import parse_and_resolve  # most pages have no gallery

    figure = describe(parse_and_resolve(Source(LEGEND, "legend")).resolved)
    options = OutputOptions(
        title="Legend of the notation", id_prefix=id_prefix, standalone=False, reflows=True, width_px=_WIDTH_PX
    )
    return OUTPUTS["svg"](figure, options)


_NOUNS = {
    "specs": ("spec", "specs"),
    "fragments": ("fragment", "fragments"),
    "all": ("spec or fragment", "specs and fragments"),
}
_MOST_TAGS = 16
"""Tags that are shown before a reader asks for the others."""
_MANY = 50
"""A list of this many specs refers to the cards instead of naming all again, if it has every one of the gallery."""
_LIST = re.compile(r'<dt id="([^"]*)" data-(?:tag|uses)=')
_ROLES = ("system", "user", "assistant", "tool", "none")


def gallery_html(
    spec_index: SpecIndex,
    options: GalleryOptions,
    href: Callable[[str], str],
    opens: Callable[[SpecEntry], str] | None = None,
) -> str:
    """Render a gallery as one element.

    Parameters:
        spec_index: All specs of the site.
        options: Which of them it shows, and how.
        href: From an address of the site, `SpecEntry.address`, to one that works on the gallery's page.
        opens: Returns the address that opens a spec in a playground, or nothing; only if the site has one.
    """
    entries = choose_entries(spec_index, options)
    tags = SpecIndex(entries).tags
    classes = ["acdl-gallery", *([f"acdl-columns-{options.columns}"] if options.columns else []), *options.classes]
    parts = [
        _render_filter(entries) if options.filter and entries else "",
        _tag_row(tags, options),
        _construct_row(entries, options) if options.filter else "",
        _render_legend(options) if options.legend else "",
        f'<p class="acdl-count" role="status">{_format_count(len(entries), options)}</p>',
        '<ul class="acdl-cards" role="list">',
        *(
            _render_pair(group, number, spec_index, options, href, opens)
            if len(group) == 2
            else render_card(group[0], spec_index, options, href, opens)
            for number, group in enumerate(_group_pairs(entries))
        ),
        "</ul>",
        _render_no_match(options) if options.filter and entries else "",
        _render_index(entries, tags, options, href),
    ]
    names = escape(" ".join(classes))
    return f'<div class="{names}" id="{escape(options.id)}" data-search-exclude>{"".join(parts)}</div>'


def choose_entries(spec_index: SpecIndex, options: GalleryOptions) -> tuple[SpecEntry, ...]:
    """Return the entries of a gallery, in its order."""
    return tuple(sorted((entry for entry in spec_index.entries if _is_wanted(entry, options)), key=_sort_key(options)))


def _group_pairs(entries: Sequence[SpecEntry]) -> Iterator[tuple[SpecEntry] | tuple[SpecEntry, SpecEntry]]:
    """Yield the entries in order, each alone or with its corrected version: `Chat` with `ChatCorrected` of its file."""
    by_place = {(entry.file, entry.spec.name): entry for entry in entries}
    for entry in entries:
        corrected = by_place.get((entry.file, f"{entry.spec.name}{_CORRECTED}"))
        if corrected:
            yield entry, corrected
        elif not (
            entry.spec.name.endswith(_CORRECTED) and (entry.file, entry.spec.name.removesuffix(_CORRECTED)) in by_place
        ):
            yield (entry,)


def tag_lists(markdown: str, spec_index: SpecIndex) -> dict[str, str]:
    """Map each tag to the anchor of the list of its specs, in the galleries of a page.

    Parameters:
        markdown: The page.
        spec_index: All specs of the site.
    """
    anchors: dict[str, str] = {}
    for fence in fences_of(markdown):
        if fence.language == LANGUAGE and not fence.is_code:
            options = read_gallery_header(Source(fence.opening)).options
            for tag in SpecIndex(choose_entries(spec_index, options)).tags:
                anchors.setdefault(tag, tag_anchor(tag, options.id))
    return anchors


def tag_anchors(html: str) -> set[str]:
    """Return the ids of the lists of tags in the galleries of a page, both raw and as in links: for checks."""
    found = {unescape(each) for each in _LIST.findall(html)} if '<dl class="acdl-index">' in html else set()
    return found | {percent_encode(each) for each in found}


def gallery_problems(spec_index: SpecIndex, header: Header) -> tuple[Diagnostic, ...]:
    """Return the problems of a gallery, beside `header.diagnostics`: that it is empty, and why.

    Spans are those of the header's own source.
    """
    options = header.options
    if choose_entries(spec_index, options):
        return ()
    names, what, near = ["from", "kinds"], "no spec of this site has all that it asks for", None
    known_tags = spec_index.tags
    unknown_tags = [tag for tag in options.tags if tag not in known_tags]
    if options.folder and not any(_is_below(entry.file, options.folder) for entry in spec_index.entries):
        folders = {folder for entry in spec_index.entries for folder in _list_folders(entry.file)}
        names, what = ["folder"], f"no file with specs is in `{options.folder}`"
        near = find_closest(options.folder, folders)
    elif unknown_tags:
        names, what = ["tags"], f"no spec has the tag `{unknown_tags[0]}`"
        near = find_closest(unknown_tags[0], known_tags)
    span = next((header.places[name] for name in (*names, "tags", "folder") if name in header.places), Span(0, 0))
    helps = [f"did you mean `{near}`?"] if near else []
    return (warning("empty-gallery", f"this gallery is empty: {what}", Label(span, what), help=helps),)


def _is_wanted(entry: SpecEntry, options: GalleryOptions) -> bool:
    is_file = entry.file.lower().endswith(".acdl")
    return (
        options.kinds in ("all", "fragments" if entry.spec.is_fragment else "specs")
        and options.source in ("all", "files" if is_file else "pages")
        and set(options.tags) <= set(entry.spec.tags)
        and _is_below(entry.file, options.folder)
    )


def _is_below(file: str, folder: str) -> bool:
    wanted = [part for part in folder.replace("\\", "/").split("/") if part not in ("", ".")]
    return file.split("/")[:-1][: len(wanted)] == wanted


def _list_folders(file: str) -> Iterator[str]:
    parts = file.split("/")[:-1]
    for number in range(1, len(parts) + 1):
        yield "/".join(parts[:number])


def _sort_key(options: GalleryOptions) -> Callable[[SpecEntry], tuple[object, ...]]:
    def key(entry: SpecEntry) -> tuple[object, ...]:
        spec = entry.spec
        title = (spec.title.casefold(), spec.title)
        match options.sort:
            case "useful":
                return spec.is_fragment, not (spec.origin and entry.state)
            case "file":
                return ()
            case "name":
                return spec.name.casefold(), spec.name
            case "title":
                return title
            case "tag":
                return not spec.tags, spec.tags[:1], title

    return key


def _format_count(number: int, options: GalleryOptions) -> str:
    one, several = _NOUNS[options.kinds]
    return f"{number or 'no'} {one if number == 1 else several}"


def _render_filter(entries: Sequence[SpecEntry]) -> str:
    """Render the controls, hidden until a script makes them work."""
    role_names = [name for entry in entries for name in entry.spec.roles]
    roles = {name: role_names.count(name) for name in _ROLES if name in role_names}
    constructs = {name: len(specs) for name, specs in _by_construct(entries).items()}
    return (
        '<form class="acdl-filter" role="search" aria-label="Filter the gallery" hidden>'
        '<label>Words <input type="search" name="words" autocomplete="off" spellcheck="false"></label>'
        f"{_render_choice('Messages', 'any role', roles)}{_render_choice('Constructs', 'any', constructs)}"
        '<button type="reset">Show all</button></form>'
    )


def _render_no_match(options: GalleryOptions) -> str:
    """Render what appears instead of the cards when no card passes the filter; hidden until then."""
    one, several = _NOUNS[options.kinds]
    button = f'<button type="button">Show all {several}</button>'
    return f'<div class="acdl-no-match" hidden><p>No {one} matches this filter.</p>{button}</div>'


def _by_construct(entries: Sequence[SpecEntry]) -> dict[str, list[SpecEntry]]:
    """Map constructs to the entries that have them, by name."""
    constructs: dict[str, list[SpecEntry]] = {}
    for entry in entries:
        for name in entry.spec.constructs:
            constructs.setdefault(name, []).append(entry)
    return {name: constructs[name] for name in sorted(constructs, key=str.casefold)}


def _construct_row(entries: Sequence[SpecEntry], options: GalleryOptions) -> str:
    """Render all constructs with the numbers of their specs, for readers without scripts."""
    links = [
        f'<li><a href="#{escape(use_anchor(name, options.id))}">{escape_author_text(name)} '
        f"<span>{len(specs)}</span></a></li>"
        for name, specs in _by_construct(entries).items()
    ]
    if not links:
        return ""
    row = f'<ul class="acdl-tags" role="list" aria-label="By construct">{"".join(links)}</ul>'
    return write_details("Constructs", row, "acdl-more acdl-by-use")


def _render_choice(title: str, everything: str, numbers: Mapping[str, int]) -> str:
    if not numbers:
        return ""
    choices = "".join(
        f'<option value="{escape_author_text(name)}">{escape_author_text(name)} ({n})</option>'
        for name, n in numbers.items()
    )
    return f'<label>{title} <select name="uses"><option value="">{everything}</option>{choices}</select></label>'


def _tag_row(tags: Mapping[str, int], options: GalleryOptions) -> str:
    """Render all tags with the numbers of their specs, the most frequent first."""
    links = [f"<li>{tag_link(tag, options, n_specs)}</li>" for tag, n_specs in tags.items()]
    if not links:
        return ""
    row = f'<ul class="acdl-tags" role="list" aria-label="Tags">{"".join(links[:_MOST_TAGS])}</ul>'
    rest = links[_MOST_TAGS:]
    if not rest:
        return row
    title = f"{len(rest)} more tag{'s' if len(rest) > 1 else ''}"
    rest_list = f'<ul class="acdl-tags" role="list" aria-label="More tags">{"".join(rest)}</ul>'
    return row + write_details(title, rest_list, "acdl-more")


def _render_legend(options: GalleryOptions) -> str:
    legend = legend_svg(f"{escape(options.id)}-legend-")
    figure = f'<div class="acdl-figure" tabindex="0" role="group" aria-label="Legend">{legend}</div>'
    return write_details("Legend", figure, "acdl-legend")


def _render_index(
    entries: Sequence[SpecEntry], tags: Mapping[str, int], options: GalleryOptions, href: Callable[[str], str]
) -> str:
    """Render the specs of each tag and construct: the targets of tags without a script."""

    def listed(anchor: str, kind: str, name: str, specs: Sequence[SpecEntry]) -> str:
        if len(specs) == len(entries) >= _MANY:
            links = [f'<a href="#{escape(options.id)}">all {_format_count(len(specs), options)}</a>']
        else:
            links = [
                f'<a href="{escape_author_text(href(entry.address))}">{escape_author_text(entry.spec.title)}</a>'
                for entry in specs
            ]
        head = f'<dt id="{escape(anchor)}" data-{kind}="{escape_author_text(name)}">{escape_author_text(name)}</dt>'
        return f"{head}<dd>{', '.join(links)}</dd>"

    items = [
        listed(tag_anchor(tag, options.id), "tag", tag, [entry for entry in entries if tag in entry.spec.tags])
        for tag in sorted(tags, key=lambda tag: (tag.casefold(), tag))
    ]
    if options.filter:
        constructs = _by_construct(entries)
        items += [listed(use_anchor(name, options.id), "uses", name, specs) for name, specs in constructs.items()]
    return f'<dl class="acdl-index">{"".join(items)}</dl>' if items else ""
