"""What a person may set of a training, and within which bounds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lpm_kernel.domain.training.runs import with_present_names
from lpm_kernel.errors import InvalidInputError

RECIPE = frozenset(
    [
        "rank",
        "alpha",
        "strength",
        "dropout",
        "learning_rate",
        "warmup_steps",
        "epochs",
        "steps",
        "batch",
        "micro_batch_size",
        "checkpoint_every",
        "patience",
        "seed",
        "threads",
        "precision",
        "device",
    ]
)
PREFERENCES: Mapping[str, str] = {
    "beta": "beta",
    "preference_rate": "learning_rate",
    "preference_epochs": "epochs",
    "preference_batch": "batch",
    "micro_batch_size": "micro_batch_size",
    "patience": "patience",
    "seed": "seed",
    "threads": "threads",
    "precision": "precision",
    "device": "device",
}
"""Settings of learning preferences, by what its recipe calls them."""
ROWS = frozenset(
    {
        "questions",
        "notes",
        "enhance",
        "critic",
        "diversity",
        "discretion",
        "unknown",
        "general",
        "reasoning",
    }
)
DEFAULTS: Mapping[str, Any] = {
    "rank": 16,
    "alpha": 32,
    "strength": 0.9,
    "dropout": 0.0,
    "learning_rate": 7e-4,
    "warmup_steps": 20,
    "epochs": 3,
    "steps": None,
    "batch": 16,
    "micro_batch_size": None,
    "checkpoint_every": 25,
    "patience": 4,
    "seed": 1,
    "threads": None,
    "precision": "auto",
    "device": "auto",
    "recent_days": None,
    "older": 0.5,
    "documents": "none",
    "questions": 24,
    "wording": "templates",
    "words_at": "",
    "words_model": "",
    "reasoning": "none",
    "thoughts": "rules",
    "notes": 0.12,
    "enhance": 0.05,
    "critic": 0.05,
    "diversity": 0.05,
    "discretion": 0.2,
    "unknown": 0.2,
    "general": 0.15,
    "pairs": 60,
    "exam_questions": 120,
    "dpo": False,
    "on_policy": False,
    "beta": 0.1,
    "preference_rate": 5e-5,
    "preference_epochs": 3,
    "preference_batch": 8,
    "preference_loss": "sigmoid",
}
WORDS = ("words_at", "words_model")
"""The endpoint that words the questions, and which model there; only where ``wording`` says so."""
LONGEST_WORDS = 500
MOST_DOCUMENTS = 2_000
"""Documents that a training is told to learn from, one by one."""
ONE_OF: Mapping[str, tuple[object, ...]] = {
    "dpo": (False, True),
    "on_policy": (False, True),
    "preference_loss": ("sigmoid", "sigmoid_norm", "hinge", "ipo", "apo_zero", "apo_down"),
    "precision": ("auto", "float32", "bfloat16"),
    "device": ("auto", "cpu", "cuda", "mps"),
    "wording": ("templates", "model", "endpoint"),
    "reasoning": ("none", "weak", "multi", "strong"),
    "thoughts": ("rules", "model"),
}
LEAST: Mapping[str, float] = {
    "rank": 1,
    "alpha": 1,
    "strength": 0.1,
    "dropout": 0,
    "learning_rate": 1e-7,
    "warmup_steps": 0,
    "epochs": 1,
    "steps": 1,
    "batch": 1,
    "micro_batch_size": 1,
    "checkpoint_every": 1,
    "patience": 1,
    "seed": 0,
    "threads": 1,
    "recent_days": 1,
    "older": 0,
    "questions": 1,
    "notes": 0,
    "enhance": 0,
    "critic": 0,
    "diversity": 0,
    "discretion": 0,
    "unknown": 0,
    "general": 0,
    "pairs": 0,
    "exam_questions": 0,
    "beta": 0.001,
    "preference_rate": 1e-7,
    "preference_epochs": 1,
    "preference_batch": 1,
}
WHOLE = frozenset(
    {
        "rank",
        "steps",
        "warmup_steps",
        "batch",
        "micro_batch_size",
        "checkpoint_every",
        "patience",
        "seed",
        "threads",
        "recent_days",
        "questions",
        "pairs",
        "exam_questions",
        "preference_batch",
    }
)
"""Those that are counted."""
MOST: Mapping[str, float] = {
    "rank": 256,
    "alpha": 1024,
    "strength": 1,
    "dropout": 0.9,
    "learning_rate": 0.1,
    "warmup_steps": 10_000,
    "epochs": 100,
    "steps": 1_000_000,
    "batch": 512,
    "micro_batch_size": 512,
    "checkpoint_every": 100_000,
    "patience": 1000,
    "seed": 2**31 - 1,
    "threads": 512,
    "recent_days": 36_500,
    "older": 1,
    "questions": 200,
    "notes": 2,
    "enhance": 2,
    "critic": 2,
    "diversity": 2,
    "discretion": 2,
    "unknown": 2,
    "general": 2,
    "pairs": 10_000,
    "exam_questions": 10_000,
    "beta": 10,
    "preference_rate": 0.01,
    "preference_epochs": 100,
    "preference_batch": 512,
}


def settings(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return every setting of a training, those that are not given at their defaults. Raises
    ``InvalidInputError`` that names the one that cannot be. A setting may have its former name.
    """
    given = with_present_names(given)
    if unknown := sorted(set(given) - set(DEFAULTS)):
        raise InvalidInputError(
            f"There is no setting “{unknown[0]}”.", f"The settings are: {', '.join(DEFAULTS)}."
        )
    for name, value in given.items():
        if name == "documents":
            _check_documents(value)
        elif name in WORDS:
            _check_words(name, value)
        elif name in ONE_OF:
            _check_choice(name, value)
        else:
            _check_number(name, value)
    return {**DEFAULTS, **given}


def _check_words(name: str, value: object) -> None:
    if not isinstance(value, str) or len(value) > LONGEST_WORDS:
        raise InvalidInputError(
            f"The setting “{name}” cannot be {value!r}.", "It is an address, or a name."
        )


def _check_choice(name: str, value: object) -> None:
    # to a tuple 1 is True
    if not any(type(value) is type(each) and value == each for each in ONE_OF[name]):
        raise InvalidInputError(
            f"The setting “{name}” cannot be {value!r}.",
            f"It is one of {', '.join(map(str, ONE_OF[name]))}.",
        )


def _check_number(name: str, value: object) -> None:
    bounds = f"Between {LEAST[name]:g} and {MOST[name]:g}."
    if value is None:
        if DEFAULTS[name] is not None:
            raise InvalidInputError(f"The setting “{name}” needs a number.", bounds)
    elif (
        isinstance(value, bool)
        or not isinstance(value, int | float)
        or not LEAST[name] <= value <= MOST[name]
        or (name in WHOLE and value != int(value))
    ):
        whole = " as a whole number" if name in WHOLE else ""
        raise InvalidInputError(
            f"The setting “{name}” cannot be {value!r}.",
            f"It lies{whole} between {LEAST[name]:g} and {MOST[name]:g}.",
        )


def _check_documents(value: object) -> None:
    named = isinstance(value, list) and all(isinstance(each, str) for each in value)
    if value in ("none", "own") or (named and len(value) <= MOST_DOCUMENTS):  # type: ignore[arg-type]  # a list, as was seen
        return
    raise InvalidInputError(
        "The setting “documents” does not say from which documents to learn.",
        f"It is none, own, or a list of at most {MOST_DOCUMENTS:,} documents.",
    )
