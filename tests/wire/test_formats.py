"""Every format is listed, everywhere where formats are listed."""

from pathlib import Path

import acdl_mkdocs.prompts.providers
from acdl_mkdocs.prompts.providers import PROVIDERS, WIRES
from acdl_mkdocs.prompts.providers.curl import curl
from wire.official import OFFICIAL

FOLDER = Path(acdl_mkdocs.prompts.providers.__file__).parent


def test_every_format_is_listed() -> None:
    """A module with `write(prompt, model)` is a line of `WIRES`."""
    modules = {path.stem for path in FOLDER.glob("*.py") if "\ndef write(prompt: Prompt" in path.read_text("utf-8")}
    assert set(WIRES.modules.values()) == modules


def test_every_format_is_known_elsewhere() -> None:
    """Each can be sent by a shell, is compared with the provider's types, and has pinned bodies and documentation."""
    page = (FOLDER.parents[2] / "site_src" / "reference" / "wire-formats.md").read_text("utf-8")
    for name in PROVIDERS:
        assert curl({}, name, "m").startswith("curl ")
        assert name in OFFICIAL
        assert f"| `{name}` |" in page
        for case in ("agent", "real"):
            assert (Path(__file__).parent / "data" / f"{case}.{name}.json").exists()
