"""The Sphinx extension in real builds: the example project with every builder, references, index, search, assets."""

import json
import re
import shutil
import subprocess
import sys
import zipfile
import zlib
from collections import Counter
from html.parser import HTMLParser
from importlib.resources import files
from pathlib import Path
from xml.etree import ElementTree

import pytest
from exhaustive import exhaustive, few

from acdl_mkdocs.frontends.docs.settings import SETTINGS
from acdl_mkdocs.frontends.docs.sphinx.domain import AcdlDomain
from integrations.sphinx_project import CHAT, Built, Project, sphinx_build

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "sphinx-project"
PAGES = ("index", "fragments", "agents", "gallery")
STRICT = ("-W", "--keep-going", "-n", "-E", "-j", "2")
VOID = {"area", "br", "col", "hr", "img", "input", "link", "meta", "path", "source", "wbr"}


class Page(HTMLParser):
    """Elements in their order, ids and links of a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: Counter[str] = Counter()
        self.links: list[str] = []
        self.figures: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """One more element is open."""
        given = {name: value or "" for name, value in attrs}
        assert "p" not in self.open or tag not in ("figure", "div", "p", "details"), f"<{tag}> in a paragraph"
        assert not (tag == "a" and "a" in self.open), "a link in a link"
        self.open += [] if tag in VOID else [tag]
        self.ids.update([given["id"]] if "id" in given else [])
        self.links += [given[name] for name in ("href", "xlink:href") if tag == "a" and name in given]
        self.figures += [given["id"]] if tag == "figure" else []

    def handle_endtag(self, tag: str) -> None:
        """The innermost element ends."""
        if tag not in VOID:
            assert self.open.pop() == tag, f"</{tag}>"


@pytest.fixture(scope="module")
def html(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """The example as HTML."""
    return built("html", tmp_path_factory.mktemp("html"))


def built(builder: str, folder: Path) -> Built:
    """The example, built strictly by two processes."""
    result = sphinx_build(EXAMPLE, folder / "out", "-b", builder, "-d", str(folder / "doctrees"), *STRICT)
    assert (result.code, result.warned) == (0, "")
    return result


def pages_of(result: Built, builder: str) -> dict[str, Page]:
    """The pages of a build, read with care, by their addresses."""
    paths = [path for path in sorted(result.out.rglob("*.html")) if "_static" not in path.parts]
    assert len(paths) >= (1 if builder == "singlehtml" else len(PAGES))
    return {path.relative_to(result.out).as_posix(): Page(path.read_text("utf-8")) for path in paths}


@pytest.mark.parametrize("builder", few(["html", "dirhtml", "singlehtml"]))
def test_html(builder: str, tmp_path: Path) -> None:
    """Elements are closed in order, ids are unique, and every link inside the site leads to an id that exists."""
    pages = pages_of(built(builder, tmp_path), builder)
    figures = [each for page in pages.values() for each in page.figures]
    drawn = ["LastStep", "acdl", "agent-figure", "chat-figure", "manners"]
    assert sorted(figures) == sorted([*drawn, "order-call", "order-chat", "order-tool", "support-tools", "tools-added"])
    for name, page in pages.items():
        assert page.open == [], name
        assert [each for each, n in page.ids.items() if n > 1] == [], name
        for link in page.links:
            address, _, anchor = link.partition("#")
            if re.match(r"https?:|.*(genindex|search|_sources)", link) or not (address or anchor):
                continue
            target = ((tmp_path / name).parent / address).resolve().relative_to(tmp_path) if address else Path(name)
            path = target.as_posix() if target.suffix else (target / "index.html").as_posix()
            assert path in pages, f"{name}: {link}"
            assert not anchor or anchor in pages[path].ids, f"{name}: {link}"


def test_figures_are_numbered_and_referred_to(html: Built) -> None:
    """Captions count with those of other figures; `numref`, roles of the domain and links in figures find them."""
    index, agents = html.read("index.html"), html.read("agents.html")
    assert '<span class="caption-number">Fig. 3 </span><span class="caption-text">Every turn sends' in index
    assert 'href="#chat-figure"><span class="std std-numref">Fig. 3</span>' in index
    assert 'class="reference internal" href="fragments.html#manners" title="Manners"' in index
    assert '<a xlink:href="fragments.html#manners"' in index or '<a href="fragments.html#manners"' in index
    assert '<a class="reference internal" href="index.html#chat-figure" title="SupportChat">' in agents
    assert 'href="#chat-figure-SupportChat-mark-1"' in index
    assert re.search(r'<(g|text|span) id="chat-figure-SupportChat-mark-1"', index)


def test_inventory_and_index(html: Built) -> None:
    """Other projects find specs, fragments and marks; the general index lists the first two."""
    inventory = (html.out / "objects.inv").read_bytes().split(b"\n", 4)[4]
    entries = [line for line in zlib.decompress(inventory).decode().splitlines() if " acdl:" in line]
    assert entries == [
        "LastStep acdl:spec 1 agents.html#$ -",
        "Manners acdl:fragment 1 fragments.html#manners -",
        "SupportAgent acdl:spec 1 agents.html#agent-figure -",
        "SupportChat acdl:spec 1 index.html#chat-figure -",
        "SupportChat-mark-1 acdl:mark -1 index.html#chat-figure-$ -",
    ]
    assert '<a href="fragments.html#manners">Manners (ACDL fragment)</a>' in html.read("genindex.html")


def test_search_finds_words_of_figures(html: Built) -> None:
    """The index of the search has the words of a figure, and nothing of the markup around it."""
    index = json.loads(re.sub(r"^Search\.setIndex\((.*)\)$", r"\1", html.read("searchindex.js"), flags=re.DOTALL))
    terms = index["terms"]
    number = index["docnames"].index("fragments")
    assert terms["be_brief"] == terms["apologise_first"] == number
    assert not {"textlength", "acdl-figur", "tspan", "sourc", "summari"} & set(terms)


def test_assets(html: Built) -> None:
    """Pages load the style sheet and the script from the site itself, and nothing else of ours."""
    index = html.read("index.html")
    assert re.search(r'<link rel="stylesheet" type="text/css" href="_static/acdl\.css(\?v=\w+)?" />', index)
    assert re.search(r'<script defer="defer" src="_static/acdl\.js(\?v=\w+)?"></script>', index)
    ours = ROOT / "acdl_mkdocs" / "assets"
    for name in ("acdl.css", "acdl.js", "acdl-actions.js"):
        assert (html.out / "_static" / name).read_bytes() == (ours / name).read_bytes()
    assert not (html.out / "_static" / "grammar.json").exists()


@exhaustive
def test_epub(tmp_path: Path) -> None:
    """A book is XML throughout, lists all its files, has the style sheet, and shows figures as images."""
    result = built("epub", tmp_path)
    (path,) = result.out.glob("*.epub")
    with zipfile.ZipFile(path) as book:
        texts = {name: book.read(name) for name in book.namelist()}
    for name, data in texts.items():
        if name.endswith((".xhtml", ".opf", ".ncx", ".svg", ".xml")):
            ElementTree.fromstring(data)  # noqa: S314 - our own output
    index = texts["index.xhtml"].decode()
    images = re.findall(r'<img class="acdl-image" src="([^"]+)" alt="[^"]+', index)
    assert len(images) == 2
    assert {*images, "_static/acdl-book.css"} <= texts.keys()
    assert all(f'href="{name}"' in texts["content.opf"].decode() for name in (*images, "_static/acdl-book.css"))
    assert {"_static/acdl.css", "_static/acdl.js"}.isdisjoint(texts)
    assert '<p class="acdl-links"><a href="fragments.xhtml#manners">Manners</a></p>' in index
    assert not re.search(r"<svg|<script|acdl-permalink", index)


def test_style_of_books() -> None:
    """A reader of books may refuse a style sheet with more than CSS 2.1, or with properties that EPUB forbids."""
    sheet = (files("acdl_mkdocs") / "assets" / "acdl-book.css").read_text("utf-8")
    rules = re.sub(r"/\*.*?\*/", "", sheet, flags=re.DOTALL)
    assert re.fullmatch(r"(\s*[\w., -]+\{( [a-z-]+: [\w.% -]+;)+ \})+\s*", rules)
    assert not re.search(r"direction|unicode-bidi", rules)


def test_images_of_books(project: Project) -> None:
    """Every figure finds its image: on the first page that is written, in folders, and twice on a page."""
    project.conf('version = "1"', 'copyright = "A"')
    page = f"# Page\n\n```acdl\n{CHAT}```\n\n```acdl show=side\nOther[@T]: {{ U: env.q[@T] }}\n```\n"
    project.write("index.md", "# Home\n\n```{toctree}\naa\ndeep/er\n```\n")
    project.write("aa.md", page)
    project.write("deep/er.md", page.replace("Chat[", "Deep[").replace("Other[", "Deeper["))
    result = project.build("epub", "-W")
    assert result.code == 0, result.warned
    for name, folder in (("aa.xhtml", result.out), ("deep/er.xhtml", result.out / "deep")):
        images = re.findall(r'<img class="acdl-image" src="([^"]+)"', result.read(name))
        assert len(images) == 2
        assert all((folder / each).is_file() for each in images)
    assert epubcheck(next(result.out.glob("*.epub"))) == []


def epubcheck(book: Path) -> list[str]:
    """What the checker of EPUB says is wrong with a book; skips where it is not installed."""
    program = shutil.which("epubcheck")
    if not program or not shutil.which("java"):
        pytest.skip("epubcheck is not installed")
    is_archive = Path(program).read_bytes().startswith(b"PK")
    command = ["java", "-jar", program] if is_archive else [program]
    ran = subprocess.run([*command, str(book)], capture_output=True, text=True, encoding="utf-8")
    assert "EPUBCheck completed" in ran.stdout + ran.stderr
    return re.findall(r"^(?:FATAL|ERROR|WARNING)\b.*", ran.stdout + ran.stderr, re.MULTILINE)


@pytest.mark.parametrize("builder", few(["text", "man", "texinfo"]))
def test_text(builder: str, tmp_path: Path) -> None:
    """Builders of text get the figure as text, with its caption and title."""
    result = built(builder, tmp_path)
    text = "\n".join(path.read_text("utf-8") for path in sorted(result.out.rglob("*")) if path.is_file())
    for words in ("ForEach", "APOLOGISE", "Every turn sends everything" if builder == "man" else "Every turn sends"):
        assert words in text
    assert "<svg" not in text


@exhaustive
def test_latex(tmp_path: Path) -> None:
    """LaTeX shows a PDF of each figure, numbers captions, and links to labels that it defines."""
    result = built("latex", tmp_path)
    tex = result.read("supportagent.tex")
    files = re.findall(r"\\sphinxincludegraphics\{\{([\w-]+)\}\.pdf\}", tex)
    assert len(files) == 5
    assert all((result.out / f"{name}.pdf").read_bytes().startswith(b"%PDF") for name in files)
    labels = re.findall(r"\\label\{\\detokenize\{([^}]+)\}\}", tex)
    wanted = re.findall(r"\\hyperref\[\\detokenize\{([^}]+)\}\]", tex)
    assert {"index:chat-figure", "fragments:manners", "index:chat-figure-SupportChat-mark-1"} <= set(wanted)
    assert set(wanted) <= set(labels)
    assert [each for each, n in Counter(labels).items() if n > 1] == []


def test_latex_in_a_list(project: Project) -> None:
    """A figure behind words of an item has a paragraph of its own."""
    project.write("index.md", "# Home\n\n- words\n  ```acdl\n  Chat[@T]: { U: env.question[@T] }\n  ```\n")
    result = project.build("latex", "-W")
    assert result.code == 0, result.warned
    assert re.search(r"words.*\\par\\noindent\\sphinxincludegraphics", result.read("test.tex"), re.DOTALL)


def test_caption_for_one_builder(project: Project) -> None:
    """What a caption has for LaTeX alone is not text of an HTML page; what it has as HTML is, and does not act."""
    role = ".. role:: tex(raw)\n   :format: latex\n\n.. role:: tag(raw)\n   :format: html\n\n"
    caption = "A :tex:`\\vspace{1em}` :tag:`<b>chat</b>`"
    block = f".. acdl::\n   :caption: {caption}\n\n   Chat[@T]: {{ U: env.question[@T] }}\n"
    project.write("index.rst", f"Home\n====\n\n{role}{block}")
    page = project.build("html", "-W").read("index.html")
    assert "&lt;b&gt;chat&lt;/b&gt;" in page
    assert "vspace" not in page.partition("<figcaption")[2].partition("</figcaption")[0]


def test_latex_without_the_extra(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the packages for PDF, the figure is text, and the build says how to get them."""
    monkeypatch.setitem(sys.modules, "pydyf", None)
    project.write("index.md", f'# Home\n\n```acdl caption="A chat"\n{CHAT}```\n')
    result = project.build("latex", "-W")
    assert result.code == 0, result.warned
    assert "pip install 'acdl-mkdocs[pdf]'" in result.said
    assert re.search(r"\\begin\{figure\}.*Role: User.*\\caption\{A chat\}", result.read("test.tex"), re.DOTALL)


