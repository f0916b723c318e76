"""Judging in a browser: by keys and by buttons, alone and in company."""

import errno
import os
from unittest.mock import Mock

import pytest

import browsing
import rankgauge
from browsing import ActionChains, Keys
from extensions.judging.explorer.sessions import session_of
from extensions.pages.explorer.small import QRELS, RUNS
from extensions.pages.explorer.visiting import one, opened, served, visit
from rankgauge.campaigns.campaign import Campaign
from rankgauge.errors import JournalError
from rankgauge.extensions.judging import Journal, journal, pool
from rankgauge.extensions.pages.explorer import Session
from rankgauge.model.texts import Text

CAMPAIGN = Campaign(QRELS, RUNS)
EXPECTED = [(t, d) for t, docs in pool(RUNS, depth=10, judged=QRELS).in_order().items() for d in docs]
HOSTILE = '<img src=x onerror="window.hacked = 1"><script>window.hacked = 1</script>\'"`${1}\u202e{{x}}'
DISK_FULL = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


class Page:
    """The view in a browser, with the journal that it writes."""

    def __init__(self, browser, path):
        self.browser, self.path = browser, path

    def go(self, fragment):
        """Show an address, as if it were opened anew."""
        self.browser.execute_script(
            "document.documentElement.removeAttribute('data-ready'); location.replace(arguments[0])", fragment
        )
        browsing.reload(self.browser)

    def text(self, selector):
        return self.browser.execute_script(
            "return document.querySelector(arguments[0])?.textContent ?? ''", selector
        )

    def press(self, *keys):
        """Press keys, and wait until the page has done what they say."""
        for key in keys:
            before = self.text(".judging [role=status]")
            ActionChains(self.browser).send_keys(key).perform()
            browsing.wait(
                self.browser, lambda _, before=before: self.text(".judging [role=status]") != before
            )
            self.wait_idle()

    def type(self, text):
        ActionChains(self.browser).send_keys(text).perform()

    def wait_idle(self):
        browsing.wait(self.browser, lambda b: not browsing.find(b, ".card[aria-busy]"))

    @property
    def document(self):
        return self.text("article h3")

    def decisions(self):
        return [(d.assessor, *d.place, d.kind, d.grade, d.comment) for d in Journal.read(self.path)]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "journal.jsonl"


@pytest.fixture
def page(browser, path):
    with Journal.open(path) as journal:
        session = session_of(CAMPAIGN, "AP nDCG@10", journal=journal)
        with served(session) as address, opened(browser, address):
            yield Page(browser, path)


def test_a_name_is_asked_and_each_key_decides(page):
    page.go("#/judge")
    one(page.browser, "input[name=assessor]").send_keys("Zoë B.", Keys.ENTER)
    browsing.wait(page.browser, lambda b: browsing.find(b, ".judging article"))
    assert "assessor=Zo%C3%AB+B." in page.browser.current_url
    for number, ((topic, document), key) in enumerate(zip(EXPECTED, "0s3", strict=False)):
        assert page.document == document
        assert f"Topic {topic}" in page.text(".topic")
        assert f"{number} of {len(EXPECTED)} decided" in page.text(".counts")
        page.press(key)
        kind, grade = ("skip", None) if key == "s" else ("grade", float(key))
        # The next document is shown, so the decision is on disk.
        assert page.document == EXPECTED[number + 1][1]
        assert page.decisions()[-1] == ("Zoë B.", topic, document, kind, grade, "")
        assert f"Document {page.document}" in page.text(".judging [role=status]")


def test_buttons_decide_like_keys(page):
    page.go("#/judge?assessor=Ann")
    names = [each.get_attribute("aria-label") for each in browsing.find(page.browser, ".bar button")]
    assert names[:4] == ["Grade 0", "Grade 1", "Grade 2", "Grade 3"]
    one(page.browser, "button[aria-label='Grade 2']").click()
    browsing.wait(page.browser, lambda _: page.document == EXPECTED[1][1])
    one(page.browser, "button[aria-label='Skip this document']").click()
    browsing.wait(page.browser, lambda _: page.document == EXPECTED[2][1])
    assert [d[3:5] for d in page.decisions()] == [("grade", 2.0), ("skip", None)]
    assert page.browser.execute_script("return document.activeElement.textContent") == "Skip"


