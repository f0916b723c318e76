"""Write the pages of the reference from the registries of the package: python docs/generate.py FOLDER

`make site` makes them pages of the site; what is committed in their places says so.
"""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from writers.figures import all_figures
from writers.formats import file_formats
from writers.fusion import fusion
from writers.measures import measure, measure_language, measures, page_of
from writers.names import all_names
from writers.ndcg import which_ndcg
from writers.program import commands, errors_and_exits, options, python_names
from writers.studies import all_studies
from writers.tests import tests

from rankgauge.measures import MEASURES

PAGES: dict[str, Callable[[], Iterator[str]]] = {
    "commands.md": commands,
    "python.md": python_names,
    "measures.md": measures,
    "language.md": measure_language,
    "names.md": all_names,
    "ndcg.md": which_ndcg,
    "tests.md": tests,
    "fusion.md": fusion,
    "options.md": options,
    "formats.md": file_formats,
    "studies.md": all_studies,
    "figures.md": all_figures,
    "errors.md": errors_and_exits,
}


def reference() -> dict[str, str]:
    """{path below docs/reference: text} of every page."""
    pages = {name: "\n".join(lines()) for name, lines in PAGES.items()}
    return pages | {page_of(spec): "\n".join(measure(spec)) for spec in MEASURES.values()}


def main(folder: Path) -> None:
    """Write every page below a folder."""
    for name, text in reference().items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
