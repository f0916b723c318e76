"""Answers by nuggets and citations, against definitions written out, and rankings by the same nuggets."""

import csv
import io
import json
import math
import random
from fractions import Fraction

import pytest

import rankgauge
from rankgauge import nuggets
from rankgauge.errors import InputError, MeasureError, OptionError

LABELS = ("support", "partial_support", "not_support")
ALL = [*nuggets.MEASURES, "NuggetF(beta=5,allowance=20)"]
HALF = Fraction(1, 2)


def record(assignments, topic="q1", run="rag", **more):
    """The record of an answer: its nuggets are v1, v2, ... and o1, o2, ..., with these labels."""
    named = [(name, label) for name, label in assignments.items()]
    listed = [
        {"text": name, "importance": "vital" if name[0] == "v" else "okay", "assignment": label}
        for name, label in named
    ]
    return {"qid": topic, "run_id": run, "query": "what?", "nuggets": listed, **more}


def random_records(topics=8, seed=3):
    """Answers of two runs, some topics without vital nuggets, and their citations."""
    source, records = random.Random(seed), []
    for topic in range(topics):
        names = [f"v{n}" for n in range(topic % 4)] + [f"o{n}" for n in range(1 + topic % 3)]
        for run in ("a", "b"):
            text = "word " * source.randint(0, 120)
            labels = {name: source.choice(LABELS) for name in names}
            records.append(record(labels, f"q{topic}", run, answer_text=text, response_length=1))
            for sentence in range(source.randint(0, 4)):
                cited = [f"d{n}" for n in range(source.randint(0, 3))]
                row = {"qid": f"q{topic}", "run_id": run, "sentence": sentence}
                records += [{**row, "citation": doc, "support": source.choice(LABELS)} for doc in cited] or [
                    row
                ]
    return records


def by_definition(records, run, topic):
    """{measure: value, None if undefined} of one answer, from the definitions, as fractions."""
    credit = {"support": Fraction(1), "partial_support": HALF, "not_support": Fraction(0)}
    rows = [each for each in records if (each["run_id"], each["qid"]) == (run, topic)]
    (answer,) = (each for each in rows if "nuggets" in each)
    found = [(each["importance"] == "vital", each["assignment"]) for each in answer["nuggets"]]
    values = {}
    for name, okay in (("Vital", Fraction(0)), ("All", Fraction(1)), ("Weighted", HALF)):
        whole = sum(1 if vital else okay for vital, _ in found)
        half = sum((1 if vital else okay) * credit[label] for vital, label in found)
        strict = sum((1 if vital else okay) for vital, label in found if label == "support")
        values[name], values[f"{name}_strict"] = (part / whole if whole else None for part in (half, strict))
    length = len("".join(answer["answer_text"].split()))
    returned = sum(label == "support" for _, label in found)
    for name, beta, each in (("NuggetF", 3, 100), (ALL[-1], 5, 20)):
        recall, allowed = values["Vital_strict"], each * returned
        precision = Fraction(1) if length <= allowed else 1 - Fraction(length - allowed, length)
        below = None if recall is None else beta**2 * precision + recall
        values[name] = below and (beta**2 + 1) * precision * recall / below
    cited = {}
    for each in rows:
        if "sentence" in each:
            of_sentence = cited.setdefault(each["sentence"], [])
            of_sentence += [credit[each["support"]]] if "citation" in each else []
    every = [support for of_sentence in cited.values() for support in of_sentence]
    best = [max(of_sentence, default=Fraction(0)) for of_sentence in cited.values()]
    values["CitationPrecision"] = sum(every) / len(every) if every else None
    values["CitationRecall"] = sum(best) / len(best) if best else None
    return values


RECORDS = random_records()


def test_values_are_those_of_the_definitions():
    scores = nuggets.evaluate(RECORDS, ALL)
    assert {*scores.measures} == {*ALL}
    undefined = 0
    for run, by_measure in scores.to_dict().items():
        for measure, by_topic in by_measure.items():
            for topic, value in by_topic.items():
                expected = by_definition(RECORDS, run, topic)[measure]
                undefined += expected is None
                assert (
                    math.isnan(value) if expected is None else value == pytest.approx(float(expected), 1e-12)
                )
    assert undefined > 4


