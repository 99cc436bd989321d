"""Messages and tools as the prompt that SmolLM2-135M handles best.

The model was trained on conversations without tools.  Asked to write a call in JSON or to answer,
it hardly ever calls; asked to go on with "I will call `", it chooses between the tools and
`answer` in about half of all its probability, and what the system prompt says moves the choice.
So a turn with tools begins with that phrase (see `reply`), and earlier calls are told in it too.
"""

import json
from collections.abc import Iterator, Sequence

from studio.engine.models.embedded.asked import Message, Tool, ToolFunction
from studio.engine.models.signatures import describe
from studio.engine.records import JsonObject

CHOICE = "I will call `"
_CUE = "Use these results to answer the question in one sentence: {}"

# Shown by /api/show: our own code renders the prompt, so this describes rather than runs.
DESCRIPTION = (
    "<|im_start|>system\\n{system}\\n\\nFunctions:\\n- {name}({parameter}: {values}): "
    "{description}\\n- answer(text): Give the final answer<|im_end|>\\n"
    "<|im_start|>user\\n{question}<|im_end|>\\n"
    "<|im_start|>assistant\\nI will call `{name}` with {arguments}<|im_end|>\\n"
    "<|im_start|>user\\nThe function `{name}` returned: {result}<|im_end|>\\n"
    "<|im_start|>assistant\\n"
)


def render(messages: Sequence[Message], tools: Sequence[ToolFunction] = ()) -> str:
    """The prompt, up to where the assistant begins to write."""
    turns = list(_turns(messages))
    if tools:
        system = turns.pop(0)[1] if turns and turns[0][0] == "system" else ""
        turns.insert(0, ("system", f"{system}\n\n{describe(tools)}".lstrip()))
    text = "".join(f"<|im_start|>{role}\n{content}<|im_end|>\n" for role, content in turns)
    # A conversation that ends with the assistant has no turn left for it.
    return text if turns and turns[-1][0] == "assistant" else f"{text}<|im_start|>assistant\n"


def answer_cue(messages: Sequence[Message]) -> str:
    """What is put before the answer when tools have returned: the question once more, or nothing.

    It takes the place of the empty assistant's turn at the end of a rendered prompt.
    """
    if not messages or messages[-1].role != "tool":
        return ""
    asked = [message.content or "" for message in messages if message.role == "user"]
    question = asked[-1] if asked else ""
    return f"<|im_start|>user\n{_CUE.format(question)}<|im_end|>\n<|im_start|>assistant\n"


def call(name: str, arguments: JsonObject) -> str:
    """A call as the model writes it."""
    return f"{CHOICE}{name}` with {json.dumps(arguments, ensure_ascii=False)}"


def usable(tools: Sequence[Tool] | None) -> tuple[ToolFunction, ...]:
    """The tools that can be called: those with a name that fits between two backticks."""
    functions = [tool.function for tool in tools or () if tool.function is not None]
    return tuple(
        function
        for function in functions
        if function.name and "`" not in function.name and function.name.isprintable()
    )


def _turns(messages: Sequence[Message]) -> Iterator[tuple[str, str]]:
    called: list[str] = []
    for message in messages:
        role, content = message.role or "user", message.content or ""
        if role == "tool":
            # Clients may leave the name out: results then follow the order of the calls.
            first = called.pop(0) if called else ""
            yield "user", f"The function `{message.tool_name or first}` returned: {content}"
        elif role == "assistant" and message.tool_calls:
            calls = [
                (call_.function.name or "", call_.function.arguments or {})
                for call_ in message.tool_calls
            ]
            called = [name for name, _arguments in calls]
            told = [call(name, arguments) for name, arguments in calls]
            yield role, "\n".join([content, *told] if content else told)
        else:
            yield role, content
