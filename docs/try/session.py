"""What the page computes, in Pyodide: means and explanations of a run and judgments given as text."""

import sys
from importlib.util import find_spec
from pathlib import Path

from rankgauge.core.ids import to_bytes
from rankgauge.errors import MissingDependency, RankgaugeError
from rankgauge.evaluation import scalar_back_end
from rankgauge.evaluation.evaluator import Evaluator, evaluate
from rankgauge.explanation import explain
from rankgauge.formats.source import Source
from rankgauge.formats.text_files import lines_of_topic
from rankgauge.measures import parse
from rankgauge.measures.rankings.vector import Unsupported
from rankgauge.model.output.documents import page_section
from rankgauge.model.rules import DocumentOrder
from rankgauge.schema.json_text import to_json

scalar_back_end.MAX_WORK = sys.maxsize  # there may be no NumPy to leave it to
QRELS, RUN, CHANGED, TOPIC = "judgments", "run", "changed/run", "topic/run"  # called as in messages
MAX_LINES = 100  # of the table of ranks
for folder in ("changed", "topic"):
    Path(folder).mkdir(exist_ok=True)


def answer(name, *arguments):
    """The answer to a question of the page as JSON, or {"error": message}."""
    try:
        return to_json({"load": load, "topic": topic, "target": target}[name](*arguments))
    except (Unsupported, MissingDependency) as error:
        what = f"{error.args[0]}: this" if isinstance(error, Unsupported) else "This"
        why = (
            "is more than this page can show" if find_spec("numpy") else "needs NumPy, which this page lacks"
        )
        return to_json({"error": f"{what} {why}; install rankgauge to do it"})
    except (RankgaugeError, OSError) as error:
        return to_json({"error": str(error)})


def load(qrels, run, measures):
    """The topics, the means of the measures, and notes on the data."""
    Path(QRELS).write_text(qrels, encoding="utf-8")
    Path(RUN).write_text(run, encoding="utf-8")
    _judgments().retrieve(Source(RUN))  # what `topic` cannot show is an error
    scores = _evaluated(RUN, measures)
    return {
        "measures": list(scores.measures),
        "topics": list(scores.topics),
        "notes": list(scores.data_notes),
    }


def topic(name, measure, measures, ranking=None):
    """The documents of a topic, its values and the means, and how the value of a measure is computed.

    `ranking` are documents, best first, in place of those of the run.
    """
    back_end = _judgments()
    place = back_end.topics.index(name)
    found = back_end.ranked(Source(RUN), name)
    begin, end = back_end.starts[place : place + 2]
    grades = dict(zip(back_end.documents(place), back_end.grades[begin:end], strict=True))
    documents = [*found, *(document for document in grades if document not in found)]
    lines = b"".join(lines_of_topic(Source(RUN), to_bytes(name)))
    others = Path(RUN).read_bytes()
    if ranking is not None:
        kept = [line for line in others.splitlines(keepends=True) if line.split()[:1] != [to_bytes(name)]]
        rows = (f"{name} Q0 {each} {n} {len(ranking) - n} run\n" for n, each in enumerate(ranking, 1))
        lines = "".join(rows).encode()
        others = b"".join([*kept, b"\n", lines])
    Path(CHANGED).write_bytes(others)
    Path(TOPIC).write_bytes(lines)
    scores = _evaluated(CHANGED, measures)
    document = explain(QRELS, TOPIC if lines else RUN, measure, topic=name).document(limit=MAX_LINES)
    sections = sorted(document.sections, key=lambda section: section.title == "Definition")  # which is last
    return {
        "documents": documents,
        "retrieved": len(found),
        "grades": [grades.get(document) for document in documents],
        "levels": back_end.levels,
        "measures": [
            {"text": text, "label": text, "direction": parse(text).spec.direction} for text in scores.measures
        ],
        "topic": [values[name] for values in scores.to_dict()["run"].values()],
        "mean": [*scores.mean()["run"].values()],
        "sections": [*map(page_section, sections)],
    }


def target(number, measure):
    """Which definitions, rules and tools give a number that somebody printed as the mean of the run."""
    document = explain(QRELS, RUN, measure, target=number).document(limit=MAX_LINES)
    return {"title": document.title, "sections": [*map(page_section, document.sections)]}


def _judgments():
    return scalar_back_end.ScalarBackEnd((), DocumentOrder(), QRELS)


def _evaluated(run, measures):
    """The scores; with NumPy where the page has it and the other back end lacks something."""
    try:
        return Evaluator(QRELS, measures, back_end="scalars").evaluate(run)
    except Unsupported as error:
        try:
            return evaluate(QRELS, run, measures)
        except MissingDependency:
            raise error from None
