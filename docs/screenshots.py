"""Take the pictures of the explorer's views for docs/how-to/explore.md: python docs/screenshots.py [--all]

With `--all`, also each view in the dark, and on a narrow screen, into a temporary directory, to look at.
"""

import argparse
import json
import random
import sys
import tempfile
from pathlib import Path

import rankgauge
from rankgauge.explorer import Session
from rankgauge.explorer.exploration import Explorer
from rankgauge.model.texts import Texts
from rankgauge.studies.campaign import Campaign
from rankgauge.studies.judging import Journal

HERE = Path(__file__).parent
PICTURES = HERE / "explorer"
WORDS = (
    *(
        "ranked",
        "retrieval",
        "of",
        "passages",
        "from",
        "long",
        "documents",
        "with",
        "sparse",
        "dense",
        "vectors",
    ),
    *(
        "for",
        "questions",
        "about",
        "health",
        "travel",
        "law",
        "music",
        "history",
        "science",
        "trade",
        "weather",
    ),
    *("language", "food", "sport", "energy", "water", "and", "art"),
)
WIDE, NARROW = (1400, 1000), (400, 800)


def made(directory: Path) -> Session:
    """A simulated campaign, with made-up titles and queries."""
    rankgauge.simulate(topics=30, depth=100, systems=8, judged=40, seed=2026).write(directory)
    campaign = Campaign(str(directory / "qrels.txt"), str(directory / "runs" / "*.run"))
    chance = random.Random(2026)

    def text(words: int) -> str:
        return " ".join(chance.choices(WORDS, k=words)).capitalize()

    documents = {line.split()[2] for run in (directory / "runs").iterdir() for line in run.open()}
    with (directory / "documents.jsonl").open("w") as file:
        for document in sorted(documents):
            file.write(json.dumps({"id": document, "title": text(6), "text": text(60) + "."}) + "\n")
    (directory / "topics.tsv").write_text("".join(f"{topic}\t{text(4)}\n" for topic in campaign.topics))
    return Session(
        campaign,
        "nDCG@10 AP RR P@10 R@100",
        baseline="bm25",
        documents=Texts.open(directory / "documents.jsonl"),
        topics=Texts.open(directory / "topics.tsv"),
        journal=Journal.open(directory / "journal.jsonl"),
        title="Eight systems on thirty topics",
    )


def addresses(session: Session) -> dict[str, str]:
    """{view: its address}."""
    runs, topics = list(session.runs), list(session.topics)
    three = "&".join(f"run={run}" for run in runs[:3])
    return {
        "overview": "#/overview",
        "topics": "#/topics",
        "curves": "#/curves",
        "ranking": f"#/ranking?topic={topics[3]}&{three}",
        "what-if": f"#/what-if?topic={topics[3]}&run={runs[0]}",
        "effort": "#/effort",
        "judge": "#/judge?assessor=Ada",
        "about": "#/about",
    }


def main() -> None:
    """Serve the campaign and take a picture of each view."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--all", action="store_true", help="also dark, and on a narrow screen")
    args = parser.parse_args()
    sys.path.insert(0, str(HERE.parent / "tests"))
    import browsing

    PICTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        directory = Path(folder)
        session = made(directory)
        browser = browsing.start(directory / "profile", flags=["hide-scrollbars"])
        try:
            with Explorer(session) as explorer:
                browser.get(explorer.address)
                browsing.wait_until_ready(browser)
                shots = [("", WIDE, "light", PICTURES)]
                if args.all:
                    elsewhere = Path(tempfile.mkdtemp(prefix="explorer-"))
                    print(elsewhere)
                    shots += [("-dark", WIDE, "dark", elsewhere), ("-narrow", NARROW, "light", elsewhere)]
                for suffix, size, scheme, place in shots:
                    look(browser, size, scheme)
                    for view, address in addresses(session).items():
                        shoot(browser, address, place / f"{view}{suffix}.png")
        finally:
            browser.quit()


def look(browser, size, scheme) -> None:
    """The size and the colours of the window."""
    width, height = size
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500},
    )
    browser.execute_cdp_cmd(
        "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
    )


def shoot(browser, address: str, path: Path) -> None:
    """Go to a view and take its picture."""
    import time

    import browsing

    browser.execute_script(
        "document.documentElement.removeAttribute('data-ready'); location.hash = arguments[0]", address
    )
    browsing.wait_until_ready(browser)
    time.sleep(0.3)  # figures are drawn
    browser.save_screenshot(str(path))


if __name__ == "__main__":
    main()