def test_a_worked_example():
    labels = {"v1": "support", "v2": "support", "v3": "partial_support", "o1": "support", "o2": "not_support"}
    found = nuggets.evaluate(
        [record(labels, answer_text="nine char " * 100)], "V_strict V A_strict A W_strict W NuggetF"
    )
    assert found.mean()["rag"] == {
        "Vital_strict": 2 / 3,
        "Vital": 2.5 / 3,
        "All_strict": 3 / 5,
        "All": 3.5 / 5,
        "Weighted_strict": 2.5 / 4,
        "Weighted": 3 / 4,
        # 800 characters, 300 allowed: P = 3/8, R = 2/3, F = 10 P R / (9 P + R)
        "NuggetF": pytest.approx(2.5 / (27 / 8 + 2 / 3)),
    }
    cited = [
        ("s1", "d1", "support"),
        ("s1", "d2", "no_support"),
        ("s2", "d3", "partial_support"),
        ("s3", "", ""),
    ]
    rows = [dict(zip(("sentence", "citation", "support"), row, strict=True)) for row in cited]
    rows = [{"qid": "q1", **{name: text for name, text in row.items() if text}} for row in rows]
    scores = nuggets.evaluate(rows)
    assert scores.mean() == {"run": {"CitationPrecision": 0.5, "CitationRecall": 0.5}}


def changed(records, place, label):
    """The records with another label for all nuggets of one answer."""
    answer = {
        **records[place],
        "nuggets": [{**each, "assignment": label} for each in records[place]["nuggets"]],
    }
    return [*records[:place], answer, *records[place + 1 :]]


def same(one, other):
    """Whether scores are equal, to the last bit, in whatever order runs are."""
    first, second = (json.dumps(scores.to_dict(), sort_keys=True) for scores in (one, other))
    return first == second


def test_laws():
    scores = nuggets.evaluate(RECORDS, ALL)
    assert same(nuggets.evaluate(RECORDS[::-1], ALL), scores)
    alone = nuggets.evaluate([each for each in RECORDS if each["run_id"] == "a"], ALL)
    assert same(alone, scores.only(runs=["a"]))
    values = scores.values
    defined = ~(values != values)
    assert ((values >= 0) & (values <= 1))[defined].all()
    for name in ("Vital", "All", "Weighted"):
        strict, half = (scores.only(measures=[each]).values for each in (f"{name}_strict", name))
        assert (strict <= half)[strict == strict].all()
    best, worst = (
        nuggets.evaluate(changed(RECORDS, 0, label), ALL[:-3]) for label in ("support", "not_support")
    )
    within = scores.only(measures=ALL[:-3]).values
    assert ((worst.values <= within) & (within <= best.values))[within == within].all()
    padded = [
        {**each, "answer_text": each["answer_text"] + "x" * 999} if "answer_text" in each else each
        for each in RECORDS
    ]
    longer = nuggets.evaluate(padded, "NuggetF").values
    of_f = scores.only(measures=["NuggetF"]).values
    assert (longer <= of_f)[of_f == of_f].all()