def test_comment_back_and_undo(page):
    page.go("#/judge?assessor=Ann&topic=104")
    ids = [doc for topic, doc in EXPECTED if topic == "104"]
    page.type("c")
    page.type("0 1 2 s b u: no keys")
    assert page.decisions() == []
    page.type(Keys.ESCAPE)
    page.press("1", "2")
    page.press("b")
    assert page.document == ids[1]
    assert "grade 2" in page.text(".before")
    assert one(page.browser, "button[aria-label='Grade 2']").get_attribute("aria-pressed") == "true"
    page.press("b")
    assert page.document == ids[0]
    assert one(page.browser, ".card textarea").get_attribute("value") == "0 1 2 s b u: no keys"
    assert "document=" in page.browser.current_url
    browsing.travel(page.browser, -1)
    browsing.wait(page.browser, lambda _: page.document == ids[1])
    browsing.wait_until_ready(page.browser)
    page.press("0")  # decides again
    assert page.document == ids[2]
    page.press("u")
    assert page.document == ids[1]
    assert "grade 2" in page.text(".before")
    page.press("n")
    assert page.document == ids[2]
    assert [d[2:] for d in page.decisions()] == [
        (ids[0], "grade", 1.0, "0 1 2 s b u: no keys"),
        (ids[1], "grade", 2.0, ""),
        (ids[1], "grade", 0.0, ""),
        (ids[1], "undo", None, ""),
    ]


def test_a_key_that_is_held_or_not_a_grade_decides_nothing(page):
    page.go("#/judge?assessor=Ann")
    for properties in (
        "{key: '1', repeat: true}",
        "{key: '1', ctrlKey: true}",
        "{key: '7'}",
        "{key: 'toString'}",
    ):
        page.browser.execute_script(f"dispatchEvent(new KeyboardEvent('keydown', {properties}))")
    # Two at once: the second would be a decision on a document that nobody has seen.
    page.browser.execute_script("for (const key of '12') dispatchEvent(new KeyboardEvent('keydown', {key}))")
    browsing.wait(page.browser, lambda _: page.document == EXPECTED[1][1])
    page.wait_idle()
    assert [d[4] for d in page.decisions()] == [1.0]


def test_one_goes_on_after_a_reload_and_a_new_start(page, browser, path):
    page.go("#/judge?assessor=Ann&topic=104")
    page.press("1", "2")
    shown = page.document
    browsing.reload(browser)
    assert page.document == shown
    page.go("#/judge?assessor=Ann")
    assert page.document == shown
    page.go("#/judge?assessor=Ben")
    assert page.document == EXPECTED[0][1]
    assert "0 of" in page.text(".counts")


def test_two_assessors_agree_or_not(page):
    page.go("#/judge?assessor=Ann")
    page.press("1", "1", "3")
    page.go("#/judge?assessor=Ben")
    page.press("1", "0", "3")
    page.go("#/judge?assessor=Ben&part=agreement")
    with_journal = Journal.read(page.path)
    expected = rankgauge.assessment.agreement(with_journal.qrels("Ann"), with_journal.qrels("Ben"))
    assert expected.sentences[0] in page.text(".judging")
    assert f"{expected.agreement.kappa():.4f}" in page.text(".judging")
    assert "Conflicts: 1" in page.text(".judging")
    one(page.browser, ".judging td a").click()
    browsing.wait(page.browser, lambda b: browsing.find(b, ".judging article"))
    assert page.document == EXPECTED[1][1]
    assert "grade 0" in page.text(".before")  # Ben's, not Ann's
    page.go("#/judge?assessor=Ann&part=decisions")
    rows = [row.text.split()[:2] for row in browsing.find(page.browser, ".judging tbody tr")]
    assert rows == [list(place) for place in EXPECTED[2::-1]]


