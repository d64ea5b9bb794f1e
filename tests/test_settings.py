"""One schema of settings, whichever file they stand in; a mistake names the near word."""

from pathlib import Path

import pytest

from acdl_mkdocs.foundation.errors import SettingsError
from acdl_mkdocs.workspace.settings import Settings, load_settings, read_levels


def write(path: Path, text: str) -> Path:
    """Write a file and the folders above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return path


SAME = [
    ("acdl.toml", 'range = "inclusive"\nexclude = ["a/**"]\n[rules]\nnested-role = "note"\n'),
    (
        "pyproject.toml",
        '[tool.acdl]\nrange = "inclusive"\nexclude = ["a/**"]\n[tool.acdl.rules]\nnested-role = "note"\n',
    ),
]


@pytest.mark.parametrize(("name", "text"), SAME)
def test_settings_of_a_folder(name: str, text: str, tmp_path: Path) -> None:
    """The nearest file above counts, and both kinds say the same."""
    write(tmp_path / name, text)
    below = tmp_path / "docs" / "deep"
    below.mkdir(parents=True)
    settings = load_settings(below)
    assert settings.config.range == "inclusive"
    assert settings.config.levels == {"nested-role": "note"}
    assert settings.exclude == ("a/**",)
    assert settings.folder == tmp_path


@pytest.mark.parametrize(
    "text",
    [
        '[tool.acdl]\nrange = "inclusive"\n',
        '[ "tool" . \'acdl\' ]\nrange = "inclusive"\n',
        'tool.acdl.range = "inclusive"\n',
        '[tool."\\u0061cdl"]\nrange = "inclusive"\n',
        '["\\U00000074ool".acdl]\nrange = "inclusive"\n',
        'tool  .\tacdl = { range = "inclusive" }\n',
        '[tool]\nacdl.range = "inclusive"\n',
        '["tool"]\n"acdl" = { range = "inclusive" }\n',
        'tool = { acdl = { range = "inclusive" } }\n',
        '"tool" = { acdl.range = "inclusive" }\n',
        '\ufeff[tool.acdl]\nrange = "inclusive"\n',
    ],
)
def test_every_spelling_of_the_table(text: str, tmp_path: Path) -> None:
    """The table is found however TOML lets it be spelled."""
    write(tmp_path / "pyproject.toml", text)
    assert load_settings(tmp_path).range == "inclusive"


def test_a_project_without_settings(tmp_path: Path) -> None:
    """A pyproject.toml without our table, or a broken one, says nothing."""
    write(tmp_path / "pyproject.toml", "[project]\nname = 'x'\n")
    write(tmp_path / "broken" / "pyproject.toml", "[[[")
    assert load_settings(tmp_path) == Settings()
    assert load_settings(tmp_path / "broken") == Settings()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('rnage = "inclusive"', "there is no setting `rnage`; did you mean `range`?"),
        ('range = "closed"', "`range` cannot be 'closed'"),
        ('exclude = "a"', "`exclude` has to be a list"),
        ("rules = 3", "`rules` has to be a table"),
        ('[rules]\nodd-name = "off"', "`odd-name` is a problem of PML and LAIC, whose level cannot be set"),
        ('[rules]\nnested-rule = "off"', "there is no rule `nested-rule`; did you mean `nested-role`?"),
        ('[rules]\nnested-role = "warn"', "`nested-role` cannot be 'warn'; it can be `off`, `note`"),
        ("[[[", "acdl.toml: cannot be read: "),
    ],
)
def test_mistakes(text: str, said: str, tmp_path: Path) -> None:
    """A mistake is an error with the file's name and a cure."""
    path = write(tmp_path / "acdl.toml", text)
    with pytest.raises(SettingsError) as raised:
        _ = load_settings(tmp_path).config
    assert said in str(raised.value)
    assert str(path.resolve()) in str(raised.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[tool.acdl]\nrange = "inclusive\n', "pyproject.toml: cannot be read: "),
        ("[tool.acdl.rules]\n[[[", "pyproject.toml: cannot be read: "),
        ("[tool]\nacdl = 3\n", "pyproject.toml: `tool.acdl` has to be a table: write `[tool.acdl]`"),
    ],
)
def test_mistakes_beside_other_tools(text: str, said: str, tmp_path: Path) -> None:
    """A pyproject.toml that means to have settings is not silent."""
    write(tmp_path / "pyproject.toml", text)
    with pytest.raises(SettingsError) as raised:
        load_settings(tmp_path)
    assert said in str(raised.value)


def test_settings_that_are_a_folder(tmp_path: Path) -> None:
    """`acdl.toml` cannot be read then; a folder called pyproject.toml is for other tools."""
    (tmp_path / "pyproject.toml").mkdir()
    assert load_settings(tmp_path) == Settings()
    (tmp_path / "acdl.toml").mkdir()
    with pytest.raises(SettingsError, match=r"acdl\.toml: cannot be read: "):
        load_settings(tmp_path)


def test_levels_of_a_plugin() -> None:
    """The options of a plugin are read by the same function."""
    assert read_levels({"nested-role": "off"}, "mkdocs.yml") == {"nested-role": "off"}
    with pytest.raises(SettingsError, match=r"mkdocs\.yml: there is no rule"):
        read_levels({"x": "off"}, "mkdocs.yml")


@pytest.mark.parametrize(
    ("pattern", "path", "is_out"),
    [
        ("vendor", "a/vendor/b.acdl", True),
        ("vendor", "vendored/b.acdl", False),
        ("vendor/**", "vendor/deep/b.acdl", True),
        ("vendor/", "vendor/b.acdl", True),
        ("a/vendor", "b/a/vendor/c.acdl", False),
        ("**/vendor", "b/a/vendor/c.acdl", True),
        ("*.draft.acdl", "a/b.draft.acdl", True),
        ("a/*.acdl", "a/b/c.acdl", False),
        ("a/?.acdl", "a/b.acdl", True),
        ("a.acdl", "axacdl", False),
    ],
)
def test_patterns(pattern: str, path: str, is_out: bool, tmp_path: Path) -> None:
    """Patterns without a folder fit names everywhere; what is below a match is left out too."""
    write(tmp_path / "acdl.toml", f'exclude = ["{pattern}"]')
    assert load_settings(tmp_path).is_excluded(tmp_path / path) is is_out
