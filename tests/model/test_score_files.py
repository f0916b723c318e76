"""Files of scores that are incomplete, damaged or hostile: refused in words, never read as other scores."""

import copy
import json
from contextlib import suppress

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from rankgauge import compare, evaluate
from rankgauge.campaigns.campaign import Campaign
from rankgauge.errors import InputError, RankgaugeError
from rankgauge.model.provenance import Facts
from rankgauge.model.scores import Scores

QRELS = {"1": {"a": 1, "b": 2}, "2": {"a": 1}, "3": {"c": 0}}
RUNS = {"x": {"1": {"a": 2.0, "c": 1.0}, "2": {"b": 1.0}}, "y": {"1": {"b": 1.0}, "3": {"c": 1.0}}}
JUNK = [
    None,
    True,
    -1,
    1.5,
    10**400,
    "",
    "text",
    "inf",
    [],
    [1],
    {},
    {"a": 1},
    [[]],
    "\ud800",
    2**63,
    "micro",
]


def scores(**rules):
    """Scores with an undefined, an infinite and a weighed value."""
    made = evaluate(QRELS, RUNS, ["nDCG@10", "R(average=micro)", "BalancePoint", "AP"], **rules)
    assert np.isnan(made.values).any() & np.isinf(made.values).any() & bool(made.weights)
    return made


def saved(path, **rules):
    scores(**rules).save(path)
    return json.loads(path.read_text())


def load(path, document):
    path.write_text(json.dumps(document))
    return Scores.load(path)


@pytest.fixture
def path(tmp_path):
    """The path of a file of scores."""
    return tmp_path / "scores.json"


@pytest.mark.parametrize("missing", ["zero", "skip"])
@pytest.mark.parametrize("extension", ["json", "parquet"])
def test_scores_come_back_with_undefined_infinite_and_weighed_values(tmp_path, extension, missing):
    original = scores(missing=missing)
    original.save(tmp_path / f"scores.{extension}")
    loaded = Scores.load(tmp_path / f"scores.{extension}")
    kept = np.broadcast_to(original.counted[:, None], original.values.shape)
    assert np.array_equal(loaded.values[kept], original.values[kept], equal_nan=True)
    assert (loaded.counted == original.counted).all()
    assert (loaded.provenance, repr(loaded.mean())) == (original.provenance, repr(original.mean()))


@pytest.mark.parametrize("facts", Facts.__subclasses__())
def test_every_field_of_the_provenance_reads_back(facts):
    fields = {name: getattr(facts(), name) for name in facts._defaults}
    as_json = {name: each.as_dict() if isinstance(each, Facts) else each for name, each in fields.items()}
    assert facts.from_dict(as_json) == facts()


@pytest.mark.parametrize("missing", ["zero", "skip"])
def test_a_value_that_is_missing_is_an_error(path, missing):
    document = saved(path, missing=missing)
    for run in document["runs"]:
        for measure in document["measures"]:
            for topic in document["scores"][run][measure]:
                damaged = copy.deepcopy(document)
                del damaged["scores"][run][measure][topic]
                with pytest.raises(
                    InputError, match=r"scores\.json: is not a .* expected the number of values"
                ):
                    load(path, damaged)
                for other in damaged["measures"]:  # the topic is gone with all its values
                    damaged["scores"][run][other].pop(topic, None)
                with pytest.raises(InputError, match="expected the number of values to be"):
                    load(path, damaged)
    assert load(path, document).mean()


def test_a_file_without_the_number_of_values_is_read_if_it_is_complete(path):
    document = saved(path)
    del document["values"]  # as in files of an older version
    assert load(path, document).counted.all()
    del document["scores"]["x"]["AP"]["1"]
    with pytest.raises(InputError, match="expected the number of values to be 24, not 23"):
        load(path, document)


