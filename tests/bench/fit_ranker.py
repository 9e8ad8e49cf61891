"""Learn the ranker's weights from invented conversations, and write
`lpm_kernel/L0/index/weights.json`.

    python -m tests.bench.fit_ranker            # report how well held-out conversations are served
    python -m tests.bench.fit_ranker --write    # the same, and write the weights

What is learned from lies in `tests/data/lives/talks` and `tests/data/lives/marit` and was written
for this; no benchmark is touched, and the sample life is left out. The talks teach conversations,
Marit's archive teaches notes, mails and tables. Three things make few conversations go further.
Each stands in a bank with two others, so that there is something to be confused with. Each is also
used with its turns drawn together into longer ones, since some people write much at once. And the
sign of every weight is given beforehand: a passage is never worse for holding the question's words.

A question that asks for several things ("which books has she read") is weighed by weights that may
differ.

The loss is the mean over the right passages of -log P(this one rather than the wrong ones), softmax
over the scores.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lpm_kernel.backends.embed.minilm import TOKENS, MiniLmEmbedder
from lpm_kernel.backends.parse.reading import FileReader
from lpm_kernel.backends.store.index.database import IndexDb
from lpm_kernel.domain.chat.recall import Level
from lpm_kernel.domain.ids import ChunkId, DocumentId
from lpm_kernel.domain.library.documents import Chunk, chunk_id
from lpm_kernel.domain.library.passages import TOKEN_WIDTH, Embedded
from lpm_kernel.L0.index import ranking
from lpm_kernel.L0.index.columns import Bank, Columns
from lpm_kernel.L0.index.search import Candidates, WordsBesides, candidates
from lpm_kernel.L0.language.analysis import passages
from lpm_kernel.L0.language.glosses import Glossed, Tongues
from lpm_kernel.L0.language.question import Question
from lpm_kernel.L0.language.related import Related
from lpm_kernel.L0.text.chunks import chunks
from lpm_kernel.L0.text.masking import sanitise
from lpm_kernel.usecases.library.file_names import day_in_name
from lpm_kernel.usecases.library.intake import HEAD
from tests.lives import LIVES, archive

TALKS = LIVES / "talks"
WEIGHTS = Path(ranking.__file__).with_name("weights.json")
TOGETHER = 4
"""Turns that are drawn together into one turn for each who spoke."""

NOTES = "marit"
EVERY = 2
"""Every second question to the notes is learned from. With all of them, talks, which most memories
of this size are, lost 0.4 points.
"""

K = 10
RIDGE = 10.0
RIDGE_APART = 30.0
STEPS = 250
FEW, MANY_COUNT = 2, 0.5
"""A question with more right passages than ``FEW`` counts so much: most questions that people ask
have one answer.
"""

APART = frozenset(
    "own top cover cover_near cover_around before after session speaker related related_near asking"  # noqa: SIM905  reads better
    " brief meaning meaning_near meaning_rare meaning_session late late_near".split()
)
"""What may count differently where a question asks for several things."""
AGAINST = frozenset({"asking", "brief_asking", "brief"})
"""What speaks against a passage; everything else speaks for it."""

EITHER = frozenset({"meaning"})
"""Beside late interaction, likeness as a whole may speak against a passage that is like the
question but holds nothing it asks for.
"""

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Learned:
    """Weights in the order of the names: for a question that asks for one thing, and for one that
    asks for several.
    """

    one: Floats
    many: Floats


@dataclass(frozen=True)
class Turn:
    id: str
    text: str
    speaker: str
    session: str
    at: datetime


@dataclass(frozen=True)
class Asked:
    conversation: str
    text: str
    gold: frozenset[str]
    at: datetime


@dataclass(frozen=True)
class Case:
    """A question with its candidates, and which of them are right."""

    asked: Asked
    found: Candidates
    right: NDArray[np.bool_]
    columns: Columns
    texts: list[str]


Talks = dict[str, list[Turn]]
Documents = list[tuple[str, list[Chunk]]]
"""Titles and passages."""


def load() -> tuple[Talks, list[Asked]]:
    """Read the conversations and both files of questions."""
    talks = {
        path.stem: [
            Turn(
                line["id"],
                line["text"],
                line["speaker"],
                line["session"],
                datetime.fromisoformat(line["timestamp"]).replace(tzinfo=UTC),
            )
            for line in _lines(path)
        ]
        for path in sorted(TALKS.glob("*.jsonl"))
        if path.stem != "questions"
    }
    asked = [
        Asked(
            line["conversation"],
            line["question"],
            frozenset(line["evidence"]),
            datetime.fromisoformat(line["asked_at"]).replace(tzinfo=UTC),
        )
        for line in _lines(TALKS / "questions.jsonl")
    ]
    name = ""
    for line in (TALKS / "more-questions.txt").read_text("utf-8").splitlines():
        if line.startswith("#"):
            name = line.removeprefix("#").strip()
        else:
            evidence, _, text = line.partition(" ")
            asked.append(
                Asked(
                    name,
                    text,
                    frozenset(f"{name}/S{each}" for each in evidence.split(",")),
                    max(turn.at for turn in talks[name]) + timedelta(days=6),
                )
            )
    return talks, asked


def life(name: str) -> tuple[Documents, list[Asked]]:
    """Read an archive as the product does, and the questions to it; the right passages hold the
    quoted evidence, or all that an answer must say.
    """
    folder = LIVES / name
    reader = FileReader()
    documents: Documents = []
    files: dict[ChunkId, str] = {}
    for path in sorted(archive(name).rglob("*")):
        if not path.is_file():
            continue
        file, data = str(path.relative_to(archive(name))), path.read_bytes()
        parsed = sanitise(reader.read(path.name, reader.kind(path.name, data[:HEAD]), data))
        made = chunks(
            DocumentId(f"{name}:{file}"),
            reader.version,
            parsed,
            parsed.created_at or day_in_name(path.name),
        )
        files |= {chunk.id: file for chunk in made}
        documents.append((parsed.title or path.stem, made))
    asked = []
    for line in _lines(folder / "questions.jsonl"):
        quotes = {each["file"]: _flat(each["quote"])[:60] for each in line["evidence"]}
        gold = {
            chunk.id
            for _, made in documents
            for chunk in made
            if files[chunk.id] in quotes
            and (
                quotes[files[chunk.id]] in _flat(chunk.text)
                or all(
                    re.search(pattern, chunk.content, re.IGNORECASE) for pattern in line["accept"]
                )
            )
        }
        asked.append(
            Asked(
                name,
                line["question"],
                frozenset(gold),
                datetime.fromisoformat(line["asked_at"]).replace(hour=23, tzinfo=UTC),
            )
        )
    return [each for each in documents if each[1]], asked


def _flat(text: str) -> str:
    return " ".join(text.split())


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def drawn_together(talks: Talks, asked: Sequence[Asked]) -> tuple[Talks, list[Asked]]:
    """Make longer turns: within a few turns, what one person says becomes one turn."""
    longer: Talks = {}
    moved: dict[str, str] = {}
    for name, turns in talks.items():
        longer[name] = []
        start = 0
        while start < len(turns):
            part = [
                turn
                for turn in turns[start : start + TOGETHER]
                if turn.session == turns[start].session
            ]
            start += len(part)
            for speaker in dict.fromkeys(turn.speaker for turn in part):
                own = [turn for turn in part if turn.speaker == speaker]
                moved |= {turn.id: own[0].id for turn in own}
                longer[name].append(replace(own[0], text=" ".join(turn.text for turn in own)))
    return longer, [
        replace(each, gold=frozenset(moved[turn] for turn in each.gold)) for each in asked
    ]


def banks_of_three(names: Sequence[str]) -> list[list[str]]:
    """Put each conversation into two banks of three."""
    half = len(names) // 2
    return [list(names[0::2]), list(names[1::2]), list(names[:half]), list(names[half:])]


class Library:
    """Makes banks in a temporary folder and embeds each text once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.embedder = Glossed(MiniLmEmbedder())
        self.known: dict[str, NDArray[np.float32]] = {}
        self.tokens: dict[str, NDArray[np.int8]] = {}

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        new = [text for text in dict.fromkeys(texts) if text not in self.known]
        if new:
            made = self.embedder.embed_tokens(new)
            self.known |= dict(zip(new, made.vectors, strict=True))
            self.tokens |= dict(zip(new, made.tokens or (), strict=True))
        return np.stack([self.known[text] for text in texts])

    def bank(self, label: str, documents: Documents) -> tuple[Columns, list[str], list[str]]:
        """Index documents; gives the columns, and the id and the text that stand at each
        position.
        """
        index = IndexDb(self.folder / f"{label}.db")
        ids, texts = [], []
        for title, made in documents:
            ids += [str(chunk.turn if chunk.text_version == TALK else chunk.id) for chunk in made]
            texts += [chunk.content for chunk in made]
            index.put(
                made[0].document,
                passages(made, title),
                embedded=Embedded(self.embedder.id, self.embed([chunk.content for chunk in made])),
            )
        return Bank(index, self.embedder.id).columns(), ids, texts

    def looked_closely(self, case: Case, weights: ranking.RankingWeights) -> Case:
        """Keep the best by these weights, and add what late interaction says of them, as recall
        does.
        """
        best = np.argsort(-ranking.scores(case.found, weights), kind="stable")[: ranking.LATE]
        at = case.found.positions[best]
        place = {
            int(row): self.tokens[text]
            for row, text in zip(case.columns.rows, case.texts, strict=True)
        }
        beside = (
            [None if row is None else place[row] for row in case.columns.beside(at, distance)]
            for distance in (0, -1, 1)
        )
        features = {
            name: values[best] for name, values in case.found.features.items()
        } | ranking.late(self.tokens[case.asked.text], *beside)
        return replace(
            case, found=replace(case.found, positions=at, features=features), right=case.right[best]
        )

    def talk_cases(self, label: str, talks: Talks, asked: Sequence[Asked]) -> list[Case]:
        """Ask conversations that stand in one bank."""
        return self.cases(
            label,
            [("", _chunks(DocumentId(name), said)) for name, said in talks.items()],
            [each for each in asked if each.conversation in talks],
        )

    def cases(self, label: str, documents: Documents, asked: Sequence[Asked]) -> list[Case]:
        """Ask a bank."""
        columns, ids, texts = self.bank(label, documents)
        tongues, related = Tongues(), Related()
        made = []
        for each in asked:
            vector = self.embed([each.text])[0]
            taken = Question(each.text)
            others = tongues.others(taken.search_terms, columns.vocabulary)
            found = candidates(
                columns,
                taken,
                each.at,
                vector=vector,
                allowed=~(columns.moments > each.at.timestamp()),
                words_besides=WordsBesides(related, others),
            )
            made.append(
                Case(
                    each,
                    found,
                    np.array([ids[at] in each.gold for at in found.positions], np.bool_),
                    columns,
                    texts,
                )
            )
        return made


