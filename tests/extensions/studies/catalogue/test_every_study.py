"""What holds of every study in the registry."""

import json
import re
import shlex

import pytest
from rankgauge.studies import Campaign

from extensions.studies import small
from rankgauge import studies
from rankgauge.campaigns.findings import Findings
from rankgauge.cli.main import main
from rankgauge.errors import InputError, OptionError, RankgaugeError
from rankgauge.model.output import documents, tables

STUDIES = studies.STUDIES
HOSTILE = small.hostile()
each_study = pytest.mark.parametrize("name", STUDIES)


@pytest.fixture(scope="module")
def found():
    """The findings of each study on the small campaign."""
    return {name: study.call(small.campaign()) for name, study in STUDIES.items()}


def outcome(name, campaign):
    """(findings, "") or (None, why there are none)."""
    try:
        return STUDIES[name].call(campaign), ""
    except RankgaugeError as error:
        return None, str(error)


@each_study
def test_a_study_has_title_source_help_and_words_for_its_options(name):
    study = STUDIES[name]
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", name)
    assert study.title
    assert study.cite
    assert study.help.split("\n")[0].endswith((".", "?"))
    assert all(parameter.help and parameter.kind.words for parameter in study.parameters)
    assert not any(parameter.required for parameter in study.parameters)
    assert getattr(studies, name.replace("-", "_")) is study.call


@each_study
def test_findings_have_tables_and_settings(name, found):
    findings = found[name]
    assert isinstance(findings, Findings)
    assert (findings.study, findings.title) == (name, STUDIES[name].title)
    assert findings.tables
    assert all(list(table.rows) for table in findings.tables.values())
    assert {"runs": 5, "topics": 12, "ties": "docid_desc"}.items() <= findings.settings.items()
    options = {parameter.name for parameter in STUDIES[name].parameters}
    assert options <= findings.settings.keys()
    assert not options & small.campaign().settings.keys()  # one would hide the other
    assert findings.captions.keys() <= findings.tables.keys()


@each_study
def test_findings_are_valid_json(name, found):
    record = found[name].as_dict()
    assert json.loads(json.dumps(record, allow_nan=False)) == record


@each_study
def test_settings_are_written_so_that_they_can_be_passed_again(name, found):
    study = STUDIES[name]
    written = found[name].as_dict()["settings"]
    options = {parameter.name: written[parameter.name] for parameter in study.parameters}
    again = study.settings({key: each for key, each in options.items() if each is not None})
    assert Findings(settings=again).as_dict()["settings"] == options


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


@each_study
@pytest.mark.parametrize("form", documents.FORMATS)
def test_findings_are_written_in_every_format(name, form, found):
    text = "\n".join(documents.document_lines(found[name].document(), form))
    assert STUDIES[name].title in text
    if form in ("table", "html"):
        assert all(table in text for table in found[name].tables)


@each_study
@pytest.mark.parametrize("form", tables.FORMATS)
def test_each_table_is_written_in_every_format(name, form, found):
    for table in found[name].tables.values():
        assert len({len(row) for row in table.rows} | {len(table.headers)}) == 1
        assert len(set(table.headers)) == len(table.headers)
        assert tables.render(table, form).count("\n") >= 1


@each_study
def test_the_same_seed_finds_the_same_and_threads_do_not_show(name, found):
    again = STUDIES[name].call(small.campaign(threads=3))
    assert again.as_dict() == found[name].as_dict()


@each_study
def test_a_study_of_scores_finds_the_same_in_them(name, found):
    measures = found[name].settings.get("measures")
    again, refused = outcome(name, small.campaign().scores(measures))
    if refused:
        assert re.search("the campaign has only scores|no measure here", refused)
    else:
        assert again.as_dict()["tables"] == found[name].as_dict()["tables"]


@each_study
@pytest.mark.parametrize("odd", HOSTILE)
def test_an_odd_campaign_is_studied_or_refused(name, odd):
    qrels, runs = HOSTILE[odd]
    findings, refused = outcome(name, Campaign(qrels, runs))
    if refused:
        assert odd != "markup", refused
        assert len(refused) > 20
        return
    json.dumps(findings.as_dict(), allow_nan=False)
    for form in documents.FORMATS:
        text = "\n".join(documents.document_lines(findings.document(), form))
        assert "\x1b" not in text
        assert form != "html" or "<b>bm25" not in text


@pytest.mark.parametrize("name", [name for name, study in STUDIES.items() if study.least_runs > 1])
def test_one_run_where_several_are_needed_is_refused_in_the_same_words(name):
    _, refused = outcome(name, small.campaign().only([next(iter(small.RUNS))]))
    assert refused == f"the study {name} needs at least 2 runs, not 1; add more"


@each_study
def test_an_option_that_does_not_exist_is_an_error_with_those_that_do(name):
    with pytest.raises(OptionError, match=f"the study {name} has no option 'nonsense'"):
        STUDIES[name].call(small.campaign(), nonsense=1)


@each_study
def test_an_option_refuses_nonsense_in_words(name):
    for parameter in STUDIES[name].parameters:
        with pytest.raises(RankgaugeError, match=r"must be|measure"):
            STUDIES[name].call(small.campaign(), **{parameter.name: object()})


@each_study
def test_the_example_of_a_study_runs(name, tmp_path, monkeypatch, capsys):
    small.MADE.write(tmp_path)
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
