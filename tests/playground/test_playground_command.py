"""`acdl playground`: a folder to put anywhere, an older version of it replaced, and errors in sentences."""

import json
from pathlib import Path

import pytest

from acdl_mkdocs.foundation.errors import PlaygroundError
from acdl_mkdocs.frontends.cli.main import main
from acdl_mkdocs.frontends.playground import bundle as bundling
from acdl_mkdocs.frontends.playground.bundle import Bundle


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project whose bundle is built; its version stands in a file."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bundle").mkdir()
    for name in ("index.html", "main.js"):
        (tmp_path / "bundle" / name).write_text("{{version}}")
    (tmp_path / "version").write_text("aaa")
    (tmp_path / "chat.acdl").write_text("// title: A chat\nChat[@T]: { U: A }\n")

    def found(cache: Path, say: object) -> Bundle:
        del cache, say
        version = (tmp_path / "version").read_text()
        if not version:
            raise PlaygroundError("there is no Node.js; install it")
        return Bundle(tmp_path / "bundle", version, {"index.html": 1, "main.js": 2_500_000})

    monkeypatch.setattr(bundling, "build_bundle", found)
    return tmp_path


def test_a_folder_with_examples(made: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It says how much it wrote, and what a visit weighs; the second time there is nothing to do."""
    command = ["playground", "out", "chat.acdl", "--name", "Ours", "--rule-url", "rules/{rule}/"]
    assert main(command) == 0
    assert "wrote 5 files, 1 example, 2.5 MB for a first visit" in capsys.readouterr().out
    manifest = json.loads((made / "out/manifest.json").read_text("utf-8"))
    assert (manifest["site_name"], manifest["rule_url"], manifest["version"]) == ("Ours", "rules/{rule}/", "aaa")
    assert main(command) == 0
    assert "wrote 0 files" in capsys.readouterr().out
    (made / "version").write_text("bbb")
    assert main(command) == 0
    assert sorted(path.name for path in (made / "out").iterdir() if path.is_dir()) == ["bbb", "examples"]


def test_what_cannot_be_written_is_said_before_it_is_built(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits for a bundle that has no place."""
    monkeypatch.setattr(bundling, "build_bundle", lambda *_: pytest.fail("it was built"))
    (made / "taken").write_text("")
    assert main(["playground", "taken"]) == 2


def test_what_it_cannot_do_is_said(made: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """No Node.js, a file in the place of the folder, no such example."""
    (made / "taken").write_text("")
    for name in ("taken", "taken/below", "/proc/nope"):
        assert main(["playground", name]) == 2
        said = capsys.readouterr().err
        assert f"{name} cannot be written: " in said
        assert said.endswith("; name another folder\n")
    assert main(["playground", "out", "nothing.acdl"]) == 2
    assert "nothing.acdl" in capsys.readouterr().err
    (made / "version").write_text("")
    assert main(["playground", "out"]) == 2
    assert "there is no Node.js; install it" in capsys.readouterr().err
