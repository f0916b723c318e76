"""Rankings of one topic by several runs, and why their values differ."""

from __future__ import annotations

import math
import re
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from rankgauge.campaigns.campaign import Campaign
from rankgauge.engines.assembly import assemble, judgments_for, numbers_in_topics, pool_of_topic
from rankgauge.errors import OptionError
from rankgauge.explanation import explain
from rankgauge.explanation.diff import document_changes
from rankgauge.explanation.one_run import subtopics_by_rank
from rankgauge.explanation.report import begun
from rankgauge.explanation.run_diff import DEPTH as OVERLAP_DEPTH
from rankgauge.explanation.run_diff import ranking_change
from rankgauge.explanation.topic import Explanation
from rankgauge.explanation.topic_diff import HOW, Change, DocumentMove
from rankgauge.extensions.pages.explorer.session import Session
from rankgauge.extensions.pages.explorer.views import (
    Address,
    Parameters,
    Shown,
    View,
    add_view,
    chosen_measure,
    chosen_runs,
    command_line,
    first_of,
)
from rankgauge.extensions.pages.explorer.views.curves import depth_of, drawn_measures, rounded
from rankgauge.extensions.pages.explorer.views.measures import described
from rankgauge.extensions.pages.explorer.views.unjudged import unjudged
from rankgauge.extensions.pages.figures.labels import spelled
from rankgauge.extensions.pages.figures.registry import FIGURES
from rankgauge.measures import Measure, parse, parse_all
from rankgauge.measures.rankings.arrays import JudgedRankings, Pool
from rankgauge.model.output.documents import labelled, page_section
from rankgauge.model.output.tables import printable
from rankgauge.model.score_values import topic_values
from rankgauge.model.subtopics import SubtopicQrels

if TYPE_CHECKING:
    from rankgauge.extensions.pages.figures.figure import Figure

LONGEST = 20_000  # characters of a text
SNIPPET = 180  # characters of a snippet
SEARCHED = 1_500  # characters of a text that snippets are taken from
BEFORE = 40  # characters of a snippet before its first marked word
NEAR = 12  # marked words of a snippet that count

_WORD = re.compile(r"\w+")
# Characters of Chinese and Japanese, which are written without spaces.
_CJK = r"\u3005-\u3007\u3041-\u30fa\u30fc-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_CJK_WORDS = re.compile(f"[{_CJK}]+")
_HIRAGANA = re.compile(r"[\u3041-\u309f]+")  # of pairs, mostly endings and particles
_ENDING = re.compile(r"(?<=\w{3})(?:s|es|ed|ing)$")
_COMMON = {  # words of English questions that say nothing about their subject
    *_WORD.findall(
        "a about an and are as at be by can did do does for from has have how i in is it its me my of"
    ),
    *_WORD.findall(
        "on or that the their there these this to was were what when where which who why will with you"
    ),
}

Pattern = re.Pattern[str]


def words_of(query: str) -> Pattern | None:
    """A pattern of the words of a query with English endings, if there are any to find.

    In Chinese and Japanese: stretches in which every two characters follow each other in the query.
    """
    words = {
        word.lower() for word in _WORD.findall(_CJK_WORDS.sub(" ", query))
    }  # as re.IGNORECASE does: ß is not ss
    stems = {_ENDING.sub("", word) for word in words - _COMMON or words}
    longest_first = "|".join(sorted(map(re.escape, stems), key=lambda stem: (-len(stem), stem)))
    pairs = {run[at : at + 2] for run in _CJK_WORDS.findall(query) for at in range(max(1, len(run) - 1))}
    pairs = {pair for pair in pairs if not _HIRAGANA.fullmatch(pair)} or pairs
    starts = "|".join(f"{pair[0]}(?={pair[1]})" for pair in sorted(pairs) if len(pair) == 2)
    parts = [rf"(?<![^\W{_CJK}])(?:{longest_first})(?:e?s?|ed|ing)(?![^\W{_CJK}])"] if stems else []
    parts += [f"(?:{starts})+."] if starts else []
    parts += sorted(pair for pair in pairs if len(pair) == 1)
    return re.compile(f"({'|'.join(parts)})", re.IGNORECASE) if parts else None


