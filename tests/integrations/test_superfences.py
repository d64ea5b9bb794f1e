"""The factory for custom fences: drawing, options, its state, failing builds."""

import os
import pickle
import sys
from pathlib import Path

import pytest
from markdown import Markdown
from pymdownx.superfences import SuperFencesException  # type: ignore[import-untyped]

from acdl_mkdocs.integrations import superfences
from acdl_mkdocs.integrations.host import ASSETS
from acdl_mkdocs.integrations.superfences import SuperFence, fence, validate

NESTED = "Chat[@T]: {\n  U: {\n    S: { INSTRUCTIONS }\n  }\n}\n"


def markdown_with(made: SuperFence) -> Markdown:
    """A Markdown instance with the custom fence and without the extension."""
    custom = [{"name": "acdl", "class": "acdl", "format": made, "validator": validate}]
    return Markdown(
        extensions=["pymdownx.superfences", "admonition", "attr_list"],
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


def test_strict_fails_a_build_and_not_a_preview(monkeypatch: pytest.MonkeyPatch) -> None:
    """With `strict`, an error ends a build; a preview, and a build without it, show the panel."""
    text = f"```acdl\n{NESTED}```\n"
    monkeypatch.setattr(sys, "argv", ["zensical", "build"])
    assert "nested-role" in markdown_with(fence()).convert(text)
    with pytest.raises(SuperFencesException, match="nested-role"):
        markdown_with(fence(strict=True)).convert(text)
    monkeypatch.setattr(sys, "argv", ["zensical", "serve"])
    assert "nested-role" in markdown_with(fence(strict=True)).convert(text)
