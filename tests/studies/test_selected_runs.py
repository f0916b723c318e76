"""Studies of some of the runs: the campaign says which, and the command line selects them."""

import json

import pytest

from rankgauge.cli.main import main
from rankgauge.errors import InputError, OptionError
from rankgauge.studies import Campaign, correlation
from rankgauge.studies.selection import select
from studies import small

TEAMS = {name: f"team {name[0]}" for name in small.RUNS}


@pytest.mark.parametrize(
    "rules", [{"top": 2}, {"top": "50%", "by": "RR"}, {"teams": TEAMS}, {"setting": "twist"}]
)
def test_a_campaign_selects_its_runs_by_their_scores(rules):
    campaign = small.campaign()
    chosen = campaign.select(**rules)
    assert chosen.runs == select(campaign.scores("AP RR"), **rules)
    assert 0 < len(chosen.runs) < len(campaign.runs)
    assert identical_scores(chosen, Campaign(small.QRELS, {name: small.RUNS[name] for name in chosen.runs}))
    of_scores = Campaign.of_scores(campaign.scores("AP RR")).select(**rules)
    assert of_scores.runs == chosen.runs


def identical_scores(one, other):
    return one.scores("AP Bpref").to_dict() == other.scores("AP Bpref").to_dict()


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
def test_the_command_line_selects_runs(arguments, rules, files, capsys):
    selection = [word for rule in arguments for word in ("--select", rule)]
    assert main(["study", *files, *selection, "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
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
def test_a_selection_that_makes_no_sense_is_refused(rule, message, files, capsys):
    assert main(["study", *files, "--select", rule]) == 2
    assert message in capsys.readouterr().err


def test_scores_that_lack_the_measure_cannot_select():
    with pytest.raises(InputError, match="no measure here is called 'AP'"):
        Campaign.of_scores(small.campaign().scores("RR")).select(top=2)
    with pytest.raises(OptionError, match="setting must be one of"):
        small.campaign().select(setting="nobody")
