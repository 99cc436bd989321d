"""SimpleQA: what a judge's reply says of an answer, and the figures of many grades."""

import re
from collections import Counter
from collections.abc import Iterable
from enum import StrEnum
from typing import Annotated, ClassVar, Literal, NamedTuple

import msgspec
from typing_extensions import override

from studio.engine.metrics.answers.base import first_of, text_of
from studio.engine.metrics.base import Metric, Mode, Verdict, no_answer
from studio.engine.records import JsonObject, Query
from studio.engine.trace import Trace

Figure = Literal["correct", "correct_given_attempted", "penalised"]
Threshold = Annotated[float, msgspec.Meta(ge=0, lt=1)]

_ANY_LETTER = re.compile(r"[ABC]")
_LETTER = re.compile(r"(?<![\w'’])[ABC](?![\w'’])")
_WORD = re.compile(
    r"(?<![A-Za-z])(NOT[ _-]?ATTEMPTED|INCORRECT|CORRECT)(?![A-Za-z])", re.IGNORECASE
)


class Grade(StrEnum):
    """What an answer is worth: right, wrong, or left open."""

    CORRECT = "correct"
    INCORRECT = "incorrect"
    NOT_ATTEMPTED = "not attempted"


_GRADES = dict(zip("ABC", Grade, strict=True))


def published_grade(reply: str) -> Grade:
    """The first capital A, B or C anywhere: "CORRECT" is read as C, as are replies with none."""
    found = _ANY_LETTER.search(reply)
    return _GRADES[found.group() if found else "C"]


def grade_of(reply: str) -> Grade | None:
    """The one grade that a reply names, by its letter or its name; None if none, or several."""
    named = {_named(word) for word in _WORD.findall(reply)}
    lettered = {_GRADES[letter] for letter in _LETTER.findall(reply)}
    # "A: CORRECT" names one grade twice; an article ("A judge ...") is no grade beside a name.
    found = named or lettered
    return found.pop() if len(found) == 1 else None


def _named(word: str) -> Grade:
    letters = "".join(filter(str.isalpha, word.upper()))
    known = {"NOTATTEMPTED": Grade.NOT_ATTEMPTED, "INCORRECT": Grade.INCORRECT}
    return known.get(letters, Grade.CORRECT)


class Figures(NamedTuple):
    """Shares of many grades, each 0 to 1.  The last two are 0 if every question was left open."""

    correct: float
    incorrect: float
    not_attempted: float
    correct_given_attempted: float
    f: float


def figures(grades: Iterable[Grade]) -> Figures | None:
    """SimpleQA's figures; None of no grades.  `f` is the mean of both shares correct, harmonic."""
    return figures_of_counts(Counter(grades))


def figures_of_counts(counts: "Counter[Grade]") -> Figures | None:
    """As `figures`, of grades that were counted."""
    count = counts.total()
    if not count:
        return None
    correct, incorrect, open_ = (counts[grade] / count for grade in Grade)
    given = correct / (correct + incorrect) if correct + incorrect else 0.0
    return Figures(correct, incorrect, open_, given, f_score(correct, given))


def f_score(correct: float, correct_given_attempted: float) -> float:
    """The harmonic mean of the two shares; 0 if both are."""
    both = correct + correct_given_attempted
    return 2 * correct * correct_given_attempted / both if both else 0.0


def penalised(grade: Grade, threshold: float) -> float:
    """1 for a right answer, 0 for none, and a loss of t/(1 - t) for a wrong one.

    Answering then pays for whoever is right more often than the threshold t, 0 <= t < 1.
    """
    match grade:
        case Grade.CORRECT:
            return 1.0
        case Grade.NOT_ATTEMPTED:
            return 0.0
        case Grade.INCORRECT:
            return -threshold / (1 - threshold)


class SimpleQAGrade(Metric, frozen=True):
    """What the reply of a SimpleQA judge is worth: the answer graded here is the judge's reply.

    A is correct, B incorrect, C not attempted.  `figure`: "correct" is 1 for A, else 0;
    "correct_given_attempted" is not scored for C; "penalised" takes `threshold` / (1 - `threshold`)
    off for B and gives 0 for C.  Not scored where the reply names no grade, or several.

    Published (simple-evals, Wei et al. 2024): the first capital A, B or C anywhere is the grade, C
    if there is none; so "CORRECT" is read as C.  Corrected: the letter alone, or the grade's name.
    """

    name: ClassVar[str] = "simpleqa_grade"
    title: ClassVar[str] = "SimpleQA grade"
    tells_success: ClassVar[bool] = True
    lowest: ClassVar[float | None] = None
    known_by: ClassVar[tuple[str, ...]] = ("grade", "grader_response", "grading_response", "judge")

    mode: Mode = "corrected"
    figure: Figure = "correct"
    threshold: Threshold = 0.75

    @override
    def verdict(self, query: Query, trace: Trace) -> Verdict:
        missed = no_answer(trace)
        return Verdict(None, missed) if missed else self.graded(trace.answer or "")

    def verdict_on(self, case: JsonObject) -> Verdict:
        """The verdict on a case that holds the judge's reply."""
        return self.graded(text_of(first_of(case, self.known_by) or ""))

    def graded(self, reply: str) -> Verdict:
        grade = published_grade(reply) if self.mode == "published" else grade_of(reply)
        if grade is None:
            return Verdict(None, "the reply of the judge names no grade, or several")
        evidence = {"grade": grade.value}
        if self.figure == "penalised":
            return Verdict(penalised(grade, self.threshold), grade.value, evidence)
        if grade is Grade.NOT_ATTEMPTED and self.figure == "correct_given_attempted":
            return Verdict(None, "not attempted", evidence)
        return Verdict(float(grade is Grade.CORRECT), grade.value, evidence)
