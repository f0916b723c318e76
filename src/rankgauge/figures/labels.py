"""What titles, axes and captions say of measures and topics."""

from __future__ import annotations

from collections.abc import Sequence

from rankgauge.measures import parse
from rankgauge.model.tables import printable
from rankgauge.model.topic_rules import TopicRules
from rankgauge.schema.text import counted as counted

# What every object of JavaScript has already. Vega looks some texts up in such objects, titles among them,
# and stumbles over what it finds there; with a space behind it, a word is not found.
TRAPS = frozenset(
    (
        *("constructor", "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable", "toLocaleString"),
        *("toString", "valueOf", "__proto__", "__defineGetter__", "__defineSetter__", "__lookupGetter__"),
        "__lookupSetter__",
    )
)


def title_of(measure: str) -> str:
    """What a measure is called in words, beginning with a small letter unless it is a name."""
    title = parse(measure).spec.title
    return title if title[1:2].isupper() else title[0].lower() + title[1:]


def definition(measure: str) -> str:
    """A sentence that defines a measure: its title, its formula and where both are from."""
    spec = parse(measure).spec
    formula = " ".join(spec.formula.split())
    return f"{measure} is {title_of(measure)}, {formula} ({spec.cite})."


def definitions(measures: Sequence[str]) -> str:
    """A sentence each; a measure that is there with several settings is defined once."""
    by_name = {parse(measure).spec.name: measure for measure in reversed(measures)}
    return " ".join(definition(measure) for measure in reversed(by_name.values()))


def better(measure: str) -> int:
    """1 where higher is better, -1 where lower is, 0 where neither is."""
    return parse(measure).spec.direction


def among(topics: int, rules: TopicRules) -> str:
    """A sentence on the topics that a mean is over."""
    missing = "with no results counts as empty" if rules.missing == "zero" else "with no results is left out"
    undefined = (
        "undefined values count as 0" if rules.undefined == "zero" else "undefined values are left out"
    )
    return f"Means over {counted(topics, 'topic')}; a topic {missing}, {undefined}."


def legible(text: str) -> str:
    """A text from a file as it can be shown: what is no letter escaped, and never a trap for Vega."""
    return f"{printable(text)} " if text in TRAPS else printable(text)


def listed(words: Sequence[str], most: int = 4) -> str:
    """Words parted by commas; of many the first."""
    return ", ".join(words[:most]) + (f" and {len(words) - most} more" if len(words) > most else "")
