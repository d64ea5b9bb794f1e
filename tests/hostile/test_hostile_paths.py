"""Files that a page names: none outside of the project is read, none makes a build hang, each is told."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from markdown import Markdown
from mkdocs.structure.files import Files

from acdl_mkdocs.evaluation.state.special_values import UnusableFileError, read_bytes_below
from acdl_mkdocs.foundation.real_path import is_on_share
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.frontends.cli.main import main
from acdl_mkdocs.frontends.docs.mkdocs.config import AcdlConfig
from acdl_mkdocs.frontends.docs.mkdocs.files import EditedSources
from acdl_mkdocs.frontends.docs.mkdocs.inputs import font_files, playbook_files, spec_files
from acdl_mkdocs.frontends.editor.preview import preview_document
from acdl_mkdocs.frontends.lsp.requests import fence_html
from acdl_mkdocs.frontends.lsp.session import Session
from acdl_mkdocs.workspace.files import find_nearest_file, include_file
from acdl_mkdocs.workspace.used_files import resolve_path

HIDDEN = "VALUE_OF_SOMEBODY_ELSE"
_SPEC = f"Hidden[@T]: {{ U: {HIDDEN} }}\n"
_RUN = f'{{"messages": [{{"role": "user", "content": "{HIDDEN}"}}]}}\n'
_STATE = f'{{"acdl_state": 1, "at": 1, "steps": {{"1": {{"env": {{"q": "{HIDDEN}"}}}}}}}}'

PATHS = {
    "absolute": "{outside}/hidden{ending}",
    "above": "../outside/hidden{ending}",
    "above, later": "below/../../outside/hidden{ending}",
    "above, many times": "../../../../../../../../../../../../etc/passwd",
    "a link": "link{ending}",
    "a linked folder": "linked/hidden{ending}",
    "a link to a link": "again{ending}",
    "a link in a ring": "ring{ending}",
    "out behind a ring": "ring{ending}/../linked/hidden{ending}",
    "below a ring": "ring{ending}/hidden{ending}",
    "a device": "/dev/zero",
    "a link to a device": "zero{ending}",
    "a pipe": "pipe{ending}",
    "standard input": "/dev/stdin",
    "a folder": "below",
    "the project": ".",
    "nothing": "",
    "the process": "/proc/self/environ",
    "a huge file": "huge{ending}",
    "percent": "..%2foutside%2fhidden{ending}",
    "percent twice": "%252e%252e/outside/hidden{ending}",
    "address of a file": "file://{outside}/hidden{ending}",
    "address": "http://127.0.0.1:9/hidden{ending}",
    "drive": "C:\\\\Windows\\\\win.ini",
    "share": "\\\\\\\\host\\\\share\\\\hidden{ending}",
    "home": "~/hidden{ending}",
    "variable": "$HOME/hidden{ending}",
    "backslashes": "..\\\\outside\\\\hidden{ending}",
    "other letters": "．．/outside/hidden{ending}",
    "zero": "hidden\0{ending}",
    "long": "w" * 5000,
    "deep": "a/" * 2000 + "b",
    "all": "**/*",
    "all above": "../**/*",
    "all behind a ring": "ring{ending}/../linked/**",
    "here": "./",
    "revision": "HEAD:../outside/hidden{ending}",
    "option of git": "--output=pwned:a{ending}",
}
"""What each is, and how it is written."""

OPENINGS = {
    "src": ("acdl src={}", ".acdl", ""),
    "state": ("acdl state={}", ".yaml", "A[@T]: { U: env.q[@T] }"),
    "runs": ("acdl runs={}", ".jsonl", "A[@T]: { U: env.q[@T] }"),
    "inspection": ("acdl-inspect src={}", ".jsonl", ""),
    "use": ("acdl", ".acdl", "// acdl: use {}\nA[@T]: {{ U: {{ Frag Hidden[@T] }} }}"),
    "difference": ("acdl-diff old={}", ".acdl", "A[@T]: { U: env.q[@T] }"),
    "variants": ("acdl-variants", ".acdl", "specs: [{}, {}]"),
    "results": ("acdl-variants", ".csv", "specs: [fine.acdl, fine.acdl]\nresults: {{file: {}}}"),
    "playbook": ("acdl-playbook src={}", ".yaml", ""),
    "prompt": ("pml src={}", ".xml", ""),
    "tools": ("laic src={}", ".xml", ""),
}
"""What names a file: the opening line of the block, how the files end, what stands in it."""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A project whose files lead out of it, and a folder beside it."""
    root, outside = tmp_path / "root", tmp_path / "outside"
    for folder in (root / "below", outside):
        folder.mkdir(parents=True)
    (root / "linked").symlink_to(outside)
    (root / "fine.acdl").write_text("A[@T]: { U: env.q[@T] }\n")
    for ending in (".acdl", ".yaml", ".jsonl", ".csv", ".xml"):
        (outside / f"hidden{ending}").write_text({".yaml": _STATE, ".jsonl": _RUN}.get(ending, _SPEC))
        (root / f"link{ending}").symlink_to(outside / f"hidden{ending}")
        (root / f"again{ending}").symlink_to(root / f"link{ending}")
        (root / f"ring{ending}").symlink_to(root / f"ring{ending}")
        (root / f"zero{ending}").symlink_to("/dev/zero")
        os.mkfifo(root / f"pipe{ending}")
        with (root / f"huge{ending}").open("wb") as file:
            file.truncate(300_000_000_000)
    return root


