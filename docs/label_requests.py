"""Grade the requests of `rankgauge pool --requests` by a language model on an OpenAI-compatible server.

python docs/label_requests.py requests.jsonl labels.jsonl --server http://localhost:8000/v1 --model NAME
"""

import argparse
import json
import os
import re
import urllib.request
from pathlib import Path

PROMPT = """Query: {query}\nPassage: {text}\n
How well does the passage answer the query? 0: not at all; 1: it is on the topic but does not answer; 2: it
answers in part, or among other things; 3: it is dedicated to the query and has the exact answer.
End with the grade alone on the last line."""


def answer(server: str, model: str, prompt: str) -> str:
    """The answer of the model to a prompt."""
    body = {"model": model, "temperature": 0, "messages": [{"role": "user", "content": prompt}]}
    key = (
        {"Authorization": f"Bearer {os.environ['OPENAI_API_KEY']}"} if "OPENAI_API_KEY" in os.environ else {}
    )
    headers = {"Content-Type": "application/json", **key}
    asked = urllib.request.Request(f"{server}/chat/completions", json.dumps(body).encode(), headers)
    with urllib.request.urlopen(asked, timeout=600) as response:
        return str(json.load(response)["choices"][0]["message"]["content"])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("requests", type=Path)
    parser.add_argument("labels", type=Path)
    parser.add_argument("--server", required=True)
    parser.add_argument("--model", required=True)
    args = parser.parse_args()
    with (
        args.requests.open(encoding="utf-8") as requests,
        args.labels.open("w", encoding="utf-8") as labels,
    ):
        for request in map(json.loads, requests):
            reason = answer(args.server, args.model, PROMPT.format(**request))
            grades = re.findall(r"\b[0-3]\b", reason)  # without any, rankgauge reports the line
            request |= {"grade": int(grades[-1]) if grades else None, "judge": args.model, "reason": reason}
            print(json.dumps(request), file=labels, flush=True)