@pytest.mark.parametrize("builder", ["gettext", "xml", "pseudoxml", "json", "htmlhelp", "linkcheck", "changes"])
def test_other_builders(builder: str, project: Project) -> None:
    """No builder stumbles over a figure."""
    project.write("index.md", f'# Home\n\n```acdl caption="A *chat*" title="T"\n{CHAT}```\n\n```acdl\n{CHAT}```\n')
    result = project.build(builder, "-W")
    assert (result.code, result.warned) == (0, "")
    if builder == "gettext":
        assert 'msgid "A *chat*"' in result.read("index.pot")


@pytest.mark.parametrize(
    ("builder", "file", "drawing"),
    [
        ("html", "index.html", "<svg"),
        ("epub", "index.xhtml", "<img"),
        ("latex", "test.tex", "sphinxincludegraphics"),
        ("text", "index.txt", "Role: User"),
    ],
)
def test_source_and_figure(builder: str, file: str, drawing: str, project: Project) -> None:
    """With `show=side` there are both, the source first, in a page, in a book and on paper."""
    project.conf('version = "1"', 'copyright = "A"')
    project.write("index.md", f"# Home\n\n```acdl show=side\n{CHAT}```\n")
    result = project.build(builder, "-W")
    assert result.code == 0, result.warned
    words = re.sub(r"<(?!svg|img)[^>]*>|\\PYGZ\{|\\PYG\{\w+\}|[{}\\]", "", result.read(file))
    assert 0 < words.index("env.question") < words.index(drawing)


