"""The page: one HTML document with its style and scripts inside, for a server or as a file.

The scripts are ES modules that import each other. A page that has to open from a file cannot load modules,
so they are joined, each after those that it imports, without their import and export statements (each on a
line of its own); names at the top level are therefore unique over all modules.

A file holds the answers to what readers may ask, as far as there is room: HELD says which of each view.
"""

from __future__ import annotations

import base64
import copy
import gzip
import html
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from importlib import resources
from typing import Any

from rankgauge.explorer.session import Session
from rankgauge.explorer.views import Parameters, answer
from rankgauge.explorer.views.ranking import TEXT_DEPTH, rankings
from rankgauge.explorer.views.topics import MAX_RUNS, ORDERS, PAGE
from rankgauge.figures.offline import embedded, policy
from rankgauge.model.output.tables import printable
from rankgauge.model.subtopics import SubtopicQrels
from rankgauge.schema.json_text import to_json
from rankgauge.schema.text import counted

ASSETS = resources.files("rankgauge.explorer") / "assets"
LEVEL = 6  # of compression: higher ones take twice as long for one per cent
_KEYS = '{"requests":,"data":""},'  # of a bundle in a page
Request = tuple[str, dict[str, Any]]  # a view and its parameters

_IMPORT = re.compile(r'^import (?:.* from )?"\./([\w-]+)\.js";.*\n', re.M)
_EXPORT = re.compile(r"^export ", re.M)
MAX_BYTES = 10_000_000  # of a page
FOR_TOPICS = 2_000_000  # of these, at most
DEPTHS = (100, 50, 20, 10)  # of rankings, the deepest that there is room for
USED = 0.95  # of the room, by estimates from some topics
MAX_RANKINGS = 5000  # more take minutes
MAX_BASELINES = 12
MAX_BUNDLES = 500  # of rankings: with more topics, these share some


def live_page(session: Session, name: str) -> str:
    """The page whose answers come from the server that served it, which knows the session by a name."""
    return _page(session, live=name)


def locked_page() -> str:
    """The page in place of all others for who has no token, such as after another start of the server."""
    return f"""{_head("rankgauge explore", "default-src 'none'; style-src 'unsafe-inline'")}
<body>
<main>
<h1>Open this explorer with its address</h1>
<p class="lead">Each start of <code>rankgauge explore</code> prints a new address, and only that opens
the page. If the explorer was started again, paste the address from its terminal here.</p>
<form><label>Address <input name="token" size="50" placeholder="http://…?token=…" autofocus></label>
<button>Open</button></form>
</main>
</body>
</html>
"""


def saved_page(session: Session, bundles: Iterable[Bundle], left_out: Sequence[str] = ()) -> str:
    """The page as a file: it holds the answers of the bundles; `left_out` says what it does not hold."""
    held = [{"requests": each.requests, "data": each.data} for each in bundles]
    return _page(session, live=None, bundles=held, left_out=left_out)


@dataclass(frozen=True)
class Bundle:
    """Answers that a saved page keeps compressed until one of them is asked for."""

    requests: list[Request]
    data: str  # gzip of the JSON list of the answers, in base64

    @classmethod
    def of(cls, session: Session, requests: Iterable[Request]) -> Bundle:
        """The answers to these requests."""
        listed = list(requests)
        return cls.holding(listed, [answer(session, view, parameters) for view, parameters in listed])

    @classmethod
    def holding(cls, requests: list[Request], answers: list[dict[str, Any]]) -> Bundle:
        """These answers, one for each request."""
        text = to_json(answers, ascii_only=True, compact=True)
        return cls(requests, base64.b64encode(gzip.compress(text.encode(), LEVEL, mtime=0)).decode())

    @property
    def size(self) -> int:
        """The bytes that it takes in a page, about."""
        return len(self.data) + len(to_json(self.requests, ascii_only=True, compact=True)) + len(_KEYS)


def content_policy(*, live: bool) -> str:
    """The content security policy of the page: its own scripts run, and only its own server is asked."""
    return policy([script()], [style()]) + ("; connect-src 'self'" if live else "")


@cache
def modules() -> dict[str, str]:
    """{name: text} of all scripts, each after those that it imports; the last, `main`, starts the page."""
    texts: dict[str, str] = {}

    def add(name: str) -> None:
        text = asset(f"{name}.js")
        for imported in _IMPORT.findall(text):
            if imported not in texts:
                add(imported)
        texts[name] = text

    add("main")
    return texts


@cache
def script() -> str:
    """All scripts of the page, as one module."""
    return "\n".join(_EXPORT.sub("", _IMPORT.sub("", text)) for text in modules().values())