def marked(text: str, words: Pattern | None) -> list[str]:
    """The parts of a text, every second one a word of the query."""
    return [text] if words is None else words.split(text)


def snippet(text: str, words: Pattern | None) -> list[str]:
    """The part of a text with most different words of the query, marked; it begins with a word."""
    is_cut = len(text) > SEARCHED
    text = " ".join(text[:SEARCHED].split())
    found = [] if words is None else [(each.start(), each[0].casefold()) for each in words.finditer(text)]
    begin, most, all_words = 0, 0, len({word for _, word in found})
    for number, (first, _) in enumerate(found):
        end = max(0, first - BEFORE) + SNIPPET
        different = len({word for at, word in found[number : number + NEAR] if at < end})
        if different > most:
            begin, most = first, different
        if most == all_words:
            break
    half = SNIPPET // 2  # at most this far from a word to a space: some texts have none
    begin = 0 if begin < half else max(text.rfind(" ", 0, begin - BEFORE) + 1, begin - half)
    part = text[begin : begin + SNIPPET]
    if is_cut or begin + SNIPPET < len(text):
        space = part.rfind(" ", half)
        part = f"{part if space < 0 else part[:space]} …"
    return marked(f"… {part}" if begin else part, words)


def document(session: Session, parameters: Parameters) -> dict[str, Any]:
    """The title and the text of a document, as far as known, marked; whether the text is cut."""
    name, topic = parameters.text("document"), parameters.text("topic", "")
    words = words_of(query_of(session, session.topic_called(topic))) if topic else None
    text = session.document_texts.get(name) if session.document_texts is not None else None
    return {
        "texts": session.document_texts is not None,
        "known": text is not None,
        "title": marked(text.title, words) if text else [],
        "body": marked(text.body[:LONGEST], words) if text else [],
        "cut": text is not None and len(text.body) > LONGEST,
    }


def query_of(session: Session, topic: str) -> str:
    """The query of a topic (name in the files), or an empty text."""
    text = session.topic_texts.get(topic) if session.topic_texts is not None else None
    return (text.title or text.body) if text else ""


DEPTH, DEEPEST = 100, 10_000  # ranks to show
MAX_MISSED = 100  # relevant documents that are listed below a ranking
TEXT_DEPTH = 20  # down to which documents that are not judged have texts, unless a page asks for more
BY_SUBTOPIC = "alpha_nDCG@10"  # of the subtopics of documents, if the measure chosen does not depend on them
MAX_LINES = 100  # of a table of an explanation
PLACES = 10  # of shares: what is less comes from rounding


def ranking(session: Session, parameters: Parameters) -> dict[str, Any]:
    """Rankings of a topic by some runs, or all, down to a depth, with values and curves.

    Lists of numbers are in the order of `measures`:

    query, relevant, judged, levels   of `about_topic`
    measures                          [text, label, title, help, direction, cutoff]
    documents                         each once: ids, grades (null: unjudged) and, if there are texts, marked
                                      titles and snippets (null where the text is left out)
    ideal                             curves of the ideal ranking; null for a measure without a curve
    runs                              {name: retrieved, ranked, scores, missed, missed_in_all, values, curves}

    `ranked` has places in `documents`, `missed` [place, rank] of relevant documents not among them, best
    first. `texts` is the depth down to which unjudged documents have texts.
    """
    return rankings(
        session,
        session.topic_called(parameters.text("topic")),
        [session.run_called(run) for run in parameters.texts("runs") or session.runs],
        session.campaign.measure_texts(parameters.text("measures", "") or session.measures),
        parameters.number("depth", DEPTH, 1, DEEPEST),
        parameters.number("texts", TEXT_DEPTH, 0, DEEPEST),
    )


