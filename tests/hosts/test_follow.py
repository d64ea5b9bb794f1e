"""Pages can be followed as `make hosts-followed` does, and it found everything right when it last did."""

import json
import shlex
from dataclasses import replace
from pathlib import Path

import pytest

from acdl_mkdocs.frontends.cli.main import main
from hosts.follow import HOSTS, RESULTS, Host, break_page, steps

PROGRAMS = {
    *("acdl", "cp", "hugo", "jupyter-book", "mkdir", "mkdocs", "npm", "npx", "pandoc", "pip", "properdocs", "python"),
    *("sphinx-build", "zensical"),
}


def test_results_are_of_these_hosts() -> None:
    """Each was followed to its end, with all that has to come out."""
    found = json.loads(RESULTS.read_text("utf-8"))
    assert {name: each["failed"] for name, each in found.items()} == {name: [] for name in HOSTS}
    assert all(list(each["versions"]) == list(HOSTS[name].packages) for name, each in found.items())
    assert "not installed" not in RESULTS.read_text("utf-8")


@pytest.mark.parametrize("host", HOSTS.values(), ids=HOSTS)
def test_steps(host: Host, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Files are named, this package is installed before it is used, and its commands do what the page says."""
    monkeypatch.chdir(tmp_path)
    done: list[str] = []
    for step in steps(host):
        if step.file:
            Path(step.file).parent.mkdir(parents=True, exist_ok=True)
            Path(step.file).write_text(step.fence.text, "utf-8")
        for command in step.commands:
            program, *words = shlex.split(command)
            assert program in PROGRAMS, step.place
            assert any("acdl-mkdocs" in each for each in [*done, command]), f"{step.place}: not installed yet"
            assert program != "acdl" or main(words) == 0, f"{step.place}: {capsys.readouterr().err}"
            done.append(command)
    place = break_page(host, tmp_path)
    assert host.strict in done
    program, *words = shlex.split(host.strict)
    if program == "acdl":
        assert main(words) in (1, 2)
        assert place in "".join(capsys.readouterr())


def test_section_that_is_gone() -> None:
    """A heading that was renamed is reported, not left out."""
    host = replace(HOSTS["mkdocs"], sections=("tools/mkdocs.md#Strict", *HOSTS["mkdocs"].sections))
    with pytest.raises(ValueError, match="the section `Strict` has nothing to follow"):
        steps(host)
