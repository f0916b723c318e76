"""Which runs are selected: so many, a share, the best of each team, as papers did."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import small
from rankgauge.campaigns.campaign import Campaign
from rankgauge.campaigns.selection import SETTINGS, best_first, number_of_runs, select, teams_of
from rankgauge.errors import InputError, OptionError
from rankgauge.model.provenance import MeasureFacts, Provenance
from rankgauge.model.rules import TopicRules
from rankgauge.model.scores import Scores

VALUES = st.lists(st.sampled_from([0.0, 0.1, 0.2, 0.2, 0.5, math.nan]), min_size=1, max_size=9)


def scores(values, measure="AP", direction=1):
    """Scores of runs r0, r1 ... on one topic."""
    provenance = Provenance(measures={measure: MeasureFacts(direction=direction)})
    runs = tuple(f"r{number}" for number in range(len(values)))
    numbers = np.array(values, dtype=float).reshape(-1, 1, 1)
    rules = TopicRules(undefined="skip")
    return Scores(runs, ("t",), (measure,), numbers, np.ones((len(runs), 1), bool), rules, provenance)


def is_better(one, other):
    """Whether (value, name) comes before another, by the definition."""
    if math.isnan(one[0]) != math.isnan(other[0]):
        return math.isnan(other[0])
    if not math.isnan(one[0]) and one[0] != other[0]:
        return one[0] > other[0]
    return one[1] < other[1]


@given(VALUES, st.integers(1, 10))
def test_the_top_runs_have_fewer_better_ones_than_there_is_room(values, most):
    table = scores(values)
    pairs = list(zip(values, table.runs, strict=True))
    expected = [run for v, run in pairs if sum(is_better(p, (v, run)) for p in pairs) < most]
    assert list(select(table, top=most)) == expected
    assert set(best_first(table, "AP")[:most]) == set(expected)


@given(VALUES, st.lists(st.sampled_from("XYZ"), min_size=9, max_size=9))
def test_no_run_of_a_team_is_better_than_the_one_that_is_selected(values, letters):
    table = scores(values)
    team = dict(zip(table.runs, letters, strict=False))
    chosen = select(table, teams=team)
    assert sorted(team[run] for run in chosen) == sorted({team[run] for run in table.runs})
    value = dict(zip(table.runs, values, strict=True))
    for run in chosen:
        for other in table.runs:
            if team[other] == team[run] and other != run:
                assert is_better((value[run], run), (value[other], other))


def test_lower_is_better_where_the_measure_says_so():
    assert select(scores([3, 1, 2], "ESL", -1), top=2, by="ESL") == ("r1", "r2")


def test_of_the_best_of_each_team_the_top_is_taken():
    teams = {"r0": "X", "r1": "X", "r2": "Y", "r3": "Z"}
    assert select(scores([0.9, 0.8, 0.1, 0.5]), teams=teams, top=2) == ("r0", "r3")


@pytest.mark.parametrize(
    ("top", "runs", "expected"),
    [
        *[(None, 7, 7), (30, 7, 7), (3, 7, 3), ("3", 7, 3), ("75%", 63, 48), ("75%", 4, 3)],
        *[("0.1%", 63, 1), ("100%", 7, 7), ("33.3%", 3, 1), ("12.5%", 8, 1), (" 10 % ", 30, 3)],
    ],
)
def test_shares_are_rounded_up(top, runs, expected):
    assert number_of_runs(top, runs) == expected


@pytest.mark.parametrize("top", [0, -1, 2.5, "0%", "101%", "many", "", "%", True, "1/0", math.nan])
def test_a_top_that_is_none_is_refused(top):
    with pytest.raises(OptionError, match="such as 75%"):
        number_of_runs(top, 10)


@pytest.mark.parametrize("name", SETTINGS)
def test_settings_are_those_of_the_papers(name):
    table = scores([number / 100 for number in range(40)])
    teams = {run: run[-1] for run in table.runs}
    expected = {
        "twist": table.runs[10:],  # the top 75 %
        "late_arrival": table.runs[10:],  # the top 30
        "late_arrival_teams": table.runs[30:],  # r30 to r39, the best that end in 0 to 9
    }
    assert select(table, setting=name, teams=teams) == expected[name]


def test_teams_come_from_a_file_in_any_usual_form(write):
    text = "# run team\nbm25 X\n\nql\tthe Y\nrm3, Z\nother Q\n"
    path = write("teams.txt", text)
    assert teams_of(path, ["bm25", "ql", "rm3"]) == {"bm25": "X", "ql": "the Y", "rm3": "Z"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("bm25\n", "teams.txt:1: expected a run and its team"),
        ("bm25 X Y\n", "teams.txt:1: expected a run and its team"),
        ("bm25 X\nbm25 Y\n", "teams.txt:2: run 'bm25' has two teams, 'X' and 'Y'"),
        ("bm52 X\n", "run 'bm25' has no team .did you mean bm52"),
    ],
)
def test_teams_that_cannot_be_taken_are_named(text, message, write):
    with pytest.raises(InputError, match=message):
        teams_of(write("teams.txt", text), ["bm25"])


def test_what_is_missing_is_named():
    with pytest.raises(OptionError, match="cannot be selected by nDCG: there are only scores of AP"):
        select(scores([1]), by="nDCG")
    with pytest.raises(OptionError, match="takes the best run of each team"):
        select(scores([1]), setting="late_arrival_teams")
    with pytest.raises(OptionError, match="setting must be one of twist, late_arrival"):
        select(scores([1]), setting="twists")


TEAMS = {name: f"team {number % 2}" for number, name in enumerate(small.RUNS)}


@pytest.mark.parametrize(
    "rules", [{"top": 2}, {"top": "50%", "by": "RR"}, {"teams": TEAMS}, {"setting": "twist"}]
)
def test_a_campaign_selects_its_runs_by_their_scores(rules):
    campaign = small.campaign()
    chosen = campaign.select(**rules)
    assert chosen.runs == select(campaign.scores("AP RR"), **rules)
    assert 0 < len(chosen.runs) < len(campaign.runs)
    alone = Campaign(small.QRELS, {name: small.RUNS[name] for name in chosen.runs})
    assert chosen.scores("AP Bpref").to_dict() == alone.scores("AP Bpref").to_dict()
    of_scores = Campaign.of_scores(campaign.scores("AP RR")).select(**rules)
    assert of_scores.runs == chosen.runs


def test_scores_that_lack_the_measure_cannot_select():
    with pytest.raises(InputError, match="no measure here named 'AP'"):
        Campaign.of_scores(small.campaign().scores("RR")).select(top=2)
