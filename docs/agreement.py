"""Write docs/reference/agreement.md: how many values of other tools ours were compared with.

python docs/agreement.py    run the tests of agreement and write what they compared

It needs the tests' requirements and the real data, whose directory RANKGAUGE_DATA names. The page is what
the tests told of themselves; if one of them fails, nothing is written.
"""

import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest
from writers.markup import table

HERE = Path(__file__).parent
PAGE = HERE / "reference" / "agreement.md"
TESTS = HERE.parent / "tests" / "agreement"
COMPARED = "values compared"  # the property under which the tests record their number
SPELLED = {
    "trec eval": "trec_eval",
    "pytrec eval": "pytrec_eval",
    "ir measures": "ir_measures",
    "ntcirevals": "NTCIREVAL's",
    "pyntcirevals": "pyNTCIREVAL's",
    "ntcir 13": "NTCIR-13",
    "trec evals": "trec_eval's",
    "trec_eval 9s": "trec_eval 9's",
    "trec covid": "TREC-COVID",
    **{name.lower(): name for name in ("AP", "README", "nDCG", "NIST", "NTCIREVAL", "ERR", "RBP", "Twist")},
}
NOTICE = "<!-- Written by docs/agreement.py from a run of tests/agreement. -->\n"


@dataclass(frozen=True)
class Comparison:
    """What one test compared."""

    module: str
    test: str  # its name as a sentence
    case: str  # the collection, or another case of the same test
    values: int


@dataclass
class Listener:
    """A plugin of pytest that hears what the tests compared."""

    heard: list[Comparison] = field(default_factory=list)

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Note the number that a test recorded."""
        for name, values in report.user_properties if report.when == "call" else ():
            if name == COMPARED:
                path, _, rest = report.nodeid.partition("::")
                test, _, case = rest.partition("[")
                self.heard.append(Comparison(Path(path).stem, sentence(test), case.rstrip("]"), values))


def sentence(test: str) -> str:
    """The name of a test as the sentence that it is, with names spelled as their owners do."""
    said = test.removeprefix("test_").replace("_", " ")
    for name, spelled in SPELLED.items():
        said = re.sub(rf"\b{name}\b", spelled, said)
    return said


def page(heard: list[Comparison]) -> Iterator[str]:
    """The paragraphs of the page."""
    total = sum(comparison.values for comparison in heard)
    yield NOTICE
    yield "# Agreement with other tools\n"
    yield f"""Values of rankgauge beside those that other tools print for the same runs and judgments, topic
by topic and on average, to the printed digit: **{total:,} values compared, none differs**. The collections
are real ones; they are not part of the package. Where a tool's value is passed over, `tests/agreement` says
so, with the reason.
"""
    for module, group in groupby(heard, lambda comparison: comparison.module):
        yield f"## {title(module)}\n"
        rows = [(test, case, f"{values:,}", 0) for test, case, values in rows_of(group)]
        yield table(("what was tested", "collection or case", "values", "that differ"), rows)
    yield "`python docs/agreement.py` runs the tests and writes this page anew.\n"


def rows_of(comparisons: Iterable[Comparison]) -> Iterator[tuple[str, str, int]]:
    """(test, case, values): one row a case, or one for all where cases are only numbered."""
    for test, group in groupby(comparisons, lambda comparison: comparison.test):
        cases = list(group)
        if len(cases) > 1 and all(comparison.case.isdigit() for comparison in cases):
            yield test, f"{len(cases)} random runs", sum(comparison.values for comparison in cases)
        else:
            yield from ((test, comparison.case or "–", comparison.values) for comparison in cases)


def title(module: str) -> str:
    """The first sentence of a module of tests."""
    found = re.match(r'"""(.*?)\.?"""', (TESTS / f"{module}.py").read_text(encoding="utf-8"), flags=re.S)
    return " ".join(found[1].split()) if found else module


def main() -> int:
    """Run the tests, then write the page; the exit code."""
    listener = Listener()
    status = pytest.main(["-q", "-n", "0", "-p", "no:cacheprovider", str(TESTS)], plugins=[listener])
    if status or not listener.heard:
        print("the tests did not all pass, or had no data: the page is left as it is", file=sys.stderr)
        return int(status) or 1
    PAGE.write_text("\n".join(page(listener.heard)), encoding="utf-8")
    print(PAGE)
    return 0


if __name__ == "__main__":
    sys.exit(main())
