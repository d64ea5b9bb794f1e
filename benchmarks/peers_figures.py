"""One figure by every tool that is there: the first of a process, the next in the same, memory, bytes."""

import gzip
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterable, Mapping, Sequence
from json import loads
from pathlib import Path
from tempfile import TemporaryDirectory

from measure import Series, emptied, in_turn
from peak_memory import peak_mb
from peers_install import FOLDER, NODE, VENV, failures, search_path
from peers_table import PEERS, Peer

DRAWINGS = Path(__file__).parent / "peers"
N_ROUNDS, N_BATCHES, N_LOOKS, N_MANY = 7, 5, 5, 20


def environment() -> dict[str, str]:
    """Where programs and modules of peers are found."""
    return os.environ | {"PATH": search_path(), "PYTHONPATH": str(DRAWINGS), "BENCH_PEERS": str(FOLDER)}


def missing() -> dict[str, tuple[str, str]]:
    """Tools that are not there: why, and how to get them."""
    failed = failures()
    found = {}
    for peer in PEERS:
        lacking = [each for each in peer.programs if shutil.which(each, path=search_path()) is None]
        said = [f"{each}: {failed[each]}" for each in peer.packages if each in failed]
        packages = [each.partition(":")[2] for each in peer.packages if each.startswith("pip:")]
        lacking += [each for each in packages if VENV.exists() and not _is_installed(each)]
        modules = [each.partition(":")[2] for each in peer.packages if each.startswith("npm:")]
        lacking += [each for each in modules if NODE.exists() and not (NODE / each).exists()]
        if lacking or said:
            reason = "; ".join(said) or f"not there: {', '.join(f'`{each}`' for each in lacking)}"
            found[peer.name] = (reason, ", ".join(f"`{each}`" for each in peer.packages))
    return found


def present() -> list[Peer]:
    """Tools that are there; ours is the first."""
    lacking = missing()
    return [peer for peer in PEERS if peer.name not in lacking]


def _is_installed(package: str) -> bool:
    return bool(_folders(package))


def _folders(package: str) -> list[Path]:
    name = re.sub(r"[-_.]+", "_", package).lower()
    return [
        each for each in VENV.glob("lib/*/site-packages/*.dist-info") if each.name.lower().partition("-")[0] == name
    ]


def version_of(peer: Peer) -> str:
    """The number that a tool gives itself."""
    first = peer.version[0]
    if first.startswith("pip:"):
        return _folders(first.partition(":")[2])[0].name.removesuffix(".dist-info").partition("-")[2]
    if first.startswith("npm:"):
        package = NODE / first.partition(":")[2] / "package.json"
        return str(loads(package.read_text("utf-8"))["version"])
    ran = subprocess.run(filled(peer.version), env=environment(), capture_output=True, text=True, encoding="utf-8")
    number = re.search(r"\d+(\.\d+)+", ran.stdout + ran.stderr)
    return number[0] if number else "unknown"


def filled(words: Iterable[str], sources: Sequence[Path] = (), out: Path = FOLDER, port: int = 0) -> list[str]:
    """A command of the table with its places filled; its program is looked for where peers are."""
    first = sources[0] if sources else FOLDER
    values = {
        "source": str(first),
        "figure": str(out / "figure.svg"),
        "folder": str(first.parent),
        "last": sources[-1].stem if sources else "",
        "out": str(out),
        "peers": str(DRAWINGS),
        "settings": str(FOLDER),
        "port": str(port),
    }
    command: list[str] = []
    for word in words:
        command += map(str, sources) if word == "{sources}" else [word.format_map(values)]
    return [shutil.which(command[0], path=search_path()) or command[0], *command[1:]]


def renamed(text: str, number: int) -> str:
    """A drawing with other words, so that nothing is remembered from one to the next."""
    return text.replace("question", f"question_{number}").replace("Agent", f"Agent{number}")


