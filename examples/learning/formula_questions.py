"""Write the questions of Formula as the reference implementation of ACE asks them.

The published records give the formula with each question. The reference leaves it out, asks the question alone, and
says which form the answer has to have: `python formula_questions.py formula_test.jsonl > test.jsonl`.
"""

import json
import sys
from pathlib import Path

FORM = (
    " Your answer should be a plain floating point number, round to the nearest hundredth if necessary. "
    "Do the necessary conversions, for example 5 million should be 5000000.0. "
)


def question_of(context: str) -> str:
    """What is asked; a record of another shape stays as it is."""
    if "Question: " not in context or ". Answer:" not in context:
        return context
    asked = context.split("Question: ", 1)[1].split(". Answer:")[0].strip()
    is_quoted = asked.startswith('"') and asked.endswith('"')
    return (asked[1:-1] if is_quoted else asked) + FORM


if __name__ == "__main__":
    for line in Path(sys.argv[1]).read_text("utf-8").splitlines():
        if line.strip():
            record = json.loads(line)
            found = {"question": question_of(record["context"]), "answer": record["target"]}
            sys.stdout.write(f"{json.dumps(found)}\n")
