"""A page of figures by every tool that is there: what its build takes, what it weighs, when a reader sees all of it."""

import gzip
import shutil
import socket
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, sleep

from measure import Series, in_turn
from peak_memory import peak_mb
from peers_figures import N_LOOKS, N_MANY, environment, filled, in_ms, said, slug, write_sources
from peers_install import FOLDER, NODE, VENV
from peers_page import PLAIN
from peers_table import OURS, PEERS, Peer
from playground_speed import served
from playwright.sync_api import Browser, Page, Response, sync_playwright
from playwright.sync_api import TimeoutError as BrowserTimeoutError

N_ROUNDS, N_VISITS = 5, 5
_PATIENCE_MS, _PATIENCE_S = 90_000, 90
N_FEW, SLOW_S = 3, 8
"""Builds that take longer are timed with a page of so few figures."""

_SETTINGS = "site_name: Benchmark\ntheme: {name: material, font: false}\n"
_PLAIN = "plugins: []\nmarkdown_extensions: [pymdownx.superfences]\n"
_ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
_WATCH = """
const isSeen = (each) =>
  each.getBoundingClientRect().height > 60 &&
  !each.parentElement.closest("svg, object") &&
  (each.tagName !== "IMG" || (each.complete && each.naturalWidth > 0));
const look = () => {
  const found = document.querySelectorAll("article :is(DRAWN)");
  if ([...found].filter(isSeen).length < N_FIGURES) return requestAnimationFrame(look);
  requestAnimationFrame(() => setTimeout(() => { window.seenAt = performance.now(); }));
};
requestAnimationFrame(look);
"""
_DRAWN = "svg, img, object, div.mermaid"
"""What a figure is in a page; a block that a tool left as text is none."""
Values = dict[str, object]


def measure(peers: Sequence[Peer]) -> tuple[dict[str, Values], dict[str, str]]:
    """What there is to say of each tool that draws fences, times in ms; and why others built nothing.

    The first is a site of the same page with plain fences. A slow tool has `ours` with it, from the same builds.
    """
    with TemporaryDirectory() as name, ExitStack() as running:
        ports = {peer.name: running.enter_context(_server(peer)) for peer in peers if peer.server}
        sites, slow, broken = _sites(peers, Path(name), ports)
        weights = _visits({each: folder / "site" for each, folder in sites.items()})
        for each in [each for each in sites if each not in weights]:
            broken[each] = f"a browser does not show all {N_MANY} figures"
            slow.discard(each)
            del sites[each]
        if not {PLAIN, OURS} <= sites.keys():
            return {}, broken
        found = _builds({each: folder for each, folder in sites.items() if each not in slow}, N_MANY)
        if slow:
            few = {each: Path(name, "few", slug(each)) for each in (PLAIN, OURS, *slow)}
            for each, folder in few.items():
                _write(folder, each, N_FEW, ports.get(each, 0))
            built = _builds(few, N_FEW)
            found |= {each: built[each] | {"ours": built[OURS]} for each in slow}
        return {each: found[each] | weights[each] for each in sites}, broken


