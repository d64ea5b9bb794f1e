"""Rule `misspelled-header`: a comment nearly begins with `title:`, `tags:` or another word that the tools read."""

import re
from collections.abc import Iterator

from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.diagnostics import Diagnostic, Label, note
from acdl_mkdocs.foundation.source import Span
from acdl_mkdocs.foundation.wording import find_closest
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.syntax.nodes import Comment
from acdl_mkdocs.language.syntax.pragmas import FRONT_NAMES

_KEY = re.compile(r"(?P<name>[A-Za-z][\w-]{2,}|[A-Za-z]+ [Oo]f)\s*:\s*\S")


def misspelled_header(resolved: Resolved, config: Config) -> Iterator[Diagnostic]:  # noqa: ARG001  # same for all rules
    """Report comments at the top level that begin with a word near `title`, `tags`, `source`, `state` and so on.

    ## Why
    Galleries and pages read the details of a spec from such comments. A misspelled one becomes part of the description,
    and nobody notices. A comment that means something else can use other words.

    ## Example
    ```acdl
    // tittle: Answers questions
    P[@T]: { U: env.query[@T] }
    ```

    ## Use instead
    ```acdl
    // title: Answers questions
    P[@T]: { U: env.query[@T] }
    ```

    Reference: Language Reference, "Comments".
    """
    for item in resolved.parsed.file.items:
        key = _KEY.match(item.text) if isinstance(item, Comment) else None
        if key is None or key["name"].lower() in FRONT_NAMES:
            continue
        near = find_closest(key["name"].replace(" ", "-"), FRONT_NAMES)
        if near:
            at = resolved.source.text.find(key["name"], item.span.start, item.span.end)
            span = Span(at, at + len(key["name"])) if at >= 0 else item.span
            message = f"`{key['name']}` is not a word that the tools read"
            yield note("misspelled-header", message, Label(span, "part of the description"), help=f"write `{near}:`")
