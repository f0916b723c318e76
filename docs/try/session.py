"""What the page computes, in Pyodide: means and explanations of a run and judgments given as text."""

from importlib.util import find_spec
from pathlib import Path

import rankgauge
from rankgauge import core
from rankgauge.core.ids import to_text
from rankgauge.errors import InputError, MissingDependency, RankgaugeError
from rankgauge.evaluation.evaluator import Evaluator, evaluate
from rankgauge.evaluation.program_back_end import ProgramBackEnd
from rankgauge.formats import text_files
from rankgauge.formats.problems import sentence
from rankgauge.formats.source import Source
from rankgauge.measures import parse, parse_all
from rankgauge.measures.rankings.programs import Unsupported
from rankgauge.model.output.documents import Section, page_section
from rankgauge.model.rules import DocumentOrder
from rankgauge.schema.json_text import to_json

QRELS, RUN, CHANGED, TOPIC = "judgments", "run", "changed/run", "topic/run"  # called as in messages
ALL = "topic/judgments"
NUMPY = "NumPy, which this page lacks; install rankgauge to do it"
LACKS = f"needs {NUMPY}"
MAX_LINES = 100  # of the table of ranks
for folder in ("changed", "topic"):
    Path(folder).mkdir(exist_ok=True)


def answer(name, *arguments):
    """The answer to a question of the page as JSON, or {"error": message}."""
    try:
        return to_json({"load": load, "topic": topic, "steps": steps, "target": target}[name](*arguments))
    except (Unsupported, MissingDependency) as error:
        what = f"{error.args[0]}: this" if isinstance(error, Unsupported) else "This"
        why = "is more than this page can show; install rankgauge to do it" if find_spec("numpy") else LACKS
        return to_json({"error": f"{what} {why}"})
    except (RankgaugeError, OSError) as error:
        return to_json({"error": str(error)})


def load(qrels, run, measures):
    """The topics, the means of the measures, and notes on the data."""
    Path(QRELS).write_text(qrels, encoding="utf-8")
    Path(RUN).write_text(run, encoding="utf-8")
    for path, kind in ((QRELS, "qrels"), (RUN, "run")):
        _check(path, kind)
    _retrieved(QRELS)  # what `topic` cannot show is an error
    known, lacking = _computable(measures)
    scores = _evaluated(RUN, known)
    notes = [f"{', '.join(lacking)}: needs {NUMPY}"] if lacking else []
    return {
        "measures": list(scores.measures),
        "topics": list(scores.topics),
        "notes": [*notes, *scores.data_notes],
    }


def topic(name, measure, measures, ranking=None):
    """The documents of a topic, its values and the means, and how the value of a measure is computed.

    `ranking` are documents, best first, in place of those of the run.
    """
    judged = [fields for fields in _fields(QRELS) if fields[0] == name.encode()]
    grades = {to_text(doc): float(grade) for _, _, doc, grade in sorted(judged, key=lambda row: row[2])}
    found = _ranked(name)
    documents = [*found, *(document for document in grades if document not in found)]
    others = Path(RUN).read_bytes().splitlines()
    lines = [line for line in others if line.split()[:1] == [name.encode()]]
    if ranking is not None:
        others = [line for line in others if line not in lines]
        lines = [f"{name} Q0 {each} {n} {len(ranking) - n} run".encode() for n, each in enumerate(ranking, 1)]
        others += lines
    Path(CHANGED).write_bytes(b"\n".join(others))
    Path(TOPIC).write_bytes(b"\n".join(lines))
    scores = _evaluated(CHANGED, _computable(measures)[0])
    return {
        "documents": documents,
        "retrieved": len(found),
        "grades": [grades.get(document) for document in documents],
        "levels": sorted({float(fields[3]) for fields in _fields(QRELS)}),
        "measures": [
            {"text": text, "label": text, "direction": parse(text).spec.direction} for text in scores.measures
        ],
        "topic": [values[name] for values in scores.to_dict()["run"].values()],
        "mean": [*scores.mean()["run"].values()],
        "sections": [*map(page_section, _explained(TOPIC if lines else RUN, measure, name))],
    }


def steps(name, measure):
    """What each rank adds to the value of the ranking that `topic` showed last, for the board of lectures."""
    explained = rankgauge.explain(QRELS, TOPIC, measure, topic=name)
    from rankgauge.extensions.pages.explorer.views import lecture  # which needs NumPy

    grades = {to_text(doc): float(grade) for topic, _, doc, grade in _fields(QRELS) if topic == name.encode()}
    found = lecture.steps(explained, grades)
    for row in (*found["rows"], *found["best"]):
        row["name"] = row["document"]
    levels = sorted({float(fields[3]) for fields in _fields(QRELS)})
    return {**found, "measure": {"label": measure}, "levels": levels}


def target(number, measure):
    """Which definitions, rules and tools give a number that somebody printed as the mean of the run."""
    document = rankgauge.explain(QRELS, RUN, measure, target=number).document(limit=MAX_LINES)
    return {"title": document.title, "sections": [*map(page_section, document.sections)]}


def _explained(run, measure, topic):
    """The sections of an explanation, its definition last; a sentence where it cannot be computed."""
    try:
        document = rankgauge.explain(QRELS, run, measure, topic=topic).document(limit=MAX_LINES)
    except MissingDependency:
        return [Section("Rank by rank", (f"This {LACKS}.",))]
    return sorted(document.sections, key=lambda section: section.title == "Definition")


def _check(path, kind):
    """Refuse what is no TREC text, in the words of its reader."""
    reader = core.Table(text_files.TREC_FIELDS[kind], 1)
    reader.feed(Path(path).read_bytes())
    for code, line, text in reader.finish()["problems"]:
        other = "this page reads TREC text, and rankgauge other formats, too"
        raise InputError(f"{sentence(code, bytes(text), kind)}; {other}", path=path, line=line)


def _computable(measures):
    """(measures that this page computes, those for which it lacks NumPy)."""
    parsed = parse_all(measures)
    if find_spec("numpy"):
        return parsed, []
    known, lacking, reason = [], [], None
    for measure in parsed:
        try:
            Evaluator(QRELS, [measure], back_end="programs")
            known.append(measure)
        except Unsupported as error:
            lacking.append(str(measure))
            reason = error
    if not known and reason is not None:
        raise reason
    return known, lacking


def _retrieved(qrels):
    """The judged documents of the run, by these judgments."""
    return ProgramBackEnd((), DocumentOrder(), qrels).retrieve(Source(RUN))


def _ranked(name):
    """The documents of a topic in the order of evaluation: with all of them judged, each has a rank."""
    docs = sorted(fields[2] for fields in _fields(RUN) if fields[0] == name.encode())
    if not docs:
        return []
    Path(ALL).write_bytes(b"".join(b"%b 0 %b 1\n" % (name.encode(), doc) for doc in docs))
    return [to_text(docs[number]) for number in _retrieved(ALL).judgment]


def _fields(path):
    return [line.split() for line in Path(path).read_bytes().splitlines() if line.split()]


def _evaluated(run, measures):
    """The scores; with NumPy where the page has it and the other back end lacks something."""
    try:
        return Evaluator(QRELS, measures, back_end="programs").evaluate(run)
    except Unsupported as error:
        try:
            return evaluate(QRELS, run, measures)
        except MissingDependency:
            raise error from None
