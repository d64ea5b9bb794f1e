"""`python -m fuzz.run`: fuzz targets one after another, each for so many seconds of processor time.

Needs Atheris: `pip install -e ".[fuzz]"`. What is worked on stands in `.cache/fuzz/TARGET`: the `corpus` that grows,
and the `findings`, with the `log` that says how each fails.
"""

import argparse
import importlib.util
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

from fuzz.keep import keep
from fuzz.ledger import FINDINGS, Entry, added, read_ledger, write_ledger
from fuzz.shrink import failure, shrunk
from fuzz.target import ROOT, Target
from fuzz.targets import TARGETS, target

_NOTING = Lock()
CACHE = ROOT / ".cache" / "fuzz"
CORPUS = ROOT / "fuzz" / "corpus"
_HANG_S, _MEMORY_MB = 600, 3000
"""What a single input may take before the process is ended: of the clock, and of memory."""
_MOST_HANGS = 5
_CHUNK_S = 900
"""So long one process works: a run that is stopped has not lost much, and the corpus is not read over and over."""
_WORK = re.compile(r"^WORK (\d+)$", re.MULTILINE)
_KNOWN = re.compile(r"^#(\d+)\s+INITED", re.MULTILINE)
"""How many inputs were tried before, and only tell what they reach."""
_FINDING = re.compile(r"^FINDING (.*)$", re.MULTILINE)
_EDGES = re.compile(r"^#\d+\s.*?\bcov: (\d+)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Ran:
    """What a run of a target gave."""

    entry: Entry
    ways: tuple[str, ...]
    """How inputs failed."""


def _dictionary(words: Sequence[str]) -> str:
    """Words as libFuzzer reads them."""
    spelled = ("".join(f"\\x{byte:02x}" for byte in word.encode("utf-8", "surrogatepass")) for word in words)
    return "".join(f'"{word}"\n' for word in spelled)


def _prepare(name: str, chosen: Target) -> Path:
    """The folder of a target, with its seeds and its words."""
    folder = CACHE / name
    for inside in ("seeds", "corpus", "findings"):
        (folder / inside).mkdir(parents=True, exist_ok=True)
    for number, data in enumerate(chosen.seeds()):
        (folder / "seeds" / f"{number:04}").write_bytes(data)
    (folder / "words.dict").write_text(_dictionary(chosen.words), "ascii")
    return folder


def _fuzz_once(name: str, chosen: Target, folder: Path, seconds: float) -> tuple[Entry, set[str], bool]:
    """Run a process until its time is over or an input ends it; the last value says that it was so."""
    options = [
        *(str(folder / "corpus"), str(folder / "seeds"), str(CORPUS / name), str(FINDINGS / name)),
        *(f"-max_len={chosen.max_bytes}", f"-timeout={_HANG_S}", f"-rss_limit_mb={_MEMORY_MB}"),
        *(f"-dict={folder / 'words.dict'}", f"-artifact_prefix={folder / 'findings'}/", "-verbosity=1"),
    ]
    options = [each for each in options if each.startswith("-") or Path(each).is_dir()]
    command = [sys.executable, "-m", "fuzz.worker", name, str(seconds), str(folder / "findings"), *options]
    log = folder / "log"
    with log.open("wb") as stream:
        process = subprocess.Popen(command, cwd=ROOT, stdout=stream, stderr=subprocess.STDOUT)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    said = log.read_text("utf-8", "replace")
    cpu_s = round(usage.ru_utime + usage.ru_stime)
    edges = max((int(each) for each in _EDGES.findall(said)), default=0)
    work = _WORK.search(said)
    ways = set(_FINDING.findall(said))
    known = _KNOWN.search(said)
    n_known = int(known[1]) if known else 0
    if work is not None:
        return Entry(cpu_s, max(0, int(work[1]) - n_known), edges), ways, False
    if not _EDGES.search(said):
        raise RuntimeError(f"{name} cannot be fuzzed: {said[-2000:]}")
    n_done = max((int(each) for each in re.findall(r"^#(\d+)\s", said, re.MULTILINE)), default=0)
    (folder / f"log-{process.pid}").write_text(said[-20_000:], "utf-8")
    ways.add(f"ended with {process.returncode}, see {folder / 'findings'}")
    return Entry(cpu_s, max(0, n_done - n_known), edges), ways, True


def fuzz(name: str, seconds: float, *, is_noted: bool = False) -> Ran:
    """Fuzz a target, one process after another, until it had its time; one that an input ended is told.

    Parameters:
        name: The target.
        seconds: Processor time.
        is_noted: Whether each process is added to the ledger.
    """
    chosen = target(name)
    folder = _prepare(name, chosen)
    total, ways, n_hangs = Entry(), set[str](), 0
    while total.cpu_s < seconds and n_hangs < _MOST_HANGS:
        entry, found, is_ended = _fuzz_once(name, chosen, folder, min(seconds - total.cpu_s, _CHUNK_S))
        total, ways, n_hangs = added(total, entry), ways | found, n_hangs + is_ended
        if is_noted:
            with _NOTING:
                entries = read_ledger()
                write_ledger(entries | {name: added(entries[name], entry)})
    return Ran(total, tuple(sorted(ways)))


def shrink(name: str) -> list[str]:
    """Make every input that fails smaller and put it among the findings of the repository; what they are."""
    chosen, told = target(name), []
    for path in sorted((CACHE / name / "findings").iterdir()):
        data = path.read_bytes()
        why = failure(chosen.run, data, chosen.max_cpu_s)
        if why:
            (FINDINGS / name).mkdir(parents=True, exist_ok=True)
            (FINDINGS / name / path.name).write_bytes(shrunk(chosen.run, data, input_cpu_s=chosen.max_cpu_s))
            told.append(f"{name}/{path.name}: {why}")
        else:
            told.append(f"{name}/{path.name}: does not fail here")
    return told


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m fuzz.run", description=__doc__.partition("\n")[0])
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=f"what to fuzz: {', '.join(TARGETS)}; else all")
    parser.add_argument("--seconds", type=_positive, default=60, help="processor time for each target (60)")
    parser.add_argument("--jobs", type=_positive, default=1, help="targets at the same time (1)")
    parser.add_argument("--ledger", action="store_true", help="add the run to fuzz/ledger.json")
    parser.add_argument(
        "--resume", action="store_true", help="what fuzz/ledger.json has counts as done; implies --ledger"
    )
    parser.add_argument(
        "--keep", action="store_true", help="do not fuzz: put the best of what was found into the corpus"
    )
    parser.add_argument(
        "--shrink", action="store_true", help="do not fuzz: make inputs that fail smaller and keep them"
    )
    return parser


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"`{text}` is not a number from 1")
    return int(text)


