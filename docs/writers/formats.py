"""The page on formats of runs, judgments and scores."""

import io
from collections.abc import Iterator

import rankgauge
from rankgauge import formats
from rankgauge.cli.evaluate import score_lines
from rankgauge.formats.columns import NAMES, ROLES
from rankgauge.formats.source import OPENERS
from rankgauge.model.output import tables
from writers.markup import code, codes, fenced, sentence, table

HELD = {"run": "runs", "qrels": "judgments"}
KEPT = {
    "run": {"value": "scores", "rank": "ranks", "label": "tags"},
    "qrels": {"value": "grades", "label": "iterations or subtopics"},
}
# Of topics with their results, which JSON can hold as well; it is written otherwise.
INSIDE = [
    '{"query_id": "301", "results": [{"id": "d7", "score": 12.5}, {"id": "d2", "score": 11}]}',
    '{"301": ["d7", "d2"]}',
    '{"301": {"hits": {"hits": [{"_id": "d7", "_score": 12.5}, {"_id": "d2", "_score": 11}]}}}',
    '{"query_id": "301", "relevant": ["d7"]}',
]


def file_formats() -> Iterator[str]:
    """Every format with a sample, column names, compression, and output formats."""
    yield "# Formats\n"
    yield "## Runs and judgments\n"
    yield """A format is recognised by the first bytes of a file, or else by its extension. A file that
matches neither is read as TREC. Text formats skip blank lines and lines that begin with `#`; CSV and TSV
skip the latter only before the header.
"""
    for form in formats.FORMATS.values():
        yield from _format(form)
    yield "## Names of columns\n"
    yield """Columns of frames and files are recognised by these names; the first match is used. Case, spaces,
dots, dashes and underscores make no difference. Distances are used if there are no scores.
"""
    roles = [*dict.fromkeys(role for kind in ROLES.values() for role in kind.values()), "distance"]
    yield table(("column", "names"), ((code(role), codes(NAMES[role].split())) for role in roles))
    yield """JSON may have a topic with its documents inside, in a list of one of these names. An `id` beside
the list is that of the topic.
"""
    lists = {"results": "of a run", "judged": "of judgments"}
    yield table(("list", "names"), ((what, codes(NAMES[role].split())) for role, what in lists.items()))
    yield fenced("\n".join(INSIDE))
    yield "## Compression\n"
    yield f"""Files can be read and written with the extensions {codes(OPENERS)}. Reading
detects compression from the first bytes; writing follows the extension. `.zst` needs `rankgauge[zstd]`
before Python 3.14.
"""
    yield from _output()


def _format(form: formats.Format) -> Iterator[str]:
    yield f"### {form.name}\n"
    yield f"{sentence(form.title)}\n"
    yield f"- Holds: {', '.join(HELD[kind] for kind in form.kinds)}"
    yield f"- Extensions: {codes(form.extensions) or 'none of its own'}"
    if form.write:
        kept = [KEPT[kind][part] for kind in form.kinds for part in form.keeps if part in KEPT[kind]]
        yield f"- Preserves: {', '.join(kept) or 'the order of documents'}"
    else:
        yield "- Read only"
    yield ""
    if form.example:
        needs = " (needs `rankgauge[arrow]`)" if form.write else ""
        yield f"Example: `{form.example}`{needs}.\n"
        return
    for kind in form.kinds if form.samples or form.write else ():
        yield f"Example of {HELD[kind]}:\n"
        yield fenced(sample(form, kind))


def sample(form: formats.Format, kind: str) -> str:
    """Two rows in a text format."""
    if form.write is None:
        return form.samples[kind]
    run = rankgauge.Run.from_dict({"301": {"d7": 12.5, "d2": 11.0}}, "bm25")
    qrels = rankgauge.Qrels.from_dict({"301": {"d7": 2, "d2": 0}})
    out = io.BytesIO()
    form.write((run if kind == "run" else qrels).columns(), out)
    return out.getvalue().decode()


def _output() -> Iterator[str]:
    yield "## Output of scores\n"
    runs = {"bm25": {"301": {"d7": 12.5, "d2": 11.0}}, "ql": {"301": {"d2": 0.4, "d7": 0.1}}}
    scores = rankgauge.evaluate({"301": {"d7": 2}}, runs, "RR")
    titles = {form.name: form.title for form in tables.FORMATS.values()}
    titles["json"] = "one JSON document with the provenance; with -q it is what Scores.save writes"
    titles["trec"] = "lines as trec_eval prints them, with the measure names of rankgauge"
    for name, title in titles.items():
        yield f"### {name}: scores\n"
        extensions = tables.FORMATS[name].extensions if name in tables.FORMATS else ()
        yield f"{sentence(title)} Extensions: {codes(extensions) or 'none'}.\n"
        lines = list(score_lines(scores, name, False, 4))
        if name == "json":  # the provenance before the means contains version numbers
            (text,) = lines
            lines = ["{ …", text[text.index('  "mean"') :]]
        yield fenced("\n".join(lines))
