"""Who may ask the server."""

import pytest

httpx = pytest.importorskip("httpx")


@pytest.fixture
def client(address):
    with httpx.Client(base_url=address) as client:
        yield client


def test_nobody_gets_in_without_the_token(client):
    for path in ("/", "/api/session", "/?token=wrong", "/elsewhere"):
        assert client.get(path).status_code == 403


def test_the_token_opens_the_page(client):
    response = client.get("/?token=secret", follow_redirects=True)
    assert response.status_code == 200
    assert "secret" not in str(response.url)
    assert client.get("/api/session").json()["runs"]
    assert client.get("/elsewhere").status_code == 404


def test_other_hosts_and_origins_are_refused(client):
    client.get("/?token=secret")
    assert client.get("/api/session", headers={"Host": "evil.example"}).status_code == 421
    assert client.get("/api/session", headers={"Origin": "http://evil.example"}).status_code == 403


def test_a_wrong_request_says_why(client):
    client.get("/?token=secret")
    response = client.get("/api/overview", params={"q": '{"measures": "nDGC@10"}'})
    assert response.status_code == 400
    assert "nDCG" in response.json()["error"]
