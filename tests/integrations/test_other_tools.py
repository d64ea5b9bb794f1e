"""ProperDocs and Zensical build the same site, where they are installed; their absence skips."""

import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from exhaustive import few
from site_links import dead_links

from acdl_mkdocs.frontends.cli.main import main

NESTED = "Chat[@T]: {\n  U: {\n    S: { INSTRUCTIONS }\n  }\n}\n"
PAGE = "---\ntitle: x\n---\n# Home\n\n!!! note\n\n    ```acdl\n    A[@T]: { U: env.q }\n    ```\n\n"
PAGE += f"```acdl\n{NESTED}```\n"


def program(name: str) -> str:
    """The program beside this Python, or in the path."""
    found = shutil.which(name, path=str(Path(sys.executable).parent)) or shutil.which(name)
    if not found:
        pytest.skip(f"{name} is not installed")
    return found


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A site with a good and a wrong block."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "index.md").write_text(PAGE)
    (tmp_path / "theme").mkdir()
    (tmp_path / "theme" / "main.html").write_text("{{ page.content }}")
    return tmp_path


def build(name: str, folder: Path, config: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """One build, with everything that was said on standard error."""
    (folder / ("properdocs.yml" if name == "properdocs" else "mkdocs.yml")).write_text(config)
    command = [program(name), "build", "--clean", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_properdocs(folder: Path) -> None:
    """The plugin works as in MkDocs: places in the log, strict builds fail."""
    config = (
        "site_name: x\ntheme: {name: null, custom_dir: theme}\nplugins: [acdl]\nmarkdown_extensions: [admonition]\n"
    )
    result = build("properdocs", folder, config)
    assert result.returncode == 0
    assert "docs/index.md:15:5: error[nested-role]" in result.stderr
    assert (folder / "site" / "index.html").read_text("utf-8").count('<figure class="acdl"') == 2
    assert build("properdocs", folder, config, "--strict").returncode == 1


def test_zensical_puts_in_what_it_can(folder: Path) -> None:
    """Snippets are in the figure; what no extension puts in is drawn as it is written, and fails no strict build."""
    (folder / "inc").mkdir()
    (folder / "inc" / "history.acdl").write_text("ForEach(t: range(1, @T)) {\n  U: env.question[@t]\n}\n")
    unread = "  {{ turns() }}\n  !include history.acdl\n"
    block = f'A[@T]: {{\n  S: RULES\n  --8<-- "inc/history.acdl"\n{unread}  U: env.q[@T]\n}}\n'
    (folder / "docs" / "index.md").write_text(f"# Home\n\n```acdl\n{block}```\n")
    config = "site_name: x\ntheme: {name: material}\nmarkdown_extensions:\n  - pymdownx.snippets\n  - acdl\n"
    result = build("zensical", folder, config, "--strict")
    assert result.returncode == 0
    said = result.stdout + result.stderr
    assert "error[" not in said
    assert "warning[" not in said
    page = (folder / "site" / "index.html").read_text("utf-8")
    assert "User message: env.question[@t]" in page
    assert "8&lt;--" not in page
    assert "[not read] {{ turns() }}, [not read] !include history.acdl" in page


@pytest.mark.parametrize("how", ["extension", "fence"])
def test_zensical(how: str, folder: Path) -> None:
    """The extension and the custom fence draw, and say what is wrong where it can be seen."""
    config = "site_name: x\ntheme: {name: material}\nmarkdown_extensions:\n  - admonition\n"
    if how == "extension":
        config += "  - acdl\n"
    else:
        config += (
            "  - pymdownx.superfences:\n      custom_fences:\n        - name: acdl\n          class: acdl\n"
            "          format: !!python/object/apply:acdl_mkdocs.fence\n"
            "            kwds: {stylesheet: docs/assets/acdl.css}\n"
            "          validator: !!python/name:acdl_mkdocs.frontends.docs.markdown.superfences.validate\n"
        )
    result = build("zensical", folder, config)
    assert result.returncode == 0
    assert "docs/index.md:15:5: error[nested-role]" in result.stdout + result.stderr
    assert (folder / "site" / "index.html").read_text("utf-8").count('<figure class="acdl"') == 2
    assert (folder / "site" / "assets" / "acdl.css").exists() is (how == "fence")


@pytest.mark.parametrize(("more", "option"), few([("", "--strict"), ("", "-cs"), ("strict = true\n", "--clean")]))
def test_zensical_fails_if_strict(more: str, option: str, folder: Path) -> None:
    """With the extension alone, a strict build stops at a page with a problem; a page in order does not stop it."""
    config = folder / "zensical.toml"
    config.write_text(f'[project]\nsite_name = "x"\n{more}[project.markdown_extensions.acdl]\n', "utf-8")
    command = [program("zensical"), "build", option, "--config-file", "zensical.toml"]
    page = folder / "docs" / "index.md"
    page.write_text("# Home\n\n```acdl\nP[@T]: { U: Frag Nope }\n```\n", "utf-8")
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert result.returncode == 1
    assert "docs/index.md:4:18: warning[unknown-fragment]" in result.stdout + result.stderr
    page.write_text("# Home\n\n```acdl\nP[@T]: { U: TASK }\n```\n", "utf-8")
    assert subprocess.run(command, cwd=folder, capture_output=True, check=False).returncode == 0


@pytest.mark.parametrize("number", few(range(3)))
def test_zensical_reads_the_settings_of_its_page(number: int, folder: Path) -> None:
    """Each `zensical.toml` that the documentation shows makes a site with figures."""
    page = (Path(__file__).parents[2] / "site_src" / "tools" / "zensical.md").read_text("utf-8")
    shown = re.findall(r'    ```toml title="zensical.toml"\n(.*?)    ```', page, re.DOTALL)
    assert len(shown) == 3
    top = "" if "site_name" in shown[number] else '[project]\nsite_name = "x"\n'
    (folder / "zensical.toml").write_text(top + textwrap.dedent(shown[number]), "utf-8")
    (folder / "examples").mkdir()
    (folder / "docs" / "index.md").write_text("# Home\n\n```acdl\nP[@T]: { U: TASK }\n```\n", "utf-8")
    command = [program("zensical"), "build", "--config-file", "zensical.toml", "--strict"]
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
    assert '<figure class="acdl"' in (folder / "site" / "index.html").read_text("utf-8")
    assert (folder / "docs" / "assets" / "acdl" / "acdl.css").exists() is (number == 2)


EVERY_LINK = """# More

See [[acdl:User]], [[acdl:User#line-1]] and [[acdl:More]].

```acdl
StrFrag More[@T]: { Frag Greeting[@T] }
```

```acdl-gallery kinds="all"
```
"""
FENCES = "  - pymdownx.superfences:\n      custom_fences:\n" + "".join(
    f"        - name: {name}\n          class: {name}\n"
    "          format: !!python/object/apply:acdl_mkdocs.fence {kwds: {}}\n"
    "          validator: !!python/name:acdl_mkdocs.frontends.docs.markdown.superfences.validate\n"
    for name in ("acdl", "acdl-gallery")
)


@pytest.mark.parametrize("has_directories", few([True, False]))
@pytest.mark.parametrize("extensions", ["  - acdl\n", FENCES], ids=["extension", "fence"])
def test_zensical_links(extensions: str, has_directories: bool, folder: Path) -> None:
    """Zensical takes links of HTML for paths of files, but not those of drawings: all lead to their figures."""
    docs = folder / "docs"
    (docs / "index.md").write_text(
        "# Home\n\n```acdl\nUser[@T]: { U: { Frag eMore[@T] } }\nStrFrag Greeting[@T]: { HELLO }\n```\n"
    )
    (docs / "a b").mkdir()
    for name in ("more", "a b/deep ü"):
        (docs / f"{name}.md").write_text(EVERY_LINK.replace("More", name.title()[-1] + "More"), encoding="utf-8")
    config = f"site_name: x\ntheme: {{name: material}}\nuse_directory_urls: {str(has_directories).lower()}\n"
    result = build("zensical", folder, f"{config}markdown_extensions:\n{extensions}", "--strict")
    assert result.returncode == 0, result.stdout + result.stderr
    assert dead_links(folder / "site") == []
    more = (folder / "site" / ("more/index.html" if has_directories else "more.html")).read_text("utf-8")
    home = "../" if has_directories else "index.html"
    assert more.count(f'xlink:href="{home}#User"') == 1
    n_cards, n_references, n_users = 3, 2, 1  # card, miniature and list of constructs; two links of prose; "used by"
    assert more.count(f' href="{home}#User') == n_cards + n_references + n_users


def test_zensical_draws_a_new_site(tmp_path: Path) -> None:
    """What `acdl new site` makes for MkDocs has figures and no dead link with Zensical too."""
    folder = tmp_path / "agents"
    assert main(["new", "site", str(folder)]) == 0
    result = subprocess.run([program("zensical"), "build"], cwd=folder, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
    assert (folder / "site" / "support" / "index.html").read_text("utf-8").count('<figure class="acdl"') >= 2
    assert dead_links(folder / "site") == []
