"""Golden files: several expected outputs beside one input, rewritten by one flag. A browser. A folder for caches."""

import atexit
import gc
import os
import shutil
import signal
from collections.abc import Callable, Generator
from contextlib import suppress
from pathlib import Path
from tempfile import mkdtemp

import pytest
from chromium import browser, playwright
from exhaustive import N_ALL, N_WAITING
from hypothesis import HealthCheck, settings

from acdl_mkdocs.foundation.system import n_usable_cores

__all__ = ["browser", "playwright"]
"""One browser for the tests of all folders: Playwright starts once in a process."""

GOLDEN = Path(__file__).parent / "golden"
PLAYGROUND = Path(__file__).parents[1] / ".cache" / "acdl" / "playground"
"""The bundle of this checkout, which takes half a minute to build: it stays for the next tests."""

LONG = {"test_house.py", "test_site.py", "hostile"}
"""Files and folders whose tests take the longest: types, our own site, sites of hostile texts."""

# The caches of tests are neither those of a person nor of other tests that run at the same time.
CACHES = Path(mkdtemp(prefix="acdl-caches-"))
atexit.register(shutil.rmtree, CACHES, ignore_errors=True)
os.environ["ACDL_CACHE_DIR"] = str(CACHES)
with suppress(OSError):
    PLAYGROUND.mkdir(parents=True, exist_ok=True)
    (CACHES / "playground").symlink_to(PLAYGROUND)  # where no links can be made, it is built in the folder itself

# The examples of a run in CI are always the same; those of a person's machine may find something new.
settings.register_profile("tests", max_examples=N_WAITING, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("ci", settings.get_profile("tests"), derandomize=True)
settings.register_profile("long", settings.get_profile("tests"), max_examples=2_000)
settings.register_profile("nightly", settings.get_profile("tests"), max_examples=100_000)
settings.load_profile("ci" if os.environ.get("CI") else "tests")

# A shell that starts the tests in the background lets them ignore Ctrl-C, and they their programs.
signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--update-golden` accepts what the code does now; `--all` leaves no test out."""
    parser.addoption("--all", action="store_true", help="also run what is marked as `exhaustive`")
    parser.addoption(
        "--update-golden",
        action="store_true",
        help="rewrite expected files under tests/golden/ from actual output; review the git diff afterwards",
    )


def pytest_configure(config: pytest.Config) -> None:
    """With `--all` random tests try more examples, unless a profile says how many."""
    if config.getoption("--all"):
        settings.register_profile("all", settings(), max_examples=N_ALL)
        settings.load_profile("all")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Exhaustive tests run if they are asked for, all of them or by name.

    Files with tests in a browser come last: Playwright leaves an event loop running, and `asyncio.run` starts no other.
    Of both, the files that take the longest come first: then no worker waits for another at the end.
    """
    if not config.getoption("--all") and not any("::" in argument for argument in config.args):
        config.hook.pytest_deselected(items=[item for item in items if item.get_closest_marker("exhaustive")])
        items[:] = [item for item in items if not item.get_closest_marker("exhaustive")]
    in_browser = {item.path for item in items if "playwright" in getattr(item, "fixturenames", ())}
    items.sort(key=lambda item: (item.path in in_browser, not (LONG & {*item.path.parts})))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect tests without the garbage collector, and run them with few collections.

    Thousands of tests are no garbage: to look at them again and again takes a quarter of the collection's time. Later a
    seventh of the processor time went into objects that nearly all die by themselves.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.collect()
        gc.freeze()
        gc.set_threshold(20_000, 20, 20)
        gc.enable()


@pytest.hookimpl(optionalhook=True)  # xdist is not loaded where mutants are tried
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Start half as many workers again as there are cores: many tests wait for a browser or a program."""
    del config
    return n_usable_cores() * 3 // 2


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One run per input file of the stage: `test_syntax.py` reads `golden/syntax/`."""
    if "case" in metafunc.fixturenames:
        stage = metafunc.module.__name__.rpartition("test_")[2]
        paths = sorted((GOLDEN / stage).rglob("*.acdl"))
        assert paths, f"there is no case under {GOLDEN / stage}"
        metafunc.parametrize("case", paths, ids=[str(path.relative_to(GOLDEN)) for path in paths])


@pytest.fixture
def golden(case: Path, request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Compare with the file next to the case, `<case>.<suffix>`."""

    def check(actual: str, suffix: str) -> None:
        expected = case.with_suffix("." + suffix)
        if request.config.getoption("--update-golden"):
            if not expected.exists() or expected.read_text("utf-8") != actual:
                expected.write_text(actual, "utf-8")
            return
        if not expected.exists():
            pytest.fail(f"{expected} does not exist; run `pytest --update-golden` and review it", pytrace=False)
        assert actual == expected.read_text("utf-8"), f"{expected.name} differs; if intended: pytest --update-golden"

    return check


@pytest.fixture
def font_with_chinese(tmp_path: Path) -> str:
    """A font file that has four Chinese characters and nothing else."""
    from fontTools.fontBuilder import FontBuilder
    from fontTools.pens.ttGlyphPen import TTGlyphPen

    pen = TTGlyphPen(None)
    for method, point in zip((pen.moveTo, pen.lineTo, pen.lineTo), ((0, 0), (500, 800), (900, 0)), strict=True):
        method(point)
    pen.closePath()
    triangle = pen.glyph()
    builder = FontBuilder(1024, isTTF=True)
    names = {ord(character): f"u{ord(character):x}" for character in "中文日本"}
    glyphs = {".notdef": triangle, **dict.fromkeys(names.values(), triangle)}
    builder.setupGlyphOrder(list(glyphs))
    builder.setupCharacterMap(names)
    builder.setupGlyf(glyphs)
    builder.setupHorizontalMetrics(dict.fromkeys(glyphs, (1024, 0)))
    builder.setupHorizontalHeader(ascent=900, descent=-100)
    builder.setupNameTable({"familyName": "Four", "styleName": "Regular"})
    builder.setupOS2(sTypoAscender=900, usWinAscent=900, usWinDescent=100)
    builder.setupPost()
    builder.save(tmp_path / "four.ttf")
    return str(tmp_path / "four.ttf")
