"""Studies of selected runs, also from the command line."""

import json

import pytest
from rankgauge.studies import correlation

from extensions.studies import small

TEAMS = {name: f"team {name[0]}" for name in small.RUNS}


def test_findings_say_how_runs_were_selected():
    found = correlation(small.campaign().select(top="50%", by="RR"))
    selection = {"runs": 3, "selected_top": "50%", "selected_by": "RR", "selected_of": 5}
    assert selection.items() <= found.settings.items()
    assert not any(name.startswith("selected") for name in correlation(small.campaign()).settings)


@pytest.fixture
def files(tmp_path, monkeypatch):
    small.MADE.write(tmp_path)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "teams.txt").write_text("".join(f"{run}\t{team}\n" for run, team in TEAMS.items()))
    return ["correlation", "qrels.txt", "runs/*.run", "-m", "AP RR", "--quiet"]


@pytest.mark.parametrize(
    ("arguments", "rules"),
    [
        (["top=2"], {"top": 2}),
        (["top=50%", "by=RR"], {"top": "50%", "by": "RR"}),
        (["teams=teams.txt", "top=2"], {"teams": TEAMS, "top": 2}),
        (["twist"], {"setting": "twist"}),
        (["late_arrival_teams", "teams=teams.txt"], {"setting": "late_arrival_teams", "teams": TEAMS}),
    ],
)
def test_the_command_line_selects_runs(arguments, rules, files, invoke):
    selection = [word for rule in arguments for word in ("--select", rule)]
    found = json.loads(invoke("study", *files, *selection, "--format", "json").out)
    assert found["settings"]["runs"] == len(small.campaign().select(**rules).runs)
    assert found["settings"]["selected_of"] == 5


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ("best", "--select takes top=75%, teams=FILE, by=MEASURE, or twist, late_arrival"),
        ("top=", "--select takes top=75%"),
        ("top=none", "such as 75%, not 'none'"),
        ("by=AP", "add --select top=N"),
        ("teams=nowhere.txt", "nowhere.txt"),
        ("late_arrival_teams", "takes the best run of each team"),
    ],
)
def test_a_selection_that_makes_no_sense_is_refused(rule, message, files, invoke):
    assert message in invoke("study", *files, "--select", rule, code=2).err