def write_sources(peer: Peer, folder: Path, n_figures: int = N_MANY) -> list[Path]:
    """Several figures as files, and all of them in one page, for tools that read pages."""
    folder.mkdir(parents=True)
    text = (DRAWINGS / peer.drawing).read_text("utf-8")
    suffix = peer.drawing.partition(".")[2]
    sources = []
    for number in range(n_figures):
        sources.append(folder / f"figure-{number:02}.{suffix}")
        sources[-1].write_text(renamed(text, number), "utf-8")
    blocks = "\n".join(f"```{peer.fence}\n{source.read_text('utf-8')}```\n" for source in sources)
    folder.with_name("page.md").write_text(blocks, "utf-8")
    return sources


def measure(peers: Sequence[Peer]) -> tuple[dict[str, dict[str, object]], dict[str, str]]:
    """What there is to say of each tool with a command, times in ms and memory in MB; and why others drew nothing."""
    with TemporaryDirectory() as name:
        home = Path(name)
        ones = {peer.name: _command(peer, peer.one, home / "one" / slug(peer.name), 1) for peer in peers if peer.one}
        broken = {each: reason for each, one in ones.items() if (reason := said(one))}
        works = {each: one for each, one in ones.items() if each not in broken}
        outs = [emptied(home / "one" / slug(each) / "out") for each in works]
        firsts = dict(zip(works, in_turn(N_ROUNDS, *map(_action, works.values()), before=outs), strict=True))
        nexts = _nexts([peer for peer in peers if peer.name in works and peer.many], home)
        found: dict[str, dict[str, object]] = {}
        for each, first in firsts.items():
            raw = next((home / "one" / slug(each) / "out").glob("*.svg")).read_bytes()
            found[each] = {
                "first_ms": in_ms(first),
                "next_ms": nexts.get(each),
                "memory_mb": round(max(peak_mb(works[each], env=environment()) for _ in range(N_LOOKS)), 1) or None,
                "bytes": len(raw),
                "gzip_bytes": len(gzip.compress(raw, 9, mtime=0)),
            }
    return found, broken


def _nexts(peers: Sequence[Peer], home: Path) -> dict[str, list[float]]:
    """What each figure after the first takes in one process: the same program draws one, and all, in turn."""
    work = [(peer, home / str(n_figures) / slug(peer.name), n_figures) for peer in peers for n_figures in (1, N_MANY)]
    actions = [_action(_command(peer, peer.many, folder, n_figures)) for peer, folder, n_figures in work]
    series = in_turn(N_BATCHES, *actions, before=[emptied(folder / "out") for _, folder, _ in work])
    return {
        peer.name: [
            round((many - one) * 1000 / (N_MANY - 1), 3) for one, many in zip(alone.times_s, all_.times_s, strict=True)
        ]
        for peer, alone, all_ in zip(peers, series[::2], series[1::2], strict=True)
    }


def said(words: list[str], cwd: str | None = None, env: Mapping[str, str] | None = None) -> str:
    """What a command says when it fails, in a line; nothing if it works."""
    env = env or environment()
    done = subprocess.run(words, cwd=cwd, env=env, capture_output=True, text=True, encoding="utf-8")
    if done.returncode == 0:
        return ""
    lines = [line.strip() for line in (done.stdout + done.stderr).splitlines() if line.strip()]
    return next((line for line in lines if "error" in line.lower()), f"exit status {done.returncode}")


def in_ms(series: Series) -> list[float]:
    """Times as results keep them."""
    return [round(time_s * 1000, 2) for time_s in series.times_s]


def _command(peer: Peer, words: Sequence[str], home: Path, n_figures: int) -> list[str]:
    """How to draw so many figures, which lie in a folder of their own."""
    sources = write_sources(peer, home / "in", n_figures)
    out = home / "out"
    out.mkdir()
    return filled(words, sources, out)


def slug(name: str) -> str:
    """The name of a tool as that of a folder."""
    return re.sub(r"\W+", "-", name)


def _action(words: list[str]) -> Callable[[], object]:
    return lambda: subprocess.run(words, env=environment(), check=True, capture_output=True)
