"""The example that grades requests, against a server of its own."""

import json
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from rankgauge import Qrels
from rankgauge.errors import InputError

SCRIPT = Path(__file__).parents[2] / "docs" / "label_requests.py"


@pytest.fixture
def server():
    """(address, prompts so far) of a model that grades passages by how often they have the word tea."""
    prompts = []

    class Model(BaseHTTPRequestHandler):
        def do_POST(self):
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            assert (self.path, asked["model"]) == ("/v1/chat/completions", "stub")
            prompts.append(asked["messages"][0]["content"])
            passage = prompts[-1].split("Passage: ")[1].split("\n\n")[0]
            text = "I cannot tell." if "{?}" in passage else f"Of 3 grades:\n{passage.count('tea')}"
            body = json.dumps({"choices": [{"message": {"content": text}}]}).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args):
            """Print nothing."""

    with HTTPServer(("127.0.0.1", 0), Model) as made:
        thread = threading.Thread(target=made.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{made.server_port}/v1", prompts
        made.shutdown()
        thread.join()


def test_requests_are_graded_and_read_back_as_labels(server, working_folder, invoke):
    address, prompts = server
    working_folder(
        {
            "a.run": "q1 Q0 d1 1 2 a\nq1 Q0 d2 2 1 a\nq2 Q0 d1 1 1 a\n",
            "corpus.jsonl": '{"id":"d1", "title": "Tea", "text": "tea or tea"}\n{"id":"d2", "text": "{?}"}\n',
            "queries.tsv": "q1\thot tea\nq2\tcold tea\n",
        }
    )
    requests = ["--requests", "requests.jsonl", "--documents", "corpus.jsonl", "--queries", "queries.tsv"]
    assert invoke("pool", "a.run", *requests).out == ""
    with Path("requests.jsonl").open("rb") as asked, Path("labels.jsonl").open("wb") as answers:
        subprocess.run([sys.executable, SCRIPT, address, "stub"], stdin=asked, stdout=answers, check=True)
    assert len(prompts) == 3
    assert prompts[0].startswith("Query: hot tea\nPassage: Tea\ntea or tea\n")
    with pytest.raises(InputError, match=r"labels.jsonl:2: the grade is missing"):
        Qrels.read("labels.jsonl")
    lines = Path("labels.jsonl").read_text().splitlines()
    Path("labels.jsonl").write_text("\n".join([lines[0], lines[2], ""]))
    labels = Qrels.read("labels.jsonl")
    assert labels.to_dict() == {"q1": {"d1": 2}, "q2": {"d1": 2}}
    assert labels.iterations.texts() == ["stub", "stub"]