TALK = "talk"


def _chunks(document: DocumentId, turns: Sequence[Turn]) -> list[Chunk]:
    made, at = [], 0
    for turn in turns:
        end = at + len(turn.text)
        made.append(
            Chunk(
                id=chunk_id(document, TALK, at, end),
                document=document,
                text_version=TALK,
                start=at,
                end=end,
                text=turn.text,
                session=turn.session,
                speaker=turn.speaker,
                said_at=turn.at,
                turn=turn.id,
            )
        )
        at = end + 1
    return made


def matrix(cases: Sequence[Case], names: Sequence[str]) -> list[Floats]:
    return [
        np.stack([case.found.features[name] for name in names], axis=1).astype(np.float64)
        for case in cases
    ]


def fit(cases: Sequence[Case], names: Sequence[str]) -> Learned:
    """Learn the weights by Adam on all cases at once; weights of the wrong sign are put back to
    zero at each step.

    Questions that ask for several things have weights of their own for what ``APART`` names: what
    is learned is by how much these differ, and a ridge keeps them near.
    """
    cases = [case for case in cases if case.right.any() and not case.right.all()]
    sizes = np.array([len(case.right) for case in cases])
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    owner = np.repeat(np.arange(len(cases)), sizes)
    rows = np.concatenate(matrix(cases, names)).astype(np.float32)
    spread = rows.std(axis=0) + 1e-6
    rows /= spread
    apart = [number for number, name in enumerate(names) if name in APART]
    several = np.array([case.found.several for case in cases])[owner]
    rows = np.hstack([rows, rows[:, apart] * several[:, None]])
    right = np.concatenate([case.right for case in cases])
    answers = np.bincount(owner, weights=right)
    share = (np.where(answers > FEW, MANY_COUNT, 1.0) / answers)[owner[right]] / len(cases)
    penalty = np.where(np.arange(rows.shape[1]) < len(names), RIDGE, RIDGE_APART) / len(cases)
    sign = np.array([-1.0 if name in AGAINST else 1.0 for name in names])
    free = np.array(["late" in names and name in EITHER for name in names])
    weights, mean, square = (np.zeros(rows.shape[1]) for _ in range(3))
    for step in range(1, STEPS + 1):
        score = (rows @ weights.astype(np.float32)).astype(np.float64)
        score -= np.maximum.reduceat(score, starts)[owner]
        odds = np.exp(score)
        wrong = odds * ~right
        total = np.add.reduceat(wrong, starts) + 1e-12
        missed = share * total[owner[right]] / (odds[right] + total[owner[right]])
        pull = (
            wrong
            / total[owner]
            * np.bincount(owner[right], weights=missed, minlength=len(cases))[owner]
        )
        pull[right] -= missed
        slope = pull.astype(np.float32) @ rows + penalty * weights
        mean, square = 0.9 * mean + 0.1 * slope, 0.99 * square + 0.01 * slope * slope
        rate = 0.05 if step < 0.7 * STEPS else 0.01
        weights -= rate * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.99**step)) + 1e-8)
        one = weights[: len(names)]
        weights[: len(names)] = np.where(free, one, sign * np.maximum(sign * one, 0.0))
    one = weights[: len(names)]
    many = one.copy()
    many[apart] += weights[len(names) :]
    many = np.where(free, many, sign * np.maximum(sign * many, 0.0))
    return Learned(one / spread, many / spread)


