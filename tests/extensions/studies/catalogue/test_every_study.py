"""What holds of every study in the registry."""

import shlex

import pytest

from cases import checked
from extensions.studies import small
from rankgauge import studies
from rankgauge.cli.main import main
from rankgauge.errors import InputError
from rankgauge.model.output import documents
from rankgauge.testing import check_study

STUDIES = studies.STUDIES


@pytest.mark.parametrize(("name", "law"), checked("study", STUDIES))
def test_every_study_obeys_the_laws_of_studies(name, law):
    check_study(name, laws=[law])
    assert getattr(studies, name.replace("-", "_")) is STUDIES[name].call


def test_gains_and_maps_are_written_as_the_measure_language_does():
    gains = ({1: 1, 2: 5, 3: 10}, "exp2")
    findings = studies.power(small.campaign(), measures="AP nDCG", gains=gains, samples=20)
    assert findings.as_dict()["settings"]["gains"] == ["{1:1,2:5,3:10}", "exp2"]
    teams = dict.fromkeys(small.RUNS, "us")
    of_teams = studies.leave_out(small.campaign(), measures="AP", teams=teams)
    for form in documents.FORMATS:
        for each in (findings, of_teams):
            text = "\n".join(documents.document_lines(each.document(), form))
            assert "Gains(" not in text
            assert "{'" not in text


@pytest.mark.parametrize("name", STUDIES)
def test_the_example_of_a_study_runs(name, tmp_path, monkeypatch, capsys):
    small.MADE.write(tmp_path)
    judged = [(topic, *pair) for topic, docs in small.QRELS.items() for pair in docs.items()]
    drawn = (f"{t} 0 {doc} all {grade if n % 2 else -1}\n" for n, (t, doc, grade) in enumerate(judged))
    (tmp_path / "sample.qrels").write_text("".join(drawn))
    monkeypatch.chdir(tmp_path)
    assert main(["study", name, *shlex.split(STUDIES[name].example)]) == 0
    assert STUDIES[name].title in capsys.readouterr().out


def test_a_study_takes_a_campaign_or_scores():
    with pytest.raises(InputError, match=r"takes a Campaign\(qrels, runs\) or Scores, not dict"):
        next(iter(STUDIES.values())).call({})


def test_studies_are_listed(capsys):
    assert main(["study"]) == 0
    listed = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
    assert listed == [["study", "title"], *([study.name, study.title] for study in STUDIES.values())]
