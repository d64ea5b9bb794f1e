"""Small recordings of conversations."""

import json
from pathlib import Path

from acdl_mkdocs.prompts.prompt import Json


def body(*messages: str, window: int = 99) -> Json:
    """The body of a request: instructions, then the last questions with their answers."""
    said: list[Json] = [
        {"role": "assistant" if at % 2 else "user", "content": text} for at, text in enumerate(messages[1:])
    ]
    return {"model": "m", "messages": [{"role": "system", "content": messages[0]}, *said[max(0, len(said) - window) :]]}


def talk(texts: tuple[str, ...], window: int = 99) -> list[Json]:
    """The requests of a conversation."""
    return [body(*texts[:size], window=window) for size in range(2, len(texts) + 1, 2)]


def record(name: str, bodies: list[Json]) -> str:
    """Write a recording."""
    Path(name).write_text("".join(f"{json.dumps(each)}\n" for each in bodies), "utf-8")
    return name
