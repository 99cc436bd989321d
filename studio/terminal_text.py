"""Foreign text in a terminal."""

# Line ends and tabs aside.  The last two turn the direction of what stands behind them.
_CONTROLS = dict.fromkeys(
    (
        *(code for code in (*range(32), *range(127, 160)) if chr(code) not in "\n\t"),
        *range(0x202A, 0x202F),
        *range(0x2066, 0x206A),
    ),
    "\N{REPLACEMENT CHARACTER}",
)


def visible(text: str) -> str:
    """Foreign text that cannot steer the terminal: what is no character is seen as such."""
    return text.translate(_CONTROLS)
