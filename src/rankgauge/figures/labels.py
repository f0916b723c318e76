"""Text in titles, axes and captions: measures, topics, and names from files."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rankgauge.errors import OptionError
from rankgauge.measures import parse
from rankgauge.model.tables import printable
from rankgauge.model.topic_rules import TopicRules
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


def measure_title(measure: str) -> str:
    """The title of a measure, in lower case unless it begins with an abbreviation."""
    title = parse(measure).spec.title
    return title if title[1:2].isupper() else title[0].lower() + title[1:]


def definition(measure: str) -> str:
    """A sentence that defines a measure: its title, its formula and its source."""
    spec = parse(measure).spec
    formula = " ".join(spec.formula.split())
    return f"{measure} is {measure_title(measure)}, {formula} ({spec.cite})."


def definitions(measures: Sequence[str]) -> str:
    """Definitions of measures; one that occurs with several settings is defined once."""
    by_name = {parse(measure).spec.name: measure for measure in reversed(measures)}
    return " ".join(definition(measure) for measure in reversed(by_name.values()))


def averaging_note(topics: int, rules: TopicRules) -> str:
    """A sentence on the topics that a mean covers."""
    missing = "with no results counts as empty" if rules.missing == "zero" else "with no results is left out"
    undefined = (
        "undefined values count as 0" if rules.undefined == "zero" else "undefined values are left out"
    )
    return f"Means over {counted(topics, 'topic')}; a topic {missing}, {undefined}."


def legible(text: str) -> str:
    """Text from a file as it can be shown: special characters escaped, and safe for Vega."""
    return f"{printable(text)} " if text in INHERITED_PROPERTIES else printable(text)


def unique_labels(names: Iterable[str], taken: Iterable[str] = ()) -> dict[str, str]:
    """{name: its label in a figure}: printable, no two alike, and none of those `taken`."""
    used, labels = set(taken), {}
    for name in names:
        label = legible(name)
        while label in used:
            label += "′"
        used.add(label)
        labels[name] = label
    return labels


def check_name(noun: str, name: str, names: Sequence[str]) -> str:
    """The name if it is one of these; otherwise an error that suggests the nearest."""
    if name in names:
        return name
    raise OptionError(unknown_name(noun, name, names))


def join_some(words: Sequence[str], limit: int = 4) -> str:
    """Words separated by commas; at most the first `limit` of them."""
    return ", ".join(words[:limit]) + (f" and {len(words) - limit} more" if len(words) > limit else "")
