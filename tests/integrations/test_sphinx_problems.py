"""What Sphinx says about blocks that are wrong: at which place, under which name, and what it then does."""

import re

import pytest

from integrations.sphinx_project import CHAT, NESTED, Project

NESTED_MESSAGE = (
    "a System message cannot be inside a User message; "
    "to send two messages, close `U: {` first and put `S:` after it [acdl.nested-role]"
)


@pytest.mark.parametrize(
    ("page", "place"),
    [
        pytest.param(f"---\ntitle: x\n---\n\n# Home\n\n```acdl\n{NESTED}```\n", "10:5", id="fence"),
        pytest.param("# Home\n\n- a\n\n  ```acdl\n  A[@T]: { U: { S: X } }\n  ```\n", "6:17", id="list"),
        pytest.param(
            "# Home\n\n> ```{acdl}\n> :show: figure\n>\n> A[@T]: { U: { S: X } }\n> ```\n", "6:17", id="quote"
        ),
        pytest.param("# Home\n\n```{acdl}\n---\nshow: figure\n---\n" + NESTED + "```\n", "9:5", id="yaml"),
        pytest.param(f"# Home\n\n````{{note}}\n```{{acdl}}\n{NESTED}```\n````\n", "7:5", id="nested"),
        pytest.param("# Home\n\n```acdl\nB[@T]: { U: X }\n```\n\n```acdl\n" + NESTED + "```\n", "10:5", id="second"),
    ],
)
def test_place_in_markdown(page: str, place: str, project: Project) -> None:
    """A problem is reported with the line and the column of the page as its author sees it."""
    project.write("index.md", page)
    result = project.build("html", "-W", "--keep-going")
    assert result.code == 1
    assert result.warned.splitlines() == [f"index.md:{place}: ERROR: {NESTED_MESSAGE}"]
    assert 'class="acdl-problem acdl-problem-error"' in result.read()


@pytest.mark.parametrize(
    ("page", "place"),
    [
        pytest.param(".. acdl::\n   :show: figure\n\n   A[@T]: {\n     U: { S: X }\n   }\n", "8:11", id="directive"),
        pytest.param("* a\n\n  .. note::\n\n     .. acdl::\n\n        A[@T]: { U: { S: X } }\n", "10:23", id="nested"),
        pytest.param(".. acdl::\n   A[@T]: { U: { S: X } }\n", "5:18", id="without an empty line"),
        pytest.param(".. include:: part.txt\n", "part.txt:4:19", id="included"),
    ],
)
def test_place_in_restructured_text(page: str, place: str, project: Project) -> None:
    """Likewise in reStructuredText, also of files that a page includes."""
    project.write("index.rst", f"Home\n====\n\n{page}")
    project.write("part.txt", "Part.\n\n.. acdl::\n    A[@T]: { U: { S: X } }\n")
    result = project.build("html", "-W", "--keep-going")
    expected = place if place.startswith("part") else f"index.rst:{place}"
    assert result.warned.splitlines() == [f"{expected}: ERROR: {NESTED_MESSAGE}"]


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        (
            "```acdl titel=x\nU: X\n```\n",
            "3:9: ERROR: a block has no option `titel`; did you mean `title`? [acdl.unknown-option]",
        ),
        (
            "```{acdl}\n:theme: drak\n\nU: X\n```\n",
            "4:8: ERROR: `theme` cannot be `drak`; did you mean `theme=dark`? [acdl.bad-option-value]",
        ),
        (
            "```{acdl}\n:name: n\n:wdith: 9\n\nU: X\n```\n",
            "5:2: ERROR: a block has no option `wdith`; did you mean `width`? [acdl.unknown-option]",
        ),
        (
            "```{acdl}\n---\nname: n\nwdith: 9\n---\nU: X\n```\n",
            "6:1: ERROR: a block has no option `wdith`; did you mean `width`? [acdl.unknown-option]",
        ),
        (
            "```{acdl-gallery}\n---\nsrot: name\n---\n```\n",
            "5:1: ERROR: a gallery has no option `srot`; did you mean `sort`? [acdl.unknown-option]",
        ),
        (
            "```{acdl}\n```\n",
            "3:1: ERROR: the block is empty; write a spec, or name a file with `src` [acdl.empty-block]",
        ),
        (
            "```acdl src=a.acdl\n```\n",
            "3:13: ERROR: the file `a.acdl` does not exist; "
            "name the file by its path from the project's folder [acdl.missing-src]",
        ),
        (
            "```acdl\nU: { Frag Nope[@T] }\n```\n",
            "4:11: WARNING: no fragment named `Nope`; "
            "define `StrFrag Nope[...]: { ... }` at the top level of the file [acdl.unknown-fragment]",
        ),
        ("{acdl:spec}`Caht`\n", "3: WARNING: no spec named `Caht`; did you mean `Chat`? [acdl.unknown-reference]"),
        ("{acdl:frag}`Chat`\n", "3: WARNING: no fragment named `Chat` [acdl.unknown-reference]"),
        ("{acdl:mark}`Chat-mark-1`\n", "3: WARNING: no mark named `Chat-mark-1` [acdl.unknown-reference]"),
    ],
)
def test_what_is_wrong(page: str, expected: str, project: Project) -> None:
    """Options, files, fragments and references that do not exist are told with the near name; none is silent."""
    project.write("index.md", f"# Home\n\n{page}\n```acdl\n{CHAT}```\n")
    result = project.build("html", "-W", "--keep-going")
    assert result.code == 1
    assert result.warned.splitlines() == [f"index.md:{expected}"]