def rankings(
    session: Session,
    topic: str,
    runs: Sequence[str],
    measures: Sequence[str],
    depth: int,
    texts: int = TEXT_DEPTH,
) -> dict[str, Any]:
    """The same, by names in the files."""
    campaign = session.campaign
    parsed = parse_all(measures) if campaign.is_judged else ()
    rows = [campaign.runs.index(run) for run in runs]
    place, grades = campaign.topics.index(topic), campaign.qrels.grades_of(topic)
    values = _values_of(session, parsed, place)
    judged, pool = _judged_rankings(campaign, parsed, rows, place)
    drawn = [rounded(each.vector(judged, depth)) if each.spec.curve else None for each in parsed]
    places: dict[str, int] = {}  # of documents, in the answer
    with_texts = {*grades} if texts else set()
    found = {}
    for row, run in enumerate(runs):
        ranked = campaign.ranking(run, topic)
        documents = ranked.texts
        shown, rank_of = documents[:depth], {name: rank for rank, name in enumerate(documents, 1)}
        with_texts.update(shown[:texts])
        # Those retrieved further down, by rank, and then those that were not; the best grade first.
        below = {name: rank_of.get(name, math.inf) for name, grade in grades.items() if grade >= 1}
        lost = sorted((name for name in below if below[name] > depth), key=lambda n: (-grades[n], below[n]))
        found[session.shown_runs[run]] = {
            "retrieved": len(documents),
            "ranked": [places.setdefault(name, len(places)) for name in shown],
            "scores": rounded(ranked.scores[:depth]),
            "missed": [
                [places.setdefault(name, len(places)), rank_of.get(name)] for name in lost[:MAX_MISSED]
            ],
            "missed_in_all": len(lost),
            "values": [of_runs[rows[row]] for of_runs in values],
            "curves": [each and each[row][: max(1, len(shown))] for each in drawn],
        }
    about = about_topic(session, topic)
    return {
        **about,
        "measures": [{**described(session, str(each)), "cutoff": each.cutoff} for each in parsed],
        "documents": {
            "ids": [printable(name) for name in places],
            "grades": [grades.get(name) for name in places],
            **_texts_of(session, [*places], with_texts, about["query"]),
        },
        "ideal": [_ideal(each, pool, depth) for each in parsed],
        "runs": found,
    }


def _values_of(session: Session, measures: Sequence[Measure], place: int) -> list[list[float]]:
    """The values of all runs on a topic by each measure, as comparisons count them."""
    scores, topic = session.standings(measures) if measures else {}, slice(place, place + 1)
    return [
        topic_values(scores[str(each)].scores, 0, each.spec.direction, topic)[0][:, 0].tolist()
        for each in measures
    ]


def _judged_rankings(
    campaign: Campaign, measures: Iterable[Measure], rows: Sequence[int], place: int
) -> tuple[JudgedRankings, Pool]:
    """(judged rankings of a topic by some runs, as these measures need them; its pool)."""
    qrels, hits = judgments_for(measures, campaign.qrels), [campaign.hits[row] for row in rows]
    pool, docs = pool_of_topic(qrels, place), numbers_in_topics(qrels)
    return assemble(hits, place, place + 1, qrels.sorted_grades, pool, campaign.longest, docs), pool


def _ideal(measure: Measure, pool: Pool, depth: int) -> list[float] | None:
    if not measure.spec.curve:
        return None
    curve: list[float] = rounded(measure.vector(measure.ideal(pool, depth), depth)[0])
    return curve


def _texts_of(
    session: Session, documents: Sequence[str], wanted: Container[str], query: str
) -> dict[str, Any]:
    if session.document_texts is None:
        return {}
    words = words_of(query)
    texts = session.document_texts.get_many([name for name in documents if name in wanted])
    return {
        "titles": [marked(texts[name].title, words) if name in texts else None for name in documents],
        "snippets": [snippet(texts[name].body, words) if name in texts else None for name in documents],
    }


