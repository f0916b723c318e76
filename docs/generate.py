"""Write the pages of docs/reference from the registries of the package.

python docs/generate.py            write them
python docs/generate.py --check    exit code 1 if one of them is not what would be written
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

from writers.figures import all_figures
from writers.formats import file_formats
from writers.measures import families, measure_language, measures, measures_of, page
from writers.ndcg import which_ndcg
from writers.program import commands, errors_and_exits, options, python_names
from writers.studies import all_studies
from writers.tests import tests

REFERENCE = Path(__file__).parent / "reference"
NOTICE = "<!-- Written by docs/generate.py from the code: change that instead. -->\n\n"
PAGES: dict[str, Callable[[], Iterator[str]]] = {
    "measures.md": measures,
    **{page(family): partial(measures_of, family) for family in families()},
    "language.md": measure_language,
    "ndcg.md": which_ndcg,
    "tests.md": tests,
    "options.md": options,
    "formats.md": file_formats,
    "studies.md": all_studies,
    "figures.md": all_figures,
    "commands.md": commands,
    "errors.md": errors_and_exits,
    "python.md": python_names,
}


def stale(directory: Path) -> dict[str, str]:
    """{name: text} of the pages that are not in the directory as they should be."""
    pages = {name: NOTICE + "\n".join(lines()) for name, lines in PAGES.items()}
    held = {path.name: path.read_text(encoding="utf-8") for path in directory.glob("*.md")}
    return {name: text for name, text in pages.items() if held.get(name) != text}


def main(argv: Sequence[str], directory: Path = REFERENCE) -> int:
    """Write the pages, or check them; the exit code."""
    found = stale(directory)
    if "--check" in argv:
        for name in found:
            print(f"{directory / name} is out of date; run python docs/generate.py", file=sys.stderr)
        return 1 if found else 0
    directory.mkdir(exist_ok=True)
    for name, text in found.items():
        (directory / name).write_text(text, encoding="utf-8")
        print(directory / name)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