def as_weights(
    names: Sequence[str], learned: Learned, answerable: Mapping[str, float] = MappingProxyType({})
) -> ranking.RankingWeights:
    """Give what was learned as recall reads it."""
    one, many = (
        dict(zip(names, each.round(4).tolist(), strict=True))
        for each in (learned.one, learned.many)
    )
    return ranking.RankingWeights(
        one, dict(answerable), {name: value for name, value in many.items() if value != one[name]}
    )


def recall_at_k(cases: Sequence[Case], names: Sequence[str], learned: Learned) -> float:
    """Give the share of the right passages among the first ``K``, in percent, over the questions
    that have an answer.
    """
    shares = []
    for case, rows in zip(cases, matrix(cases, names), strict=True):
        if case.asked.gold:
            best = np.argsort(
                -(rows @ (learned.many if case.found.several else learned.one)), kind="stable"
            )[:K]
            shares.append(case.right[best].sum() / len(case.asked.gold))
    return 100 * float(np.mean(shares))


def judge(
    cases: Sequence[Case], weights: ranking.RankingWeights
) -> tuple[Floats, NDArray[np.bool_]]:
    """Sum each answer up, and say whether a right passage is among the first ``K``."""
    seen, held = [], []
    for case in cases:
        found = replace(
            case.found,
            features={
                name: values
                for name, values in case.found.features.items()
                if name in weights.features
            },
        )
        score = ranking.scores(found, weights)
        order = np.argsort(-score, kind="stable")[:K]
        summary = ranking.evidence(found, score, order.tolist())
        seen.append([summary[name] for name in ranking.ANSWERABLE])
        held.append(bool(case.right[order].any()))
    return np.array(seen), np.array(held)


