"""The process in which graphrag makes a graph of texts and searches it:
``python -m lpm_kernel.backends.graph.search_child``. One JSON object comes in, JSON lines go out.

It reaches the model and the embedder over an endpoint on this machine, and refuses to connect to
anything else. What it writes lies in the folder that it is given; who gave it removes it.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

SHARE_OF_WINDOW = 0.4
"""What a search may show the model of the graph; the rest is for its instructions and the
answer.
"""
CHUNK_TOKENS, OVERLAP = 300, 30
EXTRACTED, REPORTED, ANSWERED = 700, 700, 120
"""Tokens that the model may write: entities of a chunk, a report, an answer."""
LEVEL = 2
"""As deep into the communities as graphrag's own command goes."""
ANSWER = "One or two sentences"
COUNTED = ("documents", "text_units", "entities", "relationships", "communities")
REPORTS = "community_reports"


def main() -> None:
    """Make a graph and search it."""
    asked = json.load(sys.stdin)
    answers = os.fdopen(os.dup(1), "w")
    # what graphrag and its libraries print is no answer
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    sys.addaudithook(_stay_here)
    os.chdir(asked["folder"])
    asyncio.run(_answer(asked, answers))


def _stay_here(event: str, arguments: tuple[Any, ...]) -> None:
    """Refuse every connection but to this machine."""
    if event == "socket.connect" and isinstance(arguments[1], tuple):
        host = str(arguments[1][0])
        if not (host.startswith("127.") or host in {"::1", "localhost"}):
            raise PermissionError(f"{host} is not this machine.")


async def _answer(asked: Mapping[str, Any], answers: IO[str]) -> None:
    def tell(**said: object) -> None:
        answers.write(json.dumps(said, ensure_ascii=False) + "\n")
        answers.flush()

    heard = _Heard()
    logging.getLogger().addHandler(heard)
    logging.getLogger("graphrag").addHandler(heard)
    problem = await _index(asked)
    tables = {} if problem else _tables(Path(asked["folder"]) / "output")
    counts = {name: len(tables[name]) for name in (*COUNTED, REPORTS) if name in tables}
    tell(made=counts, problem=problem + (f" ({heard.last})" if problem and heard.last else ""))
    if problem:
        return
    for search in ("local", "global"):
        for number, question in enumerate(asked["questions"]):
            heard.last = ""
            try:
                said = await _search(asked, search, question, tables)
                tell(search=search, question=number, answer=said, problem=heard.last)
            except Exception as error:  # noqa: BLE001  any of graphrag's, told where it is read
                tell(search=search, question=number, answer="", problem=_why(error))


class _Heard(logging.Handler):
    """Keeps the last error that graphrag logged instead of raising it."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.last = ""

    def emit(self, record: logging.LogRecord) -> None:
        """Keep why."""
        error = record.exc_info[1] if record.exc_info else None
        self.last = _why(error) if error else record.getMessage()[:200]


def _why(error: BaseException) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"


async def _index(asked: Mapping[str, Any]) -> str:
    """Make the graph; return why it could not be made."""
    import pandas as pd
    from graphrag.api import build_index

    documents = pd.DataFrame(
        [
            {
                "id": text["id"],
                "human_readable_id": number,
                "title": text["title"],
                "text": text["text"],
                "creation_date": "",
                "raw_data": None,
            }
            for number, text in enumerate(asked["texts"])
        ]
    )
    done = await build_index(_config(asked, "index"), input_documents=documents)
    failed = next((each for each in done if each.error is not None), None)
    return (
        ""
        if failed is None or failed.error is None
        else (f"{failed.workflow}: {_why(failed.error)}")
    )


def _tables(output: Path) -> dict[str, Any]:
    import pandas as pd

    return {
        name: pd.read_parquet(output / f"{name}.parquet")
        for name in (*COUNTED, REPORTS)
        if (output / f"{name}.parquet").exists()
    }


async def _search(
    asked: Mapping[str, Any], search: str, question: str, tables: Mapping[str, Any]
) -> str:
    from graphrag.api import global_search, local_search

    config = _config(asked, search)
    shared = {
        "config": config,
        "entities": tables["entities"],
        "communities": tables["communities"],
        "community_reports": tables[REPORTS],
        "community_level": LEVEL,
        "response_type": ANSWER,
        "query": question,
    }
    if search == "global":
        said, _ = await global_search(**shared, dynamic_community_selection=False)
    else:
        said, _ = await local_search(
            **shared,
            text_units=tables["text_units"],
            relationships=tables["relationships"],
            covariates=None,
        )
    return str(said)


def _config(asked: Mapping[str, Any], stage: str) -> Any:  # noqa: ANN401  graphrag's
    """Set graphrag up for a stage: as it comes, but with one request at a time and no more text
    than the model reads at once.
    """
    from graphrag.config.models.graph_rag_config import GraphRagConfig

    folder, window = Path(asked["folder"]), int(asked["window"])
    reach = {
        "model_provider": "openai",
        "api_base": f"{asked['address']}/{stage}/v1",
        "api_key": asked["key"],
    }
    shown = int(SHARE_OF_WINDOW * window)
    written = EXTRACTED if stage == "index" else ANSWERED
    chat = {
        **reach,
        "model": asked["model"],
        "call_args": {"temperature": 0, "max_tokens": written},
    }
    embedding = {**reach, "model": "embedder", "call_args": {"encoding_format": "float"}}
    return GraphRagConfig.model_validate(
        {
            "completion_models": {"default_completion_model": chat},
            "embedding_models": {"default_embedding_model": embedding},
            "concurrent_requests": 1,
            "chunking": {
                "type": "tokens",
                "size": CHUNK_TOKENS,
                "overlap": OVERLAP,
                "encoding_model": "o200k_base",
            },
            "input_storage": {"base_dir": str(folder / "input")},
            "output_storage": {"base_dir": str(folder / "output")},
            "update_output_storage": {"base_dir": str(folder / "update")},
            "reporting": {"base_dir": str(folder / "logs")},
            "cache": {"type": "none"},
            "vector_store": {
                "db_uri": str(folder / "lancedb"),
                "vector_size": int(asked["dimension"]),
            },
            "extract_graph": {"max_gleanings": 0},
            "community_reports": {"max_input_length": shown, "max_length": REPORTED // 3},
            "summarize_descriptions": {"max_input_tokens": shown},
            "local_search": {"max_context_tokens": shown},
            "global_search": {
                "max_context_tokens": shown,
                "data_max_tokens": shown,
                "map_max_length": ANSWERED // 2,
                "reduce_max_length": ANSWERED // 2,
            },
        }
    )


if __name__ == "__main__":
    main()
