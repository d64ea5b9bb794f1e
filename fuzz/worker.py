"""A process that fuzzes a target with Atheris: `python -m fuzz.worker TARGET SECONDS FOLDER [LIBFUZZER OPTION ...]`.

An exception does not end it: the input is kept, once for each way to fail, and it goes on. It ends itself after so many
seconds of processor time, and prints how many inputs there were. What hangs or takes all memory ends it, by libFuzzer,
which keeps the input.
"""

import hashlib
import os
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random
from time import process_time
from typing import Protocol

import atheris

from fuzz.shrink import PACKAGES, SLOW, signature
from fuzz.splice import spliced
from fuzz.target import Target

_SHARE_OF_BYTES = 4
"""Of so many mutations one is libFuzzer's own, which changes bytes; the others move pieces."""
_MOST_SLOW = 5
"""Slow inputs that are kept: they have no place by which one is told from another."""


class _Runs(Protocol):
    def __call__(self, data: bytes) -> None: ...


class Worker:
    """Runs inputs, keeps those that fail, and stops in time."""

    def __init__(self, target: Target, seconds: float, folder: Path) -> None:
        self.target = target
        self.ends_s = process_time() + seconds
        self.folder = folder
        self.n_inputs = 0
        """Of libFuzzer, its corpus among them."""
        self.findings: set[str] = set()
        """Ways to fail."""

    def take_next(self, data: bytes) -> None:
        """Run an input of libFuzzer's."""
        self.n_inputs += 1
        self.take(data)

    def take(self, data: bytes, *, is_timed: bool = True) -> None:
        """Run one input."""
        began = process_time()
        if began > self.ends_s:
            self.end()
        try:
            self.target.run(data)
        except Exception as fault:
            self._keep(data, signature(fault))
        if is_timed and process_time() - began > self.target.max_cpu_s:
            n_slow = sum(name.startswith(SLOW) for name in self.findings)
            if n_slow < _MOST_SLOW:
                self._keep(data, f"{SLOW} {hashlib.sha256(data).hexdigest()[:12]}")

    def _keep(self, data: bytes, name: str) -> None:
        """Write the first input that fails in a way, and say so at once: the process may end otherwise."""
        if name in self.findings:
            return
        file = hashlib.sha256(name.encode()).hexdigest()[:12]
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / file).write_bytes(data)
        self.findings.add(name)
        sys.stderr.write(f"FINDING {name}\n")

    def end(self) -> None:
        """Say what was done, and end without asking libFuzzer, which would go on."""
        sys.stderr.write(f"WORK {self.n_inputs}\n")
        sys.stderr.flush()
        os._exit(0)


def _mutated(words: list[bytes], seeds: list[bytes]) -> Callable[[bytes, int, int], bytes]:
    """Either what libFuzzer changes, or pieces of a seed in the input."""

    def mutate(data: bytes, most_bytes: int, seed: int) -> bytes:
        random = Random(seed)
        if random.randrange(_SHARE_OF_BYTES) == 0:
            changed: bytes = atheris.Mutate(data, most_bytes)
            return changed
        return spliced(bytes(data), most_bytes, random, seeds, words)

    return mutate


def _crossed(words: list[bytes]) -> Callable[[bytes, bytes, int, int], bytes]:
    """Pieces of one input of the corpus, which grows, in another."""

    def cross(data: bytes, other: bytes, most_bytes: int, seed: int) -> bytes:
        return spliced(bytes(data), most_bytes, Random(seed), [bytes(other)], words)

    return cross


def main(words: list[str]) -> None:
    """Fuzz until the time is over."""
    name, seconds, folder, *options = words
    with atheris.instrument_imports(include=list(PACKAGES[:1])):
        from fuzz.targets import target

        chosen = target(name)
        seeds = list(chosen.seeds())
        worker = Worker(chosen, float(seconds), Path(folder))
        for seed in seeds:  # loads what is loaded on first use, which takes long, so that its branches are counted, too
            worker.take(seed, is_timed=False)
        run: _Runs = worker.take_next
        known = [word.encode("utf-8", "surrogatepass") for word in chosen.words]
        changes = {"custom_mutator": _mutated(known, seeds), "custom_crossover": _crossed(known)}
        atheris.Setup([sys.argv[0], *options], run, **changes)
        atheris.Fuzz()


if __name__ == "__main__":
    main(sys.argv[1:])
