"""A use case of our own in AgentArch's shape: a library lends books, or declines to."""

from typing import Any

Json = dict[str, Any]


def _tool(name: str, kind: str, /, **types: str) -> Json:
    parameters = {argument: {"type": type} for argument, type in types.items()}
    return {"tool_name": name, "tool_type": kind, "input_parameters": parameters}


CONFIG: Json = {
    "possible_final_outcomes": ["Loan granted", "No loan granted"],
    "agents": {
        "desk_agent": {
            "tools": [
                _tool("find_reader", "query", name="string"),
                _tool("find_book", "query", title="string", is_large_print="boolean"),
            ]
        },
        "loan_agent": {
            "tools": [
                _tool("open_loan", "modify", reader_id="string", days="integer"),
                _tool("remind", "modify", loan_id="string", topics="array"),
            ]
        },
        "idle_agent": {"tools": None},
    },
}

GRANTED: Json = {
    "orchestrator": {"agent_selections": [["desk_agent", "loan_agent"]]},
    "final_response": "Loan granted",
    "tool_order": [
        ["find_reader", "find_book", "open_loan"],
        ["find_book", "find_reader", "open_loan"],
    ],
    "min_custom_tool_number": 3,
    "tool_args": {
        "find_reader": {"name": "ada byron"},
        "find_book": {"title": "Emma", "is_large_print": True},
        "open_loan": {"reader_id": "R7", "days": 14},
    },
}

GOOD_CALLS: list[tuple[str, Json]] = [
    ("find_reader", {"name": "Ada  Byron"}),
    ("find_book", {"title": "emma", "is_large_print": True}),
    ("open_loan", {"reader_id": "r7", "days": 14}),
]


def steps(calls: list[tuple[str, Json]], results: dict[str, Any] | None = None) -> list[Json]:
    """The trace of a single agent: each call, and again with its result."""
    found = []
    for place, (name, arguments) in enumerate(calls):
        content = {"tool_name": name, "tool_args": arguments, "tool_call_id": f"c{place}"}
        found.append({"agent": "single_agent", "content": content})
        result = (results or {}).get(name, "ok")
        found.append({"agent": "single_agent", "content": {**content, "tool_result": result}})
    return found


def case(
    calls: list[tuple[str, Json]] = GOOD_CALLS,
    message: str = "Loan granted.",
    truth: Json = GRANTED,
    results: dict[str, Any] | None = None,
) -> Json:
    return {
        "record": {"id": "1", "user_utterance": "Lend me Emma.", "ground_truth": truth},
        "trace": steps([*calls, ("finish", {"message": message})], results),
        "usecase_config": CONFIG,
        "mode": "single_agent",
        "thinking_tools_enabled": True,
    }


def orchestrated(selections: list[str], last: Any, truth: Json = GRANTED) -> Json:
    chosen = [
        {"agent": "orchestrator", "content": [{"agent": name, "arguments": {}}]}
        for name in selections
    ]
    ending = {"agent": "orchestrator", "content": last}
    return {**case(truth=truth), "trace": [*chosen, *steps(GOOD_CALLS), ending], "mode": "direct"}
