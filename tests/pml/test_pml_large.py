"""A document of ten megabytes is read in the memory that the project promises; `make bench` measures the time."""

import subprocess
import sys
from pathlib import Path

MEASURE = """
from acdl_mkdocs.prompts.pml.read import read
from pml.peak import peak_megabytes

words = "How can I improve the performance of this function? " * 5
turn = (
    f'<turn><user name="Ann"><text>{words}</text>'
    f'<attachment type="file" name="a.py"><content>{words} a &lt; b\\n</content></attachment></user>'
    f'<assistant><text>{words} é</text><call name="W" id="c%d" place="Oslo" days="3"/></assistant></turn>'
    f'<turn><tool_output id="c%d">{words}</tool_output></turn>'
)
n_turns = 10_000_000 // len(turn.encode())
tool = '<tool name="W"><param key="place" type="string"/><param key="days" type="integer"/></tool>'
turns = "".join(turn % (number, number) for number in range(n_turns))
text = f"<prompt><tools>{tool}</tools><conversation>{turns}</conversation></prompt>"
found = read(text)
assert found.problems == ()
assert len(found.prompt.messages) == 3 * n_turns
print(len(text.encode()) / 1e6, peak_megabytes())
"""


def test_ten_megabytes() -> None:
    """All of it is read, within 250 MB with the text itself."""
    folder = Path(__file__).parent.parent
    code = f"import sys; sys.path[:0] = [{str(folder)!r}, {str(folder.parent)!r}]\n{MEASURE}"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    megabytes, peak = map(float, ran.stdout.split())
    assert 9.5 < megabytes < 11
    assert peak < 250
