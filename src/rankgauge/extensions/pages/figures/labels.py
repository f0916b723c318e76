"""Text in titles, axes and captions: measures, topics, and names from files."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from rankgauge.errors import OptionError
from rankgauge.measures import MEASURES, parse
from rankgauge.measures.language import lookup
from rankgauge.model.output.labels import Labels
from rankgauge.model.output.tables import printable
from rankgauge.model.rules import TopicRules
from rankgauge.schema.text import counted as counted
from rankgauge.schema.text import unknown_name

# Properties that every JavaScript object has. Vega looks some texts up in such objects, titles among them,
# and fails on what it finds there; with a trailing space, the text is not found.
INHERITED_PROPERTIES = frozenset(
    (
        *("constructor", "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable", "toLocaleString"),
        *("toString", "valueOf", "__proto__", "__defineGetter__", "__defineSetter__", "__lookupGetter__"),
        "__lookupSetter__",
    )
)

WORDS = {
    "alpha": "α",
    "beta": "β",
    "gamma": "γ",
    "sigma": "σ",
    "tau_a": "Kendall's τ-a",
    "tau_b": "Kendall's τ-b",
    "tau": "Kendall's τ",
}
UNNAMED = Labels()


def in_words(text: str) -> str:
    """The title of a column: coefficients spelled out, parameters in Greek."""
    return re.sub(r"\w+", lambda word: WORDS.get(word[0], word[0]), text)


def spelled(text: str) -> str:
    """A text with the names of measures as the literature writes them, which can be typed as well.

    >>> spelled("alpha_nDCG@10 and ERR_IA@10")
    'α-nDCG@10 and ERR-IA@10'
    """

    def name(word: re.Match[str]) -> str:
        known = word[0] in MEASURES
        return "-".join(WORDS.get(part, part) for part in word[0].split("_")) if known else word[0]

    return re.sub(r"\b[A-Za-z]+_\w+\b", name, text)


def value_words(text: str) -> str:
    """The value of a setting; pairs such as {1:3,2:7} as 1→3, 2→7."""
    return text[1:-1].replace(":", "→").replace(",", ", ") if text.startswith("{") else text.replace("_", " ")


def measure_title(measure: str) -> str:
    """The title of a measure, in lower case unless it begins with an abbreviation."""
    title = parse(measure).spec.title
    return title if title[1:2].isupper() else title[0].lower() + title[1:]


def definition(measure: str, labels: Labels = UNNAMED, also: Sequence[str] = ()) -> str:
    """Title, formula and source of a measure in a sentence; `also` has its other settings."""
    spec = parse(measure).spec
    formula = " ".join(spec.formula.split())
    subjects = [
        spelled(each) if (label := labels(each)) == each else f"{legible(label)} ({each})"
        for each in (measure, *also)
    ]
    verb = "are" if also else "is"
    return f"{' and '.join(subjects)} {verb} {measure_title(measure)}, {formula} ({spec.cite})."


def definitions(measures: Sequence[str], labels: Labels = UNNAMED) -> str:
    """Definitions of measures, each once under all its settings; other tools' measures have none here."""
    by_name: dict[str, list[str]] = {}
    for measure in measures:
        if known := lookup(measure):
            by_name.setdefault(known.spec.name, []).append(measure)
    return " ".join(definition(alike[0], labels, also=alike[1:]) for alike in by_name.values())


def exact_texts(measures: Iterable[str], call: Callable[[str], str]) -> str:
    """A sentence with the texts of measures that have another label."""
    called = {measure: call(measure) for measure in measures}
    others = [f"{name}: {measure}" for measure, name in called.items() if name != spelled(measure)]
    return f"Measures in full: {'; '.join(others)}." if others else ""


def averaging_note(topics: int, rules: TopicRules) -> str:
    """A sentence on the topics that a mean covers."""
    missing = "with no results counts as empty" if rules.missing == "zero" else "with no results is left out"
    undefined = (
        "undefined values count as 0" if rules.undefined == "zero" else "undefined values are left out"
    )
    return f"Means over {counted(topics, 'topic')}; a topic {missing}, {undefined}."


def legible(text: str) -> str:
    """Text from a file, escaped for display and for Vega."""
    return f"{printable(text)} " if text in INHERITED_PROPERTIES else printable(text)


def unique_labels(
    names: Iterable[str], taken: Iterable[str] = (), call: Callable[[str], str] = legible
) -> dict[str, str]:
    """{name: unique label}, none of those `taken`; `call` suggests it."""
    used, unique = set(taken), {}
    for name in names:
        label = call(name)
        while label in used:
            label += "′"
        used.add(label)
        unique[name] = label
    return unique


def check_name(noun: str, name: str, names: Sequence[str]) -> str:
    """The name if it is one of these; otherwise an error that suggests the nearest."""
    if name in names:
        return name
    raise OptionError(unknown_name(noun, name, names))


def join_some(words: Sequence[str], limit: int = 4) -> str:
    """Words separated by commas; at most the first `limit`."""
    return ", ".join(words[:limit]) + (f" and {len(words) - limit} more" if len(words) > limit else "")
