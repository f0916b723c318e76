"""Take the pictures of the explorer's views: python docs/screenshots.py [--all]

With `--all`, also each view in the dark, and on a narrow screen, into a temporary directory, to look at.
"""

import argparse
import io
import json
import random
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import rankgauge
from rankgauge.campaigns.campaign import Campaign
from rankgauge.extensions.judging import Journal
from rankgauge.extensions.judging.judging_session import add_judging
from rankgauge.extensions.pages.explorer import Session
from rankgauge.extensions.pages.explorer.exploration import Explorer
from rankgauge.extensions.pages.explorer.page import page
from rankgauge.model.qrels import Qrels
from rankgauge.model.texts import Texts

HERE = Path(__file__).parent
PICTURES = HERE / "explorer"
NOUNS = (
    *("health", "travel", "law", "music", "history", "science", "trade"),
    *("weather", "language", "food", "sport", "energy", "water", "art"),
)
QUERIES = (
    "{0} and {1}",
    "how does {0} change {1}",
    "the price of {0}",
    "{0} for beginners",
    "questions about {0}",
)
TITLES = (
    "A short history of {0}",
    "How {0} changes {1}",
    "What {0} owes to {1}",
    "{0} for beginners",
    *QUERIES[2:],
)
SENTENCES = (
    "Most of what is known about {0} comes from {1}.",
    "In the long run {0} matters more than {1}.",
    "This page compares {0} with {1}, and both with {2}.",
    "Nobody expected {0} to depend on {1}.",
    "Where there is {0}, there is {1}.",
)
WIDE, NARROW = (1400, 1000), (400, 800)


def made(directory: Path, title: str, **size: int) -> Session:
    """A simulated campaign, with made-up titles and queries."""
    rankgauge.simulate(**size, seed=2026).write(directory)
    campaign = Campaign(str(directory / "qrels.txt"), str(directory / "runs" / "*.run"))
    chance = random.Random(2026)

    def text(patterns: Sequence[str], nouns: Sequence[str]) -> str:
        filled = chance.choice(patterns).format(*chance.sample(nouns, 3))
        return filled[0].upper() + filled[1:]

    nouns = {topic: chance.sample(NOUNS, 3) for topic in campaign.topics}
    judged = Qrels.read(directory / "qrels.txt").to_dict()
    about = {doc: nouns[topic] for topic, docs in judged.items() for doc, grade in docs.items() if grade}
    documents = {line.split()[2] for run in (directory / "runs").iterdir() for line in run.open()}
    with (directory / "documents.jsonl").open("w") as file:
        for document in sorted(documents):
            words = about.get(document, NOUNS)
            body = " ".join(text(SENTENCES, [*words, *NOUNS]) for _ in range(6))
            file.write(json.dumps({"id": document, "title": text(TITLES, words), "text": body}) + "\n")
    queries = (f"{topic}\t{text(QUERIES, of_topic)}\n" for topic, of_topic in nouns.items())
    (directory / "topics.tsv").write_text("".join(queries))
    session = Session(
        campaign,
        "nDCG@10 AP RR P@10 R@100",
        baseline="bm25",
        documents=Texts.open(directory / "documents.jsonl"),
        topics=Texts.open(directory / "topics.tsv"),
        title=title,
    )
    add_judging(session, Journal.open(directory / "journal.jsonl"))
    return session


def sample_report() -> str:
    """The saved page of a small campaign."""
    with tempfile.TemporaryDirectory() as folder:
        title = "Four systems on eight topics"
        return page(made(Path(folder) / "small", title, topics=8, depth=15, systems=4, judged=15))


def addresses(session: Session) -> dict[str, str]:
    """{view: its address}."""
    runs, topics = list(session.runs), list(session.topics)
    return {
        "overview": "#/overview",
        "topics": "#/topics",
        "curves": "#/curves",
        "ranking": f"#/ranking?topic={topics[3]}",
        "what-if": f"#/what-if?topic={topics[3]}&run={runs[0]}",
        "effort": "#/effort",
        "judge": "#/judge?assessor=Ada",
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
        session = made(
            directory / "large", "Eight systems on thirty topics", topics=30, depth=100, systems=8, judged=40
        )
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
    """Go to a view and take its picture, in 256 colours: a third of the bytes."""
    import time

    from PIL import Image

    import browsing

    browser.execute_script(
        "document.documentElement.removeAttribute('data-ready'); location.hash = arguments[0]", address
    )
    browsing.wait_until_ready(browser)
    time.sleep(0.3)  # figures are drawn
    taken = Image.open(io.BytesIO(browser.get_screenshot_as_png())).convert("RGB")
    taken.quantize(256, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE).save(path, optimize=True)


if __name__ == "__main__":
    main()
