"""A probe in words, and as the short mark that stands beside a model's name."""

from studio.engine.offers import Guard, Probe, Thinking, ToolCalls

_TOOLS = {
    ToolCalls.NATIVE: "Calls tools",
    ToolCalls.AS_TEXT: "Writes its tool calls into the text; the studio finds them there",
    ToolCalls.NONE: "Calls no tools",
}
_SCHEMA = {True: "Keeps to a JSON schema", False: "Does not keep to a JSON schema"}
_WINDOW = {
    Guard.REFUSES: "A prompt that is too long is refused, never cut",
    Guard.CUTS: "A prompt that is too long is cut in silence; the studio has to notice",
    Guard.READS_ALL: "Does not keep to the window asked for",
}
_THINKING = {
    Thinking.APART: "Thinks, apart from its answer",
    Thinking.IN_TEXT: "Thinks within its answer",
    Thinking.NONE: "Does not think",
}
_ANSWERS = {True: "Answers", False: "Gives no answer"}
_BADGES = {
    ToolCalls.NATIVE: "tools",
    ToolCalls.AS_TEXT: "tools as text",
    ToolCalls.NONE: "no tools",
}
_TONES = {ToolCalls.NATIVE: "good", ToolCalls.AS_TEXT: "mark", ToolCalls.NONE: "bad"}


def findings(probe: Probe) -> tuple[tuple[str, str, str], ...]:
    """Each finding as (tone, what was found, by what); tone is good, bad, mark or muted.

    Only what limits an agent is bad; what cannot be told is muted.
    """
    if not probe.answers:
        said = "Gives no answer" if probe.answers is False else "It is not known if it answers"
        tone = "bad" if probe.answers is False else "muted"
        return ((tone, said, probe.reasons.get("answers", "")),)
    return tuple(
        (tone, said or _unknown(name), probe.reasons.get(name, ""))
        for name, said, tone in (
            ("answers", _ANSWERS[probe.answers], "good"),
            ("tools", _TOOLS.get(probe.tools) if probe.tools else None, tool_tone(probe)),
            ("schema", None if probe.schema is None else _SCHEMA[probe.schema],
             {True: "good", False: "bad", None: "muted"}[probe.schema]),
            ("window", _WINDOW.get(probe.window) if probe.window else None, _window_tone(probe)),
            ("thinking", _THINKING.get(probe.thinking) if probe.thinking else None, "muted"),
        )
    )  # fmt: skip


def figures(probe: Probe) -> str:
    """Speeds, load time and window in one line; what was not measured is left out."""
    parts = []
    if probe.reply_speed is not None:
        parts.append(f"writes {speed(probe.reply_speed)} tokens a second")
    if probe.prompt_speed is not None:
        parts.append(f"reads {speed(probe.prompt_speed)}")
    if probe.load_seconds is not None:
        parts.append(f"loaded in {probe.load_seconds:.1f} s")
    if probe.window_allocated is not None and probe.window_allocated != probe.window_asked:
        parts.append(
            f"asked for a window of {probe.window_asked:,}, got {probe.window_allocated:,}"
        )
    text = ", ".join(parts)
    return text[:1].upper() + text[1:]


def summary(probe: Probe) -> str:
    """All of it in a few short sentences, without the evidence."""
    said = [what for _, what, _ in findings(probe)]
    return ". ".join(filter(None, [*said, figures(probe)])) + "."


def badge(probe: Probe) -> tuple[str, str]:
    """The mark beside the model's name: its word, and its tone as in `findings`."""
    if probe.answers is False:
        return ("no answer", "bad")
    if probe.tools is None:
        return ("?", "muted")
    return (_BADGES[probe.tools], tool_tone(probe))


def tool_tone(probe: Probe) -> str:
    return _TONES[probe.tools] if probe.tools else "muted"


def speed(tokens_a_second: float) -> str:
    return f"{tokens_a_second:,.0f}" if tokens_a_second >= 9.95 else f"{tokens_a_second:.1f}"


def _window_tone(probe: Probe) -> str:
    if probe.window is None:
        return "muted"
    return "good" if probe.window is Guard.REFUSES else "mark"


def _unknown(name: str) -> str:
    return {
        "tools": "It is not known if it calls tools",
        "schema": "It is not known if it keeps to a JSON schema",
        "window": "It is not known if its window is obeyed",
        "thinking": "It is not known if it thinks",
    }[name]