def as_csv(records):
    """The nuggets of records as a table."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(("run", "query_id", "nugget", "importance", "assignment", "length"))
    for each in records:
        size = len("".join(each.get("answer_text", "").split()))
        for nugget in each.get("nuggets", ()):
            writer.writerow((each["run_id"], each["qid"], *nugget.values(), size))
    return out.getvalue()


def test_files_hold_the_same_as_records(working_folder):
    answers = [each for each in RECORDS if "nuggets" in each]
    lines = "".join(f"{json.dumps(each)}\n" for each in RECORDS)
    working_folder(
        {"all.jsonl": lines, "nuggets.csv": as_csv(answers), "tabs.tsv": as_csv(answers).replace(",", "\t")}
    )
    assert same(nuggets.evaluate("all.jsonl", ALL), nuggets.evaluate(RECORDS, ALL))
    expected = nuggets.evaluate(answers, ALL[:7])
    for name in ("nuggets.csv", "tabs.tsv"):
        assert same(nuggets.evaluate(name, ALL[:7]), expected)


def test_a_file_without_run_ids_is_a_run_and_a_name_comes_first(working_folder, invoke):
    nameless = {**record({"v1": "support"})}
    del nameless["run_id"]
    working_folder(
        {"old.jsonl": json.dumps(nameless), "new.jsonl": json.dumps(record({"v1": "not_support"}))}
    )
    printed = invoke("evaluate", "old.jsonl", "mine=new.jsonl", "-m", "V").out
    assert printed == "run\tVital\nold\t1.0000\nmine\t0.0000\n"
    assert nuggets.evaluate(["old.jsonl", "new.jsonl"]).provenance.qrels.source == "old.jsonl, new.jsonl"


def test_files_that_would_be_lost_are_refused(working_folder, refused):
    several = "\n".join(json.dumps(record({"v1": "support"}, run, run)) for run in "ab")
    working_folder({"two.jsonl": several, "empty.jsonl": ""})
    message = 'two.jsonl:2: the file has several runs, "a" and "b"; leave mine= out, which names one'
    assert message in refused("evaluate", "mine=two.jsonl")
    assert "empty.jsonl: no answers" in refused("evaluate", "two.jsonl", "empty.jsonl")


def test_options_on_human_assessments_need_some():
    with pytest.raises(OptionError, match="human_topics, estimator and target are for human_qrels"):
        nuggets.evaluate([FIRST], estimator="difference")


def test_a_missing_answer_is_empty_and_no_vital_nugget_is_undefined():
    records = [
        record({"v1": "support", "o1": "support"}, "q1", "a"),
        record({"v1": "support", "o1": "support"}, "q1", "b", answer_text=""),
        record({"o1": "support"}, "q2", "a"),
    ]
    scores = nuggets.evaluate(records, "Vital All")
    assert scores.to_dict()["b"]["All"] == {"q1": 1.0, "q2": 0.0}
    assert math.isnan(scores.to_dict()["a"]["Vital"]["q2"])
    assert scores.mean() == {"a": {"Vital": 0.5, "All": 1.0}, "b": {"Vital": 0.5, "All": 0.5}}
    skipped = nuggets.evaluate(records, "Vital All", missing="skip", undefined="skip")
    assert skipped.mean() == {"a": {"Vital": 1.0, "All": 1.0}, "b": {"Vital": 1.0, "All": 1.0}}
    missing, undefined = scores.data_notes
    assert missing.startswith("b: 1 judged topic has no results and ")
    assert undefined.startswith("in each of a, b: Vital undefined for 1 topic and counted as 0 in the mean")


def test_labels_that_nuggetizer_did_not_get_count_as_not_supported_with_a_note():
    scores = nuggets.evaluate([record({"v1": "support", "v2": "failed"})], "V")
    assert scores.mean() == {"rag": {"Vital": 0.5}}
    assert scores.data_notes == ("rag: labels that are `failed` were read as not_support",)


def test_scores_are_compared_saved_and_corrected(tmp_path):
    source = random.Random(1)
    draw = lambda run, skew: [  # noqa: E731
        record({f"v{n}": source.choices(LABELS, (skew, 1, 1))[0] for n in range(5)}, f"q{topic}", run)
        for topic in range(12)
    ]
    answers = [*draw("old", 1), *draw("new", 6)]
    scores = nuggets.evaluate(answers)
    assert scores.measures == ("Vital_strict", "Vital", "All_strict", "All")
    (pair,) = rankgauge.compare(scores, "Vital", baseline="old")["Vital"].pairs
    assert pair.run == "new"
    assert pair.corrected < 0.05
    assert all(0 < low < high < 1 for low, high in scores.interval()["new"].values())
    scores.save(tmp_path / "scores.json")
    loaded = rankgauge.Scores.load(tmp_path / "scores.json")
    assert loaded.to_dict() == scores.to_dict()
    assert loaded.interval() == scores.interval()
    human = [each for each in answers if int(each["qid"][1:]) < 9]
    corrected = nuggets.evaluate(answers, "Vital", human_qrels=human, estimator="difference")
    assert corrected.mean("Vital") == pytest.approx(scores.mean("Vital"))
    assert corrected.data_notes == ("9 topics with human judgments: only these judgments count there",)
    with pytest.raises(InputError, match="must have the same runs"):
        nuggets.evaluate(answers, "Vital", human_qrels=human[:9])


FIRST = record({"v1": "support"})
CITED = {"qid": 1, "sentence": 1, "citation": "d", "support": "support"}
TABLE = "qid,nugget,importance,assignment\n"


def one(**nugget):
    """A record with one nugget, whose fields differ from those of an ordinary one; None leaves one out."""
    fields = {"text": "v1", "importance": "vital", "assignment": "support", **nugget}
    return {**FIRST, "nuggets": [{name: text for name, text in fields.items() if text is not None}]}


@pytest.mark.parametrize(
    ("records", "message"),
    [
        ([one(assignment="yes")], 'record 1: the assignment is "yes"; expected one of support, full_support'),
        ([one(assignment=None)], "record 1: the assignment is missing; expected one of support"),
        ([one(importance="Vital!")], 'the importance is "Vital!"; expected one of vital, okay'),
        ([one(text=None)], "record 1: the nugget is missing"),
        ([{**FIRST, "nuggets": "v1"}], "nuggets are \"'v1'\"; expected a list of objects"),
        ([{"nuggets": []}], "the topic is missing: .*; call it query_id or qid, a text or a whole number"),
        ([{**FIRST, "qid": " "}], "record 1: the topic is missing"),
        ([{"qid": "q1", "text": "x"}], 'record 1: neither nuggets nor citations: "qid, text"; expected qid'),
        (["missing.jsonl"], r"missing.jsonl: .*"),
        ([[1]], r'record 1: expected an object with names, found "\[1\]"'),
        ([], "there are no answers; pass at least one file or record"),
        (None, "answers are files, or a list of records such as .*, not None"),
        ([{**FIRST, 7: 7}, {**FIRST, 7: 7}], 'record 2: nugget "v1" occurs twice'),
        ([{**FIRST, **CITED, "qid": "q1"}], "record 1: nuggets and the support of a citation in one record"),
        (
            [{**CITED, "length": 5}, {**CITED, "sentence": 2, "length": 6}],
            'record 2: the answer of run "run" to topic "1" has two lengths, 5 and 6; give it one',
        ),
        ([{**FIRST, "nuggets": 2 * FIRST["nuggets"]}], 'nugget "v1" occurs twice in the answer of run "rag"'),
        (
            [FIRST, FIRST],
            'record 2: nugget "v1" occurs twice in the answer of run "rag" to topic "q1"; remove',
        ),
        (
            [FIRST, record({"v1": "support", "o2": "support"}, run="b")],
            'record 2: the runs "rag" and "b" have different nuggets for topic "q1", such as "o2"',
        ),
        ([{**FIRST, "docid": "d1"}], 'record 1: these nuggets are assessed in the document "d1", not in an'),
        ([{**FIRST, "length": -1}], 'the length of the answer is "-1"; expected its number of characters'),
        ([{**CITED, "citation": None}], "there is a label of support, and no citation; name the document"),
        ([{**CITED, "support": "yes"}], 'the support is "yes"; expected one of support'),
        ([CITED, CITED], 'record 2: sentence "1" of the answer of run "run" to topic "1" cites "d" twice'),
    ],
)
def test_wrong_records_are_refused(records, message):
    with pytest.raises(InputError, match=message):
        nuggets.evaluate(records)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"qid": 1, "nuggets": []}\n{"qid": 2, "nug', r"x:2: invalid JSON .*; is the file truncated\?"),
        ('{"qid": 1, "qid": 2, "nuggets": []}', r'x:1: invalid JSON \("qid" occurs twice'),
        ('[{"qid": 1, "nuggets": []}]', "x:1: expected an object: "),
        (f"qid,{TABLE}1,2,a,vital,support\n", 'x:1: two columns are named "qid"'),
        ("[" * 100_000, "x:1: invalid JSON"),
        (json.dumps(one(assignment="yes")), 'x:1: the assignment is "yes"'),
        (f"{TABLE}1,a,vital,support\n1,b,vital\n", "x:3: expected the 4 columns of the header, found 3"),
        (f"{TABLE},a,vital,support\n", "x:2: the topic is missing"),
        (f"{TABLE}1,a,vital,support\n1,a,vital,support\n", 'x:3: nugget "a" occurs twice'),
        (TABLE, "x: no answers; expected at least one record with a topic"),
        ("", "x: no answers"),
        ("1 0 d1 2\n1 0 d2 2\n", "x:2: neither nuggets nor citations"),
        ("\0\0\n\0", "x:1: is not text"),
    ],
)
def test_wrong_files_are_refused_with_their_line(text, message, working_folder):
    working_folder({"x": text})
    with pytest.raises(InputError, match=message):
        nuggets.evaluate("x")


def test_damaged_files_are_read_or_refused(tmp_path):
    source, path = random.Random(5), tmp_path / "x"
    whole = ("".join(f"{json.dumps(each)}\n" for each in RECORDS[:6]), as_csv(RECORDS[:6]))
    refused = 0
    for _ in range(60):
        damaged = bytearray(source.choice(whole).encode())
        for _ in range(source.randint(1, 3)):
            damaged[source.randrange(len(damaged))] = source.choice(b"\"'{}[],:\n\t\0\xff 0a")
        path.write_bytes(damaged[: source.randint(0, 2 * len(damaged))])
        try:
            nuggets.evaluate(path, "V NuggetF").mean()
        except (InputError, MeasureError) as error:
            refused += str(path) in str(error)
    assert refused > 20


@pytest.mark.parametrize(
    ("measures", "error", "message"),
    [
        ("Vitl", MeasureError, "no measure of answers named 'Vitl'|unknown measure of answers"),
        ("NuggetF(beta=0)", MeasureError, "NuggetF: beta must be a number above 0 to 1000000, not"),
        ("NuggetF(beta=1e200)", MeasureError, "NuggetF: beta must be a number above 0 to 1000000, not"),
        ("NuggetF(beta=x)", MeasureError, "NuggetF: beta must be a number above 0 to 1000000, not 'x'"),
        ("NuggetF(b=1)", OptionError, "NuggetF .*'b'"),
        (
            "NuggetF(beta=1",
            MeasureError,
            r"cannot read the measure 'NuggetF\(beta=1'; .* like NuggetF\(beta=3\)",
        ),
        ("NuggetF)", MeasureError, r"cannot read the measure 'NuggetF\)'"),
        ("NuggetF(beta=1, beta=2)", MeasureError, "NuggetF: beta is set twice"),
        ("Vital(partial=1)", OptionError, "Vital .*'partial'"),
        ("", MeasureError, "no measures of answers; name at least one of Vital"),
        ("NuggetF", MeasureError, r"NuggetF needs the text of answers \(answer_text\) or their length"),
        ("CitationRecall", MeasureError, "CitationRecall needs rows of sentences and citations"),
    ],
)
def test_wrong_measures_are_refused(measures, error, message):
    with pytest.raises(error, match=message):
        nuggets.evaluate([FIRST], measures)


RETRIEVED = {
    "d1": {"a fact": "support", "another": "not_support", "a third": "partial_support"},
    "d2": {"a fact": "support", "another": "support", "a third": "not_support"},
    "d3": {"a fact": "not_support", "another": "partial_support", "a third": "not_support"},
}
SUBTOPICS = {"q1": {"1": {"d1": 2, "d2": 2}, "2": {"d2": 2, "d3": 1}, "3": {"d1": 1}}}
DIVERSITY = "alpha_nDCG@10 alpha_nDCG(rel=2)@10 StRecall@1 ERR_IA@10"


def test_rankings_are_evaluated_by_the_nuggets_of_documents(working_folder):
    run = {"q1": {"d3": 3.0, "d1": 2.0, "d2": 1.0}}
    nested = [{**record(labels, docid=doc), "candidate_text": "..."} for doc, labels in RETRIEVED.items()]
    names = ("qid", "docid", "nugget", "importance", "assignment")
    rows = [
        ("q1", doc, text, "vital", label)
        for doc, labels in RETRIEVED.items()
        for text, label in labels.items()
    ]
    working_folder(
        {
            "nested.jsonl": "".join(f"{json.dumps(each)}\n" for each in nested),
            "rows.csv": "\n".join([",".join(names), *map(",".join, rows)]),
            "rows.jsonl": "\n".join(json.dumps(dict(zip(names, row, strict=True))) for row in rows),
        }
    )
    expected = rankgauge.evaluate(SUBTOPICS, run, DIVERSITY).mean()
    assert expected["run"]["StRecall@1"] == 1 / 3
    for name in ("nested.jsonl", "rows.jsonl", "rows.csv"):
        assert rankgauge.evaluate(name, run, DIVERSITY).mean() == expected
        grades = rankgauge.SubtopicQrels.read(name).to_dict()["q1"]
        assert {s: {d: g for d, g in of.items() if g} for s, of in grades.items()} == SUBTOPICS["q1"]
        assert rankgauge.validate(name).kind == "qrels"


@pytest.mark.parametrize(
    ("name", "text", "columns", "message"),
    [
        (
            *("x.csv", "qid,docid,nugget,importance,assignment\n1,d,a,vital,support\n", {"topic": "x"}),
            r"x.csv: the columns of nuggets cannot be named; .* call them qid",
        ),
        (
            *("x.jsonl", json.dumps(FIRST), None),
            "x.jsonl:1: these nuggets are assessed in an answer, not in a",
        ),
    ],
)
def test_wrong_nuggets_of_documents_are_refused(name, text, columns, message, working_folder):
    working_folder({name: text})
    with pytest.raises(InputError, match=message):
        rankgauge.evaluate(name, {"q1": ["d1"]}, "StRecall", qrels_columns=columns)