def test_a_row_that_is_missing_empty_or_there_twice_is_an_error(tmp_path):
    scores(missing="skip").save(tmp_path / "scores.parquet")
    table = parquet.read_table(tmp_path / "scores.parquet")

    def refused(rows, message):
        rows = rows.replace_schema_metadata(table.schema.metadata)
        parquet.write_table(rows, tmp_path / "damaged.parquet")
        with pytest.raises(InputError, match=message):
            Scores.load(tmp_path / "damaged.parquet")

    for row in range(table.num_rows):
        rest = pa.concat_tables([table.slice(0, row), table.slice(row + 1)])
        refused(rest, "expected the number of values to be")
        refused(pa.concat_tables([rest, table.slice(0, 1) if row else table.slice(1, 1)]), "there once")
    values = table.column("value").to_pylist()
    refused(table.set_column(3, "value", pa.array([None, *values[1:]])), "every cell to be filled")
    refused(table.set_column(3, "value", pa.array([1] * len(values))), "the columns to be")
    refused(table.rename_columns(["run", "topic", "measure", "values"]), "the columns to be")
    refused(table.append_column("more", table.column("run")), "the columns to be")
    refused(
        table.set_column(0, "run", pa.array(["z"] * len(values))),
        "labels of values to be those in the header",
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"runs": ["x"]}, "the provenance of runs to be an object with the names in the header"),
        ({"runs": ["x", "x"]}, "runs to be different names"),
        ({"runs": ["x", 1]}, "runs to be names"),
        ({"runs": "xy"}, "runs to be a list of names, not 'xy'"),
        ({"topics": []}, "topics to be a list of names"),
        ({"topics": ["1", "2", "\ud800"]}, "valid Unicode"),
        ({"measures": None}, "measures to be a list of names, not None"),
        ({"rules": {"missing": "maybe"}}, "missing must be one of zero, skip, not 'maybe'"),
        ({"rules": {"what": "zero"}}, "the rules to be an object with the names in the header"),
        ({"rules": None}, "the rules to be an object, not None"),
        ({"weights": [1]}, r"the weights to be an object, not \[1\]"),
        ({"weights": {}}, r"the weights to be those of R\(average=micro\), too"),
        ({"weights": {"R(average=micro)": [[1, 2], [3, 4]]}}, "weights to be a number for every topic"),
        ({"weights": {"R(average=micro)": [["a"] * 3] * 2}}, "values to be numbers, null"),
        ({"provenance": {"measures": [1]}}, r"measures to be an object, not \[1\]"),
        ({"provenance": {"measures": {"AP": {"average": "mode"}}}}, "average of a measure to be one of mean"),
        ({"provenance": {"measures": {"AP": {"direction": 7}}}}, "direction of a measure to be 1, 0 or -1"),
        ({"provenance": {"measures": {"AP": {"title": 1}}}}, "title to be of type str, not 1"),
        ({"provenance": {"runs": {"x": {"missing": "no"}}}}, "missing to be of type int, not 'no'"),
        ({"provenance": {"runs": {"x": {"missing": True}}}}, "missing to be of type int, not True"),
        ({"provenance": {"runs": {"x": {"missing": 2**70}}}}, "missing to be a smaller number"),
        ({"provenance": {"runs": {"x": {"undefined": {"AP": 1.5}}}}}, "undefined to be of type int, not 1.5"),
        ({"provenance": {"runs": {"x": {"random_orders": 3}}}}, "provenance to be an object, not 3"),
        ({"provenance": {"qrels": {"topics": "many"}}}, "topics to be of type int, not 'many'"),
        ({"provenance": {"versions": {"rankgauge": 1}}}, "versions to be of type str, not 1"),
        ({"provenance": None}, "provenance to be an object, not None"),
        ({"scores": {"x": {}}}, "the scores to be 2 objects"),
        ({"scores": None}, "the scores to be an object, not None"),
        ({"values": "many"}, "the number of values to be many, not 24"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_named(path, change, message):
    with pytest.raises(InputError, match=message) as caught:
        load(path, saved(path) | change)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize("value", ["high", True, [], {}, 10**400, "nan"])
def test_a_value_is_a_number_or_null_or_inf(path, value):
    document = saved(path)
    document["scores"]["x"]["AP"]["1"] = value
    with pytest.raises(InputError, match=r"expected values to be numbers|a value is too large"):
        load(path, document)


def test_a_name_twice_is_an_error(path):
    saved(path)
    path.write_text(path.read_text().replace('"AP": {"1": ', '"AP": {"1": 0.5, "1": '))
    with pytest.raises(InputError, match='"1" occurs twice in one object'):
        Scores.load(path)


def test_a_small_file_does_not_fill_the_memory(path):
    document = saved(path, missing="skip")
    names = [str(number) for number in range(20_000)]
    document |= {"topics": names, "runs": names, "provenance": {}, "weights": {}, "measures": ["AP"]}
    document |= {"scores": {name: {"AP": {name: 1.0}} for name in names}, "values": len(names)}
    with pytest.raises(InputError, match="expected a file of its size to be of fewer values, not 400000000"):
        load(path, document)


def nodes(value):
    """All (container, key) in a document."""
    for key in [*value] if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        yield value, key
        yield from nodes(value[key])


def mutated(document, draw):
    """A copy of a document with a few nodes replaced, lost, or moved elsewhere."""
    document = copy.deepcopy(document)
    for _ in range(draw.randrange(1, 4)):
        container, key = draw.choice([*nodes(document)])
        other, place = draw.choice([*nodes(document)])
        match draw.randrange(4):
            case 0:
                container[key] = draw.choice(JUNK)
            case 1:
                del container[key]
            case 2 if isinstance(container, dict):
                container[draw.choice([*map(str, JUNK), "x", "AP", "1"])] = container.pop(key)
            case _:
                container[key] = copy.deepcopy(other[place])
    return document


def use(loaded):
    """Whatever can be done with scores; what they cannot be used for is an error in words."""
    assert repr(loaded)
    assert loaded._repr_html_()
    assert loaded.notes is not None
    assert loaded.to_dict().keys() == loaded.mean().keys() == {*loaded.runs}
    assert loaded.to_pandas().shape[1] == 4
    for work in (lambda: compare(loaded), lambda: Campaign.of_scores(loaded).scores()):
        with suppress(RankgaugeError):
            assert repr(work())


def try_file(path):
    """Load a file and use the scores; 1 if it was refused."""
    try:
        loaded = Scores.load(path)
    except RankgaugeError:
        return 1
    use(loaded)
    return 0


@pytest.mark.filterwarnings(
    "ignore:.*:RuntimeWarning"
)  # infinite values, of which a file may have any number
@pytest.mark.parametrize("missing", ["zero", "skip"])
def test_mutated_documents_are_read_or_refused(path, missing, cases, count):
    document, count = saved(path, missing=missing), count // 10
    refused = 0
    for _, draw in cases(count, seed=f"documents {missing}"):
        path.write_text(json.dumps(mutated(document, draw)))
        refused += try_file(path)
    assert count // 4 < refused < count  # both happen


def test_mutated_parquet_files_are_read_or_refused(tmp_path, cases, count):
    path, count = tmp_path / "scores.parquet", count // 10
    scores(missing="skip").save(path)
    whole, table = path.read_bytes(), parquet.read_table(path)
    header = json.loads(table.schema.metadata[b"rankgauge"])
    refused = 0
    for turn, draw in cases(count, seed="parquet"):
        if turn % 2:
            text = json.dumps(mutated(header, draw))
            parquet.write_table(table.replace_schema_metadata({"rankgauge": text}), path)
        else:
            content = bytearray(whole)
            for _ in range(draw.randrange(1, 4)):
                content[draw.randrange(len(content))] = draw.randrange(256)
            path.write_bytes(content[: draw.randrange(len(content))] if turn % 10 == 0 else content)
        refused += try_file(path)
    assert count // 4 < refused < count
