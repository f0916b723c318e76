"""The page: one HTML document with its style and scripts inside, for a server or as a file.

A page that opens from a file cannot load ES modules, so they are joined without import and export statements,
each on a line of its own; names at the top level are therefore unique in a package. Scripts of other packages
stand in a block each: they see the page's own names, and nobody sees theirs.
"""

from __future__ import annotations

import base64
import copy
import gzip
import html
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import Any

from rankgauge._version import VERSION
from rankgauge.comparison.registry import CORRECTIONS, TESTS
from rankgauge.extensions.pages.explorer.session import LONGEST_QUERY, Session
from rankgauge.extensions.pages.explorer.views import (
    OWN,
    VIEWS,
    Parameters,
    Request,
    View,
    add_view,
    answer,
    offered,
    saved,
)
from rankgauge.extensions.pages.explorer.views.measures import measures
from rankgauge.extensions.pages.explorer.views.ranking import TEXT_DEPTH, moves_by_measure, rankings
from rankgauge.extensions.pages.explorer.views.topics import MAX_RUNS, ORDERS, PAGE
from rankgauge.extensions.pages.figures.offline import embedded, policy
from rankgauge.measures import parse
from rankgauge.model.output.tables import printable
from rankgauge.model.subtopics import SubtopicQrels
from rankgauge.schema.json_text import to_json
from rankgauge.schema.text import counted

ASSETS = resources.files(OWN) / "assets"
LEVEL = 6  # of compression: higher ones take twice as long for one per cent
_KEYS = '{"requests":,"data":""},'  # of a bundle in a page

_IMPORT = re.compile(r'^import (?:.* from )?"\./([\w-]+)\.js";.*\n', re.M)
_EXPORT = re.compile(r"^export ", re.M)


def live_page(session: Session, name: str) -> str:
    """The page whose answers come from the server."""
    return _page(session, live=name)


def locked_page() -> str:
    """The page without the token, such as after a restart."""
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


def saved_page(
    session: Session, bundles: Iterable[Bundle], left_out: Sequence[str] = (), address: str = ""
) -> str:
    """The page as a file with the answers of the bundles; `left_out` says what it lacks."""
    held = [{"requests": each.requests, "data": each.data} for each in bundles]
    return _page(session, live=None, bundles=held, left_out=left_out, address=address)


@dataclass(frozen=True)
class Bundle:
    """Answers that a saved page keeps compressed until they are asked for."""

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
        """Bytes in a page, about."""
        return len(self.data) + len(to_json(self.requests, ascii_only=True, compact=True)) + len(_KEYS)


def content_policy(*, live: bool) -> str:
    """The content security policy: the page's own scripts run, and only its own server is asked."""
    return policy([script()], [style()]) + ("; connect-src 'self'" if live else "")


def add_script(name: str, folder: Any, texts: dict[str, dict[str, str]], package: str) -> None:
    """Add a script after those that it imports, to {package: {name: text}}; the explorer's are shared."""
    shared = (ASSETS / f"{name}.js").is_file()
    own = texts.setdefault(OWN if shared else package, {})
    if name not in own:
        own[name] = ((ASSETS if shared else folder) / f"{name}.js").read_text("utf-8")
        for imported in _IMPORT.findall(own[name]):
            add_script(imported, folder, texts, package)
        own[name] = own.pop(name)


@cache
def scripts() -> dict[str, dict[str, str]]:
    """{package: {name: text}} of scripts, in order of their imports."""
    texts: dict[str, dict[str, str]] = {OWN: {}}
    for name, view in VIEWS.items():
        add_script(name, view.assets, texts, view.package)
    return texts


@cache
def script() -> str:
    """All scripts as one module; the last, `frame`, starts the page."""
    texts = {package: dict(own) for package, own in scripts().items()}
    frame = texts[OWN].pop("frame")
    return "\n".join([joined(texts), joined({OWN: {"frame": frame}})])