def main(words: Sequence[str] | None = None) -> int:
    """Run; the status is 1 if something was found."""
    parser = _parser()
    args = parser.parse_args(words)
    unknown = [name for name in args.targets if name not in TARGETS]
    if unknown:
        parser.error(f"there is no target `{unknown[0]}`; there are {', '.join(TARGETS)}")
    names = [name for name in TARGETS if name in args.targets] if args.targets else list(TARGETS)
    if args.keep or args.shrink:
        told = [line for name in names for line in (keep(name, CACHE / name / "corpus") if args.keep else shrink(name))]
        print("\n".join(told))
        return int(args.shrink and bool(told))
    if importlib.util.find_spec("atheris") is None:
        parser.error('Atheris is not installed; install it with: pip install -e ".[fuzz]"')
    n_found = 0
    done = read_ledger() if args.resume else dict.fromkeys(names, Entry())

    def work(name: str) -> Ran:
        return fuzz(name, args.seconds - done[name].cpu_s, is_noted=args.ledger or args.resume)

    with ThreadPoolExecutor(args.jobs) as pool:
        for name, ran in zip(names, pool.map(work, names), strict=True):
            n_found += len(ran.ways)
            print(f"{name}: {ran.entry}", *ran.ways, sep="\n  ", flush=True)
    return int(n_found > 0)


if __name__ == "__main__":
    sys.exit(main())
