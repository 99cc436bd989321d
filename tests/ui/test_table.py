"""The table of results: sorted by value, filtered, and kept current in place."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from PySide6.QtCore import QPersistentModelIndex, Qt
from PySide6.QtTest import QAbstractItemModelTester

from studio.engine.outcomes import Outcome
from studio.engine.records import (
    Criteria,
    Score,
)
from studio.engine.store.rows import TrialRow
from studio.ui.models.measures import measures, rules_of, short_names
from studio.ui.models.order import Down
from studio.ui.models.results import Wanted, results
from studio.ui.models.standing import Standing, outcome, standing
from studio.ui.models.table import Table
from tests.ui import builders, failing

MEASURES = measures(builders.METRICS)
SHARES = [measure for measure in MEASURES if measure.is_share]
RULES = rules_of(Criteria(builders.METRICS))
QUERY, TOOL_CALLS, STEPS, SECONDS = 0, 2, 5, 6


def watched(trials: int = 1) -> Table[TrialRow]:
    table = results(MEASURES, trials)
    QAbstractItemModelTester(table, QAbstractItemModelTester.FailureReportingMode.Fatal, table)
    return table


def positions(table: Table[TrialRow]) -> list[int]:
    return [table.record(row).position for row in range(table.rowCount())]


def test_rows_stand_in_plan_order_however_they_arrive(qapp):
    table = watched()
    rows = [builders.trial(place) for place in range(20)]
    random.Random(4).shuffle(rows)
    for first in range(0, 20, 3):
        table.merge(rows[first : first + 3])
    assert positions(table) == list(range(20))


def test_a_column_sorts_by_value_and_what_is_missing_comes_last_both_ways(qapp):
    table = watched()
    table.merge([*(builders.trial(place) for place in range(8)), builders.running(8)])
    table.sort(SECONDS, Qt.SortOrder.AscendingOrder)
    rising = [table.record(row).seconds for row in range(table.rowCount())]
    assert rising == [4.4, 4.4, 5.2, 5.4, 6.4, 8.4, 19.3, 30.0, None]
    table.sort(SECONDS, Qt.SortOrder.DescendingOrder)
    falling = [table.record(row).seconds for row in range(table.rowCount())]
    assert falling == [30.0, 19.3, 8.4, 6.4, 5.4, 5.2, 4.4, 4.4, None]
    table.sort(-1)
    assert positions(table) == list(range(9))


@pytest.mark.parametrize("column", [QUERY, TOOL_CALLS, SECONDS])
@pytest.mark.parametrize("order", list(Qt.SortOrder))
@given(seed=st.integers(0, 10_000))
@settings(max_examples=15, deadline=None)
def test_updates_end_where_a_fresh_sort_would_put_them(column, order, seed):
    table, luck = results(MEASURES, 1), random.Random(seed)
    table.sort(column, order)
    latest: dict[int, TrialRow] = {}
    for _ in range(6):
        batch = [_any_trial(luck) for _ in range(luck.randrange(1, 12))]
        latest.update((row.position, row) for row in batch)
        table.merge(batch)
    fresh = results(MEASURES, 1)
    fresh.merge(latest.values())
    fresh.sort(column, order)
    assert positions(table) == positions(fresh)
    assert [table.record(row) for row in range(len(latest))] == [
        fresh.record(row) for row in range(len(latest))
    ]


def _any_trial(luck: random.Random) -> TrialRow:
    place = luck.randrange(30)
    if luck.random() < 0.3:
        return builders.running(place)
    row = builders.trial(place)
    value = luck.choice([0.0, 0.5, 1.0, None])
    return replace(
        row, seconds=luck.choice([1.0, 2.0, 3.5]), scores=(Score(SHARES[0].key, "1", value),)
    )


def test_a_row_is_updated_in_place_and_what_points_to_it_stays(qapp):
    table = watched()
    table.merge([builders.running(place) for place in range(6)])
    kept = QPersistentModelIndex(table.index(3, 0))
    table.merge([builders.trial(3)])
    assert kept.row() == 3
    assert table.record(3).outcome is Outcome.FINISHED
    table.sort(SECONDS, Qt.SortOrder.DescendingOrder)
    assert table.record(kept.row()).position == 3
    table.merge([builders.trial(0), builders.trial(1)])
    assert table.record(kept.row()).position == 3


def test_a_trial_that_was_started_again_takes_its_row_over(qapp):
    table = watched()
    table.merge([replace(builders.running(2), outcome=Outcome.INTERRUPTED)])
    table.merge([replace(builders.trial(2), id=999)])
    assert table.rowCount() == 1
    assert table.record(0).id == 999


def test_a_row_leaves_and_enters_the_filter_as_it_changes(qapp):
    table = watched()
    table.arrange(Wanted("", Wanted.RUNNING, RULES))
    table.merge([builders.running(place) for place in range(4)])
    assert positions(table) == [0, 1, 2, 3]
    table.merge([builders.trial(1)])
    assert positions(table) == [0, 2, 3]
    assert table.total == 4


@pytest.mark.parametrize(
    ("words", "kind", "found"),
    [
        ("gold", Wanted.ALL, [3, 13]),
        ("GOLD gbp", Wanted.ALL, [13]),
        ("timed out", Wanted.ALL, [7, 15]),
        ("", Wanted.UNSCORED, [7, 15]),
        ("", Wanted.PROBLEMS, [3, 6, 7, 11, 14, 15, 19]),
        ("no such words", Wanted.ALL, []),
    ],
)
def test_a_filter_keeps_what_has_all_words_and_is_of_the_kind(qapp, words, kind, found):
    table = watched()
    table.merge([builders.trial(place) for place in range(20)])
    table.arrange(Wanted(words, kind, RULES))
    assert positions(table) == found


def test_not_scored_is_a_dash_with_the_reason(qapp):
    table = watched()
    table.merge([builders.trial(7)])
    cell = table.index(0, TOOL_CALLS)
    assert table.data(cell) == "–"
    assert "the trial ran out of time" in str(table.data(cell, Qt.ItemDataRole.ToolTipRole))


def test_foreign_text_in_a_tooltip_is_escaped(qapp):
    table = watched()
    table.merge([replace(builders.trial(0), query='<img src="/etc/passwd">')])
    told = str(table.data(table.index(0, QUERY), Qt.ItemDataRole.ToolTipRole))
    assert "<img" not in told
    assert "&lt;img" in told


def test_the_standing_of_a_trial_is_told_by_its_outcome_and_whether_it_passed():
    found = [standing(builders.trial(place), RULES) for place in (0, 3, 7)]
    found.append(standing(builders.running(0), RULES))
    found.append(standing(replace(builders.trial(0), scores=()), RULES))
    assert found == [
        Standing.PASSED, Standing.NOT_PASSED, Standing.EXCUSED, Standing.RUNNING,
        Standing.UNDECIDED,
    ]  # fmt: skip


def test_the_outcome_is_passed_or_what_went_wrong_first():
    rows = [failing.trial(place) for place in (0, 1, 3, 5, 7)]
    rows += [builders.running(0), replace(builders.trial(0), scores=())]
    assert [outcome(row, RULES) for row in rows] == [
        ("loop", "bad"), ("passed", "good"), ("wrong tool", "bad"), ("did not pass", "bad"),
        ("timed out", "mark"), ("running", "muted"), ("not judged", "muted"),
    ]  # fmt: skip


def test_what_went_wrong_is_found_by_its_word(qapp):
    table = watched()
    table.merge([failing.trial(place) for place in range(8)])
    table.arrange(Wanted("loop", Wanted.ALL, RULES))
    assert positions(table) == [0, 6]
    table.arrange(Wanted("", Wanted.NOT_PASSED, RULES))
    assert positions(table) == [0, 3, 5, 6]


def test_the_trial_number_has_a_column_only_when_there_are_several():
    titles = [column.title for column in results(MEASURES, 1).columns]
    assert titles == [
        "Query", "Outcome", "Tool-call", "RAGAS", "Answer", "Steps", "Seconds", "Tokens",
    ]  # fmt: skip
    assert results(MEASURES, 2).columns[2].title == "Trial"


def test_short_names_stay_different():
    assert short_names(["Answer contains", "Answer is near", "Steps"]) == [
        "Answer contains", "Answer is", "Steps",
    ]  # fmt: skip


@given(st.text(), st.text())
def test_a_falling_text_sorts_the_other_way_round(one, other):
    assert (Down(one) < Down(other)) == (other < one)
