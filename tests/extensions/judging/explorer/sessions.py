"""Sessions in which people judge, or that have labels of language models."""

from rankgauge.extensions.judging.judging_session import Judging, add_judging, add_labels
from rankgauge.extensions.pages.explorer import Session


def session_of(
    campaign, measures=None, *, journal=None, grades=None, llm_qrels=None, llm_shown="after", **options
):
    session = Session(campaign, measures, **options)
    if llm_qrels is not None:
        add_labels(session, llm_qrels, llm_shown)
    if journal is not None:
        add_judging(session, journal, grades)
    return session


def judging_of(session):
    return session.part(Judging)
