"""W10: the explorer in a browser: python bench/explorer.py [--write]

For each size of campaign: from the command to the page, and from a click to the view it asks for, the first
time (computed) and again. Times are taken in headless Chromium, on the page's own clock. There is no peer.
"""

from __future__ import annotations

import argparse
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import rankgauge
from report import facts

RESULTS = Path(__file__).parent / "RESULTS-explorer.md"
INTRODUCTION = """\
# Results of the explorer

Written by `python bench/explorer.py --write`. Milliseconds in headless Chromium, from a click to the view,
the first time / again; "start" is from the command to the page. The goals: the start of the demonstration
(5 runs × 50 topics) within 2,000 ms; every interaction within 100 ms with 63 runs × 53 topics, and within
1,000 ms with 500 runs or 7,000 topics. What misses its goal is in bold. Where the load is higher than the
number of cores, others were at work.

"""
GO = """
const [hash, done] = arguments, from = performance.now();
new MutationObserver((_, observer) => {
  if (!document.documentElement.hasAttribute("data-ready")) return;
  observer.disconnect();
  requestAnimationFrame(() => done(performance.now() - from));
}).observe(document.documentElement, { attributeFilter: ["data-ready"] });
location.hash = hash;
"""

SORT = """
const [done] = arguments, from = performance.now();
document.querySelector("[data-key='sort run']").click();
requestAnimationFrame(() => done(performance.now() - from));
"""
GOALS = (2000, 100, 1000, 1000)  # milliseconds: the start of the first size, and all else of the others


class Size(NamedTuple):
    """A simulated campaign."""

    systems: int
    topics: int
    depth: int

    def __str__(self) -> str:
        return f"{self.systems} runs × {self.topics:,} topics × {self.depth}"


SIZES = (Size(5, 50, 1000), Size(63, 53, 100), Size(500, 50, 100), Size(5, 7000, 100))


@contextmanager
def serving(directory: Path) -> Iterator[str]:
    """The address of an explorer of a campaign."""
    command = [sys.executable, "-m", "rankgauge", "explore", "--no-browser", "--quiet"]
    inputs = [directory / "qrels.txt", *sorted((directory / "runs").iterdir())]
    process = subprocess.Popen([*command, *map(str, inputs)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield process.stdout.readline().strip()
    finally:
        process.send_signal(signal.SIGINT)
        process.wait()


def browse(size: Size, directory: Path) -> dict[str, str]:
    """{what was done: milliseconds}."""
    import browsing

    rankgauge.simulate(**size._asdict(), seed=2026).write(directory)
    results: dict[str, str] = {}
    browser = browsing.start(directory / "profile", width=1400, height=1200)
    browser.set_script_timeout(300)
    try:
        begin = time.perf_counter()
        with serving(directory) as address:
            browser.get(address)
            browsing.wait_until_ready(browser)
            results["start"] = f"{1000 * (time.perf_counter() - begin):.0f}"
            session = browser.execute_script("return JSON.parse(document.getElementById('data').textContent)")
            names = session["answers"][0]["answer"]
            results["another order"] = f"{browser.execute_async_script(SORT):.0f}"
            for title, hash in addresses(names).items():
                results[title] = " / ".join(f"{elapsed(browser, hash):.0f}" for _ in range(2))
            assert browsing.complaints(browser) == []
    finally:
        browser.quit()
    return results


def marked(results: dict[str, str], size: Size, goal: int) -> dict[str, str]:
    """The results, in bold where they miss their goal; only the first size has one for the start."""
    with_goal = {"start"} if size is SIZES[0] else results.keys() - {"start"}
    return {
        what: f"**{text}**" if what in with_goal and max(map(float, text.split(" / "))) > goal else text
        for what, text in results.items()
    }


def elapsed(browser: Any, hash: str) -> float:
    """Milliseconds until the view of an address is shown, coming from another one."""
    browser.execute_async_script(GO, "#/about")
    return float(browser.execute_async_script(GO, hash))


def addresses(names: dict[str, Any]) -> dict[str, str]:
    """{what to do: its address}."""
    runs, topics = names["runs"], names["topics"]
    return {
        "overview": "#/overview",
        "another measure": "#/overview?measures=ERR@20",
        "another baseline": f"#/overview?baseline={runs[-1]}",
        "another test": "#/overview?test=wilcoxon",
        "another correction": "#/overview?correction=bh",
        "topics": "#/topics",
        "curves": "#/curves",
        "ranking": f"#/ranking?topic={topics[3]}&run={runs[0]}",
        "four rankings": f"#/ranking?topic={topics[4]}&run=" + "&run=".join(runs[:4]),
        "what if": f"#/what-if?topic={topics[3]}&run={runs[0]}",
        "effort": "#/effort",
    }


def main() -> None:
    """Time every size, and print a table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--write", action="store_true", help=f"write {RESULTS.name}")
    args = parser.parse_args()
    sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))  # for browsing
    columns = {}
    for size, goal in zip(SIZES, GOALS, strict=True):
        with tempfile.TemporaryDirectory() as directory:
            columns[str(size)] = marked(browse(size, Path(directory)), size, goal)
    lines = ["| " + " | ".join(["", *columns]) + " |", "|---" + "|---:" * len(columns) + "|"]
    lines += [
        "| " + " | ".join([what, *(column[what] for column in columns.values())]) + " |"
        for what in next(iter(columns.values()))
    ]
    text = "\n".join([*(f"- {line}" for line in facts(["starlette", "uvicorn"])), "", *lines]) + "\n"
    print(text)
    if args.write:
        RESULTS.write_text(INTRODUCTION + text, encoding="utf-8")


if __name__ == "__main__":
    main()
