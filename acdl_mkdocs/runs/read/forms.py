"""`FORMS`: the forms of recordings in words, the one list that everything else uses."""

from collections.abc import Mapping

FORMS: Mapping[str, str] = {
    "jsonl": "request bodies as JSON lines",
    "har": "HAR",
    "otlp": "OpenTelemetry and Vercel AI SDK spans",
    "vcr": "VCR cassettes",
    "langfuse": "Langfuse exports",
    "langsmith": "LangSmith exports",
    "claude-code": "Claude Code sessions",
    "codex": "Codex sessions",
    "openhands": "OpenHands events",
    "swe-agent": "SWE-agent trajectories",
    "pml": "PML",
}
"""By the name for `--from`, a key of `READERS`."""
FORMS_IN_WORDS = ", ".join(FORMS.values())
