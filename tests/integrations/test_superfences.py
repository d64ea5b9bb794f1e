"""The factory for custom fences: drawing, options, its state, failing builds."""

import os
import pickle
import re
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
import yaml
from markdown import Markdown
from pymdownx.superfences import SuperFencesException  # type: ignore[import-untyped]

from acdl_mkdocs.frontends.docs.markdown import superfences
from acdl_mkdocs.frontends.docs.markdown.host import ASSETS, announce_page
from acdl_mkdocs.frontends.docs.markdown.superfences import SuperFence, fence, validate
from acdl_mkdocs.frontends.docs.page import Page

NESTED = "Chat[@T]: {\n  U: {\n    S: { INSTRUCTIONS }\n  }\n}\n"


def markdown_with(made: SuperFence, *more: str, names: Sequence[str] = ("pymdownx.superfences",)) -> Markdown:
    """A Markdown instance with the custom fence, and without the extension if it is not among the names."""
    custom = [{"name": "acdl", "class": "acdl", "format": made, "validator": validate}]
    return Markdown(
        extensions=[*names, "admonition", "attr_list", *more],
        extension_configs={"pymdownx.superfences": {"custom_fences": custom}},
    )


def test_drawing() -> None:
    """Fences become figures with their options, in containers too, with ids of their own."""
    text = (
        '```acdl title="A <b>" show="figure"\nA[@T]: { U: env.q }\n```\n\n'
        '!!! note\n\n    ``` {.acdl #mine .wide caption="C"}\n    A[@T]: { U: env.q }\n    ```\n\n'
        "````md\n```acdl\nLiteral\n```\n````\n"
    )
    html = markdown_with(fence()).convert(text)
    assert '<figure class="acdl" id="A">' in html
    assert '<figure class="acdl wide" id="mine">' in html
    assert "<figcaption>C</figcaption>" in html
    assert html.count("<figure") == 2


def test_pages_do_not_share_ids() -> None:
    """Each conversion is a page of its own; blocks of one page have different ids."""
    md = markdown_with(fence())
    text = "```acdl\nA[@T]: { U: env.q }\n```\n\n```acdl\nA[@T]: { U: env.q }\n```\n"
    first = md.convert(text)
    assert 'id="A-2"' in first
    assert md.convert(text) == first
    assert md.reset().convert(text) == first


def test_wrong_option_is_explained() -> None:
    """An unknown option is a panel in the page, not a code block."""
    html = markdown_with(fence()).convert('```acdl shwo="both"\nA[@T]: { U: env.q }\n```\n')
    assert "did you mean <code>show</code>?" in html
    assert "<svg" in html


def test_settings() -> None:
    """Settings are those of the Markdown extension; a wrong one is refused when the site is configured."""
    html = markdown_with(fence(show="text")).convert("```acdl\nA[@T]: { U: env.q }\n```\n")
    assert "acdl-text" in html
    with pytest.raises(ValueError, match="did you mean `show`"):
        fence(shwo="text")


def test_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The pickle changes with settings, specs and code, and with nothing else."""
    spec = tmp_path / "a.acdl"
    spec.write_text("A")
    watch = [str(tmp_path)]
    state = pickle.dumps(fence(watch=watch))
    assert pickle.dumps(fence(watch=watch)) == state
    assert pickle.dumps(fence(watch=watch, show="text")) != state
    restored = pickle.loads(state)  # noqa: S301 - made three lines above
    assert isinstance(restored, SuperFence)
    assert pickle.dumps(restored) == state
    spec.write_text("B")
    assert pickle.dumps(fence(watch=watch)) != state
    spec.write_text("A")
    monkeypatch.setattr(superfences, "code_digest", lambda: "other")
    assert pickle.dumps(fence(watch=watch)) != state


def test_state_of_named_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that a block of XML names changes the pickle, whatever its ending is and wherever it lies."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text('```pml src="shared/chat.pml"\n```\n')
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared" / "chat.pml").write_text("<conversation/>")
    state = pickle.dumps(fence(watch=["docs"]))
    assert pickle.dumps(fence(watch=["docs"])) == state
    (tmp_path / "shared" / "chat.pml").write_text("<prompt/>")
    assert pickle.dumps(fence(watch=["docs"])) != state


@pytest.mark.parametrize(("setting", "name"), [("stylesheet", "acdl.css"), ("script", "acdl.js")])
def test_copies_of_assets(setting: str, name: str, tmp_path: Path) -> None:
    """Style sheet and script are put where a page can find them, and not touched again."""
    path = tmp_path / "docs" / "assets" / name
    fence(**{setting: str(path)})
    assert path.read_bytes() == (ASSETS / name).read_bytes()
    os.utime(path, (1, 1))
    fence(**{setting: str(path)})
    assert path.stat().st_mtime == 1


def test_wrong_values(capsys: pytest.CaptureFixture[str]) -> None:
    """`strict` is true or false, also as a word; a folder to watch that does not exist is told."""
    with pytest.raises(ValueError, match="`strict` of `acdl` cannot be 'perhaps'"):
        fence(strict="perhaps")
    assert pickle.dumps(fence(strict="true")) == pickle.dumps(fence(strict=True))
    fence(watch=["nowhere"])
    assert "`watch` names the folder `nowhere`, which does not exist" in capsys.readouterr().err


def test_documented_configuration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the page on blocks of XML says for superfences alone draws them, and has a style sheet."""
    page = (Path(__file__).parents[2] / "site_src" / "pml" / "in-pages.md").read_text("utf-8")
    _, _, section = page.partition("## With superfences alone")
    (snippet,) = re.findall(r"```yaml\n(.*?)```", section, re.DOTALL)
    (tmp_path / "docs").mkdir()
    monkeypatch.chdir(tmp_path)
    config = yaml.unsafe_load(snippet)  # as docs tools load it
    (extension,) = config["markdown_extensions"]
    md = Markdown(extensions=[*extension], extension_configs=extension)
    openings = re.findall(r" (```.*?) `", section)
    assert len(openings) == 3
    html = md.convert("\n\n".join(f'{each}\n<call name="W"/>\n```' for each in [*openings, "```pml"]))
    kinds = re.findall(r'<figure class="acdl [^"]*\b(acdl-(?:laic|pml))\b', html)
    assert kinds == [*["acdl-laic"] * 3, "acdl-pml"]
    assert 'id="weather-tool"' in html
    for each in config["extra_css"]:
        assert (tmp_path / "docs" / each).read_bytes() == (ASSETS / "acdl.css").read_bytes()


