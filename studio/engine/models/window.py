"""Prompts and replies that did not fit the window, where the server did not say so.

Every request asks the server to refuse a prompt that does not fit (`truncate: false`) and not to
shift its beginning out while the reply is written (`shift: false`).  Servers that do not know the
fields cut and say nothing.  What the request must take, and the count reported after it, tell: a
cut prompt often counts far less than the window holds, so the window's size alone says nothing.
"""

from typing import NamedTuple

from studio.engine.models.budget import reply_limit_of, reserve_of
from studio.engine.models.estimate import ERROR, estimate_request, least_request
from studio.engine.records import JsonObject

PROMPT_CUT = "prompt cut"
REPLY_CUT = "reply cut by the window"


class Counts(NamedTuple):
    """What a server reported of one reply, in tokens; None where it left a count out.

    `only_thought`: there is thinking in the reply, and nothing else yet.
    """

    prompt: int | None
    reply: int | None = None
    done_reason: str | None = None
    only_thought: bool = False


class Cut(NamedTuple):
    """Proof that a prompt or a reply did not fit: the mark of it, a sentence, the tokens needed."""

    mark: str
    problem: str
    needed: int


def cut(sent: JsonObject, counts: Counts, allocated: int | None = None) -> Cut | None:
    """What was cut of the prompt `sent` or of its reply; None if there is no proof of anything.

    `allocated` is the window that the server was seen to have, in tokens, if it was less than the
    one asked for.
    """
    options = sent.get("options") or {}
    asked = options.get("num_ctx")
    if not isinstance(asked, int) or asked <= 0:
        return None
    window = min(asked, allocated) if allocated else asked
    return _cut_prompt(sent, counts.prompt, window) or _cut_reply(options, counts, window)


def _cut_prompt(sent: JsonObject, count: int | None, window: int) -> Cut | None:
    """Proof is a prompt that hardly fits, and a count that is too low or just fills the window.

    Servers differ in whether they count what their cache held: a low count of a prompt that fits
    says nothing.  Without a count, only a prompt that cannot have fitted is proof.
    """
    least = least_request(sent)
    about = max(least, estimate_request(sent))
    if count is None:
        is_cut = least > window
    elif window - 1 <= count <= window:
        is_cut = about * (1 - ERROR) > window
    else:
        is_cut = about > window and count < least
    if not is_cut:
        return None
    read = f"read {count:,} tokens" if count is not None else "did not say how much it read"
    needs = f"takes about {about:,}, and at least {least:,}"
    problem = f"The server {read} of a prompt that {needs}: it does not fit num_ctx {window:,}."
    return Cut(PROMPT_CUT, problem, about)


def _cut_reply(options: JsonObject, counts: Counts, window: int) -> Cut | None:
    """A reply that the window ended before it had the room that it was promised.

    One that had that room and wrote on and on is the model's own doing.  Who only thought so far
    wrote nothing on and on: then just a limit of the reply's own is no fault of the window.

    A reply below its limit that says "length" was ended by the window, whatever the two counts add
    up to: servers leave out of them what the template puts before the reply.
    """
    prompt, reply = counts.prompt, counts.reply
    if counts.done_reason != "length" or prompt is None or reply is None:
        return None
    limit = reply_limit_of(options)
    if reply >= reserve_of(options) and not (counts.only_thought and limit is None):
        return None
    if limit == reply + 1 and prompt + reply < window:
        return None  # of its limit the last token may not be counted
    thinking = ", all of them thinking" if counts.only_thought else ""
    problem = (
        f"The reply was cut after {reply:,} tokens{thinking}: the prompt's {prompt:,} left no more "
        f"room in the window (num_ctx {window:,})."
    )
    return Cut(REPLY_CUT, problem, prompt)
