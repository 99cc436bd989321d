"""Prompts that a server cut in silence.

Every request asks the server to refuse a prompt that does not fit (`truncate: false`); servers
that do not know the field cut it and say nothing.  The count they report afterwards tells: it is
below what the text must take.  A cut prompt often counts far less than the window holds, so the
window's size alone says nothing.
"""

from studio.engine.records import JsonObject

# Every white-space separated word takes at least one token; a tenth is left for odd tokenizers.
_FEWEST_TOKENS_A_WORD = 0.9
# Written text takes about four characters a token; fewer only in dense or foreign text.
_FEWEST_CHARACTERS_A_TOKEN = 3


def cut_in_silence(sent: JsonObject, prompt_tokens: int | None) -> str | None:
    """A sentence saying that the prompt was cut, or None if there is no proof of it.

    Conservative on both sides: the count must be below what the words must take, and the text
    must be long enough to overflow the window (an older server may count only what its cache did
    not hold, which says nothing of a prompt that fits).
    """
    window = sent.get("options", {}).get("num_ctx")
    if prompt_tokens is None or not isinstance(window, int):
        return None
    texts = [str(message.get("content") or "") for message in sent.get("messages", ())]
    if sum(map(len, texts)) <= window * _FEWEST_CHARACTERS_A_TOKEN:
        return None
    fewest = int(sum(len(text.split()) for text in texts) * _FEWEST_TOKENS_A_WORD)
    if prompt_tokens >= fewest:
        return None
    return (
        f"The server read {prompt_tokens:,} tokens of a prompt that has at least {fewest:,}: "
        f"it was cut to the window (num_ctx {window:,})."
    )
