"""`specs.json`: every spec and fragment of a site for programs, in one document.

Takes the index of a site, returns text described by `assets/specs.schema.json`. Knows no docs tool, writes no file.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from urllib.parse import quote

from acdl_mkdocs.foundation.safe_text import json_text
from acdl_mkdocs.frontends.docs.pages.checked_specs import CheckedSpecs
from acdl_mkdocs.frontends.docs.pages.reads import SpecRead, list_reads
from acdl_mkdocs.frontends.docs.pages.spec_index import SpecEntry, SpecIndex
from acdl_mkdocs.workspace.spec import MentionKind

SCHEMA_VERSION = 1
"""Incremented when a key changes its meaning or is removed."""

_SAFE = "/#?&=~:@!$'()*+,;"
_HOST = re.compile(r"https?://", re.IGNORECASE)

Object = dict[str, object]
Url = Callable[[str], str]
"""A function from an address of the site to one that a program can request."""


def specs_json(spec_index: SpecIndex, site_url: str, checked: CheckedSpecs | None = None) -> str:
    """Return the document, the same for the same index, with a line for each spec, fragment or name.

    Parameters:
        spec_index: Everything that the site has.
        site_url: Address of the site's home page; empty if it is not known, and all addresses are relative to it then.
        checked: The verdicts of recorded runs on the specs.
    """
    base = f"{site_url.rstrip('/')}/" if site_url else ""

    @cache  # each address is in the data of many specs
    def url(address: str) -> str:
        path = address.removeprefix("./") if base else address  # tools use this name for the home page
        return base + quote(path, safe=_SAFE, errors="replace")

    entries = [
        (entry, _entry_data(entry, spec_index, url) | _runs_data(entry, checked)) for entry in spec_index.entries
    ]
    document = {
        "version": SCHEMA_VERSION,
        "site": base,
        "specs": [each for entry, each in entries if not entry.spec.is_fragment],
        "fragments": [each for entry, each in entries if entry.spec.is_fragment],
        "variables": _index_data(spec_index, "variable", url),
        "templates": _index_data(spec_index, "template", url),
        "functions": _index_data(spec_index, "function", url),
        "tags": [{"name": name, "count": count} for name, count in spec_index.tags.items()],
    }
    members = (f"{_format_line(key)}: {_format_member(value)}" for key, value in document.items())
    return "{\n" + ",\n".join(members) + "\n}\n"


def _format_member(value: object) -> str:
    if not isinstance(value, list) or not value:
        return _format_line(value)
    return "[\n" + ",\n".join(map(_format_line, value)) + "\n]"


def _format_line(value: object) -> str:
    return json_text(value, indent=None)


def _entry_data(entry: SpecEntry, spec_index: SpecIndex, url: Url) -> Object:
    """Return all data of a spec or fragment."""
    spec = entry.spec
    reads = list_reads(entry, spec_index)
    return {
        "name": spec.name,
        "kind": spec.kind,
        "title": spec.title,
        "file_title": spec.file_title,
        "description": spec.description,
        "tags": list(spec.tags),
        "origin": spec.origin.splitlines(),
        "see": [{"text": each, "url": _resolve_see(each, spec_index, url)} for each in spec.see],
        "url": url(entry.address),
        "has_page": entry.has_page,
        "file": entry.file,
        "line": entry.line,
        "parameters": list(spec.parameters),
        "roles": list(spec.roles),
        "constructs": list(spec.constructs),
        "range": entry.range,
        "variables": _reads_data(reads, "variable", entry, url),
        "templates": _reads_data(reads, "template", entry, url),
        "functions": _reads_data(reads, "function", entry, url),
        "fragments": [_name_data(name, _find_fragments(name, entry, spec_index), url) for name in spec.fragments],
        "used_by": _list_links(spec_index.users_of(spec.name), url) if spec.is_fragment else [],
        "variant_of": _name_data(spec.variant_of, spec_index.find_entries(spec.variant_of), url)
        if spec.variant_of
        else None,
        "family": _list_links(spec_index.family_of(entry), url),
        "source": spec.text,
    }


def _runs_data(entry: SpecEntry, checked: CheckedSpecs | None) -> Object:
    """Return the verdict of recorded runs on it."""
    findings = checked.findings_of(entry) if checked is not None else None
    if findings is None or not findings.headline:
        return {"recorded_runs": None}
    return {"recorded_runs": {"verdict": findings.verdict, "words": findings.sentence, **(findings.numbers or {})}}


def _reads_data(reads: Iterable[SpecRead], kind: MentionKind, entry: SpecEntry, url: Url) -> list[Object]:
    """Return its reads of one kind."""
    return [
        {
            "name": each.name,
            "forms": list(each.forms),
            "comments": list(each.comments),
            "places": _list_addresses(each, entry, url),
            "is_own": each.is_own,
            "via": _list_links(each.via, url),
        }
        for each in reads
        if each.kind == kind
    ]


def _list_addresses(read: SpecRead, entry: SpecEntry, url: Url) -> list[str]:
    """Return addresses of the parts of the figure that show it: known only on its own page, which has one figure."""
    return [url(f"{entry.address}#{anchor}") for anchor in read.anchors] if entry.has_page else []


def _find_fragments(name: str, user: SpecEntry, spec_index: SpecIndex) -> Sequence[SpecEntry]:
    """Return the possible targets of a use of a fragment: that of the same file, else those of other files."""
    fragments = [each for each in spec_index.find_entries(name) if each.spec.is_fragment]
    return [each for each in fragments if each.file == user.file] or fragments


def _name_data(name: str, entries: Sequence[SpecEntry], url: Url) -> Object:
    """Return a name as a link; without an address if the site does not have it."""
    return {"name": name, "url": url(entries[0].address) if entries else None}


def _list_links(entries: Iterable[SpecEntry], url: Url) -> list[Object]:
    return [_name_data(each.spec.name, [each], url) for each in entries]


def _resolve_see(words: str, spec_index: SpecIndex, url: Url) -> str | None:
    """Return the address of an author's `see`: itself if it is an address, else that of the spec."""
    if _HOST.match(words):
        return words
    entries = spec_index.find_entries(words)
    return url(entries[0].address) if entries else None


def _index_data(spec_index: SpecIndex, kind: MentionKind, url: Url) -> list[Object]:
    """Return everything of a kind that the site mentions, by name, with those that mention it."""
    found: dict[str, list[SpecEntry]] = {}
    for entry in spec_index.entries:
        for mention in entry.spec.mentions:
            if mention.kind == kind:
                found.setdefault(mention.name, []).append(entry)
    return [{"name": name, "used_by": _list_links(entries, url)} for name, entries in sorted(found.items())]