def page_of(fence: str, root: Path) -> str:
    """A page with one block."""
    return Markdown(extensions=["acdl"], extension_configs={"acdl": {"root": str(root)}}).convert(fence)


def shown(what: str, path: str, root: Path) -> str:
    """A page with a block that names a file."""
    return page_of(fence_of(what, path, root), root)


def fence_of(what: str, path: str, root: Path) -> str:
    """A block that names a file."""
    opening, ending, body = OPENINGS[what]
    named = '"' + path.replace("{ending}", ending).replace("{outside}", str(root.parent / "outside")) + '"'
    text = body.replace("{}", named).replace("{{", "{").replace("}}", "}")
    return f"~~~~ {opening.replace('{}', named)}\n{text}\n~~~~\n"


@pytest.mark.parametrize("what", OPENINGS)
def test_what_is_not_confined(what: str, root: Path) -> None:
    """The same file is shown where it lies in the project, or at least found: so the next test can fail."""
    ending = OPENINGS[what][1]
    (root / f"inside{ending}").write_bytes((root.parent / "outside" / f"hidden{ending}").read_bytes())
    html = shown(what, "inside{ending}", root)
    assert HIDDEN in html or "acdl-problem" not in html, html[:2000]


@pytest.mark.parametrize("what", OPENINGS)
@pytest.mark.parametrize("path", PATHS)
def test_confined(what: str, path: str, root: Path) -> None:
    """A block says what is wrong, and shows nothing of what lies outside."""
    html = shown(what, PATHS[path], root)
    assert HIDDEN not in html
    assert "root:" not in html
    assert not [each for each in os.listdir(root) if "pwned" in each]
    assert "acdl-problem" in html or "acdl-panel" in html or path == "nothing", html[:2000]