def logistic(seen: Floats, held: NDArray[np.bool_], ridge: float = 1.0) -> Floats:
    """Fit a logistic regression by Newton's method, both outcomes weighing alike. The last weight
    is the bias.
    """
    spread = np.append(seen.std(axis=0) + 1e-6, 1.0)
    rows = np.column_stack([seen, np.ones(len(seen))]) / spread
    balance = np.where(held, 0.5 / held.mean(), 0.5 / (1 - held.mean()))
    weights = np.zeros(rows.shape[1])
    penalty = ridge * np.append(np.ones(seen.shape[1]), 0.0)
    for _ in range(30):
        chance = 1 / (1 + np.exp(-rows @ weights))
        slope = rows.T @ (balance * (chance - held)) + penalty * weights
        bend = (rows * (balance * chance * (1 - chance))[:, None]).T @ rows + np.diag(
            penalty + 1e-9
        )
        weights -= np.linalg.solve(bend, slope)
    learned: Floats = weights / spread
    return learned


def area(chance: Floats, held: NDArray[np.bool_]) -> float:
    """Give the area under the curve: how often an answer that is there gets the higher chance."""
    return float(np.mean(chance[held][:, None] > chance[~held][None, :]))


def report(
    level: Level, cases: Sequence[Case], alone: Sequence[Case], names: Sequence[str]
) -> None:
    """Leave one conversation out, learn from the others, and say how the one left out is served."""
    conversations = sorted({case.asked.conversation for case in cases})
    each, chances, helds, unanswerable = [], [], [], []
    for left in conversations:
        learned = [case for case in cases if case.asked.conversation != left]
        weights = fit(learned, names)
        held_out = [case for case in alone if case.asked.conversation == left]
        each.append(recall_at_k(held_out, names, weights))
        known = as_weights(names, weights)
        judged = logistic(
            *judge([case for case in alone if case.asked.conversation != left], known)
        )
        seen, held = judge(held_out, known)
        chances.append(1 / (1 + np.exp(-(seen @ judged[:-1] + judged[-1]))))
        helds.append(held)
        unanswerable.append(np.array([not case.asked.gold for case in held_out]))
        print(f"{level}: {left:12} left out: R@{K} {each[-1]:.1f}")
    chance, held, none = (
        np.concatenate(chances),
        np.concatenate(helds),
        np.concatenate(unanswerable),
    )
    print(
        f"{level}: R@{K} left out {np.mean(each):.1f}; answerable: AUC {area(chance, held):.3f}"
        " (unanswerable against found"
        f" {area(np.append(chance[held], chance[none]), np.append(held[held], ~none[none])):.3f})"
    )
    for bar in (0.3, 0.4, 0.5, 0.6):
        print(
            f"   below {bar}: {100 * np.mean(chance[none] < bar):.0f} % of the unanswerable,"
            f" {100 * np.mean(chance[held] < bar):.0f} % of those with an answer among the"
            f" first {K}"
        )