@cache
def style() -> str:
    """All styles of the page: `style.css`, then those of views, which hold while one of them is shown."""
    names = sorted(path.name for path in ASSETS.iterdir() if path.name.endswith(".css"))
    return "\n".join(asset(name) for name in sorted(names, key=lambda name: name != "style.css"))


def _head(title: str, rules: str) -> str:
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{rules}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{html.escape(printable(title))}</title>
<style>{style()}</style>
</head>"""


def _page(session: Session, *, live: str | None, **held: Any) -> str:
    data = {"live": live, "session": answer(session, "session", {}), **held}
    return f"""{_head(session.title, content_policy(live=live is not None))}
<body>
<div id="page"></div>
<noscript>This page needs JavaScript, and loads nothing from the network.</noscript>
<script type="application/json" id="data">{embedded(data)}</script>
<script type="module">{script()}</script>
</body>
</html>
"""


def asset(name: str) -> str:
    """The text of a script or a style."""
    return (ASSETS / name).read_text(encoding="utf-8")


@dataclass
class Contents:
    """Contents of the page of a session, with sentences on what is left out."""

    session: Session
    bundles: list[Bundle] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)

    @property
    def size(self) -> int:
        """The bytes of the bundles."""
        return sum(bundle.size for bundle in self.bundles)

    def add(self, *requests: Request) -> None:
        """Hold the answers to these requests."""
        self.bundles.append(Bundle.of(self.session, requests))


def page_file(session: Session, parameters: Parameters) -> dict[str, Any]:
    """The page as a file that a browser keeps, with the measures and the baseline that a person chose."""
    chosen = session.chosen(parameters.text("measures", "") or None, parameters.text("baseline", "") or None)
    content = page(chosen).encode("utf-8", "surrogateescape")
    return {"name": "report.html", "type": "text/html", "content": base64.b64encode(content).decode()}


def page(session: Session) -> str:
    """The HTML of the page, which loads nothing."""
    contents = Contents(copy.copy(session))  # whose rankings may be cut; a server of the session shows more
    contents.session.command = ""  # which names files of this machine
    facts = answer(session, "session", {})
    for needs, add in HELD.values():
        if not needs or facts[needs]:
            add(contents)
    contents.left_out.append(
        "Other measures, baselines and tests, and changed rankings: these need the files of the runs."
    )
    return saved_page(contents.session, contents.bundles, contents.left_out)


def _add_overviews(contents: Contents) -> None:
    """The leaderboard, also for what a reader may choose by name; with few runs, each as the baseline."""
    runs, shown = contents.session.runs, answer(contents.session, "overview", {})
    named = [{name: shown[name]} for name in ("test", "correction") if shown[name]]
    baselines = list(runs) if len(runs) <= MAX_BASELINES else [shown["baseline"]]
    every = [{}, *named, *({"baseline": run} for run in baselines if run)]
    contents.add(*(("overview", parameters) for parameters in every))


def _add_topics(contents: Contents) -> None:
    """The values of topics by every measure and in every order, a page of topics at a time."""
    session = contents.session
    pages = range(0, len(session.topics), PAGE)
    orders = [order for order in ORDERS if order != "difference"]  # which needs two runs
    for order in orders:
        for measure in (None, *session.measures):
            if contents.size > FOR_TOPICS:
                contents.left_out.append("Some orders of topics, of which there are many.")
                return
            parameters = {"measure": measure, "order": None if order == "hardest" else order}
            given = {name: value for name, value in parameters.items() if value is not None}
            requests = [("topics", {**given, **({"first": first} if first else {})}) for first in pages]
            contents.add(*requests, ("topic-order", given))
    if len(session.runs) > MAX_RUNS:
        contents.left_out.append(f"Values of topics of all but the {MAX_RUNS} best runs by each measure.")


def _add_efforts(contents: Contents) -> None:
    """The plot of effort and gain, and what the curves of its points are drawn from."""
    contents.add(("effort", {}), *(("effort-hits", {"run": run}) for run in contents.session.runs))


def _add_rankings(contents: Contents) -> None:
    """The rankings of all runs, or of the best, down to a depth that there is room for, with texts."""
    session = contents.session
    room = MAX_BYTES - len(saved_page(session, ())) - contents.size
    topics = list(session.topics)
    if not topics:
        return
    pair, deepest = _first_pair(session), min(DEPTHS[0], session.campaign.longest)
    runs = _first_runs(session, pair, max(len(pair), MAX_RANKINGS // len(topics)))
    measures = [{"measure": text} for text in session.measures] if session.campaign.is_judged else [{}]
    if not session.campaign.is_judged and len(pair) > 1:
        contents.add(("topic-order", {"order": "alike", "run": pair[1], "against": pair[0]}))
    bundle_of = partial(_bundle, session, pair, measures[: MAX_RANKINGS // len(topics)])
    several = -(-len(topics) // MAX_BUNDLES)
    groups = [topics[begin : begin + several] for begin in range(0, len(topics), several)]
    sample = groups[len(groups) // 6 :: len(groups) // 3 + 1]
    has_texts = session.document_texts is not None
    depths = _depths(deepest)
    for depth, texts in [
        *((depth, TEXT_DEPTH) for depth in depths),
        *([(depths[-1], 0)] if has_texts else []),
    ]:
        session.ranking_depth = depth
        sizes = [bundle_of(runs, some, depth, texts).size for some in sample]
        size = sum(sizes) / sum(map(len, sample)) * len(topics) / USED
        if size <= room:
            break
    else:
        runs = _first_runs(session, pair, max(len(pair), int(len(runs) * room / size)))
    held = 0
    for some in groups:
        bundle = bundle_of(runs, some, depth, texts)
        if held + bundle.size > room:
            contents.left_out.append(f"Rankings of topics from {some[0]} on.")
            break
        contents.bundles.append(bundle)
        held += bundle.size
    if session.campaign.longest > depth:
        contents.left_out.append(f"Documents beyond rank {depth} of a ranking.")
    if has_texts:
        which = f": judged ones and the first {texts} of each ranking have a title and a snippet"
        contents.left_out.append(f"Texts of documents{which if texts else ''}.")
    few = len(topics) <= MAX_RANKINGS
    if len(session.runs) > len(pair) or not few:
        between = f", except between {' and '.join(pair)}" if few else ""
        contents.left_out.append(f"What documents contribute to differences{between}.")
    if len(runs) < len(session.runs):
        left = counted(len(session.runs) - len(runs), "run")
        contents.left_out.append(f"Rankings of {left}: those of the best are here.")


def _depths(deepest: int) -> list[int]:
    """The depths to try, of which the first holds all rankings if these are no deeper than DEPTHS[0]."""
    return [depth for depth, less in zip(DEPTHS, (*DEPTHS[1:], -1), strict=True) if less < deepest]


def _first_pair(session: Session) -> list[str]:
    """The names to show of the runs that the page compares at first, as `stateOf` of `views.js` has them."""
    standing = session.standing()
    copies, baseline = session.copies(standing), session.baseline
    first = standing.order[0] if baseline is None else session.run_called(baseline)
    others = [run for run in standing.order if run != first]
    others.sort(key=lambda run: copies.get(run, run) == copies.get(first, first))  # the best that is no copy
    pair = [first, *others[:1]]
    return [session.shown_runs[run] for run in (pair if baseline is not None else reversed(pair))]


def _first_runs(session: Session, pair: Sequence[str], most: int) -> list[str]:
    """The names in the files of the runs whose rankings are held: all, or a pair and the best."""
    first = [*dict.fromkeys([*map(session.run_called, pair), *session.standing().order])][:most]
    return [run for run in session.runs.values() if run in first]


def _bundle(
    session: Session,
    pair: Sequence[str],
    measures: Sequence[dict[str, str]],
    runs: Sequence[str],
    topics: Sequence[str],
    depth: int,
    texts: int,
) -> Bundle:
    """The rankings of topics, by their names to show, and what made the differences of a pair of runs."""
    *against, run = pair
    other = {"against": against[0]} if against else {}
    requests: list[Request] = []
    answers = []
    for topic in topics:
        asked = {"topic": topic, "depth": depth}
        why = [("moves", {**asked, "run": run, **other, **measure}) for measure in measures]
        if isinstance(session.campaign.qrels, SubtopicQrels):
            of_runs = [{**asked, "run": name} for name in pair]
            why += [("subtopics", {**of_run, **measure}) for of_run in of_runs for measure in measures]
        requests += [("ranking", asked), *why]
        found = rankings(session, session.topic_called(topic), runs, session.measures, depth, texts)
        answers += [found, *(answer(session, *request) for request in why)]
    return Bundle.holding(requests, answers)


# What a page holds of each view: (the fact of the session that the view needs, as its script names it,
# what adds its answers).
HELD: dict[str, tuple[str, Callable[[Contents], None]]] = {
    "overview": ("judged", _add_overviews),
    "topics": ("by_topic", _add_topics),
    "curves": ("judged_rankings", lambda contents: contents.add(("curves", {}))),
    "effort": ("effort", _add_efforts),
    "judges": ("labelled", lambda contents: contents.add(("judges", {}))),
    "about": ("", lambda contents: contents.add(("about", {}))),
    "ranking": ("rankings", _add_rankings),  # into the room that is left
}
