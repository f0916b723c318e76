"""Build the documentation site: python docs/build_site.py [FOLDER], by default `site`.

Its pages are those that docs/README.md lists, whose sections are the navigation, and a page per measure.
The home page is README.md.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

from generate import reference
from screenshots import sample_report
from writers.measures import Case, families, page_of

from rankgauge.measures import MEASURES

DOCS = Path(__file__).parent
ROOT = DOCS.parent
WORK = ROOT / "build" / "site"
SETTINGS: dict[str, Any] = {
    "site_name": "rankgauge",
    "site_description": "Evaluation of ranked retrieval",
    "docs_dir": "pages",
    "site_dir": "site",
    "use_directory_urls": False,  # so that files open without a server
    "extra_css": ["site.css"],
    "extra_javascript": ["site.js"],
    "plugins": ["search"],
    "markdown_extensions": [
        "attr_list",
        "md_in_html",
        "tables",
        "pymdownx.superfences",
        {"toc": {"permalink": True}},
        {"pymdownx.highlight": {"anchor_linenums": False}},
    ],
    "theme": {
        "font": False,  # those of the machine: nothing is loaded from elsewhere
        "features": ["navigation.tabs", "navigation.indexes", "navigation.prune", "content.code.copy"],
        "palette": [
            {"media": media, **scheme, "toggle": {"icon": f"lucide/{icon}", "name": name}}
            for media, scheme, icon, name in (
                ("(prefers-color-scheme)", {}, "sun-moon", "Switch to light mode"),
                ("(prefers-color-scheme: light)", {"scheme": "default"}, "sun", "Switch to dark mode"),
                ("(prefers-color-scheme: dark)", {"scheme": "slate"}, "moon", "Follow the system"),
            )
        ],
    },
}
_LINK = re.compile(r"(?P<text>\[[^\]]*\])\((?P<target>[^)\s#]+)(?P<anchor>#[^)\s]*)?\)")


def address(path: Path) -> str:
    """The place of a file of the repository on the site."""
    if path in (ROOT / "README.md", DOCS / "README.md"):
        return "index.md" if path.parent == ROOT else "contents.md"
    return str(path.relative_to(DOCS if path.is_relative_to(DOCS) else ROOT))


def page(path: Path, text: str) -> None:
    """Write a page, with links to places on the site, and copy the pictures and files it links to."""

    def relink(link: re.Match[str]) -> str:
        if re.match(r"\w+:", link["target"]):
            return link[0]
        target = Path(os.path.normpath(path.parent / link["target"]))
        place = WORK / "pages" / address(target)
        if target.is_file() and target.suffix != ".md":
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(target, place)
        to = os.path.relpath(address(target), Path(address(path)).parent)
        return f"{link['text']}({to}{link['anchor'] or ''})"

    place = WORK / "pages" / address(path)
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(_LINK.sub(relink, text), encoding="utf-8")


def contents() -> dict[str, dict[Path, str]]:
    """{section of docs/README.md with links: {page: the text of the link to it}}."""
    _, *sections = re.split(r"^## ", (DOCS / "README.md").read_text(encoding="utf-8"), flags=re.M)
    found = {}
    for section in sections:
        links = {
            Path(os.path.normpath(DOCS / link["target"])): link["text"][1:-1]
            for link in _LINK.finditer(section)
        }
        if links:
            found[section.splitlines()[0]] = links
    return found


def navigation() -> list[Any]:
    """The sections of docs/README.md with their pages; below the list of measures, those of each family."""
    by_family = [
        {family: [f"reference/{page_of(spec)}" for spec in specs]} for family, specs in families().items()
    ]
    nav: list[Any] = [{"Home": "index.md"}]
    for section, pages in contents().items():
        listed: list[Any] = []
        for path, text in pages.items():
            place = address(path)
            if place == "reference/measures.md":
                nav.append({"Measures": [place, *by_family]})
            else:
                listed.append(place if path.suffix == ".md" else {text: place})
        nav.append({section: listed})
    listed.append("contents.md")
    return nav


def draw(name: str) -> None:
    """Draw the picture of a measure beside its page."""
    spec = MEASURES[name]
    path = WORK / "pages" / "reference" / page_of(spec)
    Case.of(spec).picture(spec).save(path.with_suffix(".svg"))


def main(folder: Path) -> None:
    """Assemble the pages, and let Zensical build the site from them, strictly."""
    shutil.rmtree(WORK, ignore_errors=True)
    made = {DOCS / "reference" / name: text for name, text in reference().items()}
    for path, text in made.items():
        page(path, text)
    listed = {path for pages in contents().values() for path in pages} - made.keys()
    for path in {ROOT / "README.md", DOCS / "README.md", *listed}:
        if path.suffix == ".md" and path.is_file():
            page(path, path.read_text(encoding="utf-8"))
    pages = WORK / "pages"
    for name in (*SETTINGS["extra_css"], *SETTINGS["extra_javascript"]):
        shutil.copy(DOCS / name, pages)
    (pages / "explorer" / "report.html").write_text(sample_report(), encoding="utf-8")
    tried = subprocess.run([sys.executable, DOCS / "try" / "build.py", pages / "try"], check=False)
    if tried.returncode not in (0, 3):  # 3: there is no npm
        raise SystemExit("docs/try/build.py failed")
    nav = [*navigation(), *[{"Try it": "try/index.html"}] * (not tried.returncode)]
    with ProcessPoolExecutor() as pool:
        list(pool.map(draw, MEASURES, chunksize=8))
    (WORK / "mkdocs.yml").write_text(json.dumps({**SETTINGS, "nav": nav}, indent=1), encoding="utf-8")
    command = [sys.executable, "-m", "zensical", "build", "--strict", "--config-file", "mkdocs.yml"]
    done = subprocess.run(command, cwd=WORK, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(re.sub(r"\x1b\[[\d;]*m", "", done.stdout + done.stderr))
    shutil.rmtree(folder, ignore_errors=True)
    shutil.move(WORK / "site", folder)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "site"))