def about_topic(session: Session, topic: str) -> dict[str, Any]:
    """Query, number of relevant documents, and all grades of a topic."""
    grades = session.campaign.qrels.grades_of(topic)
    return {
        "query": query_of(session, topic),
        "relevant": sum(grade >= 1 for grade in grades.values()),
        "judged": len(grades),
        "levels": session.campaign.qrels.levels.tolist(),
    }


def moves(session: Session, parameters: Parameters) -> dict[str, Any]:
    """Moves of documents `against` another run, and their shares in the difference of a measure.

    Without `against` every document is new, and shares are parts of the value. `documents` has [id, old rank,
    new rank, move, share] within the depth of either ranking, and of others with a share.
    """
    topic, run, measure = _asked(session, parameters)
    depth = parameters.number("depth", DEPTH, 1, DEEPEST)
    runs = (session.run_called(old) if (old := parameters.text("against", "")) else None), run
    return moves_by_measure(session, topic, runs, [] if measure is None else [measure], depth)[0]


def moves_by_measure(
    session: Session,
    topic: str,
    runs: tuple[str | None, str],
    measures: Sequence[Measure],
    depth: int,
) -> list[dict[str, Any]]:
    """The same for each measure, or without one, by names in the files."""
    rankings = _documents(session, topic, *runs)
    changes, moved = _changes(session, topic, runs, rankings, measures, depth)
    alike = {"depth": OVERLAP_DEPTH, **asdict(ranking_change(topic, *rankings, OVERLAP_DEPTH))}
    return [
        {
            "difference": change and change.difference,
            "way": change and HOW[change.way],
            "rest": change and change.rest,
            "alike": alike,
            "documents": [
                [printable(each.document), each.old, each.new, each.move, share]
                for each in moved
                for share in [round(each.shares.get(text) or 0.0, PLACES)]
                if share or min(each.old or DEEPEST, each.new or DEEPEST) <= depth
            ],
        }
        for text in changes or [""]
        for change in [changes.get(text)]
    ]


def _asked(session: Session, parameters: Parameters) -> tuple[str, str, Measure | None]:
    """(topic, run, measure) by names in the files; no measure if nothing is judged."""
    topic, run = parameters.text("topic"), parameters.text("run")
    measure = parse(parameters.text("measure", session.measures[0])) if session.campaign.is_judged else None
    return session.topic_called(topic), session.run_called(run), measure


def _documents(session: Session, topic: str, old: str | None, new: str) -> tuple[list[str], list[str]]:
    before = [] if old is None else session.campaign.ranking(old, topic).texts
    return before, session.campaign.ranking(new, topic).texts


def _changes(
    session: Session,
    topic: str,
    runs: tuple[str | None, str],
    rankings: tuple[list[str], list[str]],
    measures: Sequence[Measure],
    depth: int,
) -> tuple[Mapping[str, Change], Sequence[DocumentMove]]:
    """The changes of measures between runs (None: from no result), and documents as `document_changes`."""
    campaign, place = session.campaign, session.campaign.topics.index(topic)
    old, new = runs
    row = campaign.runs.index
    values = {
        measure: (0.0 if old is None else of_runs[row(old)], of_runs[row(new)])
        for measure, of_runs in zip(measures, _values_of(session, measures, place), strict=True)
    }
    qrels = judgments_for(values, campaign.qrels)
    return document_changes(qrels, place, *rankings, values, campaign.longest, campaign.rules, depth=depth)