def test_same_names_on_pages_of_one_file(project: Project) -> None:
    """`singlehtml` keeps ids apart that several pages have, and links lead to the right one."""
    greeting = "```acdl\nStrFrag Greeting[@t]: { HELLO }\n```\n"
    use = "```acdl\nU: { Frag Greeting[@T] }\n```\n"
    project.write("index.md", f"# Home\n\n```{{toctree}}\nother\n```\n\n{use}\n{{acdl:spec}}`Chat`\n")
    project.write("other.md", f"# Other\n\n{use}\n{greeting}\n```acdl\n{CHAT}```\n")
    result = project.build("singlehtml", "-W")
    assert (result.code, result.warned) == (0, "")
    page = Page(result.read())
    assert sorted(page.figures) == ["Chat", "Greeting", "acdl", "other-acdl"]
    assert [each for each, n in page.ids.items() if n > 1] == []
    assert page.links.count("#Greeting") >= 2
    assert "#Chat" in page.links
    assert not [link for link in page.links if link.count("#") > 1]


def test_output_is_the_same_each_time(html: Built, tmp_path: Path) -> None:
    """One process or two make the same pages."""
    again = sphinx_build(EXAMPLE, tmp_path / "again", "-b", "html", "-W")
    assert again.code == 0
    for name in PAGES:
        assert again.read(f"{name}.html") == html.read(f"{name}.html")