def joined(texts: Mapping[str, Mapping[str, str]]) -> str:
    """Scripts as one: those of the explorer, and in a block each those of other packages."""
    packages = {
        package: [_EXPORT.sub("", _IMPORT.sub("", text)) for text in own.values()]
        for package, own in texts.items()
    }
    blocks = ("\n".join(["{", *own, "}"]) for package, own in packages.items() if package != OWN)
    return "\n".join([*packages.get(OWN, []), *blocks])


@cache
def style() -> str:
    """All styles: `style.css`, then those of views, which hold while the view is shown."""
    folders = {view.package: view.assets for view in VIEWS.values()}
    files = [file for folder in folders.values() for file in folder.iterdir() if file.name.endswith(".css")]
    files.sort(key=lambda file: (file.name != "style.css", file.name))
    return "\n".join(file.read_text("utf-8") for file in files)


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


MAX_BYTES, SMALL = 10_000_000, 1_000_000  # of a page, and of one that has what somebody looks at
FOR_TOPICS = 0.2  # of these, at most
DEPTHS = (100, 50, 20, 10)  # of rankings, the deepest that there is room for
USED = 0.95  # of the room, by estimates from some topics
MAX_RANKINGS = 5000  # more take minutes
MAX_BUNDLES = 500  # of rankings: with more topics, these share some


@dataclass
class Contents:
    """Contents of a page, with sentences on what is left out."""

    session: Session
    most: int = MAX_BYTES
    bundles: list[Bundle] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)

    @property
    def size(self) -> int:
        """Bytes of the bundles."""
        return sum(bundle.size for bundle in self.bundles)

    def add(self, *requests: Request) -> None:
        """Hold the answers to these requests."""
        if requests:
            self.bundles.append(Bundle.of(self.session, requests))


def page_file(session: Session, parameters: Parameters) -> dict[str, Any]:
    """The page as a file, with the measures and the baseline that a person chose."""
    return _file("report.html", page(_chosen(session, parameters)))


def state_file(session: Session, parameters: Parameters) -> dict[str, Any]:
    """A small page that opens at an `address`, with the answers to these `requests` and what else fits."""
    chosen = _chosen(session, parameters)
    asked: list[Any] = [
        (Parameters(each).text("view"), each.get("parameters")) for each in parameters.objects("requests")
    ]
    known = {name for view in VIEWS.values() for name in view.answers}
    requests = [each for each in asked if each[0] in known and each[0] != "page"]
    runs, topic = parameters.texts("runs"), parameters.text("topic", "")
    return _file("view.html", page(chosen, SMALL, requests, runs, topic, parameters.text("address", "")))


def _chosen(session: Session, parameters: Parameters) -> Session:
    return session.chosen(parameters.text("measures", "") or None, parameters.text("baseline", "") or None)


def _file(name: str, page: str) -> dict[str, Any]:
    content = base64.b64encode(page.encode("utf-8", "surrogateescape")).decode()
    return {"name": name, "type": "text/html", "content": content}


def page(
    session: Session,
    small: int | None = None,
    requests: Sequence[Request] = (),
    pair: Sequence[str] = (),
    topic: str = "",
    address: str = "",
) -> str:
    """A page that loads nothing, of about so many bytes at most if it is to be small.

    It has the answers to these requests and, as far as there is room, the first answers of all views, and
    rankings: those of a pair and of a topic first.
    """
    contents = Contents(
        copy.copy(session), small or MAX_BYTES
    )  # whose rankings may be cut; a server of it shows more
    contents.session.command = ""  # which names files of this machine
    names = offered(session)
    contents.add(*requests)
    for name in names:
        held = Bundle.of(contents.session, VIEWS[name].held(session))
        if small is None or contents.size + held.size < 0.6 * small:
            contents.bundles += [held] * bool(held.requests)
        else:
            contents.left_out.append(f"The view {name}, beyond what was chosen.")
    if "topics" in names:
        _add_topics(contents)
    if "ranking" in names:  # into the room that is left
        _add_rankings(contents, list(pair), topic)
    contents.left_out.append(
        "Other measures, baselines and tests, and changed rankings: these need the files of the runs."
    )
    return saved_page(contents.session, contents.bundles, contents.left_out, address)