@contextmanager
def _server(peer: Peer) -> Iterator[int]:
    """The port of the server that a tool has, while it runs."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = int(free.getsockname()[1])
    quiet = subprocess.DEVNULL
    with subprocess.Popen(
        filled(peer.server, port=port), env=environment(), stdin=quiet, stdout=quiet, stderr=quiet
    ) as process:
        try:
            _wait_for(port, process)
            yield port
        finally:
            process.kill()


def _wait_for(port: int, process: "subprocess.Popen[bytes]") -> None:
    """Wait until a server answers; one that does not is seen when it is asked for figures."""
    until = perf_counter() + _PATIENCE_S
    while perf_counter() < until and process.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            sleep(0.1)
        else:
            return


def _sites(
    peers: Sequence[Peer], home: Path, ports: Mapping[str, int]
) -> tuple[dict[str, Path], set[str], dict[str, str]]:
    """Built sites, those of them that take long, and why others are none."""
    sites, slow, broken = {}, set(), {}
    for name in (PLAIN, *(peer.name for peer in peers)):
        folder = home / slug(name)
        _write(folder, name, N_MANY, ports.get(name, 0))
        began = perf_counter()
        reason = said(_build_words(), str(folder), _surroundings(folder))
        if reason:
            broken[name] = reason
            continue
        sites[name] = folder
        if perf_counter() - began > SLOW_S and name not in (PLAIN, OURS):
            slow.add(name)
    return sites, slow, broken


def _write(folder: Path, name: str, n_figures: int, port: int) -> None:
    """A site of one page, whose figures are all different."""
    peer = next(each for each in PEERS if each.name == (OURS if name == PLAIN else name))
    fence, settings = ("text", _PLAIN) if name == PLAIN else (peer.fence, peer.site)
    docs = folder / "docs"
    docs.mkdir(parents=True)
    settings = settings.replace("{settings}", str(FOLDER)).replace("{port}", str(port))
    (folder / "mkdocs.yml").write_text(_SETTINGS + settings, "utf-8")
    _forget(folder)()
    sources = write_sources(peer, folder / "sources")[:n_figures]
    blocks = [
        f"## Agent {number}\n\nSome words about it.\n\n```{fence}\n{source.read_text('utf-8')}```\n"
        for number, source in enumerate(sources)
    ]
    (docs / "index.md").write_text("# Agents\n\n" + "\n".join(blocks), "utf-8")
    if "mermaid.min.js" in settings:
        shutil.copy(NODE / "mermaid" / "dist" / "mermaid.min.js", docs)


def _build_words() -> list[str]:
    return [str(VENV / "bin" / "python"), "-m", "mkdocs", "build", "--quiet"]


def _builds(sites: Mapping[str, Path], n_figures: int) -> dict[str, Values]:
    """What a figure adds to a build of plain fences, new and with what is kept from the build before; all in turn.

    Then the most memory that new builds take over those of plain fences.
    """
    actions: list[Callable[[], object]] = []
    forget: list[Callable[[], object]] = []
    for folder in sites.values():
        actions += [_build(folder), _build(folder)]
        forget += [_forget(folder), _nothing]
    series = in_turn(N_ROUNDS, *actions, before=forget)
    cold = dict(zip(sites, series[::2], strict=True))
    again = dict(zip(sites, series[1::2], strict=True))
    memory = {each: _memory_mb(folder) for each, folder in sites.items()}
    return {
        each: {
            "build_ms": in_ms(cold[each]),
            "added_ms": _added(cold[each], cold[PLAIN], n_figures),
            "again_ms": _added(again[each], again[PLAIN], n_figures),
            "more_mb": round(memory[each] - memory[PLAIN], 1),
            "n_figures": n_figures,
        }
        for each in sites
    }


def _added(series: Series, plain: Series, n_figures: int) -> list[float]:
    pairs = zip(series.times_s, plain.times_s, strict=True)
    return [round((mine - theirs) * 1000 / n_figures, 3) for mine, theirs in pairs]


def _memory_mb(folder: Path) -> float:
    """The largest peak of several new builds."""
    peaks = []
    for _ in range(N_LOOKS):
        _forget(folder)()
        peaks.append(peak_mb(_build_words(), cwd=str(folder), env=_surroundings(folder)))
    return max(peaks)


def _build(folder: Path) -> Callable[[], object]:
    words, env = _build_words(), _surroundings(folder)
    return lambda: subprocess.run(words, cwd=folder, env=env, check=True, capture_output=True)


def _surroundings(folder: Path) -> dict[str, str]:
    """The environment of a build: what tools keep outside of a project is kept beside its folder, to be forgotten too.

    In its folder it would not be used by all, since caches that come with a project are not to be trusted.
    """
    beside = _beside(folder)
    return environment() | {"TMPDIR": str(beside / "tmp"), "XDG_CACHE_HOME": str(beside / "cache")}


def _beside(folder: Path) -> Path:
    return folder.with_name(f"{folder.name}-outside")


def _forget(folder: Path) -> Callable[[], object]:
    def forget() -> None:
        for kept in (folder / ".cache", folder / "site", _beside(folder)):
            shutil.rmtree(kept, ignore_errors=True)
        (_beside(folder) / "tmp").mkdir(parents=True)

    return forget


def _nothing() -> None:
    """Leave everything as it is."""


def _visits(sites: Mapping[str, Path]) -> dict[str, Values]:
    """What a browser loads, and when all figures are there: each visit is the first of a reader; all in turn."""
    seen: dict[str, list[float]] = {each: [] for each in sites}
    sizes: dict[str, Values] = {}
    with sync_playwright() as running:
        browser = running.chromium.launch(executable_path=shutil.which("chromium"), args=_ARGUMENTS)
        for round_idx in range(N_VISITS + 1):
            for each in [*seen]:
                with served(sites[each]) as address:
                    visit = _visit(browser, address, "pre" if each == PLAIN else _DRAWN)
                if visit is None:
                    del seen[each]
                    continue
                seen_ms, sizes[each] = visit
                if round_idx:
                    seen[each].append(round(seen_ms, 1))
        browser.close()
    return {each: sizes[each] | {"seen_ms": times} for each, times in seen.items()}


def _visit(browser: Browser, address: str, drawn: str) -> tuple[float, Values] | None:
    """Milliseconds from the navigation to the frame that shows all figures, and the bytes of everything loaded.

    Nothing if not all of them are ever shown.
    """
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page: Page = context.new_page()
    page.add_init_script(_WATCH.replace("N_FIGURES", str(N_MANY)).replace("DRAWN", drawn))
    responses: list[Response] = []
    page.on("response", lambda response: responses.append(response))
    page.goto(address, wait_until="commit")
    try:
        page.wait_for_function("window.seenAt", timeout=_PATIENCE_MS)
    except BrowserTimeoutError:
        context.close()
        return None
    seen_ms = float(page.evaluate("window.seenAt"))
    bodies = [each.body() for each in responses if each.ok]
    context.close()
    return seen_ms, {
        "loaded_bytes": sum(map(len, bodies)),
        "loaded_gzip_bytes": sum(len(gzip.compress(body, 6, mtime=0)) for body in bodies),
    }
