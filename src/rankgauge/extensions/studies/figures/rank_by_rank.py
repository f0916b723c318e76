"""The figures `crp` and `archetypes`: effort, rank by rank."""

from collections.abc import Mapping, Sequence
from string import ascii_lowercase
from typing import TYPE_CHECKING, Annotated, Any

from rankgauge.errors import OptionError
from rankgauge.extensions.pages.figures.drawing import (
    Drawing,
    Series,
    alt,
    chart,
    concatenate,
    longest_list,
    ranks_drawn,
    thin_ranks,
    tooltip,
)
from rankgauge.extensions.pages.figures.labels import check_name, definition, definitions, join_some
from rankgauge.extensions.pages.figures.registry import FERRO, SEVERAL_NAMES, figure
from rankgauge.extensions.pages.figures.theme import MAX_HIGHLIGHTED, PANEL_TITLE, Style
from rankgauge.measures import parse, parse_all
from rankgauge.model.output.tables import Cell, Table, capital

if TYPE_CHECKING:
    from rankgauge.campaigns.campaign import Campaign
    from rankgauge.model.curves import Curves
FULL_SCALE = "full-scale"  # the run that is made if it is named
IDEAL = "3322211111"  # the grades of ten relevant documents, best first
N = 40  # documents in each ranking
# The grades of made-up rankings, from rank 1 on; documents beyond are not relevant.
RANKINGS = {  # in the order of the paper's figure 3
    "ideal": IDEAL,
    "worst": "",
    "full-scale": IDEAL[::-1].rjust(N, "0"),
    "excellent-A": "3121211123",
    "excellent-B": "1222311031",
    "ups-and-downs": "2221313000",
    "typical-A": "301200010020100000002000010000030001",
    "typical-B": "302001001020000001",
}
# What figures 4 to 6 of the paper have for each archetype, by the measures' names there.
VALUES = {"balance point": "BalancePoint", "ρ": "RecoveryRatio", "σ": "SpaceRatio", "τ": "Twist"}


def effort_lines(
    style: Style,
    series: Series,
    data: str,
    measure: str,
    base: str,
    zero: str | None,
    *,
    x_title: str = "rank",
    y_title: str | None = None,
    noun: str = "run",
) -> Any:
    """Values by rank, with the recall base dashed, and a line at 0, where nothing is misplaced."""
    c = style.colours
    lines = (
        chart(data)
        .mark_line()
        .encode(
            x=alt.X("rank:Q", title=x_title or None, scale=alt.Scale(zero=False, nice=False)),
            y=alt.Y("value:Q", title=measure if y_title is None else y_title or None),
            **series.looks("color", "strokeDash", "strokeWidth"),
            tooltip=tooltip(("series", noun), "rank", ("value", measure)),
        )
    )
    at_base = chart(base).mark_rule(strokeDash=[4, 3], strokeWidth=0.8, color=c.soft)
    layers = [at_base.encode(x="rank:Q"), lines]
    if zero is not None:
        at_zero = chart(zero).mark_rule(strokeWidth=0.8, color=c.soft)
        layers.insert(0, at_zero.encode(y="value:Q"))
    return alt.layer(*layers)


def _curves(campaign: "Campaign", options: Mapping[str, Any]) -> "Curves":
    if FULL_SCALE in (options.get("run") or ()) and FULL_SCALE not in campaign.runs:
        from rankgauge.extensions.studies.effort import full_scale_run

        settings = parse_all(options["measures"])[0].settings
        length, rel = settings.get("N", campaign.longest), settings.get("rel", 1.0)
        topics = [each for each in options["topic"] or () if each in campaign.topics] or campaign.topics[:1]
        judged = {topic: campaign.qrels.grades_of(topic) for topic in topics}
        least = 2 * max(sum(grade >= rel for grade in each.values()) for each in judged.values())
        campaign = campaign.with_run(full_scale_run(judged, max(length, least), rel=rel))
    return campaign.curves(options["measures"], depth=options["depth"])


