"""What `compare` returns: the numbers of a comparison, with the methods that show them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from rankgauge.comparison import notation, paper, report
from rankgauge.comparison.paper import PaperOptions
from rankgauge.comparison.result import Compared, ComparisonResult, Pair
from rankgauge.errors import OptionError
from rankgauge.model.output.documents import Document, notebook, screen_lines
from rankgauge.model.output.labels import Labels
from rankgauge.model.output.table_cells import COLUMN
from rankgauge.model.output.tables import Rendered, Table
from rankgauge.schema.checks import keywords
from rankgauge.schema.json_text import json_value

if TYPE_CHECKING:
    from rankgauge.model.output.labels import LabelsLike


@dataclass(frozen=True, repr=False)
class Comparison(Rendered, ComparisonResult):
    """Runs compared pair by pair, for each measure.

    `comparison["AP"].pairs` has the numbers; `table`, `matrix`, `ranked` and `by_measure` show them, `paper`
    is a table for print, which `to_latex`, `to_markdown` and `to_html` write; `to_csv` has every number.
    `sentences` reads like a paper, `document` has all of it.
    """

    def table(self) -> Table:
        """A row for every measure and pair, with every number."""
        rows = [
            [each.measure, *self._numbers(each, pair).values()]
            for each in self.compared
            for pair in each.pairs
        ]
        return Table(("measure", *Pair.__dataclass_fields__, "practical"), rows, keys=3)

    def practical(self, pair: Pair) -> str:
        """The practical significance of a significant difference: marginal, noticeable or essential."""
        for compared in self.compared:
            if any(other is pair for other in compared.pairs):
                return self._practical(compared, pair)
        raise OptionError("the pair is not one of this comparison; take it from comparison[measure].pairs")

    def _practical(self, compared: Compared, pair: Pair) -> str:
        found = notation.verdict(compared, pair, self.alpha)
        return found.practical if found else ""

    def _numbers(self, compared: Compared, pair: Pair) -> dict[str, Any]:
        return {**vars(pair), "practical": self._practical(compared, pair)}

    def matrix(self, measure: str | None = None) -> Table:
        """Differences of rows minus columns, with stars; by the first measure unless another is named."""
        return report.matrix(self, self[measure or self.measures[0]])

    def ranked(self) -> Table:
        """Runs by their means, with the letters of the runs that each is significantly better than."""
        return report.ranked(self)

    def by_measure(self) -> Table:
        """Measures by runs: the means, and the outcome of the test as in `notation`; empty if none."""
        return report.by_measure(self)

    def paper(
        self,
        *,
        labels: LabelsLike = None,
        marks: str | None = None,
        second: bool = False,
        delta: bool = False,
        p: bool = False,
        percent: bool = False,
        places: int = 4,
        caption: str | None = None,
        label: str = "",
        width: float = COLUMN,
    ) -> Table:
        """The table of a paper: runs by measures, marks of significance, and a note on test, α and topics.

        `labels` name runs and measures, a dict or a file; `marks` are letters, daggers, stars or none;
        `second` underlines the second-best means; `delta` and `p` add rows of differences (with `places`
        decimals) and p against the baseline; `percent` multiplies values between -1 and 1 by 100. An empty
        `caption` leaves it out, and with it the float of LaTeX; `label` is for references to the table.
        LaTeX fits it into a column of `width` pt.
        """
        options = PaperOptions(marks, second, delta, p, percent, places, caption, label, width)
        return paper.paper(self, Labels.read(labels), options)

    def _options(self, form: str) -> Iterable[str]:
        return ("labels",) if form == "csv" else (name for name in keywords(self.paper) if name != "places")

    def _table_in(self, form: str, places: int, *, labels: LabelsLike = None, **options: Any) -> Table:
        """The table of a paper, with the options of `paper`; every number of every pair in csv."""
        if form != "csv":
            return self.paper(labels=labels, places=places, **options)
        return (self if labels is None else self.labelled(labels)).table()

    def labelled(self, labels: LabelsLike) -> Comparison:
        """The comparison with labels instead of the names of runs and measures; a dict or a file has them."""
        return paper.labelled(self, Labels.read(labels))

    def notation(self, measure: str | None = None) -> str:
        """Which runs are significantly better than which, such as `D, E > A**`."""
        return notation.outcome(self[measure or self.measures[0]], self.alpha)

    @property
    def sentences(self) -> tuple[str, ...]:
        """A sentence for each measure, as in a paper."""
        return tuple(report.sentence(self, each) for each in self.compared)

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on the data, then advice on reading the numbers."""
        return report.notes(self)

    def document(self, places: int = 4, *, notes: bool = True) -> Document:
        """The whole comparison for reading, with or without notes."""
        return report.document(self, places, with_notes=notes)

    def as_dict(self) -> dict[str, Any]:
        """The whole comparison as dicts and lists, ready for JSON; undefined is None."""
        settings = ("runs", "baselines", "test", "correction", "alpha", "samples", "seed")
        return {
            **{name: json_value(getattr(self, name)) for name in settings},
            "versions": dict(self.versions),
            "measures": [
                {
                    "measure": each.measure,
                    "means": json_value(each.means),
                    "overall": json_value(asdict(each.overall)) if each.overall else None,
                    # one by one: there may be so many that a copy of all of them counts
                    "pairs": [json_value(self._numbers(each, pair)) for pair in each.pairs],
                    "outcome": self.notation(each.measure),
                }
                for each in self.compared
            ],
            "sentences": [*self.sentences],
            "notes": [*self.notes],
        }

    def __repr__(self) -> str:
        return "\n".join(screen_lines(self.document()))

    def _repr_html_(self) -> str:
        return notebook(self.document())
