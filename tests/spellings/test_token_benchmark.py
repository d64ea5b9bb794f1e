"""`make bench-tokens`: the corpus is what the page says, counts add up, and what the page says of them is so."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from acdl_mkdocs.prompts.pml.read import read
from acdl_mkdocs.prompts.prompt import Attachment, Call

ROOT = Path(__file__).parent.parent.parent
CORPUS = sorted((ROOT / "benchmarks" / "corpus").glob("*.pml.xml"))


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the benchmark writes."""
    path = tmp_path_factory.mktemp("bench") / "tokens.json"
    command = [sys.executable, "benchmarks/tokens.py", "--json", str(path)]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, encoding="utf-8")
    assert ran.returncode == 0, ran.stderr
    assert "| JSON pretty |" in ran.stdout
    found: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return found


def test_corpus() -> None:
    """Three valid prompts with 12 tools, 10 calls and 5 files, each call of a tool that is there."""
    prompts = [read(path.read_text("utf-8")) for path in CORPUS]
    assert [each.problems for each in prompts] == [(), (), ()]
    found = [each.prompt for each in prompts if each.prompt is not None]
    parts = [part for prompt in found for message in prompt.messages for part in message.parts]
    tools = {tool.name for prompt in found for tool in prompt.tools}
    calls = [part for part in parts if isinstance(part, Call)]
    assert (len(tools), len(calls), sum(isinstance(part, Attachment) for part in parts)) == (12, 10, 5)
    assert {call.tool for call in calls} <= tools


def test_parts_add_up(result: dict[str, Any]) -> None:
    """In every encoding and every row, also those of the benchmark alone."""
    assert {"o200k_base", "cl100k_base"} <= result["spellings"].keys()
    assert bool(result["skipped"]) == ("claude" not in result["spellings"])
    for encoding, rows in result["spellings"].items():
        assert {"JSON, files in fences", "LAIC as proposed"} <= rows.keys()
        assert ("Harmony" in rows) == (encoding == "o200k_base")
        for name, row in rows.items():
            parts = dict(row)
            whole = parts.pop("whole", None)
            assert whole is None or sum(parts.values()) == whole, (encoding, name)


def test_what_the_page_says(result: dict[str, Any]) -> None:
    """Sentences of the page that no number stands beside."""
    for encoding in ("o200k_base", "cl100k_base"):
        rows = result["spellings"][encoding]
        whole = {name: row["whole"] for name, row in rows.items() if "whole" in row}
        assert max(whole, key=lambda name: whole[name]) == "JSON pretty"
        assert 0.9 < whole["PML"] / whole["JSON"] < 1
        assert 0.9 < whole["PML"] / whole["JSON, files in fences"] < 1
        assert whole["Markdown"] < whole["PML"]
        assert whole["PML"] < whole["PML pretty"]
        for part in ("tools", "calls"):
            assert rows["LAIC as proposed"][part] < rows["LAIC"][part] < rows["JSON"][part]
        saved = {name: rows["JSON"]["calls"] - rows[name]["calls"] for name in ("PML", "LAIC as proposed")}
        assert saved["PML"] < saved["LAIC as proposed"] / 2
    harmony, rows = result["spellings"]["o200k_base"]["Harmony"], result["spellings"]["o200k_base"]
    assert harmony["whole"] < rows["PML"]["whole"]
    assert harmony["tools"] < rows["LAIC as proposed"]["tools"]


def test_claims(result: dict[str, Any]) -> None:
    """Each verdict is that of its numbers."""
    counted = {each["said"]: each["counted"] for each in result["claims"]}
    trigger = next(value for said, value in counted.items() if "trigger" in said)
    assert all(int(number) > 5 for number in trigger.split(" / "))
    tags = next(value for said, value in counted.items() if "single tokens" in said)
    assert all(int(number) > 1 for pair in tags.rpartition(": ")[2].split(", ") for number in pair.split(" / "))
    twice = next(value for said, value in counted.items() if "twice" in said)
    assert all(1 < number < 2 for number in numbers(twice))
    compressed = next(value for said, value in counted.items() if "compressed" in said)
    assert all(1.05 < number < 1.15 for number in numbers(compressed))


def numbers(counted: str) -> list[float]:
    """The ratios in a cell of the table."""
    found = [float(word) for word in re.findall(r"\d\.\d\d", counted)]
    assert len(found) >= 2
    return found
