"""A spec or fragment for galleries, spec pages and `specs.json`.

Knows no parser, so that a build with a full cache needs none.
"""

from dataclasses import field
from typing import TYPE_CHECKING, Literal, TypeAlias

from acdl_mkdocs.foundation.config import RangeMode
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Source, Span

if TYPE_CHECKING:
    from acdl_mkdocs.language.names.resolve import Kind

MentionKind: TypeAlias = Literal["variable", "template", "function"]


@dataclass(frozen=True, slots=True)
class Mention:
    """A name that a spec reads or inserts, with all its places."""

    name: str
    """Without indices and arguments: `env.question`, `TASK_DESC`, `retrieve`."""
    kind: MentionKind
    forms: tuple[str, ...]
    """All spellings, each once: `env.question[@t]`, `env.question[@T]`."""
    anchors: tuple[str, ...]
    """Anchors of the parts of the figure that show it, in order, each once."""
    comments: tuple[str, ...]
    """The comments beside it, each once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spec:
    """One spec or fragment."""

    name: str
    kind: "Kind"
    title: str
    """Its title: that of its own comments, else of the file's if it is alone there, else its name."""
    file_title: str = ""
    """The title of the file, which may hold several specs."""
    description: str = ""
    """Its own comments, else those at the top of the file; paragraphs separated by empty lines."""
    tags: tuple[str, ...] = ()
    origin: str = ""
    """Its origin, as the author wrote it; several on separate lines."""
    see: tuple[str, ...] = ()
    """Related specs or addresses."""
    variant_of: str = ""
    """The spec that it is a variant of."""
    state: str = ""
    """A file with a sample state named in its comments, relative to the folder of its file."""
    runs: tuple[str, ...] = ()
    """Files of recorded runs named in its comments, relative to the folder of its file; also patterns."""
    requests: str = ""
    """Which requests of the recordings of its file it describes, as its comments say it."""
    parameters: tuple[str, ...] = ()
    roles: tuple[str, ...] = ()
    """The roles of its messages, in order, each once."""
    constructs: tuple[str, ...] = ()
    """The language constructs that it uses, each once: `ForEach`, `If`, `sub-steps` and so on."""
    has_ranges: bool = False
    """Whether it has a `range(a, b)`, which can be read in two ways."""
    range: RangeMode | None = None
    """How the text itself sets that ranges are read."""
    mentions: tuple[Mention, ...] = ()
    fragments: tuple[str, ...] = ()
    """Names of the fragments that it uses, each once."""
    source: Source
    span: Span
    """The definition, without the comments above it."""
    miniature: str = field(repr=False)
    """A thumbnail: an inline SVG of a few bars."""

    @property
    def text(self) -> str:
        """The definition as written."""
        return self.source.text[self.span.start : self.span.end]

    @property
    def is_fragment(self) -> bool:
        """True if it is a fragment and not a spec."""
        return self.kind != "prompt"
