"""The laws of studies."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from functools import cache
from random import Random
from typing import Any

from rankgauge.campaigns.campaign import Campaign
from rankgauge.campaigns.findings import Findings
from rankgauge.campaigns.registry import STUDIES, Study
from rankgauge.errors import RankgaugeError
from rankgauge.model.output import documents, tables
from rankgauge.testing.examples import large_campaign
from rankgauge.testing.laws import EXAMPLES, Laws

LAWS: Laws[Study] = Laws("study")
RUNS, TOPICS = 5, 12


def check_study(
    name: str, *, laws: Iterable[str] | None = None, examples: int = EXAMPLES, seed: int = 0
) -> None:
    """Check that a registered study obeys the laws of studies.

    Args:
        name: its name, such as "power"
        laws: the names of the laws to check; by default all
        examples: how many random campaigns each law is checked on
        seed: of the random examples

    """
    LAWS.check(name, STUDIES.find(name), laws, examples, seed)


@cache
def _campaign(threads: int | None = None) -> Campaign:
    return Campaign(*large_campaign(), threads=threads)


@cache
def findings_of(study: Study) -> Findings:
    """What a study finds in a small campaign."""
    return study.call(_campaign())


def _refusal(study: Study, campaign: Any, **options: Any) -> str:
    """The message with which a study refuses a campaign or options; "" if it does not."""
    try:
        study.call(campaign, **options)
    except RankgaugeError as error:
        return str(error)
    return ""


def _texts(findings: Findings) -> Iterable[tuple[str, str]]:
    for form in documents.FORMATS:
        yield form, "\n".join(documents.document_lines(findings.document(), form))


@LAWS.law("a study has a title, a source, help, and words for its options", random=False)
def _described(study: Study, _: Random) -> None:
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", study.name), study.name
    for part in ("title", "cite", "example"):
        assert getattr(study, part), f"it has no {part}"
    first = study.help.split("\n")[0]
    assert first.endswith((".", "?")), f"the first line of its docstring is no sentence: {first!r}"
    for parameter in study.parameters:
        assert parameter.help, f"the option {parameter.name} has no help"
        assert parameter.kind.words, f"the kind of the option {parameter.name} has no words"
        assert not parameter.required, f"the option {parameter.name} has no default"


@LAWS.law("findings have tables, and the value of every option", random=False)
def _tables(study: Study, _: Random) -> None:
    findings = findings_of(study)
    assert isinstance(findings, Findings), f"it returns a {type(findings).__name__}"
    assert (findings.study, findings.title) == (study.name, study.title)
    assert findings.tables, "there is no table"
    assert findings.captions.keys() <= findings.tables.keys(), "a caption belongs to no table"
    assert {"runs": RUNS, "topics": TOPICS}.items() <= findings.settings.items(), findings.settings
    options = {parameter.name for parameter in study.parameters}
    assert options <= findings.settings.keys(), findings.settings
    assert not options & _campaign().settings.keys(), "an option has the name of a setting of campaigns"
    for name, table in findings.tables.items():
        assert [*table.rows], f"the table {name} is empty"
        assert {len(row) for row in table.rows} == {len(table.headers)}, f"{name}: rows and headers differ"
        assert len({*table.headers}) == len(table.headers), f"{name}: two columns of one name"
        for form in tables.FORMATS:
            assert tables.render(table, form).count("\n") >= 1, f"{name} is empty as {form}"


@LAWS.law("findings are written in every format, and as valid JSON", random=False)
def _written(study: Study, _: Random) -> None:
    findings = findings_of(study)
    record = findings.as_dict()
    assert json.loads(json.dumps(record, allow_nan=False)) == record
    for form, text in _texts(findings):
        assert study.title in text, f"the title is not in {form}"
        if form in ("table", "html"):
            assert all(table in text for table in findings.tables), f"a table is missing in {form}"


@LAWS.law("settings are written so that they can be passed again", random=False)
def _settings(study: Study, _: Random) -> None:
    written = findings_of(study).as_dict()["settings"]
    options = {parameter.name: written[parameter.name] for parameter in study.parameters}
    again = study.settings({key: each for key, each in options.items() if each is not None})
    assert Findings(settings=again).as_dict()["settings"] == options


@LAWS.law("the same seed finds the same, and threads do not show", random=False)
def _repeatable(study: Study, _: Random) -> None:
    assert study.call(_campaign(threads=3)).as_dict() == findings_of(study).as_dict()


@LAWS.law("a study of scores finds the same in them, or refuses", random=False)
def _of_scores(study: Study, _: Random) -> None:
    findings = findings_of(study)
    scores = _campaign().scores(findings.settings.get("measures"))
    refused = _refusal(study, scores)
    if refused:
        assert re.search("the campaign has only scores|no measure here", refused), refused
    else:
        assert study.call(scores).as_dict()["tables"] == findings.as_dict()["tables"]


def odd_campaigns() -> dict[str, tuple[Any, Any]]:
    """{what is odd: (judgments by subtopic, runs)}."""
    qrels, runs = large_campaign()
    first, *_ = qrels
    same = next(iter(runs.values()))

    def marked(name: str) -> str:  # markup of some kind, or what moves a terminal's cursor
        return f"<b>{name}</b>|_$%\\{{&\x1b[31m\t#"

    return {
        "markup": (
            {marked(topic): {marked(s): grades for s, grades in by.items()} for topic, by in qrels.items()},
            {marked(run): {marked(topic): each for topic, each in by.items()} for run, by in runs.items()},
        ),
        "one topic": ({first: qrels[first]}, runs),
        "two topics": ({topic: qrels[topic] for topic in [*qrels][:2]}, runs),
        "one run": (qrels, {"alone": same}),
        "two runs": (qrels, dict([*runs.items()][:2])),
        "equal runs": (qrels, {"a": same, "b": same, "c": same}),
        "nothing relevant": (
            {t: {"1": dict.fromkeys(by["1"] | by["2"], 0)} for t, by in qrels.items()},
            runs,
        ),
        "nothing found": (qrels, {name: {first: {"unjudged": 1.0}} for name in "abc"}),
    }


@LAWS.law("an odd campaign is studied, or refused in words", random=False)
def _odd(study: Study, _: Random) -> None:
    for odd, (qrels, runs) in odd_campaigns().items():
        campaign = Campaign(qrels, runs)
        if message := _refusal(study, campaign):
            assert odd != "markup", f"it refuses ids with markup: {message}"
            assert len(message) > 20, f"{odd}: {message}"
            continue
        findings = study.call(campaign)
        json.dumps(findings.as_dict(), allow_nan=False)
        for form, text in _texts(findings):
            assert "\x1b" not in text, f"{odd}: control characters in {form}"
            assert form != "html" or "<b>bm25" not in text, f"{odd}: markup in {form}"


@LAWS.law("what a study cannot take is refused in the same words", random=False)
def _refused(study: Study, _: Random) -> None:
    if study.least_runs > 1:
        message = _refusal(study, _campaign().only(["bm25"]))
        wanted = f"the study {study.name} needs at least {study.least_runs} runs, not 1; add more"
        assert message == wanted, message
    message = _refusal(study, _campaign(), nonsense=1)
    assert f"the study {study.name} has no option 'nonsense'" in message, message
    for parameter in study.parameters:
        message = _refusal(study, _campaign(), **{parameter.name: object()})
        assert re.search("must be|measure", message), f"{parameter.name}: {message}"