def _add_topics(contents: Contents) -> None:
    session = contents.session
    pages = range(0, len(session.topics), PAGE)
    orders = [order for order in ORDERS if order != "difference"]  # which needs two runs
    for order in orders:
        for measure in (None, *session.measures):
            if contents.size > FOR_TOPICS * contents.most:
                contents.left_out.append("Some orders of topics, of which there are many.")
                return
            parameters = {"measure": measure, "order": None if order == "hardest" else order}
            given = {name: value for name, value in parameters.items() if value is not None}
            requests = [("topics", {**given, **({"first": first} if first else {})}) for first in pages]
            contents.add(*requests, ("topic-order", given))
    if len(session.runs) > MAX_RUNS:
        contents.left_out.append(f"Values of topics of all but the {MAX_RUNS} best runs by each measure.")


def _add_rankings(contents: Contents, pair: list[str], topic: str) -> None:
    session, topics = contents.session, list(contents.session.topics)
    topics.sort(key=lambda name: name != topic)
    room = contents.most - len(saved_page(session, ())) - contents.size
    if not topics:
        return
    is_small = len(pair) > 0
    pair = pair or session.first_pair()
    if not session.campaign.is_judged and len(pair) > 1:
        contents.add(("topic-order", {"order": "alike", "run": pair[1], "against": pair[0]}))
    several = -(-len(topics) // MAX_BUNDLES)
    groups = [topics[begin : begin + several] for begin in range(0, len(topics), several)]
    held = _Rankings(
        session,
        pair,
        _first_runs(session, pair, len(pair) if is_small else max(len(pair), MAX_RANKINGS // len(topics))),
    )
    held.fit(room, groups)
    most = MAX_RANKINGS // max(1, len(pair))
    for place, some in enumerate(groups):
        bundle = held.bundle(some) if place * several < most else None
        room -= bundle.size if bundle else room + 1
        if bundle is None or room < 0:
            which = "other topics" if topic else f"topics from {some[0]} on"
            contents.left_out.append(f"Rankings of {which}.")
            break
        contents.bundles.append(bundle)
    contents.left_out += held.left_out()


@dataclass
class _Rankings:
    """The rankings that a page holds: runs, depth, and the depth of texts of unjudged documents."""

    session: Session
    pair: list[str]  # whose difference is explained; names to show
    runs: list[str]  # names in the files
    depth: int = DEPTHS[0]
    texts: int = TEXT_DEPTH

    def fit(self, room: int, groups: Sequence[Sequence[str]]) -> None:
        """Choose the largest depth, with texts if possible, that fits, judging by some groups of topics."""
        sample = groups[len(groups) // 6 :: len(groups) // 3 + 1]
        share = sum(map(len, sample)) / sum(map(len, groups))
        depths = _depths(min(DEPTHS[0], self.session.campaign.longest))
        choices = [(depth, TEXT_DEPTH) for depth in depths]
        if self.session.document_texts is not None:
            choices.append((depths[-1], 0))
        for self.depth, self.texts in choices:
            self.session.ranking_depth = self.depth
            size = sum(self.bundle(some).size for some in sample) / share / USED
            if size <= room:
                return
        fewer = max(len(self.pair), int(len(self.runs) * room / size))
        self.runs = _first_runs(self.session, self.pair, fewer)

    def bundle(self, topics: Sequence[str]) -> Bundle:
        """The rankings of topics, by their names to show, and what explains the difference of the pair."""
        session, (*against, run) = self.session, self.pair
        other = {"against": against[0]} if against else {}
        runs = (session.run_called(against[0]) if against else None), session.run_called(run)
        measures = [parse(each["measure"]) for each in self._measures if each]
        requests: list[Request] = []
        answers = []
        for topic in topics:
            asked = {"topic": topic, "depth": self.depth}
            why = [("moves", {**asked, "run": run, **other, **measure}) for measure in self._measures]
            if isinstance(session.campaign.qrels, SubtopicQrels):
                of_runs = [{**asked, "run": name} for name in self.pair]
                why += [("subtopics", {**each, **measure}) for each in of_runs for measure in self._measures]
            if len(self.pair) == 2 and session.has_judged_rankings and not session.has_subtopics:
                why += [("unjudged", {"runs": self.pair, "topic": topic, **each}) for each in self._measures]
            requests += [("ranking", asked), *why]
            name = session.topic_called(topic)
            found = rankings(session, name, self.runs, session.measures, self.depth, self.texts)
            # of all measures at once, which share the steps from one ranking to the other
            moves = moves_by_measure(session, name, runs, measures, self.depth) if why else []
            answers += [found, *moves, *(answer(session, *request) for request in why[len(moves) :])]
        return Bundle.holding(requests, answers)

    @property
    def _measures(self) -> list[dict[str, str]]:
        is_judged, most = self.session.campaign.is_judged, MAX_RANKINGS // len(self.session.topics)
        return ([{"measure": text} for text in self.session.measures] if is_judged else [{}])[:most]

    def left_out(self) -> Iterator[str]:
        """Sentences on what is not held."""
        session = self.session
        if session.campaign.longest > self.depth:
            yield f"Documents beyond rank {self.depth} of a ranking."
        if session.document_texts is not None:
            which = f": judged ones and the first {self.texts} of each ranking have a title and a snippet"
            yield f"Texts of documents{which if self.texts else ''}."
        if len(session.runs) > len(self.pair) or not self._measures:
            between = f", except between {' and '.join(self.pair)}" if self._measures else ""
            yield f"What documents contribute to differences{between}."
        if len(self.runs) < len(session.runs):
            left = counted(len(session.runs) - len(self.runs), "run")
            yield f"Rankings of {left}: those of the best are here."


def _depths(deepest: int) -> list[int]:
    """Depths to try; the first holds all rankings if none is deeper than DEPTHS[0]."""
    return [depth for depth, less in zip(DEPTHS, (*DEPTHS[1:], -1), strict=True) if less < deepest]


def _first_runs(session: Session, pair: Sequence[str], most: int) -> list[str]:
    """The runs whose rankings are held: all, or a pair and the best."""
    first = [*dict.fromkeys([*map(session.run_called, pair), *session.standing().order])][:most]
    return [run for run in session.runs.values() if run in first]


def session(session: Session, _: Parameters) -> dict[str, Any]:
    """Names of runs and topics, settings at the start, choices, notes."""
    names, topics, standing = session.shown_runs, session.campaign.topics, session.standing()
    queries = session.queries(topics, LONGEST_QUERY)
    own = standing.scores.test_for("t")
    tests = [own] if own else TESTS.values()
    return {
        "title": printable(session.title),
        "runs": list(session.runs),
        "topics": list(session.topics),
        "queries": None if session.topic_texts is None else [queries.get(topic, "") for topic in topics],
        "segments": [
            [printable(part.name), [session.shown_topics[topic] for topic in part.topics]]
            for part in (session.segments.parts if session.segments else ())
        ],
        "measures": list(session.measures),
        "measure_names": [[text, session.measure_name(text)] for text in session.measures],
        "baseline": session.baseline,
        "ranked": [names[run] for run in standing.order],  # the best first
        "copies": [[names[run], names[original]] for run, original in session.copies(standing).items()],
        "tests": [[test.name, test.title] for test in tests],
        "corrections": [[each.name, each.title] for each in CORRECTIONS.values()],
        "judged": session.campaign.is_judged,
        "decisions": session.further.count() if session.further else None,
        "subtopics": session.has_subtopics,
        "views": offered(session),  # in the order of their links
        "ranking_depth": session.ranking_depth,
        "version": VERSION,
    }


add_view(
    View(
        "frame",
        {"session": session, "measures": measures, "page": page_file},
        {"save": saved, "page-state": state_file},
        offered=lambda session: False,
    )
)
