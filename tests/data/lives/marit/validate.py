"""Check Marit's life and both sets of questions: quotes, patterns, counts, dates, the planted
secret.
"""

import csv
import datetime as dt
import email
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from email import policy
from itertools import pairwise
from pathlib import Path
from typing import Any

LIVES = Path(__file__).resolve().parent.parent
SAMPLE = LIVES.parents[2] / "lpm_kernel" / "sample" / "nagi"
CANARY = "The lighthouse borrows its lamp from a drowned umbrella."
LONGEST_RUN = 5  # so many words in a row may a question share with its source at most

SETS = {
    "marit/questions.jsonl": {
        "single": 30,
        "date": 14,
        "two_hop": 12,
        "changed_fact": 16,
        "who_said_it": 14,
        "table": 12,
        "mixed": 6,
        "opinion": 6,
        "unanswerable": 26,
    },
    "nagi/more-questions.jsonl": {
        "who_said_it": 12,
        "table": 6,
        "mixed": 6,
        "single": 3,
        "date": 3,
        "unanswerable": 10,
    },
}


def read(life: str) -> dict[str, str]:
    """Every file of a life's archive, by its path in the archive."""
    archive = SAMPLE if life == "nagi" else LIVES / life / "archive"
    return {
        str(p.relative_to(archive)): p.read_text("utf-8")
        for p in sorted(archive.rglob("*"))
        if p.is_file()
    }


def run(one: str, other: str) -> int:
    """How many words in a row the two texts share at most."""
    mine, theirs = (
        re.findall(r"[a-z0-9']+", one.lower()),
        " ".join(re.findall(r"[a-z0-9']+", other.lower())),
    )
    spans = [(i, j) for i in range(len(mine)) for j in range(i + 1, len(mine) + 1)]
    return max((j - i for i, j in spans if f" {' '.join(mine[i:j])} " in f" {theirs} "), default=0)


def wrong_with(question: dict[str, Any], text: dict[str, str]) -> Iterator[str]:
    """What is wrong with one question."""
    answer, accept, reject = question["answer"], question["accept"], question["reject"]
    if question["lang"] not in {"en", "ja"}:
        yield "language"
    dt.date.fromisoformat(question["asked_at"])
    found = [bool(re.search(pattern, answer, re.IGNORECASE)) for pattern in accept]
    unanswerable = question["category"] == "unanswerable"
    if not (any(found) if unanswerable else all(found)):
        yield f"the answer is not accepted: {accept}"
    if any(re.search(pattern, answer, re.IGNORECASE) for pattern in reject):
        yield f"the answer is rejected: {reject}"
    if unanswerable is bool(question["evidence"]):
        yield "evidence"
    for piece in question["evidence"]:
        if piece["file"].startswith("private/"):
            yield "evidence is private"
        if piece["quote"] not in text.get(piece["file"], ""):
            yield f"no such quote in {piece['file']}: {piece['quote']}"
        if run(question["question"], piece["quote"]) > LONGEST_RUN:
            yield "the question copies its source"


def wrong_in(path: str, body: str) -> Iterator[str]:
    """What is wrong with one file of the archive."""
    if path.endswith(".eml"):
        message = email.message_from_string(body, policy=policy.default)
        when = message["date"].datetime
        if when is None or message["date"].split(",")[0] != when.strftime("%a"):
            yield "weekday"
    if path.endswith(".csv") and any(
        None in row or None in row.values() for row in csv.DictReader(body.splitlines())
    ):
        yield "ragged"
    if path.endswith(".json"):
        json.loads(body)
    for year, month, day, weekday in re.findall(
        r"^(\d{4})/(\d\d)/(\d\d)\((.)\)$", body, re.MULTILINE
    ):
        if "月火水木金土日"[dt.date(int(year), int(month), int(day)).weekday()] != weekday:
            yield f"weekday {year}/{month}/{day}"
    if path.startswith("chats/whatsapp"):
        stamps = re.findall(r"^(\d\d)/(\d\d)/(\d{4}), (\d\d:\d\d) - ", body, re.MULTILINE)
        keys = [(y, m, d, t) for d, m, y, t in stamps]
        if any(earlier > later for earlier, later in pairwise(keys)):
            yield "messages out of order"


def main() -> int:
    """Print the counts and every fault; one fault makes the exit status 1."""
    bad: list[str] = []
    lives = {life: read(life) for life in ("marit", "nagi")}
    marit = lives["marit"]
    bad += [f"{path}: {fault}" for path, body in marit.items() for fault in wrong_in(path, body)]
    if [path for path, body in marit.items() if CANARY in body] != [
        "private/2025-01-21-pressure.md"
    ]:
        bad.append("canary")
    if any(
        p.startswith("private/") and not b.startswith("---\nprivate: true\n")
        for p, b in marit.items()
    ):
        bad.append("front matter")
    say = [f"marit: {len(marit)} files, {sum(len(body.encode()) for body in marit.values())} bytes"]
    for name, wanted in SETS.items():
        text = lives[name.split("/")[0]]
        questions = [json.loads(line) for line in (LIVES / name).read_text("utf-8").splitlines()]
        count = Counter(question["category"] for question in questions)
        japanese = sum(question["lang"] == "ja" for question in questions)
        say.append(f"{name}: {len(questions)} questions, {japanese} in Japanese, {dict(count)}")
        if count != wanted:
            bad.append(f"{name}: counts")
        if len({question["id"] for question in questions}) != len(questions):
            bad.append(f"{name}: an id twice")
        bad += [
            f"{q['id']} {q['question']}: {fault}"
            for q in questions
            for fault in wrong_with(q, text)
        ]
    sys.stdout.write("\n".join([*say, *(f"BAD {fault}" for fault in bad)]) + "\n")
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
