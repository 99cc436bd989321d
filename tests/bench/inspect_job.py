"""The benchmark's job as Inspect AI does it: N cases, one tool call each, two scores.

Run by `engine.py` with an interpreter that has inspect-ai; prints one line of
JSON: seconds of the evaluation alone (imports not counted), peak memory, bytes of the log.
"""

import json
import resource
import sys
import tempfile
import time
from pathlib import Path

from inspect_ai import Task, eval
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessageAssistant,
    ChatMessageTool,
    GenerateConfig,
    ModelOutput,
    ModelUsage,
    get_model,
)
from inspect_ai.scorer import Score, Target, accuracy, scorer
from inspect_ai.solver import TaskState, generate, use_tools
from inspect_ai.tool import ToolCall, tool


@tool
def get_price():
    async def execute(metal: str) -> str:
        """Price of a metal.

        Args:
            metal: the metal
        """
        return "88.1553"

    return execute


def reply(messages, _tools, _choice, _config: GenerateConfig) -> ModelOutput:
    """One tool call, then an answer; no time passes."""
    if isinstance(messages[-1], ChatMessageTool):
        message = ChatMessageAssistant(content="Gold costs 88.1553 USD.")
        reason = "stop"
    else:
        call = ToolCall(id="call_1", function="get_price", arguments={"metal": "gold"})
        message = ChatMessageAssistant(content="", tool_calls=[call])
        reason = "tool_calls"
    return ModelOutput(
        model="mockllm/model",
        choices=[ChatCompletionChoice(message=message, stop_reason=reason)],
        # Without it Inspect fetches a tokenizer to count tokens.
        usage=ModelUsage(input_tokens=20, output_tokens=8, total_tokens=28),
    )


@scorer(metrics=[accuracy()])
def contains():
    async def score(state: TaskState, target: Target) -> Score:
        return Score(value=target.text.lower() in state.output.completion.lower())

    return score


@scorer(metrics=[accuracy()])
def calls_match():
    async def score(state: TaskState, target: Target) -> Score:
        made = [
            (call.function, call.arguments)
            for message in state.messages
            if isinstance(message, ChatMessageAssistant)
            for call in message.tool_calls or []
        ]
        return Score(value=made == [("get_price", {"metal": "gold"})])

    return score


def main() -> None:
    count = int(sys.argv[1])
    task = Task(
        dataset=MemoryDataset(
            [Sample(id=n, input=f"What does gold cost? ({n})", target="gold") for n in range(count)]
        ),
        solver=[use_tools(get_price()), generate()],
        scorer=[contains(), calls_match()],
    )
    with tempfile.TemporaryDirectory() as logs:
        began = time.perf_counter()
        (log,) = eval(
            task,
            model=get_model("mockllm/model", custom_outputs=reply),
            log_dir=logs,
            display="none",
        )
        seconds = time.perf_counter() - began
        size = sum(path.stat().st_size for path in Path(logs).rglob("*.eval"))
    assert log.status == "success", log.error
    assert [score.metrics["accuracy"].value for score in log.results.scores] == [1.0, 1.0]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"seconds": seconds, "peak_mib": peak, "bytes": size}))


if __name__ == "__main__":
    main()
