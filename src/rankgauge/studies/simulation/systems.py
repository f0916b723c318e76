"""The systems of a campaign: six styles, and numbered variants of them."""

from __future__ import annotations

from dataclasses import dataclass

from rankgauge.studies.simulation.streams import Kind, Streams


@dataclass(frozen=True)
class SecondStage:
    """Re-ranking of the first documents of a list."""

    depth: int
    signal: float
    noise: float


@dataclass(frozen=True)
class Style:
    """A kind of retrieval system.

    A system scores a document by a lexical and a semantic match, which it shares with other systems, and an
    error of its own. `signal` is how far it raises a relevant document, in standard deviations, and `mood`
    how much the signal varies between topics.
    """

    name: str
    lexical: float  # weight of the lexical match; the rest is semantic
    signal: float
    noise: float
    mood: float
    best: float  # scores of a typical first and last document
    last: float
    second: SecondStage | None = None


STYLES = (
    Style("bm25", lexical=1.0, signal=2.8, noise=0.3, mood=0.1, best=24.0, last=7.5),
    Style("dense", lexical=0.1, signal=3.1, noise=0.4, mood=0.2, best=0.86, last=0.58),
    Style("hybrid", lexical=0.5, signal=3.0, noise=0.4, mood=0.1, best=0.97, last=0.35),
    # Strong at the top: logits of a cross-encoder over the first documents of a lexical list.
    Style(
        "rerank",
        lexical=0.8,
        signal=2.9,
        noise=0.3,
        mood=0.1,
        best=9.0,
        last=-10.5,
        second=SecondStage(100, signal=2.3, noise=0.7),
    ),
    # High recall, weak at the top: an expanded query finds more and discriminates less.
    Style(
        "rm3",
        lexical=0.7,
        signal=3.4,
        noise=0.2,
        mood=0.1,
        best=-4.2,
        last=-8.1,
        second=SecondStage(40, signal=0.9, noise=1.0),
    ),
    # Erratic: a rewritten query helps one topic and misses the next.
    Style("rewrite", lexical=0.3, signal=2.9, noise=0.4, mood=0.6, best=88.0, last=64.0),
)


@dataclass(frozen=True)
class System:
    """One system of a campaign."""

    number: int
    name: str
    style: Style
    skill: float  # factor of the style's signal


def system(number: int, seed: int) -> System:
    """The system of this number: bm25, dense, …, rewrite, then bm25-2, dense-2, …"""
    variant, place = divmod(number, len(STYLES))
    style = STYLES[place]
    if variant == 0:
        return System(number, style.name, style, skill=1.0)
    skill = 1.0 + 0.12 * float(Streams(seed, Kind.SYSTEM, [number]).normal(1)[0, 0])
    return System(number, f"{style.name}-{variant + 1}", style, skill)