@figure(
    "crp",
    title="Effort and gain of rankings, rank by rank",
    needs="curves",
    cite=f"{FERRO}, figures 2, 3 and 11",
    example="--run bm25 --topic 105 --depth 300",
    compute=_curves,
    measures="CRP DCG R",
    depth=1000,
)
def crp(
    curves: "Curves",
    style: Style,
    *,
    run: Annotated[
        tuple[str, ...],
        SEVERAL_NAMES,
        f"a run to show (default: the first); {FULL_SCALE} is the run with the most effort possible",
    ] = (),
    topic: Annotated[tuple[str, ...], SEVERAL_NAMES, "a topic to show (default: the first)"] = (),
) -> Drawing:
    """The cumulated relative position of rankings, their gain below, and the recall base as a dashed line.

    It shows one run and one topic unless more are named: further runs are lines of the same plot, further
    topics have a plot each, side by side. The first measure is one of effort, such as CRP; the second is one
    of gain, such as DCG, shown with the ideal. The third is recall: the recall base is the rank at which the
    ideal ranking reaches a recall of 1. The run full-scale need not be given: it has all relevant documents
    at its end, the best of them last, and is as long as the longest run.
    """
    if len(curves.measures) != 3 or parse(curves.measures[2]).spec.name != "R":
        raise OptionError(
            "the figure crp takes three measures, for effort, gain and recall, such as CRP, DCG and R, "
            f"not {', '.join(curves.measures)}"
        )
    runs = [check_name("run", each, curves.runs) for each in dict.fromkeys(run)] or [curves.runs[0]]
    topics = [check_name("topic", each, curves.topics) for each in dict.fromkeys(topic)] or [curves.topics[0]]
    if len(runs) > MAX_HIGHLIGHTED:
        raise OptionError(f"the figure crp shows at most {MAX_HIGHLIGHTED} runs, not {len(runs)}; name fewer")
    # Beyond its end a list goes on with documents that are not relevant: they are misplaced up to the recall
    # base, and in place from there on, so that there is nothing to see beyond both.
    bases = {each: _recall_base(curves, each) for each in topics}
    longest = longest_list(curves, runs, topics)
    last = min(curves.depth, max(longest, *(base or curves.depth for base in bases.values())))
    ranks = thin_ranks(last, 3 * len(runs) * len(topics))
    series = Series.assign(dict.fromkeys(runs, 1.0), style, runs, ideal=True)
    x, y, _ = curves.measures
    data: dict[str, Table] = {}
    notes, panels = [], []
    columns = style.columns(len(topics))
    for number, each in enumerate(topics):
        own, base = _tables(curves, each, ranks, series, bases[each]), bases[each]
        suffix = f" {number + 1}" if len(topics) > 1 else ""
        data |= {f"{name}{suffix}": table for name, table in own.items()}
        notes.append(f"beyond rank {curves.depth}" if base is None else str(base))
        title = f"topic {style.name(each)}" if suffix else ""
        panels.append(_panel(style, series, suffix, title, (x, y), style.panel_width(len(topics), columns)))
    subject = f"{style.measure(x)} and {style.measure(y)} of {join_some([*series.names.values()])}"
    of_topics = f"topic{'s' if len(topics) > 1 else ''} {join_some([style.name(each) for each in topics])}"
    at_bases = f"recall base {join_some(notes)}"
    ended = f"No list is longer than {longest:,}; beyond, documents count as not relevant."
    return Drawing(
        panels[0] if len(panels) == 1 else concatenate(panels, columns),
        data,
        f"{subject}, {of_topics}",
        f"{capital(ranks_drawn(last))}; dashed: {at_bases}",
        [
            f"{subject} for {of_topics}, {ranks_drawn(last)}; {at_bases}.",
            ended if longest < last else "",
            definitions((x, y), style.labels),
        ],
        series.labels,
    )


def _tables(
    curves: "Curves", topic: str, ranks: Sequence[int], series: Series, base: int | None
) -> dict[str, Table]:
    at = curves.topics.index(topic)
    best = curves.ideal[1, at].tolist()
    effort: list[list[Cell]] = []
    gain: list[list[Cell]] = []
    for run in series.back_to_front:
        efforts, gains, _ = curves.values[curves.runs.index(run), :, at].tolist()
        effort += [[rank, series.names[run], efforts[rank - 1]] for rank in ranks]
        gain += [[rank, series.names[run], gains[rank - 1]] for rank in ranks]
    gain += [[rank, series.ideal, best[rank - 1]] for rank in ranks]
    headers = ("rank", "series", "value")
    return {
        "effort": Table(headers, effort),
        "gain": Table(headers, gain),
        "recall base": Table(("rank",), [] if base is None else [[base]]),
        "zero": Table(("value",), [[0.0]]),
    }


def _recall_base(curves: "Curves", topic: str) -> int | None:
    """The rank at which the ideal ranking of a topic reaches a recall of 1, if among the ranks."""
    recall = curves.ideal[2, curves.topics.index(topic)].tolist()
    return next((rank for rank, value in enumerate(recall, 1) if value == 1), None)