def test_any_project_is_free_of_our_fences_setting(project: Project) -> None:
    """Fences that the project itself makes directives of stay so beside ours."""
    project.conf('myst_fence_as_directive = ["note"]')
    project.write("index.md", f"# Home\n\n```note\nHello\n```\n\n```acdl\n{CHAT}```\n")
    page = project.build("html", "-W").read()
    assert 'class="admonition note"' in page
    assert '<figure class="acdl" id="Chat">' in page


@pytest.mark.parametrize("language", ["ACDL", "Acdl"])
def test_fence_in_capital_letters(language: str, project: Project) -> None:
    """The case of a language does not matter, as in every docs tool."""
    project.write("index.md", f"# Home\n\n```{language}\n{CHAT}```\n")
    assert '<figure class="acdl" id="Chat">' in project.build("html", "-W").read()


def test_everything_is_documented() -> None:
    """The page about Sphinx names each setting, role and option of a directive."""
    page = (ROOT / "site_src" / "tools" / "sphinx.md").read_text("utf-8")
    rows = re.findall(r"^\| (`.*?) \|", page, re.MULTILINE)
    listed = {name for row in rows for name in re.findall(r"`([\w:-]+)`", row)}
    assert {*SETTINGS, "script", "name", "class", "no-index"} <= listed
    assert {f"acdl:{role}" for role in AcdlDomain.roles} <= listed


def test_without_myst(project: Project) -> None:
    """A project of reStructuredText alone needs nothing more."""
    project.write("conf.py", 'project = "Test"\nextensions = ["acdl_mkdocs.sphinx"]\nroot_doc = "index"\n')
    project.write("index.rst", "Home\n====\n\n.. acdl::\n   :class: wide\n\n   Chat[@T]: { U: env.q[@T] }\n")
    assert '<figure class="acdl wide" id="Chat">' in project.build("html", "-W").read()