FALLEN_OUT = """\
# A [[acdl:C]]

```{.acdl #drawn show=figure}
C[@T]: { U: env.x }
```

```acdl show=figure
A[@T]: { U: env.x }
```

```acdl   title="B"
B[@T]: { U: env.x }
```

```acdl #mine .wide show=figure title="a b"
C[@T]: { U: env.x }
```
"""


def test_lines_that_superfences_does_not_understand(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """A block that was never drawn is reported, with the form to write; one that was is not."""
    (tmp_path / "a.md").write_text(FALLEN_OUT, "utf-8")
    page = Page(name="a.md", path=tmp_path / "a.md", report=lambda _, line: print(line))  # noqa: T201
    md = markdown_with(fence(strict=True), "toc")
    with announce_page(page), pytest.raises(SuperFencesException):
        md.convert(FALLEN_OUT)
    told = [line.partition(" and shows the block as code; ")[::2] for line in capsys.readouterr().out.splitlines()]
    message = "error[unknown-option]: superfences does not understand this line"
    assert told == [
        (f"a.md:7:4: {message}", 'write `acdl show="figure"`, or list `acdl` under `markdown_extensions`'),
        (
            f"a.md:15:4: {message}",
            'write `{.acdl #mine .wide show="figure" title="a b"}`, or list `acdl` under `markdown_extensions`',
        ),
    ]


def test_references_beside_a_fence(capsys: pytest.CaptureFixture[str]) -> None:
    """A page on which the fence draws a block has its references as links; what leads nowhere ends a strict build."""
    text = "# About [[acdl:Chat]]\n\n```acdl\nChat[@T]: { U: env.q }\n```\n"
    md = markdown_with(fence(strict=True), "toc")
    for _ in range(2):
        assert '<a class="acdl-reference" href="#Chat"><code>Chat</code></a>' in md.reset().convert(text)
    with pytest.raises(SuperFencesException, match="named `Nope`"):
        md.convert(f"{text}\n[[acdl:Nope]]\n")
    assert capsys.readouterr().err == ""


def test_extension_beside_a_fence(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the extension, every opening line works, with the settings of the fence, on pages without a block too."""
    for extensions in (["acdl", "pymdownx.superfences"], ["pymdownx.superfences", "acdl"]):
        md = markdown_with(fence(strict=True, show="text"), "toc", names=extensions)
        html = md.convert("```acdl #mine show=figure\nA[@T]: { U: env.q }\n```\n\n```acdl\nB[@T]: { U: X }\n```\n")
        assert '<figure class="acdl" id="mine">' in html
        assert html.count('<pre class="acdl-text"') == 1
        for text in ("# A\n\n[[acdl:Nope]]\n", "```acdl shwo=both\nA[@T]: { U: env.q }\n```\n"):
            monkeypatch.setattr(sys, "argv", ["zensical", "build"])
            with pytest.raises(SuperFencesException, match="unknown-"):
                md.reset().convert(text)
            monkeypatch.setattr(sys, "argv", ["zensical", "serve"])
            assert md.reset().convert(text)


def test_strict_fails_a_build_and_not_a_preview(monkeypatch: pytest.MonkeyPatch) -> None:
    """With `strict`, an error ends a build; a preview, and a build without it, show the panel."""
    text = f"```acdl\n{NESTED}```\n"
    monkeypatch.setattr(sys, "argv", ["zensical", "build"])
    assert "nested-role" in markdown_with(fence()).convert(text)
    with pytest.raises(SuperFencesException, match="nested-role"):
        markdown_with(fence(strict=True)).convert(text)
    monkeypatch.setattr(sys, "argv", ["zensical", "serve"])
    assert "nested-role" in markdown_with(fence(strict=True)).convert(text)
