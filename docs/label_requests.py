"""Grade the requests of `rankgauge pool --requests` by a language model on an OpenAI-compatible server.

python docs/label_requests.py http://localhost:8000/v1 MODEL < requests.jsonl > labels.jsonl
"""

import json
import os
import re
import sys
import urllib.request

PROMPT = """Query: {query}\nPassage: {text}\n
How well does the passage answer the query? 0: not at all; 1: it is on the topic but does not answer; 2: it
answers in part, or among other things; 3: it is dedicated to the query and has the exact answer.
End with the grade alone on the last line."""

server, model = sys.argv[1:]
headers = {"Content-Type": "application/json"}
if "OPENAI_API_KEY" in os.environ:
    headers["Authorization"] = f"Bearer {os.environ['OPENAI_API_KEY']}"
for request in map(json.loads, sys.stdin):
    messages = [{"role": "user", "content": PROMPT.format(**request)}]
    body = json.dumps({"model": model, "temperature": 0, "messages": messages}).encode()
    asked = urllib.request.Request(f"{server}/chat/completions", body, headers)
    with urllib.request.urlopen(asked, timeout=600) as response:
        reason = json.load(response)["choices"][0]["message"]["content"]
    grades = re.findall(r"\b[0-3]\b", reason)  # without any, rankgauge reports the line
    request |= {"grade": int(grades[-1]) if grades else None, "judge": model, "reason": reason}
    print(json.dumps(request), flush=True)
