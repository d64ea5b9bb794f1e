"""A text that readers can open in a playground, and the link for it. Knows no playground.

A playground that is built with the site has a file for each example. An external one gets the text in the
link, packed as the playground itself packs what is shared.
"""

import hashlib
import json
import re
import zlib
from base64 import urlsafe_b64encode
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, field
from typing import TypeAlias

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.workspace.read_block import BlockText, figure_name

_KEY_LENGTH = 8
_CODE_VERSION = 1
_NEVER_CODED = ("title",)
"""What a link with a text omits: the playground names the text by its definitions."""
_WORD = re.compile(r"[^a-z0-9]+")


@dataclass(frozen=True, slots=True)
class Example:
    """A text with everything that belongs to it."""

    title: str
    text: str
    files: Mapping[str, str] = field(default_factory=dict)
    """Name and text of files whose fragments it uses."""
    state: str = ""
    """The text of the state that it is evaluated with."""
    at: str = ""
    old: str = ""
    """The text that it is compared with."""
    spec: str = ""
    """The drawn definition; empty for the whole text."""
    range: str = ""
    """How it reads ranges, if not in the default way."""

    @property
    def key(self) -> str:
        """Its key in addresses: the same for the same content, whatever page shows it."""
        parts = (self.text, self.state, self.at, self.old, self.spec, self.range, sorted(self.files.items()))
        digest = hashlib.sha256(repr(parts).encode("utf-8", "replace")).hexdigest()[:_KEY_LENGTH]
        word = _WORD.sub("-", self.title.casefold())[:40].strip("-")
        return f"{word}-{digest}" if word else digest


Opening: TypeAlias = Callable[[Example, str], str]
"""A function from an example and the anchor of its figure to the address that opens it."""


def example_of(text: BlockText, others: tuple[tuple[Source, ...], ...]) -> Example:
    """Return the example of a block.

    Parameters:
        text: The block.
        others: Texts with the fragments that it uses.
    """
    options = text.options
    return Example(
        title=options.title or options.caption or figure_name(options, text.source.text),
        text=text.source.text,
        files=files_of(each for level in others for each in level),
        state=text.state.source.text if text.state and text.state.source else "",
        at=options.at if text.state else "",
        spec=options.spec,
        range=options.range if options.range != "half-open" else "",
    )


def files_of(sources: Iterable[Source]) -> dict[str, str]:
    """Return texts as files of an example, each text once; some may have had the same name."""
    names = {each.text: each.name for each in sources}
    return {f"{number}-{name.rpartition('/')[2]}": words for number, (words, name) in enumerate(names.items(), 1)}


def code_of(example: Example) -> str:
    """Encode an example for a link: JSON, compressed by deflate, in URL-safe characters."""
    data = {name: value for name, value in asdict(example).items() if value and name not in _NEVER_CODED}
    words = json.dumps({"v": _CODE_VERSION, **data}, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    packer = zlib.compressobj(zlib.Z_BEST_COMPRESSION, zlib.DEFLATED, -zlib.MAX_WBITS)
    packed = packer.compress(words.encode("utf-8", "replace")) + packer.flush()
    return urlsafe_b64encode(packed).decode("ascii").rstrip("=")