def subtopics(session: Session, parameters: Parameters) -> dict[str, Any]:
    """Subtopics covered down to the cutoff, and their contributions to the value.

    `rows` has [id, worth of each subtopic there (null: not covered), contribution]. A measure that does not
    depend on subtopics is replaced by one that does.
    """
    campaign, (topic, run, asked) = session.campaign, _asked(session, parameters)
    place, qrels = campaign.topics.index(topic), campaign.qrels
    if not isinstance(qrels, SubtopicQrels) or asked is None:
        raise OptionError(
            f"the judgments have no subtopics; start with a measure that needs them, such as {BY_SUBTOPIC}"
        )
    measure = asked if asked.spec.needs.subtopics else parse(BY_SUBTOPIC)
    depth = min(measure.cutoff or DEPTH, parameters.number("depth", DEPTH, 1, DEEPEST))
    documents = _documents(session, topic, None, run)
    changes, moved = _changes(session, topic, (None, run), documents, [measure], depth)
    judged, _ = _judged_rankings(campaign, [measure], [campaign.runs.index(run)], place)
    names = qrels.subtopics[place]
    covered = subtopics_by_rank(measure, judged, names)
    rows = []
    for rank, each in enumerate(moved[:depth], 1):
        worth = {of.name: 1.0 if of.worth is None else of.worth for of in covered.get(rank, ())}
        rows.append([printable(each.document), [*map(worth.get, names)], each.shares[str(measure)]])
    return {
        "measure": described(session, str(measure)),
        "value": changes[str(measure)].new,
        "names": [printable(name) for name in names],
        "rows": rows,
    }


def explanation(session: Session, parameters: Parameters) -> dict[str, Any]:
    """How the value of a measure was computed, rank by rank, as sections of text."""
    campaign, (topic, run, measure) = session.campaign, _asked(session, parameters)
    if measure is None:
        raise OptionError("no value can be explained without judgments")
    rules: dict[str, Any] = campaign.order.as_dict() | campaign.rules.as_dict()
    given = campaign.inputs[campaign.runs.index(run)]
    found = explain(campaign.qrels, given, measure, topic=topic, threads=campaign.threads, **rules)
    document = _with_titles(session, found).document(limit=MAX_LINES)
    sections = [*map(page_section, labelled(document, session.measure_name).sections)]
    return {"title": printable(spelled(document.title)), "sections": sections}


def _with_titles(session: Session, found: Explanation) -> Explanation:
    """An explanation with the titles of documents, as far as known, before their ids."""
    documents = {step.document for step in found.steps} | {step.ideal_document for step in found.steps}
    documents |= {missed.document for missed in found.missed}
    texts = session.document_texts.get_many([*filter(None, documents)]) if session.document_texts else {}
    names = {name: f"{begun(text.title)} ({name})" for name, text in texts.items() if text.title}

    def named(document: Any) -> Any:
        return names.get(document, document)

    steps = [
        replace(each, document=named(each.document), ideal_document=named(each.ideal_document))
        for each in found.steps
    ]
    missed = [replace(each, document=named(each.document)) for each in found.missed]
    return replace(found, steps=tuple(steps), missed=tuple(missed))


def _saved(session: Session, address: Address) -> Shown:
    runs = chosen_runs(session, address)[:4]
    topic = session.topic_called(first_of(address, "topic") or next(iter(session.topics)))
    if not session.campaign.is_judged:
        if len(runs) != 2:
            raise OptionError(f"without judgments two runs are compared, not {len(runs)}; choose two")
        return Shown(command_line(session, "diff", runs, topic=topic))
    measure = chosen_measure(session, address)
    campaign, depth = (
        session.campaign.only(runs),
        depth_of(first_of(address, "depth") or str(session.ranking_depth)),
    )

    def figure() -> Figure:
        curves = campaign.curves(drawn_measures(session, measure), depth=depth)
        return FIGURES["curve"](curves, topic=topic, labels=session.labels)

    command, compared = ("diff", runs) if len(runs) == 2 else ("explain", runs[:1])
    return Shown(command_line(session, command, compared, m=measure, topic=topic), figure)


add_view(
    View(
        "ranking",
        {
            "ranking": ranking,
            "moves": moves,
            "subtopics": subtopics,
            "explanation": explanation,
            "unjudged": unjudged,
            "document": document,
        },
        offered=lambda session: session.campaign.has_judgments,  # scores alone have no rankings
        saved=_saved,
    )
)
