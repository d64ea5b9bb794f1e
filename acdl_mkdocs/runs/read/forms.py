"""`FORMS`: the forms of recordings in words, the one list that everything else uses."""

from collections.abc import Mapping

FORMS: Mapping[str, str] = {
    "jsonl": "request bodies as JSON lines",
    "har": "HAR",
    "otlp": "spans of OpenTelemetry and of the Vercel AI SDK",
    "vcr": "VCR cassettes",
    "langfuse": "exports of Langfuse",
    "langsmith": "exports of LangSmith",
    "claude-code": "sessions of Claude Code",
    "codex": "sessions of Codex",
    "openhands": "events of OpenHands",
    "swe-agent": "trajectories of SWE-agent",
    "pml": "PML",
}
"""By the name for `--from`, a key of `READERS`."""
FORMS_IN_WORDS = ", ".join(FORMS.values())
