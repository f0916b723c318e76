"""An explorer that is served, and a browser that has opened it."""

import socket
import threading
from contextlib import closing, contextmanager

import pytest

import browsing
from explorer.small import QRELS, RUNS
from rankgauge.explorer import Session
from rankgauge.studies.campaign import Campaign


@contextmanager
def served(session, token="secret"):
    """The address of a server of the session, without the token."""
    uvicorn = pytest.importorskip("uvicorn")
    from rankgauge.explorer.server import application

    with closing(socket.socket()) as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()  # whoever comes before the server has started waits
        port = listener.getsockname()[1]
        server = uvicorn.Server(
            uvicorn.Config(application(session, token, port), log_level="error", lifespan="off")
        )
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            yield f"http://127.0.0.1:{port}"
        finally:
            server.should_exit = True
            thread.join()


@pytest.fixture(scope="session")
def session():
    return Session(Campaign(QRELS, RUNS), "AP nDCG@10 RR", baseline="bm25")


@pytest.fixture(scope="session")
def address(session):
    with served(session) as address:
        yield address


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    browser = browsing.start(tmp_path_factory.mktemp("profile"), width=1400, height=1200)
    yield browser
    browser.quit()


@pytest.fixture
def opened(browser, address):
    """The browser with the explorer open; the test must leave no complaint and no request to elsewhere."""
    browsing.complaints(browser), browsing.requests_of(browser)  # those of an earlier test
    browser.get(f"{address}/?token=secret")
    browsing.wait_until_ready(browser)
    yield browser
    assert browsing.complaints(browser) == []
    assert [url for url in browsing.requests_of(browser) if not url.startswith(address)] == []
