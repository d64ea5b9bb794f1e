"""`how_to_record_contents()`: what makes an instrumentation of OpenTelemetry record the messages that are sent."""

from collections.abc import Mapping

_CONTRIB = (
    "set `OTEL_SEMCONV_STABILITY_OPT_IN=gen_ai_latest_experimental` and "
    "`OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=span_only`; or set the second to `true` alone, "
    "and give the exported log records, too"
)
_TRACELOOP = (
    "set `TRACELOOP_TRACE_CONTENT=true`, which is the default; where attributes are switched off, "
    "give the exported log records, too"
)
_BOTH = (
    "set `OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT`, to `span_only` or, for an older one, to `true`; "
    "OpenLLMetry takes `TRACELOOP_TRACE_CONTENT=true`"
)
_SWITCHES: Mapping[str, str] = {
    "opentelemetry.instrumentation.openai_v2": _CONTRIB,
    "opentelemetry.util.genai": _CONTRIB,
    "opentelemetry.instrumentation.google_genai": _CONTRIB,
    "opentelemetry.instrumentation.openai_agents": _BOTH,
    "opentelemetry.instrumentation.vertexai": _BOTH,
    "opentelemetry.instrumentation.": _TRACELOOP,
    "openinference.": "remove `OPENINFERENCE_HIDE_INPUTS` and `OPENINFERENCE_HIDE_INPUT_MESSAGES`",
    "pydantic-ai": "write `InstrumentationSettings(include_content=True)`",
    "logfire": "instrument the client with Logfire's defaults, which record `request_data`",
    "langsmith": "remove `LANGSMITH_HIDE_INPUTS`",
    "langfuse": "let the observation have its `input`",
    "gen_ai": "leave `recordInputs` in the telemetry settings of the AI SDK switched on",
    "ai": "leave `recordInputs` in the telemetry settings of the AI SDK switched on",
}
"""By the beginning of the name of the scope that made a span; the first that fits."""
_OTHERS = (
    "let the instrumentation record contents: many do by `OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT`, "
    "and some in log records, which are given with the spans"
)


def how_to_record_contents(scope: str) -> str:
    """What to do so that an instrumentation records messages.

    Args:
        scope: Name of the scope of its spans; a package or a module.
    """
    return next((cure for begin, cure in _SWITCHES.items() if scope.startswith(begin)), _OTHERS)
