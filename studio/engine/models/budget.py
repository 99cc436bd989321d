"""What has to fit into a model's window: prompt, tools, question, and room for the reply.

Light and pure: the window of the studio shows it while somebody types.
"""

from collections.abc import Iterable, Sequence

import msgspec

from studio.engine.models.estimate import FRAME, OPENING, TOOLS_PREAMBLE, estimate_tokens
from studio.engine.models.names import is_embedded_model
from studio.engine.models.signatures import describe
from studio.engine.records import AUTO, EMBEDDED, JsonObject, ModelSpec, Record, ToolSpec

DEFAULT_WINDOW = 4_096
"""The window in tokens (`num_ctx`) of a model whose spec states none."""

LEAST_WINDOW = 256
"""A server takes a smaller window, even none at all, and cuts the prompt to a few tokens."""

DEFAULT_RESERVE = 512
"""The room for a reply, in tokens, where the spec sets it no limit (`num_predict`)."""


def window_of(options: JsonObject) -> int:
    """The window that options ask for, in tokens."""
    window = options.get("num_ctx")
    return window if isinstance(window, int) and window > 0 else DEFAULT_WINDOW


def reply_limit_of(options: JsonObject) -> int | None:
    """How many tokens a reply may have at most; None if only the window ends it."""
    limit = options.get("num_predict")
    return limit if isinstance(limit, int) and limit > 0 else None


def reserve_of(options: JsonObject) -> int:
    """How many tokens a reply must find room for: its limit, if the options set one."""
    return reply_limit_of(options) or DEFAULT_RESERVE


class Budget(Record, frozen=True):
    """About how a window is filled when a trial begins, in tokens.  All but two are estimates.

    `reply` is the room that is kept for the reply, `window` what there is in all.
    """

    system: int
    tools: int
    query: int
    reply: int
    window: int

    @property
    def prompt(self) -> int:
        """What is sent first."""
        return self.system + self.tools + self.query

    @property
    def total(self) -> int:
        return self.prompt + self.reply

    @property
    def left(self) -> int:
        """What is left for tool results and further turns; below 0 if even this does not fit."""
        return self.window - self.total


def budget(system: str, tools: Sequence[ToolSpec], query: str, model: ModelSpec) -> Budget:
    """The first request of a trial against the window that the model's options ask for."""
    return Budget(
        system=estimate_tokens(system) + FRAME if system.strip() else 0,
        tools=_tokens_of(tools, model) if tools else 0,
        query=estimate_tokens(query) + FRAME + OPENING,
        reply=reserve_of(model.options),
        window=window_of(model.options),
    )


def _tokens_of(tools: Sequence[ToolSpec], model: ModelSpec) -> int:
    """What the tools take as the model reads them: most templates hold them as JSON."""
    if is_embedded_model(model.name) and {AUTO, EMBEDDED} & {*model.servers}:
        return estimate_tokens(describe(tools)) + FRAME
    offered = [msgspec.to_builtins(tool) | {"type": "function"} for tool in tools]
    return estimate_tokens(msgspec.json.encode(offered).decode()) + TOOLS_PREAMBLE


def larger_window(
    options: JsonObject, trained: int | None, needed: Iterable[int] = ()
) -> int | None:
    """A window to try when the one in `options` was too small; None if the model has no larger.

    The window is doubled until the prompts (`needed`, in tokens as far as known) fit with room
    for a reply; never beyond what the model was trained for, which servers would not allocate.
    """
    asked = window_of(options)
    wanted = asked * 2
    most = max(needed, default=0) + reserve_of(options)
    while wanted < most:
        wanted *= 2
    wanted = min(wanted, trained) if trained else wanted
    return wanted if wanted > asked else None
