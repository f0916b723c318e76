"""The page on incomplete judgments shows what the study finds."""

import pytest

import pages


@pytest.fixture
def script(monkeypatch):
    """The script that writes the page."""
    return pages.script("robustness", monkeypatch)


def test_the_page_shows_what_the_study_finds(script, data):
    page = pages.read("docs/studies/robustness.md")
    runs = script.campaign(data)
    findings = script.study(runs, ["AP"])  # the other measures take longer, and take the same path
    for part in (script.samples(findings), script.depths(findings)):
        assert part.splitlines()[-1] in page


def test_without_the_data_the_page_is_left_unchanged(script, monkeypatch, tmp_path, capsys):
    monkeypatch.setenv("RANKGAUGE_DATA", str(tmp_path))
    assert script.main() == 1
    assert "the page is left unchanged" in capsys.readouterr().err
