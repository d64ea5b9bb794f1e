"""Files to download of a built site: what is said of pictures that lack something."""

from pathlib import Path

import pytest
from mkdocs.exceptions import Abort

from integrations.mkdocs_site import Site, lines_of


def test_characters_without_a_font(site: Site, font_with_chinese: str, caplog: pytest.LogCaptureFixture) -> None:
    """A picture that lacks characters is a warning with place and cure at every build, until a font has them."""
    site.options["downloads"] = ["acdl", "png", "pdf"]
    site.write("specs/more.acdl", "More[@T]: {\n    U: env.\u4e2d\u6587[@T]\n}\n")
    site.build(strict=False)
    with pytest.raises(Abort):
        site.build()
    first, again = lines_of(caplog)
    assert first == again
    assert first.startswith("specs/more.acdl:1: `More` as png and pdf: no font has \u4e2d (U+4E2D), \u6587 (U+6587); ")
    assert "in the option `fonts` of a site" in first
    assert first.endswith("; or leave `png` and `pdf` out of the option `downloads`")
    assert (site.root / "out/specs/More/More.png").is_file()
    site.options["fonts"] = [Path(font_with_chinese).relative_to(site.root).as_posix()]
    site.build()
    site.options = {**site.options, "fonts": ["No.ttf"], "downloads": ["acdl", "svg"]}
    caplog.clear()
    site.build(strict=False)
    assert lines_of(caplog) == ["the option `fonts` of `acdl` names `No.ttf`, which is not a file"]