def test_the_leaderboard_moves(page):
    page.go("#/judge?assessor=Ann&part=leaderboard")
    assert "Nobody has given a grade yet" in page.text(".judging")
    page.go("#/judge?assessor=Ann")
    page.press(*"3" * 6)
    page.go("#/judge?assessor=Ann&part=leaderboard&measure=AP")
    both = {topic: {**docs} for topic, docs in QRELS.items()}
    for topic, docs in Journal.read(page.path).judgments().items():
        both[topic] |= docs
    means = [rankgauge.evaluate(judged, RUNS, "AP").mean() for judged in (QRELS, both)]
    rows = {row.text.split()[0]: row.text.split()[1:3] for row in browsing.find(page.browser, "tbody tr")}
    assert rows == {run: [f"{mean[run]['AP']:.4f}" for mean in means] for run in RUNS}
    browsing.wait(page.browser, lambda b: browsing.find(b, ".chart svg"))
    assert "new judgments" in page.text(".chart svg")


@pytest.mark.parametrize("assessor", ["", "Ben"])
def test_the_file_is_that_of_the_journal(page, tmp_path, assessor):
    page.go("#/judge?assessor=Ann")
    page.press("1", "s", "3")
    page.go("#/judge?assessor=Ben")
    page.press("2", "0")
    page.go("#/judge?assessor=Ben&part=export")
    page.browser.execute_script("""
        window.saved = [];
        const make = URL.createObjectURL;
        URL.createObjectURL = (blob) => { blob.text().then((text) => saved.push(text)); return make(blob); };
        HTMLAnchorElement.prototype.click = function () { window.savedName = this.download; };
    """)
    if assessor:
        page.browser.execute_script("document.querySelector('.export select').value = arguments[0]", assessor)
    one(page.browser, ".export button").click()
    browsing.wait(page.browser, lambda b: b.execute_script("return saved.length"))
    (tmp_path / "new.qrels").write_text(page.browser.execute_script("return saved[0]"), encoding="utf-8")
    expected = Journal.read(page.path).qrels(assessor or None)
    assert rankgauge.Qrels.read(tmp_path / "new.qrels").to_dict() == expected.to_dict()
    assert page.browser.execute_script("return savedName") == (
        "judgments-Ben.qrels" if assessor else "judgments.qrels"
    )


def test_a_full_disk_is_shown_and_nothing_is_lost(page, monkeypatch):
    page.go("#/judge?assessor=Ann")
    page.type("c")
    page.type("a long comment")
    page.browser.execute_script("document.activeElement.blur()")
    with monkeypatch.context() as patched:
        patched.setattr(journal.os, "fsync", Mock(side_effect=DISK_FULL))
        page.type("2")
        browsing.wait(page.browser, lambda _: "was not recorded" in page.text(".judging [role=alert]"))
    page.wait_idle()
    assert page.document == EXPECTED[0][1]
    page.press("2")
    assert page.text(".judging [role=alert]") == ""
    assert page.decisions() == [("Ann", *EXPECTED[0], "grade", 2.0, "a long comment")]
    assert [e for e in browsing.complaints(page.browser) if "status of 503" not in e["message"]] == []


def test_a_journal_that_is_replaced_is_shown_for_good(browser, path):
    opened_journal = Journal.open(path)
    session = session_of(CAMPAIGN, "AP nDCG@10", journal=opened_journal)
    with served(session) as address, opened(browser, address):
        page = Page(browser, path)
        page.go("#/judge?assessor=Ann")
        page.press("1")
        path.unlink()
        page.type("2")
        browsing.wait(browser, lambda _: "was not recorded" in page.text(".judging [role=alert]"))
        page.wait_idle()
        page.press("b")
        for place in ("?assessor=Ann", "?assessor=Ann&part=decisions", ""):
            assert "all that was recorded, 1 decision, is in" in page.text(".judging [role=alert]")
            page.go(f"#/judge{place}")
        assert [e for e in browsing.complaints(browser) if "status of 503" not in e["message"]] == []
    with pytest.raises(JournalError):
        opened_journal.close()


