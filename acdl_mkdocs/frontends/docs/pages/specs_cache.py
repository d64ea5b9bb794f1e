"""The definitions of texts, kept between builds: one file for a site, safe to delete.

A gallery needs every spec of a site, so that a build would parse them all again to show one that has changed. The
definitions of a text depend on nothing else. A file that is damaged or of another version counts as absent.
"""

import json
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import fields
from pathlib import Path
from typing import Any, TypeAlias

from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.workspace.cache import code_digest, compute_checksum, digest_of, replace_cache_file
from acdl_mkdocs.workspace.parts import specs_in
from acdl_mkdocs.workspace.remembered import cache_across_builds
from acdl_mkdocs.workspace.spec import Mention, Spec

_N_REMEMBERED = 4096
"""Size of the cache of decoded texts in a process."""

SpecsEntry: TypeAlias = tuple[str, str]
"""The digest of a text, and its definitions as JSON."""

_AS_IT_IS = [each.name for each in fields(Spec) if each.name not in ("source", "span", "mentions")]


class SpecsCache:
    """The cache of the last build, and the entries used by this one."""

    def __init__(self, path: Path) -> None:
        """Open a file, which need not exist."""
        self._path = path
        self._old_entries = _read_cache(path)
        self._saved_keys = frozenset(self._old_entries)
        self._entries: dict[str, str] = {}

    def add_entries(self, entries: Iterable[SpecsEntry]) -> None:
        """Add what other processes have read."""
        self._old_entries = self._old_entries | dict(entries)

    def has_specs(self, source: Source) -> bool:
        """Return whether the definitions of a text are known."""
        key = digest_of(source.text)
        return key in self._old_entries or key in self._entries

    def specs_of(self, source: Source) -> tuple[Spec, ...]:
        """Return the definitions of a text, which is parsed only if it is new."""
        key = digest_of(source.text)
        cached = self._old_entries.get(key)
        specs = specs_in(source) if cached is None else _decode_specs(cached, source)
        self._entries[key] = _encode_specs(specs) if cached is None else cached
        return specs

    def save_cache(self) -> None:
        """Write the entries of this build if they changed; a full or read-only disk is not an error."""
        if not self._entries or self._entries.keys() == self._saved_keys:
            return
        body = json.dumps(self._entries).encode()
        head = json.dumps({"code": code_digest(), "body": compute_checksum(body)}).encode()
        with suppress(OSError):
            replace_cache_file(self._path, head + b"\n" + body)
            self._old_entries, self._saved_keys = self._entries, frozenset(self._entries)


def read_entry(source: Source) -> SpecsEntry:
    """Read a text for `SpecsCache.add_entries`."""
    return digest_of(source.text), _encode_specs(specs_in(source))


def _read_cache(path: Path) -> dict[str, str]:
    """Return the contents of a file, if they are exactly what `save_cache` wrote with this version."""
    try:
        head, _, body = path.read_bytes().partition(b"\n")
        index = json.loads(head)
        if index["code"] != code_digest() or index["body"] != compute_checksum(body):
            return {}
    except (OSError, ValueError, KeyError, TypeError):
        return {}
    data: dict[str, str] = json.loads(body)
    return data


def _encode_specs(specs: tuple[Spec, ...]) -> str:
    return json.dumps(
        [
            {
                "span": [spec.span.start, spec.span.end],
                "mentions": [[getattr(each, field.name) for field in fields(Mention)] for each in spec.mentions],
                **{name: getattr(spec, name) for name in _AS_IT_IS},
            }
            for spec in specs
        ]
    )


@cache_across_builds(_N_REMEMBERED)
def _decode_specs(words: str, source: Source) -> tuple[Spec, ...]:
    """Decode the specs of a text that `_encode_specs` wrote."""
    return tuple(
        Spec(
            source=source,
            span=Span(*each["span"]),
            mentions=tuple(Mention(*map(_freeze_list, values)) for values in each["mentions"]),
            **{name: _freeze_list(each[name]) for name in _AS_IT_IS},
        )
        for each in json.loads(words)
    )


def _freeze_list(value: Any) -> Any:
    """Convert a list to the original tuple."""
    return tuple(value) if isinstance(value, list) else value
