"""What a project's own metric is given: a query and a trace, as the help page documents them.

A part of the studio's own records and events, so that these may change without breaking anybody's
metrics.
"""

from typing import Any

import msgspec

from studio.engine.events import CallMade, ModelReplied, ToolCalled
from studio.engine.plain import plain
from studio.engine.records import JsonObject, Query
from studio.engine.trace import Trace


def shown(query: Query, trace: Trace) -> bytes:
    """`"query": {...}, "trace": {...}`, the middle of a JSON object."""
    both = {"query": _query(query), "trace": _trace(trace)}
    try:
        written = msgspec.json.encode(both)
    except (TypeError, ValueError, OverflowError, RecursionError):
        written = msgspec.json.encode(plain(both))
    return written[1:-1]


def _query(query: Query) -> JsonObject:
    return {"id": query.id, "text": query.text, "tags": query.tags, "expected": _expected(query)}


def _expected(query: Query) -> JsonObject:
    """Every name that may stand below `expected:`, with None for what was not stated."""
    # The catalogue holds the metric of own functions, so it can be asked only once it is there.
    from studio.engine.metrics.catalogue import READ_BY_METRICS

    expected = query.expected
    found = {name: getattr(expected, name) for name in expected.__struct_fields__}
    if expected.calls is not None:
        # In full: a record leaves out arguments where there are none.
        found["calls"] = [{"name": c.name, "arguments": c.arguments} for c in expected.calls]
    if expected.instructions is not None:
        found["instructions"] = [
            {"id": each.id, "arguments": each.arguments} for each in expected.instructions
        ]
    return {**dict.fromkeys(READ_BY_METRICS), **expected.more, **found}


def _trace(trace: Trace) -> JsonObject:
    end = trace.end
    prompt_tokens, reply_tokens = trace.tokens
    return {
        "answer": trace.answer,
        "outcome": trace.outcome,
        "reason": end.reason if end else "",
        "seconds": trace.seconds,
        "steps": [step.node for step in trace.steps],
        "calls": [_call(trace, call) for call in trace.tool_calls],
        "replies": [_reply(reply) for reply in trace.replies],
        "messages": trace.model_calls[-1].sent.get("messages", []) if trace.model_calls else [],
        "tools": trace.tools_offered,
        "prompt_tokens": prompt_tokens,
        "reply_tokens": reply_tokens,
    }


def _call(trace: Trace, call: ToolCalled) -> JsonObject:
    returned = trace.tool_results.get(call.call)
    return {
        "name": call.name,
        "arguments": call.arguments,
        "result": returned.content if returned else None,
        "error": returned.error if returned else None,
        "printed": returned.printed if returned else "",
        "seconds": returned.seconds if returned else None,
    }


def _reply(reply: ModelReplied) -> dict[str, Any]:
    return {
        "text": reply.text,
        "thinking": reply.thinking,
        "calls": [_made(call) for call in reply.calls],
        "marks": reply.marks,
        "prompt_tokens": reply.prompt_tokens,
        "reply_tokens": reply.reply_tokens,
        "seconds": reply.seconds,
    }


def _made(call: CallMade) -> JsonObject:
    return {"name": call.name, "arguments": call.arguments, "origin": call.origin}
