"""Trainings: what is asked for, how they stand, what came of them."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from pydantic import AliasChoices, BaseModel, Field

from lpm_kernel.api.schemas import JobOut, ProblemOut, Sent
from lpm_kernel.api.training.examination_schemas import ScorecardOut
from lpm_kernel.api.training.pair_schemas import PairCounts, PairIn
from lpm_kernel.api.training.row_schemas import RowIn
from lpm_kernel.domain.training.runs import FORMER_NAMES
from lpm_kernel.usecases.training.settings import LEAST, MOST

RunStateName = Literal["prepared", "working", "stopped", "ready", "thinned", "tainted"]


PreferenceLossName = Literal["sigmoid", "sigmoid_norm", "hinge", "ipo", "apo_zero", "apo_down"]


def between(name: str, description: str | None = None) -> Any:  # noqa: ANN401 - as pydantic has it
    """Describe a setting that may be left out and otherwise lies in the range that the use case
    gives it; a former name of it is taken too.
    """
    former = [before for before, now in FORMER_NAMES.items() if now == name]
    return Field(
        default=None,
        validation_alias=AliasChoices(name, *former) if former else None,
        ge=LEAST[name],
        le=MOST[name],
        description=description,
    )


class TrainingIn(Sent):
    """What to train, and how; what is left out is at its default (`GET /api/training`)."""

    again: str | None = Field(
        default=None,
        max_length=40,
        description="A training whose settings this one has where nothing else is said: to learn"
        " again without what was erased.",
    )
    base: str | None = Field(
        default=None,
        max_length=500,
        description="What it starts from, as `GET /api/training` names it, with or without what"
        " follows the `@`: the model in use.",
    )
    since: datetime | None = Field(
        default=None,
        description="Learn what was kept since then, and a share of the rest: `recent_days`,"
        " counted from that time until now.",
    )
    steps: int | None = between("steps")
    epochs: int | None = between("epochs")
    rank: int | None = between("rank")
    alpha: int | None = between("alpha")
    strength: float | None = between(
        "strength",
        "How much of what was learned is put on the base: less of it knows a little less and admits"
        " more often that it does not know.",
    )
    dropout: float | None = between("dropout")
    learning_rate: float | None = between("learning_rate")
    warmup_steps: int | None = between("warmup_steps")
    batch: int | None = between("batch")
    micro_batch_size: int | None = between("micro_batch_size")
    checkpoint_every: int | None = between("checkpoint_every")
    patience: int | None = between("patience")
    threads: int | None = between("threads")
    precision: Literal["auto", "float32", "bfloat16"] | None = None
    device: Literal["auto", "cpu", "cuda", "mps"] | None = Field(
        default=None, description="Where it learns; `auto` takes a GPU where there is one."
    )
    seed: int | None = between("seed")
    dpo: bool | None = Field(
        default=None, description="Learn from the pairs too which answers are better (DPO)."
    )
    on_policy: bool | None = Field(
        default=None,
        description="Reject what it says itself after the first stage, where that is not the"
        " better answer; otherwise what the rule rejects.",
    )
    beta: float | None = between(
        "beta", "How strongly it is held to what it learned before: more changes less."
    )
    preference_loss: (
        Literal["sigmoid", "sigmoid_norm", "hinge", "ipo", "apo_zero", "apo_down"] | None
    ) = None
    preference_rate: float | None = between("preference_rate")
    preference_epochs: int | None = between("preference_epochs")
    preference_batch: int | None = between("preference_batch", "Pairs that one step learns from.")
    recent_days: int | None = between(
        "recent_days",
        "Learn what was kept in the last so many days, and a share of the rest; left out,"
        " everything.",
    )
    older: float | None = between(
        "older", "That share of the questions about it, so that it is not forgotten."
    )
    documents: Literal["none", "own"] | list[str] | None = Field(
        default=None,
        description="Documents from which it learns what you wrote and did not keep: `none`, `own`"
        " (all of yours), or their ids.",
    )
    questions: int | None = between("questions", "Questions for each statement.")
    wording: Literal["templates", "model", "endpoint"] | None = Field(
        default=None,
        description="Who words the questions: templates, the model in use, or the endpoint of"
        " `words_at`; what a model words badly is left out.",
    )
    words_at: str | None = Field(
        default=None,
        max_length=500,
        description="The address of an OpenAI-compatible endpoint. One sentence is sent at a time;"
        " private ones are not, unless it is on this machine.",
    )
    words_model: str | None = Field(
        default=None, max_length=500, description="Which model there; otherwise its first."
    )
    words_key: str | None = Field(
        default=None,
        max_length=1000,
        description="The key of that endpoint; left out, the one that was given before.",
    )
    consent: bool = Field(
        default=False,
        description="Yes to what `POST /api/training/words` says would leave this machine.",
    )
    reasoning: Literal["none", "weak", "multi", "strong"] | None = Field(
        default=None, description="How much it is taught to think before it answers."
    )
    thoughts: Literal["rules", "model"] | None = Field(
        default=None,
        description="Who words what it thinks; what the model that thinks brings in of its own is"
        " left to the rules, and so is all of a training that learns something private, where that"
        " model is elsewhere.",
    )
    notes: float | None = between(
        "notes", "Rows that are read from notes, for every row that teaches a fact."
    )
    enhance: float | None = between(
        "enhance", "Requests that are said with what is remembered about them, likewise."
    )
    critic: float | None = between(
        "critic", "Drafts of answers that are judged and put right, likewise."
    )
    diversity: float | None = between(
        "diversity", "Rows that ask for a statement in another manner, likewise."
    )
    discretion: float | None = between(
        "discretion",
        "Rows in which somebody else asks, who may know or may not, likewise.",
    )
    unknown: float | None = between("unknown", "Rows that nothing answers, likewise.")
    general: float | None = between("general", "Rows that any model can answer, likewise.")
    pairs: int | None = between(
        "pairs",
        "Pairs of a preferred and a rejected answer that each rule makes of statements, at most;"
        " those of what you did are not counted.",
    )
    exam_questions: int | None = between(
        "exam_questions",
        "Questions that the examination makes by rule; your own are added to them.",
    )
    private: bool | None = Field(
        default=None,
        description="Learn private statements too. Such a training answers its owner alone. Left"
        " out, as the training that is learned `again`; otherwise no.",
    )
    rows: list[RowIn] = Field(
        default_factory=list, max_length=10_000, description="Rows of the person's own."
    )
    own_pairs: list[PairIn] = Field(
        default_factory=list, max_length=10_000, description="Preference pairs of one's own."
    )
    exam: str = Field(
        default="",
        max_length=2_000_000,
        description=(
            'Questions for the examination, JSON lines: {"question", "accept": [patterns], "fact"}.'
        ),
    )
    start: bool = Field(
        default=True,
        description=(
            "Learn at once. Otherwise three steps are measured, and it waits to be read and"
            " resumed."
        ),
    )


class WordsEndpointIn(Sent):
    """A training whose questions an endpoint would word."""

    words_at: str = Field(max_length=500, description="The address of the endpoint.")
    private: bool = False
    documents: Literal["none", "own"] | list[str] = "none"
    recent_days: int | None = between("recent_days")
    older: float | None = between("older")
    seed: int | None = between("seed")


class WordsLeavingOut(BaseModel):
    """What would leave this machine for it."""

    host: str
    here: bool = Field(description="It is on this machine, so nothing leaves.")
    encrypted: bool
    sentences: int = Field(description="That would be sent, one at a time, without your name.")
    kept_here: int = Field(description="Private ones, which are not sent.")


class WordedOut(BaseModel):
    """What came of having an endpoint word the questions."""

    host: str
    here: bool
    statements: int = Field(description="That were to be asked about.")
    sent: int
    worded: int = Field(
        description="About which it worded a question; the others have theirs by rule."
    )
    kept_here: int = Field(
        description="Not sent: private, or kept or corrected since you said yes."
    )
    problem: str = Field(description="Why it was asked no more; empty where it answered.")


class ThoughtOut(BaseModel):
    """What came of having a model word what is thought before answers."""

    host: str = Field(description="Where it is; empty for one in this process or its own child.")
    here: bool
    rows: int = Field(description="That are thought about.")
    sent: int = Field(description="Rows that it was asked about, with their questions and answers.")
    thought: int = Field(description="Whose thought is the model's; the others have the rule's.")
    problem: str = Field(description="Why it was not asked, or asked no more.")


class MergedIn(Sent):
    """A training as a whole model."""

    kind: Literal["f16", "q8_0"] = Field(
        default="q8_0", description="How numbers are kept: `q8_0` needs half the space of `f16`."
    )


class MergedOut(BaseModel):
    """A whole model that lies ready."""

    kind: Literal["f16", "q8_0"]
    bytes: int


class ByMerged(Sent):
    """Which whole model."""

    id: str = Field(max_length=100)
    kind: Literal["f16", "q8_0"]


class TrainingOut(BaseModel):
    """One training."""

    id: str
    number: int
    state: RunStateName
    in_use: bool
    lost: bool = Field(
        description="Tainted as its files did not come back with a backup; nothing was erased."
    )
    created_at: datetime
    ended_at: datetime | None
    base: str
    synthesiser: str
    audience: Literal["anybody", "owner"]
    parent: str | None
    settings: dict[str, Any]
    rows: dict[str, int]
    pairs: PairCounts | None = Field(description="Preference pairs; none where its files are gone.")
    left_out: dict[str, int]
    worded: WordedOut | None = Field(
        description="What came of wording by an endpoint; none where none was asked."
    )
    thought: ThoughtOut | None = Field(
        description="What came of thinking by a model; none where none was to think."
    )
    memories: int
    hashes: dict[str, str]
    estimate: dict[str, Any] | None
    outcome: dict[str, Any] | None
    scorecard: ScorecardOut | None
    error: ProblemOut | None
    job: JobOut | None
    merging: JobOut | None = Field(description="Writing it as a whole model: at work, or failed.")
    merged: list[MergedOut] = Field(description="Whole models that lie ready to be downloaded.")


class TrainingQueued(BaseModel):
    """A training and the job that does it."""

    run: TrainingOut
    job: JobOut


class TrainingList(BaseModel):
    """Trainings, the newest first."""

    items: list[TrainingOut]
    next_cursor: str | None = None


class TrainingState(BaseModel):
    """How things stand before one presses the button."""

    in_use: str | None
    since: datetime | None
    insisted: bool
    memories: int = Field(description="Statements that a training would learn.")
    left_out: dict[str, int]
    base: str | None
    problem: str | None = Field(description="Why nothing can be trained here now.")
    defaults: dict[str, Any]


class OwnDocument(BaseModel):
    """A document in which the person says something that is not kept."""

    id: str
    title: str
    private: bool
    statements: int = Field(description="Sentences that a training could learn.")


class OwnDocumentList(BaseModel):
    """Documents from which a training could learn, those with most sentences first."""

    items: list[OwnDocument]
    statements: int
    most: int = Field(description="Sentences of documents that one training learns at most.")


class ByTraining(Sent):
    """Which training."""

    id: str = Field(max_length=100)


class PromoteIn(Sent):
    """Take it into use."""

    insist: bool = Field(
        default=False, description="Also where its scorecard says that it got worse."
    )


class UsedOut(BaseModel):
    """What answers as the person."""

    run: str | None
    since: datetime | None
    insisted: bool


class SourceOut(BaseModel):
    """A statement that a training learned."""

    memory: str
    content: str | None = Field(
        description="As it reads now; none where it is believed no more, or wanted forgotten."
    )
    learned: str | None = Field(description="As it was learned, where it reads otherwise now.")
    document: str | None


class LearnedTextOut(BaseModel):
    """A document's text that a training learned from."""

    document: str
    sha256: str = Field(description="Of the text as it was learned, in UTF-8.")
    same: bool = Field(description="The document reads so still.")


class LineageOut(BaseModel):
    """What a training came from."""

    run: str
    number: int
    parent: str | None
    base: str
    hashes: dict[str, str]
    memories: list[SourceOut]
    documents: list[str]
    texts: list[LearnedTextOut] = Field(
        description="None of a document that was erased: a short text can be guessed from its hash."
    )


class KnowingQuery(Sent):
    """Which statement."""

    memory: str = Field(max_length=100)