def test_problem_of_a_file(project: Project) -> None:
    """A file that a page shows has the problem, and the page is named beside it."""
    project.write("specs/a.acdl", NESTED)
    project.write("index.md", "# Home\n\n```acdl src=specs/a.acdl\n```\n")
    message = NESTED_MESSAGE.replace(" [", " (shown by index.md:3) [")
    assert project.build().warned.splitlines() == [f"specs/a.acdl:3:5: ERROR: {message}"]


def test_suppressed_by_name(project: Project) -> None:
    """`suppress_warnings` takes the name of a rule, or all of them."""
    page = f"# Home\n\n```acdl\n{NESTED}```\n\n```acdl\nU: {{ Frag Nope[@T] }}\n```\n"
    project.write("index.md", page)
    project.conf('suppress_warnings = ["acdl.nested-role"]')
    result = project.build("html", "-W")
    assert "nested-role" not in result.warned
    assert "unknown-fragment" in result.warned
    project.conf('suppress_warnings = ["acdl"]')
    assert project.build("html", "-W").code == 0


def test_same_problems_with_every_builder(project: Project) -> None:
    """Builders of text report what those of HTML report."""
    project.write("index.md", f"# Home\n\n```acdl\n{NESTED}```\n")
    said = {builder: project.build(builder, "-E").warned for builder in ("html", "text", "latex", "epub")}
    lines = {name: [line for line in text.splitlines() if "acdl." in line] for name, text in said.items()}
    assert set(map(tuple, lines.values())) == {(f"index.md:6:5: ERROR: {NESTED_MESSAGE}",)}


def test_two_definitions(project: Project) -> None:
    """A name with two definitions is told with both places; the same text twice, and what is not listed, is not."""
    project.write("index.md", f"# Home\n\n```{{toctree}}\nother\n```\n\n```acdl\n{CHAT}```\n")
    project.write("other.md", f"# Other\n\n```acdl\n{CHAT}```\n")
    assert project.build("html", "-W").code == 0
    changed = CHAT.replace("question", "answer")
    project.write("other.md", f"# Other\n\n```acdl\n{changed}```\n")
    result = project.build("html", "-W")
    message = "`Chat` is defined in index.md:8 too; rename one, or give one block `:no-index:`"
    assert result.warned.splitlines() == [f"other.md:4: WARNING: {message} [acdl.duplicate-definition]"]
    project.write("other.md", f"# Other\n\n```{{acdl}}\n:no-index:\n\n{changed}```\n")
    assert project.build("html", "-W").code == 0


def test_ambiguous_fragment(project: Project) -> None:
    """A fragment that two other pages define differently is told with both places."""
    project.write("index.md", "# Home\n\n```{toctree}\na\nb\n```\n\n```acdl\nU: { Frag Hello[@T] }\n```\n")
    for name in "ab":
        project.write(
            f"{name}.md", f"# {name}\n\n```{{acdl}}\n:no-index:\n\nStrFrag Hello[@t]: {{ {name.upper()} }}\n```\n"
        )
    result = project.build()
    assert result.warned.splitlines() == [
        "index.md:9:11: WARNING: `Hello` is defined in 2 places; "
        "give the fragments different names [acdl.ambiguous-fragment]"
    ]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ('{"shwo": "figure"}', "`acdl` has no setting `shwo`; did you mean `show`?"),
        ('{"show": "figre"}', "the setting `show` of `acdl` cannot be 'figre': expected"),
        ('{"script": 3}', "the setting `script` of `acdl` cannot be 3: expected `true` or `false`"),
        ('["show"]', '`acdl` is not a mapping: expected acdl = {"show": "figure"}'),
    ],
)
def test_wrong_setting(value: str, expected: str, project: Project) -> None:
    """A setting that does not exist or fit is told with its line; blocks are drawn without it."""
    project.conf(f"acdl = {value}")
    project.write("index.md", f"# Home\n\n```acdl\n{CHAT}```\n")
    result = project.build("html", "-W")
    assert result.code == 1
    assert result.warned.startswith(f"conf.py:4: ERROR: {expected}")
    assert result.warned.endswith(" [acdl.bad-setting]\n")
    assert 'id="Chat"' in result.read()


