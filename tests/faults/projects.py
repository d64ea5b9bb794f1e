"""A small project, copies of it, and programs run in them as a person would."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path

from acdl_mkdocs.foundation.user_cache import project_cache

PROGRAMS = Path(__file__).parent / "programs"
EXAMPLES = Path(__file__).parents[2] / "examples"
CHAT = (
    "// title: A chat \u2014 caf\u00e9\n// tags: chat\n"
    "Chat[@T]: {\n  S: { Frag Greeting[@T] }\n  Mark 1 {\n    U: env.q[@T]\n  }\n}\n"
    "StrFrag Greeting[@t]: { HELLO(env.name[@t]) }\n"
)
STATE = (
    'acdl_state: 1\nspec: Chat\nat: 2\ntemplates:\n  HELLO: "Hello, {0}!"\n'
    "env:\n  q: {1: Who?, 2: Why?}\n  name: {1: \u00c5sa, 2: \u00c5sa}\n"
)
HOME = "# Home\n\n```acdl\nA[@T]: {\n  U: env.q[@T]\n}\n```\n\n```acdl src=specs/chat.acdl\n```\n"
DELTA = '{"operations": [{"type": "ADD", "section": "general", "content": "Look before you leap, always."}]}\n'
SMALL_SITE = (
    "site_name: T\ntheme: {name: null, custom_dir: theme}\nsite_dir: out\nplugins:\n"
    "  - acdl: {specs: [specs], downloads: [acdl]}\n"
)
CONFIG = SMALL_SITE.replace("[acdl]", "[acdl, svg], playbooks: [book/playbook.yaml], llms: true")
TIME = ("--time", "2026-01-01T00:00:00Z")


def make_project(root: Path) -> Path:
    """A project with specs, a state, a page and a playbook."""
    texts = {
        "specs/chat.acdl": CHAT,
        "specs/chat.state.yaml": STATE,
        "docs/index.md": HOME,
        "theme/main.html": "{{ page.content }}",
        "delta.json": DELTA,
        "mkdocs.yml": CONFIG,
    }
    for name, text in texts.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8", newline="\n")
    (root / "book").mkdir()
    said = run_acdl("playbook", "init", "book/playbook.yaml", *TIME, folder=root)
    assert said.returncode == 0, said.stderr
    shutil.rmtree(root / "book" / ".acdl-locks")
    return root


def run_acdl(
    *arguments: str, folder: Path, environment: Mapping[str, str] | None = None
) -> "subprocess.CompletedProcess[str]":
    """`acdl`, as a process of its own."""
    return run([sys.executable, "-m", "acdl_mkdocs", *arguments], folder, environment)


def build_site(folder: Path, environment: Mapping[str, str] | None = None) -> "subprocess.CompletedProcess[str]":
    """`mkdocs build`, as a process of its own."""
    return run([sys.executable, "-m", "mkdocs", "build", "-q"], folder, environment)


def run(
    command: Sequence[str],
    folder: Path,
    environment: Mapping[str, str] | None = None,
    prepare: Callable[[], None] | None = None,
) -> "subprocess.CompletedProcess[str]":
    """A program; what it says is UTF-8. Something may be done in its process before it begins."""
    return subprocess.run(
        command,
        cwd=folder,
        preexec_fn=prepare,
        env={**os.environ, **(environment or {})},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )


def digests(folder: Path, *, leaving_out: Sequence[str] = (".acdl-locks",)) -> dict[str, str]:
    """Every file below a folder with a digest of it, by its path from there.

    Two files of MkDocs are left out, since they name the day.
    """
    found = {}
    for path in sorted(folder.rglob("*")):
        relative = path.relative_to(folder)
        is_wanted = not {*relative.parts} & {*leaving_out, "sitemap.xml", "sitemap.xml.gz", "__pycache__"}
        if path.is_file() and is_wanted:
            found[relative.as_posix()] = sha256(path.read_bytes()).hexdigest()
    return found


def copy_built(project: Path, folder: Path) -> Path:
    """A copy of a project that was built, with a copy of its cache."""
    shutil.copytree(project, folder)
    left_out = shutil.ignore_patterns("project.txt")
    shutil.copytree(project_cache(project), project_cache(folder), ignore=left_out, dirs_exist_ok=True)
    return folder


def left_over(folder: Path) -> list[str]:
    """Drafts that were never finished."""
    return [path.relative_to(folder).as_posix() for path in folder.rglob("*.tmp")]
