"""One card of a gallery: what a spec is called, what it looks like and what it is about, as HTML.

What a filter looks for stands in attributes, unless a reader can see it on the card.
"""

import re
from collections.abc import Callable, Iterator
from html import escape, unescape

from acdl_mkdocs.site.gallery_options import GalleryOptions
from acdl_mkdocs.site.shelf import Shelf, Shown
from acdl_mkdocs.workspace.files import printable
from acdl_mkdocs.workspace.spec import Spec

BADGES = {"string-fragment": "string fragment", "roles-fragment": "roles fragment"}
_LONGEST_DESCRIPTION = 160


def clean(text: str) -> str:
    """A text of an author as it may stand in HTML, between tags or in an attribute."""
    return escape(printable(text))


def tag_anchor(tag: str, gallery: str = "acdl-gallery") -> str:
    """The id of the list of all specs with a tag.

    Parameters:
        tag: Any text without a comma.
        gallery: The id of the gallery.
    """
    word = re.sub(r"[^\w.-]", lambda sign: f"_{ord(sign[0]):x}", printable(tag))
    return f"{gallery.removesuffix('-gallery')}-tag-{word}"


def use_anchor(name: str, gallery: str = "acdl-gallery") -> str:
    """The id of the list of all specs with a construct.

    Parameters:
        name: As the language writes it: `ForEach`.
        gallery: The id of the gallery.
    """
    return f"{gallery.removesuffix('-gallery')}-uses-{name}"


def tag_link(tag: str, options: GalleryOptions, n_specs: int | None = None) -> str:
    """A tag that leads to the list of its specs, with their number."""
    number = f" <span>{n_specs}</span>" if n_specs is not None else ""
    return f'<a href="#{escape(tag_anchor(tag, options.id))}">{clean(tag)}{number}</a>'


def card(
    entry: Shown,
    shelf: Shelf,
    options: GalleryOptions,
    href: Callable[[str], str],
    opens: Callable[[Shown], str] | None = None,
) -> str:
    """The card of a spec or fragment.

    Parameters:
        entry: What is shown.
        shelf: All specs of the site, for its variants.
        options: Of the gallery.
        href: From an address of the site to one that works on the gallery's page.
        opens: Gives the address that opens it in a playground, or nothing, if the site has one.
    """
    spec = entry.spec
    badge = f' <span class="acdl-kind">{BADGES[spec.kind]}</span>' if spec.is_fragment else ""
    parts = [
        spec.miniature if options.thumbnails else "",
        f'<p class="acdl-card-title"><a href="{clean(href(entry.address))}">{clean(spec.title)}</a>{badge}</p>',
        *(f"<p>{part}</p>" for part in _lines(spec, shelf.file_to_tell(entry))),
        _tags(spec, options),
        "<p><small>step by step, with a sample state</small></p>" if entry.state else "",
        _variants(entry, shelf),
    ]
    html = "".join(parts)
    facts = _facts(entry, html) if options.filter else ""
    address = opens(entry) if opens else ""
    link = _open_link(address, spec) if address else ""
    return f'<li class="acdl-card"{facts}>{html}{link}</li>'


def _open_link(address: str, spec: Spec) -> str:
    label = clean(f"Open in playground: {spec.title}")
    return f'<p><a class="acdl-open" href="{clean(address)}" aria-label="{label}">Open in playground</a></p>'


def short(description: str, longest: int = _LONGEST_DESCRIPTION) -> str:
    """The first paragraph, cut at a word if it is long."""
    first = description.partition("\n\n")[0]
    if len(first) <= longest:
        return first
    cut = first[:longest].rpartition(" ")[0] or first[:longest]
    return f"{cut.rstrip(' ,;:.')} …"


def _lines(spec: Spec, file: str) -> Iterator[str]:
    """What is said of a spec below its title; its file is told if there is one to tell."""
    if spec.title != spec.name:
        yield f"<code>{clean(spec.name)}</code>"
    if spec.file_title and spec.file_title != spec.title:
        yield f"<small>{clean(spec.file_title)}</small>"
    if file:
        yield f"<small>{clean(file)}</small>"
    if spec.description:
        yield clean(short(spec.description))


def _tags(spec: Spec, options: GalleryOptions) -> str:
    links = " ".join(tag_link(tag, options) for tag in dict.fromkeys(spec.tags))
    return f'<p class="acdl-card-tags">{links}</p>' if links else ""


def _variants(entry: Shown, shelf: Shelf) -> str:
    n_variants = len(shelf.family(entry))
    return f"<p><small>one of {n_variants} variants</small></p>" if n_variants else ""


def _facts(entry: Shown, html: str) -> str:
    """What a filter looks for and the card does not show: roles, constructs and words."""
    spec = entry.spec
    shown = unescape(re.sub(r"<[^>]*>", " ", html)).lower()
    said = " ".join((spec.name, spec.description, entry.file, *(mention.name for mention in spec.mentions)))
    words = [word for word in dict.fromkeys(printable(said).lower().split()) if word not in shown]
    whole = [word for word in words if not any(word in other for other in words if other != word)]
    facts = {"uses": ",".join((*spec.roles, *spec.constructs)), "words": " ".join(whole)}
    return "".join(f' data-{name}="{clean(value)}"' for name, value in facts.items() if value)