@pytest.mark.parametrize("what", OPENINGS)
def test_confined_in_editors(what: str, root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The same of a page that is open in an editor or checked, also where a `conf.py` names a root of its own."""
    (root / ".git").mkdir()
    (root / "conf.py").write_text("extensions = ['acdl_mkdocs']\nacdl = {'root': '/'}\n")
    page = root / "page.md"
    session = Session(folders=(root,))
    for name in ("absolute", "above", "a link", "a linked folder", "out behind a ring", "a device", "the process"):
        text = fence_of(what, PATHS[name], root)
        page.write_text(text)
        document = session.open_document(page.as_uri(), text, "markdown", 1)
        opening, _, rest = text.partition("\n")
        assert document is not None
        assert HIDDEN not in fence_html(session, document, opening, rest.rpartition("~~~~")[0])
        assert HIDDEN not in preview_document(session.workspace, document.uri).html
        main(["check", str(page)])
        said = capsys.readouterr()
        assert HIDDEN not in said.out + said.err


@pytest.mark.parametrize(
    "name", ["link.yaml", "zero.yaml", "pipe.yaml", "huge.yaml", "../outside/hidden.yaml", "/dev/zero"]
)
def test_files_of_a_state(name: str, root: Path) -> None:
    """What a state takes in lies beside it, and is no device, no pipe and not huge."""
    (root / "a.yaml").write_text(f"acdl_state: 1\nat: 1\ntemplates: {{RULES: {{file: {name}}}}}\nsteps: {{1: {{}}}}\n")
    fence = "```acdl state=a.yaml\nA[@T]: { U: RULES }\n```\n"
    html = page_of(fence, root)
    assert HIDDEN not in html
    assert name in html
    assert "acdl-error" in html or "acdl-problem" in html or "acdl-panel" in html


def test_many_runs(root: Path) -> None:
    """A name that is given a thousand times is looked for once; of more names than a page may have, the first ones."""
    spec = "A[@T]: { U: env.q[@T] }"
    for words, said in (
        (["no.jsonl"] * 4000, "does not exist"),
        ([f"no{n}.jsonl" for n in range(4000)], "201 problems"),
    ):
        fence = f'~~~~ acdl runs="{" ".join(words)}"\n{spec}\n~~~~\n'
        html = page_of(fence, root)
        assert 1 <= html.count(said) <= 2  # in the panel, and in its name


def test_a_long_name(root: Path) -> None:
    """A name that no file can have is a problem of the page, and no fault."""
    fence = f'~~~~ acdl runs="{"w" * 5000}"\nA[@T]: {{ U: env.q[@T] }}\n~~~~\n'
    html = page_of(fence, root)
    assert "does not exist" in html


OPTIONS: dict[str, tuple[str, Callable[[AcdlConfig, Path], list[Path]]]] = {
    "specs": (".acdl", lambda config, root: spec_files(config, Files([]), EditedSources(root))),
    "playbooks": (".yaml", playbook_files),
    "fonts": (".ttf", lambda config, root: [*map(Path, font_files(config, root))]),
}
"""The options of a site that name files, and what finds them."""


@pytest.mark.parametrize("option", OPTIONS)
def test_options_of_a_site(option: str, root: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Specs and playbooks of a site lie in its project; where a path leads to no file, that is said."""
    ending, find = OPTIONS[option]
    for path in PATHS.values():
        name = path.replace("{ending}", ending).replace("{outside}", str(root.parent / "outside")).replace("\\\\", "\\")
        config = AcdlConfig()
        config.load_dict({option: [name]})
        caplog.clear()
        found = find(config, root)
        assert found or f"the option `{option}` of `acdl` names `{name}`" in caplog.text
        outside = [each for each in found if not each.resolve().is_relative_to(root.resolve())]
        assert outside == [] or option == "fonts"  # those are often elsewhere, and are not shown
        assert not [each for each in found if "hidden" in each.name]


@pytest.mark.parametrize("name", ["\\\\host\\share\\a.acdl", "//host/share/a.acdl", "\\\\?\\UNC\\host\\share\\a.acdl"])
def test_shares_of_other_computers(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows would log in to the computer to see where the file lies: nobody looks."""

    def looked(*_: object, **__: object) -> Path:
        raise AssertionError

    header = Source(f'acdl src="{name}"')
    for each in (
        "workspace.files.real_path",
        "workspace.used_files.real_path",
        "evaluation.state.special_values.real_path",
    ):
        monkeypatch.setattr(f"acdl_mkdocs.{each}", looked)
    monkeypatch.setattr("os.scandir", looked)
    monkeypatch.setattr("acdl_mkdocs.foundation.real_path._IS_WINDOWS", True)
    found = include_file(name, header, tmp_path)
    used, near = resolve_path(tmp_path, name), find_nearest_file(name, tmp_path)
    with pytest.raises(UnusableFileError, match="lies outside"):
        read_bytes_below(tmp_path, name, 10)
    is_own = is_on_share("//HOST/share/a.acdl", Path("//host/share/docs"))
    monkeypatch.undo()
    assert [each.rule for each in found.diagnostics] == ["src-outside-project"]
    assert (used, near, is_own) == (None, None, False)


def test_a_path_that_nobody_may_look_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It costs itself alone: the other files are there."""
    for name in ("a", "b", "c"):
        (tmp_path / f"{name}.acdl").write_text(_SPEC, "utf-8")
    resolve = Path.resolve

    def refused(path: Path, *, strict: bool = False) -> Path:
        if path.name == "b.acdl":
            raise PermissionError(path)
        return resolve(path, strict)

    monkeypatch.setattr(Path, "resolve", refused)
    config = AcdlConfig()
    config.load_dict({"specs": ["*.acdl"]})
    assert [path.name for path in spec_files(config, Files([]), EditedSources(tmp_path))] == ["a.acdl", "c.acdl"]
