"""Run the steps of `action.yml` as GitHub does: the shell that a step names, its script and its variables."""

import os
import re
import shlex
import subprocess
import sys
import sysconfig
from collections.abc import Mapping
from pathlib import Path

import yaml

ROOT = Path(__file__).parent.parent
ACTION = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))


def run_step(
    name: str, folder: Path, source: Path = ROOT, more: Mapping[str, str] | None = None, **inputs: str
) -> subprocess.CompletedProcess[str]:
    """Run a step in a folder, with this Python.

    Parameters:
        name: The name of the step.
        folder: The workspace.
        source: Where the action is.
        more: Variables that steps before have set.
        inputs: What the workflow gives to the action.
    """
    (step,) = (step for step in ACTION["runs"]["steps"] if step.get("name") == name)
    given = {name: each["default"] for name, each in ACTION["inputs"].items()} | inputs
    values = {f"inputs.{name}": value for name, value in given.items()}
    values |= {"steps.python.outputs.python-path": sys.executable, "github.action_path": str(source)}
    variables = {
        name: re.sub(r"\$\{\{ (\S+) \}\}", lambda found: values[found[1]], text) for name, text in step["env"].items()
    }
    temporary = runner_temp(folder)
    temporary.mkdir(exist_ok=True)
    script = temporary / "script.sh"
    script.write_text(step["run"], "utf-8")
    environment = {**os.environ, **(more or {}), **variables, "RUNNER_TEMP": str(temporary)}
    command = [str(script) if word == "{0}" else word for word in shlex.split(step["shell"])]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, encoding="utf-8")


def run_check(folder: Path, more: Mapping[str, str] | None = None, **inputs: str) -> subprocess.CompletedProcess[str]:
    """Run the last step in a folder, with this package and the packages of this Python."""
    installed = runner_temp(folder) / "acdl"
    installed.parent.mkdir(exist_ok=True)
    installed.unlink(missing_ok=True)
    installed.symlink_to(sysconfig.get_path("purelib"))
    return run_step("Run acdl check", folder, ROOT, more, **inputs)


def runner_temp(folder: Path) -> Path:
    """Where a step may write; beside the workspace, as GitHub has it."""
    return folder.parent / f"{folder.name} runner temp"
