"""Any opening line of a block of any kind, with any text, through Python-Markdown."""

from markdown import Markdown

from acdl_mkdocs.frontends.docs.block_kinds import BLOCKS, fence_problems
from acdl_mkdocs.frontends.docs.markdown.extension import AcdlExtension
from acdl_mkdocs.frontends.docs.markdown.host import announce_page
from acdl_mkdocs.frontends.docs.page import Page
from acdl_mkdocs.workspace.fences import lines_of, scan_fences
from fuzz.folder import FILES, project_folder
from fuzz.safe_html import SafeHtml
from fuzz.target import Target, file_text
from fuzz.words import options

_TEXTS = ("P[@T]: {\n    S: A\n    U: env.q[@T]\n}\n", "<conversation><user>a</user></conversation>\n", "")
_TEXT_OF = {"acdl": 0, "acdl-diff": 0, "acdl-variants": 0, "laic": 1, "pml": 1}


def run(data: bytes) -> None:
    """The first line is the opening line, without its marks; the rest is the text, or one that fits."""
    opening, _, body = file_text(data).replace("\r", "\n").partition("\n")
    for language in BLOCKS:
        header = opening if opening.lstrip().startswith(("{", language)) else f"{language} {opening}"
        text = f"```{header}\n{body or _TEXTS[_TEXT_OF.get(language, 2)]}\n```\n"
        html = check_page(text)
        fences = [(each.language in BLOCKS, each.first, each.end) for each in scan_fences(lines_of(text))]
        if fences == [(True, 0, text.count("\n"))]:  # the page has a block of ours, and nothing else
            assert any(name.startswith("acdl") for name in SafeHtml(html).classes)


def check_page(text: str) -> str:
    """Build a page, and look for problems as `acdl check` does; a mistake of this package is none of the text."""
    said: list[tuple[str, str]] = []
    with project_folder() as folder:
        md = Markdown(extensions=["attr_list", "footnotes", "tables", AcdlExtension()])
        page = Page(name="page.md", text=text, root=folder, report=lambda severity, line: said.append((severity, line)))
        with announce_page(page):
            html = md.convert(text)
        again = Page(name="page.md", text=text, root=folder)
        for fence in scan_fences(lines_of(text)):
            for problem, _ in fence_problems(fence, again):
                assert problem.message
    html.encode("utf-8")
    lines = [line for _, line in said]
    assert not any("internal-error" in line for line in lines), lines
    assert not any("\n" in line for line in lines), lines
    return html


def _seeds() -> list[bytes]:
    lines = """\
title="A" #id .wide show=side
{.acdl #react title='T' caption="C" show=source}
spec=P range=inclusive theme=dark width=480px comments=off header=on explain=on
src="a.acdl#P" state=a.state.yaml at=1..3 runs="*.jsonl" mutants=3 excerpts=off
old=a.acdl new=b.acdl git=HEAD~1 show=unified fold=off
old=a.acdl new=b.acdl state=b.state.yaml show=text
src=a.acdl runs=a.run.jsonl mutants=5
src=b.acdl#Chat state=b.state.yaml at="1..2"
src=p.xml show=tree
src=book.yaml tag=agents
lenient=on show=tree file=a.xml
tag=agents sort=title columns=3
"""
    return [line.encode() + b"\n" for line in lines.splitlines()] + [
        b"\nP[@T]: {\n  U: env.q\n}",
        b"old\nS: A\n---\nS: B",
    ]


TARGET = Target(
    run=run,
    promise="is a block of a page or a panel that says what is wrong, with nothing that acts, never a failure",
    seeds=_seeds,
    words=(*options(), *FILES),
    max_bytes=400,
    max_cpu_s=8,
)