def test_hostile_names_and_texts_execute_nothing(browser, path):
    documents = [HOSTILE, "constructor", "__proto__", b"d\xff\xfe", 'a"b\\u0041', "x" * 500]
    runs = {"<b>run": {HOSTILE: {doc: 9.0 - n for n, doc in enumerate(documents)}, "q2": {"d": 1.0}}}
    judged = {HOSTILE: {"other": 1}, "q2": {"d": 1}}
    texts = {doc: Text(HOSTILE, f"{HOSTILE}\n{HOSTILE}") for doc in (*documents, HOSTILE)}
    with Journal.open(path) as journal:
        session = session_of(Campaign(judged, runs), "AP", journal=journal, documents=texts, topics=texts)
        with served(session) as address, opened(browser, address):
            page = Page(browser, path)
            page.go("#/judge?assessor=%3Cimg%20src=x%20onerror=%22window.hacked=1%22%3E")
            assert HOSTILE in page.text("article")
            assert HOSTILE in page.text(".topic")
            for _ in documents:
                page.type("c")
                page.type("<script>window.hacked = 1</script>")
                page.browser.execute_script("document.activeElement.blur()")
                page.press("1")
            assert "All 6 documents are decided" in page.text(".finished")
            page.press(*"bbbbbb")  # leads to each of them again, whatever its name
            for part in ("", "decisions", "agreement", "leaderboard", "export"):
                visit(browser, f"/judge?assessor=%3Cimg%20src=x%3E&part={part}")
                assert page.browser.execute_script("return window.hacked") is None
            page.go("#/judge?assessor=Ann")
            page.press("0", "b")
            browsing.reload(browser)
            assert "grade 0" in page.text(".before")
            assert len(page.decisions()) == 7
            assert sorted(d[2] for d in page.decisions()[:6]) == sorted(
                doc if isinstance(doc, str) else doc.decode("utf-8", "surrogateescape") for doc in documents
            )


@pytest.mark.parametrize("width", [400, 1400])
def test_nothing_is_wider_than_the_window(page, width):
    with browsing.sized(page.browser, width):
        page.go("#/judge")
        for part in ("judge", "decisions", "agreement", "leaderboard", "export"):
            page.go(f"#/judge?assessor={'Ann' * 30}&part={part}")
            if part == "judge":
                page.press("1", "s", "2")
                bottom = one(page.browser, ".bar").rect
                assert bottom["y"] + bottom["height"] <= 901 + page.browser.execute_script("return scrollY")
            assert browsing.overflow(page.browser) <= 0


def test_a_wrong_address_says_so(page):
    page.go("#/judge?assessor=Ann&topic=104&document=none")
    assert "'none' is not one to judge" in page.text("[role=alert]")
    page.go("#/judge?assessor=Ann&topic=999")
    assert "topic must be one of" in page.text("[role=alert]")
    browsing.complaints(page.browser)  # the two answers with an error


def test_without_a_journal_the_view_says_how_to_start(browser):
    session = Session(CAMPAIGN, "AP", command="rankgauge explore q.txt a.run")
    with served(session) as address, opened(browser, address):
        visit(browser, "/judge")
        assert "rankgauge explore q.txt a.run --journal judgments.jsonl" in one(browser, "pre").text


def test_labels_of_a_model_appear_when_the_document_is_judged(browser, path):
    labels = rankgauge.Qrels.of({topic: {doc: 2} for topic, doc in EXPECTED[:1]}, name=HOSTILE)
    with Journal.open(path) as journal:
        session = session_of(CAMPAIGN, "AP", journal=journal, llm_qrels=labels)
        with served(session) as address, opened(browser, address):
            page = Page(browser, path)
            page.go("#/judge?assessor=Ann")
            assert page.text(".labels") == ""
            page.press("1")
            document = EXPECTED[0][1]
            assert page.text(".labels") == f"{document}, which you gave grade 1: {HOSTILE}: grade 2."
            page.press("s")
            assert page.text(".labels") == ""
            page.press("b", "b")
            assert page.text(".labels") == f"{HOSTILE}: grade 2."
            assert browser.execute_script("return window.hacked") is None