def project(talks: Talks) -> None:
    """Learn how tokens are written in fewer numbers, and write it beside the embedder: their mean,
    and the directions in which they differ most.
    """
    embedder = MiniLmEmbedder()
    tokens = np.concatenate(
        [
            embedder.hidden(f"{turn.speaker}: {turn.text}")
            for turns in talks.values()
            for turn in turns
        ]
    )
    mean = tokens.mean(axis=0)
    spread, directions = np.linalg.eigh(np.cov((tokens - mean).T))
    best = directions[:, np.argsort(-spread)[:TOKEN_WIDTH]].T
    best *= np.sign(best[np.arange(TOKEN_WIDTH), np.abs(best).argmax(axis=1)])[:, None]
    np.save(TOKENS, np.vstack([mean, best]).astype(np.float16))
    print(
        f"{len(tokens)} tokens; {TOKEN_WIDTH} directions hold"
        f" {np.sort(spread)[::-1][:TOKEN_WIDTH].sum() / spread.sum():.0%} of their spread"
    )


def lessons(
    library: Library, talks: Talks, asked: Sequence[Asked]
) -> tuple[list[Case], list[Case]]:
    """Give what is learned from, and the same questions to each conversation by itself, with all
    questions to the notes.
    """
    longer, asked_longer = drawn_together(talks, asked)
    cases = []
    for number, names in enumerate(banks_of_three(list(talks))):
        cases += library.talk_cases(f"plain-{number}", {name: talks[name] for name in names}, asked)
        cases += library.talk_cases(
            f"longer-{number}", {name: longer[name] for name in names}, asked_longer
        )
    alone = [
        case
        for name in talks
        for case in library.talk_cases(f"alone-{name}", {name: talks[name]}, asked)
    ]
    notes = library.cases(NOTES, *life(NOTES))
    return cases + notes[::EVERY], alone + notes


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--write", action="store_true", help="write the weights")
    parser.add_argument("--quick", action="store_true", help="do not leave conversations out")
    parser.add_argument(
        "--project", action="store_true", help="learn and write the directions of tokens first"
    )
    wanted = parser.parse_args()
    talks, asked = load()
    if wanted.project:
        project(talks)
    weights: dict[str, object] = {}
    with tempfile.TemporaryDirectory() as folder:
        library = Library(Path(folder))
        cases, alone = lessons(library, talks, asked)
        vectors = list(alone[0].found.features)
        words = [name for name in vectors if not name.startswith("meaning")]
        for level, names in (
            (Level.WORDS, words),
            (Level.VECTORS, vectors),
            (Level.LATE, [*vectors, "late", "late_near"]),
        ):
            if level is Level.LATE:
                first = as_weights(vectors, fit(cases, vectors))
                cases, alone = (
                    [library.looked_closely(case, first) for case in part]
                    for part in (cases, alone)
                )
            if not wanted.quick:
                report(level, cases, alone, names)
            learned = as_weights(names, fit(cases, names))
            judged = logistic(*judge(alone, learned))
            answerable = dict(
                zip((*ranking.ANSWERABLE, "bias"), judged.round(4).tolist(), strict=True)
            )
            weights[level.value] = {
                "features": learned.features,
                "several": learned.several,
                "answerable": answerable,
            }
    print(json.dumps(weights, indent=1))
    if wanted.write:
        WEIGHTS.write_text(json.dumps(weights, indent=1) + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
