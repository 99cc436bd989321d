"""What people are told of data that is not of the kind it should be.

msgspec says "Expected `array | null`, got `str` - at `$.calls`", which is for programmers.
"""

import re

_KINDS = {
    "array": "a list",
    "object": "an object",
    "str": "a text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
}
_PLACE = re.compile(r"(?P<problem>.*?)(?: - at (?:`key` in )?`\$\.?(?P<path>.*)`)?", re.DOTALL)
_ANY = "[...]"
"""How msgspec names the place of any value of an object."""
_EXPECTED = re.compile(r"Expected `([^`]*)`(.*)", re.DOTALL)
_GOT = re.compile(r"got `(\w+)`")
_NO_CHOICE = "Invalid enum value "
_FIELD = re.compile(r"Object (missing required|contains unknown) field `([^`]*)`")


def unfit(error: Exception) -> str:
    """What `msgspec.convert` raised, in words."""
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    if isinstance(error, UnicodeEncodeError):
        return "a text in it holds half a surrogate pair"
    found = _PLACE.fullmatch(str(error))
    problem, place = (found["problem"], found["path"] or "it") if found else (str(error), "it")
    if place.endswith(_ANY):
        place = f"a value in {place.removesuffix(_ANY) or 'it'}"
    if expected := _EXPECTED.fullmatch(problem):
        kinds = [_kind(name) for name in expected[1].split(" | ") if name != "null"]
        rest = _GOT.sub(_not, expected[2])
        return f"{place} must be {' or '.join(kinds)}{rest}"
    if field := _FIELD.fullmatch(problem):
        does = "lacks" if field[1].startswith("missing") else "cannot have"
        return f"{place} {does} {field[2]!r}"
    if problem.startswith(_NO_CHOICE):
        return f"{place} cannot be {problem.removeprefix(_NO_CHOICE)}"
    return f"{place}: {problem}"


def _kind(name: str) -> str:
    return _KINDS.get(name, name)


def _not(got: re.Match[str]) -> str:
    # "not a number" would be another thing.
    return "not one with decimals" if got[1] == "float" else f"not {_kind(got[1])}"
