"""Both cores called with the same plain Python values, and what they return made comparable."""

import math
from array import array
from itertools import pairwise

import pytest

from rankgauge.core import pure
from rankgauge.core.buffers import column, offsets
from rankgauge.model import rules as options

try:
    from rankgauge.core import _compiled as compiled
except ImportError:
    compiled = None

BY_TOPIC = ("retrieved", "tied", "decisive", "squares")
TIES = [rule for rule in options.TIES.rules if rule not in options.OVER_ORDERS]
UNRANKED = [rule for rule in TIES if rule != "rank"]  # the rules for ties that need no ranks
DUPLICATES = [rule for rule in options.DUPLICATES.rules if rule not in options.COMBINE]
DEFAULT = options.DocumentOrder().core_rules()
TOTALS = ("unjudged_topics", "rows", "dropped")
needs_compiled = pytest.mark.skipif(compiled is None, reason="the compiled core is not built")
CORES = [pytest.param(pure, id="pure"), pytest.param(compiled, id="compiled", marks=needs_compiled)]


def judgments(core, judged, least=-math.inf):
    """core.Judgments of {topic: {document: grade}}, both sorted by bytes."""
    topics = sorted(judged)
    docs = [doc for topic in topics for doc in sorted(judged[topic])]
    grades = array("d", [judged[topic][doc] for topic in topics for doc in sorted(judged[topic])])
    starts = offsets(len(judged[topic]) for topic in topics)
    return core.Judgments(*column(topics), starts, *column(docs), grades, least)


def rules(rng):
    """(order, ties, precision, duplicates, collect, detail, visibility) and the least grade, at random."""
    rule = (
        rng.choice(["score", "score", "score", "rank"]),
        rng.choice(TIES),
        rng.choice(["double", "double", "single"]),
        rng.choice(DUPLICATES),
        rng.random() < 0.4,
        rng.random() < 0.5,
        visibility(rng),
    )
    return rule, rng.choice([-math.inf, -math.inf, 0.0, 1.0])


def visibility(rng):
    """What measures see of ties, at random."""
    levels = [-1.0, 0.0, 0.5, 1.0, 2.0, 3.0]

    def visible():
        cutoffs = array("q", rng.sample(range(1, 9), rng.choice([0, 1, 2])))
        kinds = array("q", [rng.choice([-1, 0, 0, 1]) for _ in levels])
        return kinds, rng.choice([0, 1, 2, 5, 1 << 40]), cutoffs, rng.random() < 0.4

    return array("d", levels), tuple(visible() for _ in range(rng.choice([0, 1, 1, 3])))


def plain(value):
    """A returned value with all its buffers as bytes; of hashes, which differ between the cores, the size."""
    if isinstance(value, dict):
        return {
            key: len(memoryview(part).cast("B")) if key == "unjudged_hashes" else plain(part)
            for key, part in value.items()
        }
    if isinstance(value, (tuple, list)):
        return [plain(part) for part in value]
    return value if isinstance(value, (int, bytes, type(None))) else bytes(value)


def joined(core, judged, rules, chunks, least=-math.inf):
    """What a Join makes of a file: its hits, or the trouble it met with."""
    join = core.Join(judgments(core, judged, least), *rules)
    for chunk in chunks:
        trouble = join.feed(chunk)
        if trouble:
            assert join.feed(b"1 Q0 d 1 1 t\n") == trouble, "a join in trouble stays in it"
            break
    return join.finish()


def of_columns(core, judged, rules, rows, least=-math.inf):
    """The same of a column each of topics and documents, scores and ranks."""
    join = core.Join(judgments(core, judged, least), *rules)
    join.columns(*rows)
    return join.finish()


def scanned(core, judged, rules, path, places, least=-math.inf):
    """The same of a file that the core reads itself, from one of these places to the next."""
    join = core.Join(judgments(core, judged, least), *rules)
    with path.open("rb", buffering=0) as file:
        for begin, end in pairwise(places):
            if join.scan(file.fileno(), begin, end):
                break
    return join.finish()


def regrouped(core, judged, rules, parts, least=-math.inf):
    """The hits of parts of a run, collected by a join each: those of all topics, or trouble."""
    known = judgments(core, judged, least)
    joins = [core.Join(known, *rules) for _ in parts]
    for join, part in zip(joins, parts, strict=True):
        join.feed(part)
    joins[0].regroup(joins[1:])
    results = [join.finish() for join in joins]
    for result in results:
        if in_trouble(result):
            return result
    found = {}
    for result in results:
        told = {
            k: array("d" if k in ("score", "squares") else "q", v)
            for k, v in result.items()
            if k not in TOTALS
        }
        starts, topics = told.pop("starts"), told.pop("topic")
        for n, topic in enumerate(topics):
            assert topic not in found, "a topic is with one join only"
            found[topic] = {
                name: numbers[n] if name in BY_TOPIC else list(numbers[starts[n] : starts[n + 1]])
                for name, numbers in told.items()
            }
    totals = {name: sum(r[name] for r in results) for name in TOTALS}
    return [dict(sorted(found.items())), totals]


def tabled(core, fields, keep, chunks):
    """What a Table makes of a file."""
    table = core.Table(fields, keep)
    for chunk in chunks:
        table.feed(chunk)
    return plain(table.finish())


def in_trouble(result):
    return isinstance(result, tuple)
