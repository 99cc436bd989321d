"""Other names of one thing, as far as they can be told for certain: who uses one invents nothing.

Abbreviations of words that stand there, units and currencies (the table of `metrics.numbers`),
countries by their ISO 3166 codes (as the flags of the emoji standard have them), chemical elements.
What an agent has to know for itself, such as the airport of a city, is none of these.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache

from studio.engine.metrics.numbers import units

_LETTERS = re.compile(r"[^\W\d_]+")
_FIRST_FLAG = ord("\N{REGIONAL INDICATOR SYMBOL LETTER A}")
_CODE = range(2, 7)
"""Letters of an abbreviation."""
_MOST_WORDS = 400
_WORDS_OF_ONE = 6
_SMALL = frozenset(
    "a am an and as at be de for he i in is it la me my no of on or so the to und us".split()
)
"""Words that are also codes or symbols: in small letters they name nothing."""

# Symbols of the periodic table (IUPAC) in the order of their numbers, each with its name.
_ELEMENTS = """
H hydrogen He helium Li lithium Be beryllium B boron C carbon N nitrogen O oxygen F fluorine Ne neon
Na sodium Mg magnesium Al aluminium Si silicon P phosphorus S sulfur Cl chlorine Ar argon
K potassium Ca calcium Sc scandium Ti titanium V vanadium Cr chromium Mn manganese Fe iron Co cobalt
Ni nickel Cu copper Zn zinc Ga gallium Ge germanium As arsenic Se selenium Br bromine Kr krypton
Rb rubidium Sr strontium Y yttrium Zr zirconium Nb niobium Mo molybdenum Tc technetium Ru ruthenium
Rh rhodium Pd palladium Ag silver Cd cadmium In indium Sn tin Sb antimony Te tellurium I iodine
Xe xenon Cs caesium Ba barium La lanthanum Ce cerium Pr praseodymium Nd neodymium Pm promethium
Sm samarium Eu europium Gd gadolinium Tb terbium Dy dysprosium Ho holmium Er erbium Tm thulium
Yb ytterbium Lu lutetium Hf hafnium Ta tantalum W tungsten Re rhenium Os osmium Ir iridium
Pt platinum Au gold Hg mercury Tl thallium Pb lead Bi bismuth Po polonium At astatine Rn radon
Fr francium Ra radium Ac actinium Th thorium Pa protactinium U uranium Np neptunium Pu plutonium
Am americium
""".split()
_AMERICAN = (("Al", "aluminum"), ("S", "sulphur"), ("Cs", "cesium"))


@lru_cache(maxsize=1024)
def other_names(text: str) -> frozenset[str]:
    """How else is written what the text names, which is given in small letters."""
    found = {*_of_unit(text), *_pairs().get(text, ())}
    if len(text) == 3 and text[0] == "x":  # ISO 4217 has metals among its currencies: XAU
        found.update(_pairs().get(text[1:], ()))
    return frozenset(found - _SMALL)


def _of_unit(text: str) -> Iterator[str]:
    # A currency is written in capitals, most other symbols in small letters.
    for each in (text, text.upper()):
        if (unit := units.find(each)) is not None:
            yield from units.spellings(unit)


@cache
def _pairs() -> dict[str, list[str]]:
    """Names of countries and elements, and their codes, in either direction."""
    known: dict[str, list[str]] = {}
    elements = zip(_ELEMENTS[::2], _ELEMENTS[1::2], strict=True)
    for code, name in (*elements, *_AMERICAN, *_flags()):
        known.setdefault(code.casefold(), []).append(name)
        known.setdefault(name, []).append(code)
    return known


def _flags() -> Iterator[tuple[str, str]]:
    # Only here: the library takes a tenth of a second.
    from emoji import EMOJI_DATA

    for signs, about in EMOJI_DATA.items():
        letters = [ord(sign) - _FIRST_FLAG for sign in signs]
        if len(letters) == 2 and all(0 <= letter < 26 for letter in letters):
            code = "".join(chr(letter + ord("A")) for letter in letters)
            yield code, about["en"].strip(":").replace("_", " ").casefold()


def abbreviates(code: str, text: str) -> bool:
    """Whether a code in capitals is made of letters of words in a row, with the first of each.

    `USD` of "United States dollars", `NYC`, `MSFT` of "Microsoft".  Two letters stand in any word
    by accident: they are looked for in names, which begin with a capital, or as initials.
    """
    if len(code) not in _CODE or not (code.isalpha() and code.isupper()):
        return False
    words = _LETTERS.findall(text)[:_MOST_WORDS]
    large = [word for word in words if word.casefold() not in _SMALL]
    return any(
        _fits(code.casefold(), row[place : place + _WORDS_OF_ONE])
        for row in (words, large)
        for place in range(len(row))
    )


def initials(text: str) -> str:
    """The first letters of its words, which stand for it; "" of fewer than two words."""
    words = _LETTERS.findall(text)
    return "".join(word[0] for word in words) if len(words) > 1 else ""


def _fits(code: str, words: Sequence[str]) -> bool:
    least = 1 if len(code) > 2 or (words and words[0][0].isupper()) else 2
    return _is_made_of(code, [word.casefold() for word in words], least)


def _is_made_of(code: str, words: Sequence[str], least: int) -> bool:
    """Whether letters of the first words, `least` of these at least, give the code."""
    if not code:
        return least <= 0
    if not words or words[0][0] != code[0]:
        return False
    return any(
        _stands_in(code[:end], words[0]) and _is_made_of(code[end:], words[1:], least - 1)
        for end in range(1, len(code) + 1)
    )


def _stands_in(letters: str, word: str) -> bool:
    """Whether the word has these letters in this order."""
    rest = iter(word)
    return all(letter in rest for letter in letters)
