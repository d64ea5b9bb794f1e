"""The settings of a site: one place for each, the same words wherever they are given, nothing silent."""

import math
import re
from dataclasses import fields
from typing import get_args

import pytest

import acdl_mkdocs
from acdl_mkdocs import OutputOptions
from acdl_mkdocs.drawing.formats import MEDIA_TYPES, OUTPUTS, PICTURES, SUFFIXES, PictureFormat, TextFormat
from acdl_mkdocs.frontends.docs.mkdocs.config import AcdlConfig
from acdl_mkdocs.frontends.docs.settings import SETTINGS, Settings, set_setting
from acdl_mkdocs.workspace.options import SITE_OPTIONS

_ONLY_THE_PLUGIN = {"watch", "script", "cache", "specs", "spec_pages", "downloads", "fonts", "llms", "jobs"} | {
    "playbooks",
    "playbook_pages",
}


def test_every_setting_has_its_places() -> None:
    """A setting that the plugin or the dataclass forgets is named."""
    assert set(SETTINGS) == set(SITE_OPTIONS) | {each.name for each in fields(Settings)} - {"defaults"}
    assert {name for name, _ in AcdlConfig._schema} - _ONLY_THE_PLUGIN == set(SETTINGS)


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("shwo", "both", "no setting `shwo`; did you mean `show`?"),
        ("theme", "drak", "cannot be 'drak': expected `auto`, `light` or `dark`; did you mean `dark`?"),
        ("width", 5, "cannot be 5: expected a number of px from 120 to 10000"),
        ("comments", "of", "expected `on` or `off`"),
        ("show_warnings", "perhaps", "cannot be 'perhaps': expected `true` or `false`"),
        ("show_warnings", 1, "cannot be 1: expected `true` or `false`"),
    ],
)
def test_wrong_settings(name: str, value: object, words: str) -> None:
    """What cannot be is refused in a sentence."""
    with pytest.raises(ValueError, match=re.escape(words)):
        set_setting(Settings(), name, value)


@pytest.mark.parametrize(("value", "expected"), [(True, True), ("yes", True), ("False", False), ("off", False)])
def test_truth_as_a_word(value: object, expected: bool) -> None:
    """A word for true or false is taken as it is meant."""
    assert set_setting(Settings(show_warnings=not expected), "show_warnings", value).show_warnings is expected


@pytest.mark.parametrize("width", [0, -5, 119, 10_001, math.nan, math.inf, -math.inf])
def test_width_that_no_figure_has(width: float) -> None:
    """The API refuses the widths that a block refuses, in the same words."""
    with pytest.raises(ValueError, match="expected a number of px from 120 to 10000"):
        OutputOptions(width_px=width)


def test_every_output_has_a_suffix() -> None:
    """Each format has a file name ending of its own."""
    assert SUFFIXES.keys() == OUTPUTS.keys() | PICTURES.keys()
    assert len(set(SUFFIXES.values())) == len(SUFFIXES)
    assert MEDIA_TYPES.keys() == SUFFIXES.keys()


def test_types_name_every_output() -> None:
    """The types of `render` know each format."""
    assert get_args(TextFormat) == tuple(OUTPUTS), "add it to TextFormat in drawing/formats/__init__.py"
    assert get_args(PictureFormat) == tuple(PICTURES), "add it to PictureFormat in drawing/formats/__init__.py"


def test_public_names_are_those_of_their_modules() -> None:
    """What the package exports is what its modules define; an unknown name is an `AttributeError`."""
    from acdl_mkdocs.app import python
    from acdl_mkdocs.drawing.figure import describe
    from acdl_mkdocs.foundation import config, diagnostics, errors
    from acdl_mkdocs.frontends.docs.markdown import superfences

    assert (acdl_mkdocs.fence, acdl_mkdocs.View) == (superfences.fence, describe.View)
    assert (acdl_mkdocs.Config, acdl_mkdocs.Diagnostic) == (config.Config, diagnostics.Diagnostic)
    assert (acdl_mkdocs.AcdlError, acdl_mkdocs.render) == (errors.AcdlError, python.render)
