"""An explorer that is served, and a browser that has opened it."""

import pytest

from extensions.pages.explorer import visiting
from extensions.pages.explorer.small import QRELS, RUNS
from rankgauge.campaigns.campaign import Campaign
from rankgauge.extensions.pages.explorer import Session


@pytest.fixture(scope="session")
def session():
    return Session(Campaign(QRELS, RUNS), "AP nDCG@10 RR", baseline="bm25")


@pytest.fixture(scope="session")
def served(session):
    """The address that opens the explorer."""
    with visiting.served(session) as address:
        yield address


@pytest.fixture(scope="session")
def address(served):
    """The address of the server, without the token."""
    return served.partition("/?")[0]


@pytest.fixture
def opened(browser, served):
    """The browser with the explorer open."""
    with visiting.opened(browser, served):
        yield browser