def test_settings_of_the_project(project: Project) -> None:
    """What `acdl.toml` says holds, and its change concerns all pages; what is wrong with it is told."""
    project.write("index.md", f"# Home\n\n```acdl\n{NESTED}```\n")
    assert project.build("html", "-W").code == 1
    project.write("acdl.toml", '[rules]\nnested-role = "off"\n')
    assert project.build("html", "-W").code == 0
    project.write("acdl.toml", '[rules]\nnestet-role = "off"\n')
    result = project.build("html", "-W")
    assert result.code == 1
    assert re.search(r"^conf\.py:1: ERROR: .*nestet-role.* \[acdl\.bad-setting\]$", result.warned, re.MULTILINE)


def test_use_of_another_file(project: Project) -> None:
    """A page may name a file whose fragments it uses, by its path from the page; it is read again when that changes."""
    project.write("index.md", "# Home\n\n```{toctree}\nsub/page\n```\n")
    use = "// acdl: use parts.acdl\nU: { Frag Greeting[@T] }\n"
    project.write("sub/page.md", f"# Page\n\n```acdl\n{use}```\n")
    project.write("sub/parts.acdl", "StrFrag Greeting[@t]: { HELLO }\n")
    result = project.build("html", "-W")
    assert (result.code, result.warned) == (0, "")
    project.write("sub/parts.acdl", "StrFrag Other[@t]: { HELLO }\n")
    assert "no fragment named `Greeting`" in project.build().warned


def test_settings(project: Project) -> None:
    """Settings are defaults of blocks; those without a host are addresses from the site's folder."""
    project.conf(
        'acdl = {"show": "figure", "show_warnings": True, "rule_url": "rules/{rule}.html",',
        '        "script": False, "root": ".."}',
    )
    project.write("index.md", "# Home\n\n```{toctree}\nsub/page\n```\n")
    project.write("sub/page.md", "# Page\n\n```acdl src=project/a.acdl\n```\n")
    project.write("a.acdl", NESTED)
    result = project.build()
    page = result.read("sub/page.html")
    assert 'href="../rules/nested-role.html"' in page
    assert "--&gt; project/a.acdl:3:5" in page
    assert "acdl-source" not in page.replace("acdl.css", "")
    assert "acdl.js" not in page


def test_variant_of_nothing(project: Project) -> None:
    """A spec that is a variant of one that the project lacks is told, with the near name."""
    text = "// variant-of: Chta\nShort[@T]: { U: X }\n"
    project.write("index.md", f"# Home\n\n```acdl\n{CHAT}```\n\n```acdl\n{text}```\n")
    message = "no spec or fragment of this site is named `Chta`; did you mean `Chat`?"
    assert project.build().warned.splitlines() == [f"index.md:10: WARNING: {message} [acdl.unknown-variant]"]


@pytest.mark.parametrize("name", ["index.md", "index.rst"])
def test_what_only_begins_like_a_reference(name: str, project: Project) -> None:
    """It stays as it is, and is told."""
    title = "# Home\n\n" if name.endswith(".md") else "Home\n====\n\n"
    project.write(name, f"{title}See [[acdl:]] here.\n")
    warned = project.build().warned.splitlines()
    assert len(warned) == 1
    assert warned[0].startswith(f"{name}:")
    assert "WARNING: `[[acdl:]]` is not a reference; write `[words](acdl:Name)`" in warned[0]


@pytest.mark.parametrize("name", ["index.md", "index.rst"])
def test_file_as_the_argument(name: str, project: Project) -> None:
    """A path behind the name of the directive is a file, as in other directives."""
    project.write("specs/a.acdl", f"{CHAT}Other[@T]: {{ U: X }}\n")
    pages = {
        "index.md": "# Home\n\n```{acdl} specs/a.acdl#Other\n:show: figure\n```\n",
        "index.rst": "Home\n====\n\n.. acdl:: specs/a.acdl#Other\n   :show: figure\n",
    }
    project.write(name, pages[name])
    built = project.build("html", "-W")
    assert built.code == 0, built.warned
    assert 'id="Other"' in built.read()
    project.write(name, pages[name].replace("a.acdl", "b.acdl"))
    assert "the file `specs/b.acdl` does not exist; did you mean `specs/a.acdl`?" in project.build().warned
