"""Any bytes as a recorded run: by every reader, and by the one that they look like."""

import zlib
from io import BufferedReader, BytesIO

from acdl_mkdocs.foundation.errors import TraceError
from acdl_mkdocs.runs.episodes import group_by_run, group_requests
from acdl_mkdocs.runs.points import assign_points, read_manifest
from acdl_mkdocs.runs.read.files import read_stream
from acdl_mkdocs.runs.read.readers import READERS
from acdl_mkdocs.runs.read.recorded import Recorded, Tally
from fuzz.target import Target, files, lines_of, text_of, told
from fuzz.words import trace

_HAR = b"""{"log": {"version": "1.2", "entries": [{"startedDateTime": "2025-01-01T00:00:00Z", "request": {"method":
"POST", "url": "https://api.openai.com/v1/chat/completions", "headers": [{"name": "Content-Encoding", "value":
"gzip"}], "postData": {"mimeType": "application/json", "text": "{\\"model\\": \\"m\\", \\"messages\\": [{\\"role\\":
\\"user\\", \\"content\\": \\"hi\\"}]}"}}, "response": {"status": 200, "content": {"text": "{}"}}}]}}""".replace(
    b"\n", b" "
)
_OTLP = b"""{"resourceSpans": [{"resource": {"attributes": []}, "scopeSpans": [{"scope": {}, "spans": [{"traceId": "t1",
"spanId": "a1", "name": "chat", "startTimeUnixNano": "1", "attributes": [{"key": "gen_ai.operation.name", "value":
{"stringValue": "chat"}}, {"key": "gen_ai.prompt.0.role", "value": {"stringValue": "user"}}, {"key":
"gen_ai.prompt.0.content", "value": {"stringValue": "hi"}}, {"key": "gen_ai.input.messages", "value": {"arrayValue":
{"values": [{"kvlistValue": {"values": []}}]}}}], "events": [{"name": "gen_ai.user.message", "timeUnixNano": "1",
"attributes": []}]}]}]}]}"""
_LINES = b"""{"messages": [{"role": "user", "content": "hi"}], "model": "m"}
{"at": "1.1", "episode": "a", "messages": [{"role": "assistant", "content": null, "tool_calls": [{"id": "c",@
"type": "function", "function": {"name": "look", "arguments": "{}"}}]}]}
{"request": {"body": {"system": "s", "max_tokens": 1, "messages": [{"role": "user", "content": [{"type": "text",@
"text": "a"}]}]}}, "response": {"status": 200, "body": {}}}
"""
_TRANSCRIPTS = [
    b"""{"type": "user", "uuid": "1", "parentUuid": null, "sessionId": "s", "message": {"content": "hi"}}
{"type": "assistant", "uuid": "2", "parentUuid": "1", "sessionId": "s", "message": {"id": "a", "content": []}}
""",
    b"""{"type": "session_meta", "payload": {"id": "c", "base_instructions": {"text": "s"}}}
{"type": "response_item", "payload": {"type": "message", "role": "user", "content": "hi"}}
{"type": "response_item", "payload": {"type": "function_call", "name": "f", "call_id": "1", "arguments": "{}"}}
{"type": "compacted", "payload": {"replacement_history": []}}
""",
    b"""{"kind": "MessageEvent", "id": "1", "source": "user", "llm_message": {"role": "user", "content": ["hi"]}}
{"kind": "ActionEvent", "id": "2", "source": "agent", "thought": [], "tool_call": {"name": "f"}}
""",
    b'{"trajectory": [{"action": "ls"}], "info": {}, "history": [{"role": "user"}, {"role": "assistant"}]}',
    b'{"id": "r", "run_type": "llm", "trace_id": "t", "inputs": {"messages": [[{"type": "human", "content": "a"}]]}}',
    b'id,traceId,type,input\n1,t,GENERATION,"[{""role"": ""user"", ""content"": ""hi""}]"\n',
    b"interactions:\n- request: {method: POST, uri: 'https://x/v1/messages', body: '{\"messages\": []}'}\n",
]


def run(data: bytes) -> None:
    """Read it, put the requests into runs and points; take it for a manifest, too."""
    text = text_of(data)
    for reader in (None, *READERS):
        found = []
        try:
            found = list(read_stream(BufferedReader(BytesIO(data)), "run", reader))
        except (OSError, EOFError, zlib.error):
            assert data.startswith(b"\x1f\x8b")
        for each in found:
            str(each.origin)
            if isinstance(each, Recorded):
                assert all(problem.sentence for problem in each.problems)
        tally = Tally()
        requests = list(assign_points(group_requests(tally.count_requests(found))))
        assert len(requests) == tally.n_requests
        assert all(tally.describe_skipped())
        assert sum(len(each) for each in group_by_run(requests).values()) == len(requests)
    try:
        read_manifest(text, "points.json")
    except TraceError as reason:
        told(reason)


def _seeds() -> list[bytes]:
    lines = lines_of("tests/golden/run_reports/*.jsonl", "examples/agents/*.jsonl", most_bytes=2500)
    bodies = files("tests/wire/data/*.json", "examples/pml/*.xml", most_bytes=2500)
    return [
        *_TRANSCRIPTS,
        _HAR,
        _OTLP,
        _LINES.replace(b"@\n", b" "),
        b'["1", {"at": "2.1", "episode": "a"}]',
        *lines,
        *bodies,
    ]


TARGET = Target(
    run=run,
    promise="is requests and a reason for everything else, by every reader; as a manifest it is one or a clear error",
    seeds=_seeds,
    words=trace(),
    max_bytes=2500,
)