def _panel(
    style: Style, series: Series, suffix: str, title: str, measures: tuple[str, str], width: float
) -> Any:
    c = style.colours
    effort, gain = (
        effort_lines(
            style,
            series,
            f"{name}{suffix}",
            style.measure(measure),
            f"recall base{suffix}",
            f"zero{suffix}" if name == "effort" else None,
            x_title="rank" if name == "gain" else "",
        )
        for name, measure in zip(("effort", "gain"), measures, strict=True)
    )
    height = min(width * 0.5, style.height(0.42))
    effort = effort.properties(width=width, height=height)
    gain = gain.properties(width=width, height=height)
    stacked = alt.vconcat(effort, gain, spacing=8).resolve_scale(
        x="shared", color="shared", strokeDash="shared"
    )
    if not title:
        return stacked
    text = alt.TitleParams(title, frame="group", fontSize=PANEL_TITLE, color=c.ink)
    return stacked.properties(title=text)


@figure(
    "archetypes",
    title="Archetypes of effort",
    needs="nothing",
    cite=f"{FERRO}, figures 3 to 6",
    example="--width page",
)
def archetypes(results: None, style: Style) -> Drawing:
    """The shapes that curves of effort (CRP) have: of the ideal, worst and full-scale run, and of others.

    It shows made-up rankings, one for each archetype, and needs no data. `rankgauge study archetypes` counts
    how often each of them occurs in your runs, and `rankgauge figure crp` draws the curves of your runs.
    """
    from rankgauge.evaluation.evaluator import curves
    from rankgauge.extensions.studies.effort import ARCHETYPES

    measure = f"CRP(N={N})"
    vectors = curves(judgments(), {name: {"1": ranking(name)} for name in RANKINGS}, measure, depth=N).mean()
    series = Series.assign({style.measure("CRP"): 0.0}, style)
    columns = 2 if style.width == "column" else 4
    width = style.panel_width(len(RANKINGS), columns) + 14  # only the first of a row has a title beside it
    data: dict[str, Table] = {}
    plots: list[Any] = []
    for number, name in enumerate(RANKINGS):
        title = f"({ascii_lowercase[number]}) {_words(name)}"
        rows: list[list[Cell]] = [
            [rank, series.labels[0], value] for rank, value in enumerate(vectors[name][measure], 1)
        ]
        data[title] = Table(("rank", "series", "value"), rows)
        below = "rank" if number >= len(RANKINGS) - columns else ""  # under the last row of plots
        beside = style.measure("CRP") if number % columns == 0 else ""
        effort = style.measure("CRP")
        titles = {"x_title": below, "y_title": beside, "noun": "measure"}
        plot = effort_lines(style, series, title, effort, "recall base", "zero", **titles)
        heading = alt.TitleParams(title, frame="group", fontSize=PANEL_TITLE, offset=4)
        plots.append(plot.properties(title=heading, width=width, height=0.75 * width))
    data |= {"recall base": Table(("rank",), [[len(IDEAL)]]), "zero": Table(("value",), [[0.0]])}
    found = archetype_values()
    size = f"{N} documents, {len(IDEAL)} of which are relevant"
    return Drawing(
        concatenate(plots, columns),
        data,
        "Archetypes of effort",
        f"Made-up rankings of {size}; dashed: recall base",
        [
            f"{style.measure('CRP')} of made-up rankings of {size}; the dashed line is at the recall base R.",
            *(
                f"{capital(_words(name))}: {ARCHETYPES[name]} ({_listed(found, row)})."
                for name, row in zip(RANKINGS, found.rows, strict=True)
            ),
            definition("CRP", style.labels),
        ],
    )


def archetype_values() -> Table:
    """Balance point, recovery ratio, space ratio and Twist of each archetype."""
    from rankgauge.evaluation.evaluator import evaluate

    texts = {name: f"{measure}(N={N})" for name, measure in VALUES.items()}
    runs = {name: {"1": ranking(name)} for name in RANKINGS}
    means = evaluate(judgments(), runs, list(texts.values())).mean()
    return Table(
        ("archetype", *texts),
        [[_words(name), *(means[name][text] for text in texts.values())] for name in RANKINGS],
    )


def _listed(table: Table, row: Sequence[Cell]) -> str:
    pairs = zip([*table.headers][1:], [*row][1:], strict=True)
    return ", ".join(f"{name} {value:.3g}" if isinstance(value, float) else name for name, value in pairs)


def documents(grades: str) -> list[str]:
    """Names of documents with these grades; the third of grade 2 is 2-3."""
    return [f"{grade}-{grades[: place + 1].count(grade)}" for place, grade in enumerate(grades)]


def judgments() -> dict[str, dict[str, int]]:
    """The judgments of the one topic."""
    return {"1": {name: int(name[0]) for name in documents(IDEAL)}}


def ranking(name: str) -> list[str]:
    """The documents of an archetype, in rank order."""
    return documents(RANKINGS[name].ljust(N, "0"))


def _words(name: str) -> str:
    return f"{name[:-2]} {name[-1]}" if name[-2:] in ("-A", "-B") else name
