"""Change the core in 300 places, one at a time, and see whether its tests notice: `make mutants`.

All happens in copies of this checkout in `build/mutants`. The same code has the same mutants; where it changes, most of
them stay. Prints what became of each, what no test noticed, and a table; fails if that is too much. With names, such as
`acdl_mkdocs/runs` or the id of a mutant, only those of the sample are tried that begin so.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from difflib import unified_diff
from hashlib import sha256
from importlib.util import cache_from_source
from pathlib import Path
from queue import SimpleQueue

sys.path.insert(0, str(Path(__file__).parent.parent))

from mutation.mutate import Mutant, find_mutants
from mutation.subjects import SUBJECTS, modules_of

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "build" / "mutants"
EQUIVALENT = Path(__file__).with_name("equivalent.toml")
BAR = 0.85
OUTCOMES = ("killed", "timed out", "survived", "equivalent")
_SPARE_FACTOR, _SPARE_S = 3, 10
"""The processor time that a mutant has: what the tests take without it, times the factor, and the seconds."""
_MOST_S = 600
"""The processor time that the tests of a subject have without a mutant."""
_HANG_S = 600
"""How long one test may take by the clock: one that waits takes no processor time."""


def sample(n_mutants: int, seed: str) -> dict[Mutant, str]:
    """Choose mutants, with their subjects, at most one of each line; a smaller sample begins a larger one."""
    found = {
        mutant: subject
        for subject in SUBJECTS
        for path in modules_of(subject)
        for mutant in find_mutants(path.relative_to(ROOT).as_posix(), path.read_text("utf-8"))
    }
    lines: dict[tuple[str, int], Mutant] = {}
    for mutant in sorted(found, key=lambda each: sha256(f"{seed} {each.id}".encode()).digest()):
        if (mutant.module, mutant.line) not in lines and _is_valid(mutant):
            lines[mutant.module, mutant.line] = mutant
        if len(lines) == n_mutants:
            break
    return {mutant: found[mutant] for mutant in lines.values()}


def _is_valid(mutant: Mutant) -> bool:
    """Whether Python takes the text: some changes are no syntax."""
    try:
        compile(mutant.text, mutant.module, "exec")
    except SyntaxError:
        return False
    return True


def copy_checkout(folder: Path) -> Path:
    """Copy the files that git knows, and new ones that it would add, to a folder; return it."""
    shutil.rmtree(folder, ignore_errors=True)
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, encoding="utf-8", check=True).stdout
    for name in listed.rstrip("\0").split("\0"):
        if (ROOT / name).is_file():  # not deleted, and no link to a folder
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    return folder


def run_tests(python: str, copy: Path, subject: str, limit_s: float) -> tuple[int, float]:
    """Run the tests of a subject in a copy until one fails; return the status and the seconds of processor time."""
    command = [python, "-m", "pytest", "-x", "--tb=line", "-p", "no:cacheprovider"]
    command += ["-o", f"faulthandler_timeout={_HANG_S}", "-o", "faulthandler_exit_on_timeout=true"]
    command += [f"tests/{name}" for name in SUBJECTS[subject]]
    limited = ["sh", "-c", f'ulimit -t {round(limit_s)} && exec "$@"', "sh", *command]
    # Plugins take longer to load than most tests run; random tests are the same each time where CI is set.
    own = {"PYTHONPATH": str(copy), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "CI": "1"}
    with (copy / "log.txt").open("wb") as log:
        process = subprocess.Popen(limited, cwd=copy, env={**os.environ, **own}, stdout=log, stderr=subprocess.STDOUT)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, usage.ru_utime + usage.ru_stime


def write_module(copy: Path, module: str, text: str) -> None:
    """Write a module of a copy, and remove what Python has compiled of it: a time and a size may be the same."""
    path = copy / module
    path.write_text(text, "utf-8")
    Path(cache_from_source(str(path))).unlink(missing_ok=True)


class Trial:
    """What tries mutants: several copies of the checkout, and how long the tests of each subject may take."""

    def __init__(self, python: str, n_copies: int) -> None:
        self._python = python
        self._copies: SimpleQueue[Path] = SimpleQueue()
        for number in range(n_copies):
            self._copies.put(copy_checkout(FOLDER / f"copy-{number}"))
        self._limits_s: dict[str, float] = {}

    def measure(self, subject: str) -> None:
        """Run the tests of a subject without a mutant, which they have to pass, and set the time for those with one."""
        copy = self._copies.get()
        try:
            status, seconds = run_tests(self._python, copy, subject, _MOST_S)
            log = (copy / "log.txt").read_text("utf-8", "replace")
        finally:
            self._copies.put(copy)  # others wait for one
        if status:
            raise SystemExit(f"the tests of {subject} fail without a mutant:\n{log}")
        self._limits_s[subject] = seconds * _SPARE_FACTOR + _SPARE_S

    def run(self, subject: str, mutant: Mutant) -> str:
        """Run the tests of a subject with a mutant; return what became of it."""
        copy = self._copies.get()
        text = (copy / mutant.module).read_text("utf-8")
        write_module(copy, mutant.module, mutant.text)
        status, _ = run_tests(self._python, copy, subject, self._limits_s[subject])
        write_module(copy, mutant.module, text)
        self._copies.put(copy)
        return "timed out" if status < 0 else "killed" if status else "survived"


def try_all(chosen: Mapping[Mutant, str], trial: Trial, n_jobs: int) -> Iterator[tuple[Mutant, str]]:
    """Yield each mutant with what became of it, in the order of the sample."""
    executor = ThreadPoolExecutor(n_jobs)
    try:
        list(executor.map(trial.measure, dict.fromkeys(chosen.values())))
        yield from zip(chosen, executor.map(trial.run, chosen.values(), chosen), strict=True)
    finally:
        executor.shutdown(cancel_futures=True)  # a run that is stopped tries no more


def diff(mutant: Mutant) -> str:
    """Return the change of a mutant as lines, with three lines around it."""
    text = mutant.tree.code.splitlines(keepends=True)
    return "".join(unified_diff(text, mutant.text.splitlines(keepends=True), mutant.module, mutant.id))


def table(subjects: Iterable[tuple[str, str]]) -> str:
    """Write how many mutants of each subject became what, from pairs of a subject and an outcome."""
    counts = Counter(subjects)
    head = f"{'subject':26}" + "".join(f"{each:>12}" for each in OUTCOMES)
    rows = (f"{each:26}" + "".join(f"{counts[each, outcome]:>12}" for outcome in OUTCOMES) for each in SUBJECTS)
    return "\n".join((head, *rows))


def main(arguments: Sequence[str]) -> int:
    """Try the sample, or what is named of it; return 1 if too much survives."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="beginnings of modules and of ids of mutants")
    parser.add_argument("--python", default=sys.executable, help="the Python that has what the tests need")
    parser.add_argument("--number", type=int, default=300, help="mutants in the sample")
    parser.add_argument("--seed", default="", help="any text, for another sample")
    parser.add_argument("--jobs", type=int, default=2, help="how many are tried at once")
    options = parser.parse_args(arguments)
    chosen = sample(options.number, options.seed)
    names = tuple(options.names)
    if names:
        chosen = {each: chosen[each] for each in chosen if each.module.startswith(names) or each.id.startswith(names)}
    equivalent = {each["id"] for each in tomllib.loads(EQUIVALENT.read_text("utf-8"))["mutant"]}
    tried = {mutant: subject for mutant, subject in chosen.items() if mutant.id not in equivalent}
    outcomes = dict.fromkeys(chosen, "equivalent")
    for mutant, outcome in try_all(tried, Trial(str(Path(options.python).absolute()), options.jobs), options.jobs):
        outcomes[mutant] = outcome
        print(f"{mutant.id} {outcome:10} {mutant.module}:{mutant.line}", flush=True)
    survived = [mutant for mutant, outcome in outcomes.items() if outcome == "survived"]
    score = 1 - len(survived) / max(1, len(tried))
    print("", *map(diff, survived), table((chosen[each], outcomes[each]) for each in chosen), sep="\n")
    print(f"\n{score:.1%} of {len(tried)} mutants killed; the bar is {BAR:.0%}")
    return int(not names and score < BAR)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
