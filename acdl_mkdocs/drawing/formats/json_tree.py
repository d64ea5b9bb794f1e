"""The figure as JSON, for tools.

```json
{"version": 1, "title": "ACDL: P[@T]", "figure": BOX}
```

A `BOX` has `kind`, `text` (the header as one string), `words`, `comment` (without `//`), `anchor` (the id that the SVG
and HTML outputs give it, or ""), `span` (`[start, end]`, half-open code points of the source, or null) and `children`;
one with a sign also has `sign` and `sign_words`.
`words` is a flat list: `{"text": ..., "style": ...}` is text, `{"open": style, "target": name}` and `{"close": style}`
begin and end a frame. `version` changes when a field changes its meaning or goes away; fields may be added.
"""

import json
from collections.abc import Iterator

from acdl_mkdocs.drawing.figure.boxes import Box, plain_text
from acdl_mkdocs.drawing.formats.box_text import figure_title, walk_boxes
from acdl_mkdocs.drawing.formats.options import OutputOptions
from acdl_mkdocs.drawing.formats.xml import make_id
from acdl_mkdocs.foundation.safe_text import escape_json
from acdl_mkdocs.language.syntax.words import Pill, Run, Words

VERSION = 1


def write(figure: Box, options: OutputOptions) -> str:
    """Write one line per box, so that two figures can be compared line by line."""
    # Written line by line, because `json.dumps` needs several Python frames for each level of nesting.
    lines: list[str] = []
    needs_comma = False
    for box, depth, is_beginning in walk_boxes(figure):
        indent = " " * (depth + 1)
        if is_beginning:
            if needs_comma:
                lines[-1] += ","
            fields = json.dumps(_box_fields(box, options), ensure_ascii=False)
            lines.append(f'{indent}{fields[:-1]}, "children": [' + ("" if box.children else "]}"))
            needs_comma = not box.children
        elif box.children:
            lines.append(f"{indent}]}}")
            needs_comma = True
    head = (
        f'{{"version": {VERSION}, "title": '
        f'{json.dumps(options.title or figure_title(figure), ensure_ascii=False)}, "figure":'
    )
    return escape_json("\n".join((head, *lines, "}\n")))


def _box_fields(box: Box, options: OutputOptions) -> dict[str, object]:
    return {
        "kind": box.kind,
        "text": plain_text(box.header),
        "words": list(_flatten_words(box.header)),
        "comment": box.comment,
        "anchor": make_id(options.id_prefix + box.anchor) if box.anchor else "",
        "span": [box.span.start, box.span.end] if box.span else None,
        **({"sign": box.sign, "sign_words": box.sign_words} if box.sign else {}),
    }


def _flatten_words(words: Words) -> Iterator[dict[str, str]]:
    pending: list[Run | Pill | str] = [*reversed(words)]
    while pending:
        word = pending.pop()
        if isinstance(word, Run):
            yield {"text": word.text, "style": word.style}
        elif isinstance(word, Pill):
            yield {"open": word.style, "target": word.target}
            pending += [word.style, *reversed(word.words)]
        else:
            yield {"close": word}
