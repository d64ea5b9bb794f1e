"""A difference as a standalone page: the verdict, the figures, the text. Needs no script and no other file.

The page forbids everything but its own style sheets, each named by its hash, so that nothing in a spec can run.
"""

import base64
import hashlib
import re
from dataclasses import replace
from html import escape

from acdl_mkdocs.compare.formats import text
from acdl_mkdocs.compare.formats.edit_signs import count_edits
from acdl_mkdocs.compare.formats.edit_text import summarize_difference
from acdl_mkdocs.compare.formats.figure import draw_sides, draw_unified
from acdl_mkdocs.compare.formats.options import CompareOptions
from acdl_mkdocs.compare.formats.svg import THEMES, title_of
from acdl_mkdocs.compare.sent.summary import sent_verdict
from acdl_mkdocs.compare.structure.edits import Difference
from acdl_mkdocs.drawing.figure.boxes import SIGNS, Box
from acdl_mkdocs.drawing.formats import html, svg
from acdl_mkdocs.drawing.formats.options import OutputOptions
from acdl_mkdocs.foundation.safe_text import make_visible

_STYLE = """\
:root { color-scheme: SCHEME; }
body { max-width: 90rem; margin: 0 auto; padding: 1rem; font: 1rem/1.5 system-ui, sans-serif;
  color: CanvasText; background: Canvas; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.15rem; margin-block: 2rem .5rem; } h1, p { overflow-wrap: anywhere; }
pre { padding: .75rem; overflow: auto; border: 1px solid GrayText; border-radius: 4px; }
.figure { overflow: auto; } .figure > svg { display: block; }
.sides { display: flex; flex-wrap: wrap; gap: 1.5rem; } .sides > figure { min-width: 0; margin: 0; max-width: 100%; }
figcaption { font-weight: 700; overflow-wrap: anywhere; } :focus-visible { outline: 2px solid Highlight; }
summary { cursor: pointer; min-height: 24px; }
del { text-decoration: line-through; } ins { text-decoration: underline; }
@media (prefers-color-scheme: dark) { :root { background: PAGE; } }
@media print { .figure, pre { overflow: visible; } pre { white-space: pre-wrap; } section { break-inside: auto; } }
"""
_RULES = re.compile(r"<style>(.*?)</style>", re.DOTALL)


def write(difference: Difference, options: CompareOptions | None = None) -> str:
    """Write the page; the same difference gives the same bytes everywhere."""
    options = options or CompareOptions()
    title = escape(make_visible(title_of(difference, options)))
    figure = draw_unified(difference, is_folded=options.is_folded)
    figures = [_render_unified(figure, options), _render_sides(difference, options)]
    body = [
        f"<h1>{title}</h1>",
        f"<p><strong>{escape(summarize_difference(difference))}</strong></p>",
        f"<p><strong>With the state: {escape(sent_verdict(options.sent))}</strong></p>" if options.sent else "",
        _render_legend(difference),
        *(reversed(figures) if options.is_side_by_side else figures),
        _render_text(difference, figure, options),
    ]
    scheme = {"light": "light", "dark": "dark"}.get(options.theme, "light dark")
    style = f"<style>{_STYLE.replace('SCHEME', scheme).replace('PAGE', '#1e2129')}</style>"
    if options.theme != "auto":
        style = re.sub(r"@media \(prefers[^\n]*\n", "", style)
    main = "\n".join(["<main>", *filter(None, body), "</main>"])
    hashes = dict.fromkeys(map(_hash_rules, _RULES.findall(style + main)))
    policy = f"default-src 'none'; style-src {' '.join(hashes)}; base-uri 'none'; form-action 'none'"
    head = [
        '<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{title}</title>",
        style,
    ]
    lines = ["<!doctype html>", '<html lang="en">', "<head>", *head, "</head>", "<body>", main, "</body>", "</html>"]
    return "\n".join(lines).encode("utf-8", "replace").decode("utf-8") + "\n"


def _hash_rules(rules: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(rules.encode()).digest()).decode()}'"


def _render_figure(figure: Box, name: str, prefix: str, options: CompareOptions) -> str:
    """Render a figure that scrolls, also by keyboard."""
    output = OutputOptions(title=name, id_prefix=prefix, theme=THEMES.get(options.theme, "auto"))
    label = escape(make_visible(name))
    return f'<div class="figure" tabindex="0" role="region" aria-label="{label}">\n{svg.write(figure, output)}</div>'


def _render_unified(figure: Box, options: CompareOptions) -> str:
    picture = _render_figure(figure, "both in one figure", "both-", options)
    return f"<section>\n<h2>Both in one figure</h2>\n{picture}\n</section>"


def _render_sides(difference: Difference, options: CompareOptions) -> str:
    figures: list[str] = []
    names = (difference.old.source.name, difference.new.source.name)
    boxes = draw_sides(difference, is_folded=options.is_folded)
    for box, word, name in zip(boxes, ("old", "new"), names, strict=True):
        caption = f"{word}: {name}"
        picture = _render_figure(box, caption, f"{word}-", options)
        figures.append(f"<figure>\n<figcaption>{escape(make_visible(caption))}</figcaption>\n{picture}\n</figure>")
    inside = "\n".join(figures)
    return f'<section>\n<h2>Side by side</h2>\n<div class="sides">\n{inside}\n</div>\n</section>'


def _render_legend(difference: Difference) -> str:
    """Render the meaning of each mark and the number of changes of each kind; empty if nothing changed."""
    entries = [
        f"<code>{escape(SIGNS.get(kind, SIGNS['changed']))}</code> {words}" for kind, words in count_edits(difference)
    ]
    return f"<p>{', '.join(entries)}</p>" if entries else ""


def _render_text(difference: Difference, figure: Box, options: CompareOptions) -> str:
    written = escape(text.write(difference, replace(options, color=False)))
    listed = html.write(figure, OutputOptions(title="both as a list", id_prefix="list-"))
    return (
        f'<section>\n<h2>As text</h2>\n<pre tabindex="0">{written}</pre>\n'
        f"<details>\n<summary>The figure as a list</summary>\n{listed}</details>\n</section>"
    )
