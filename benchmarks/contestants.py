"""Stores side by side, each behind the same three calls: fill it, add one text durably, ask it for
ten.

Run as a program, this is one contestant in a process of its own, told what to do by lines of JSON:

    python -m benchmarks.contestants NAME FOLDER
"""

from __future__ import annotations

import json
import logging
import os
import sqlite3
import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]
TOP = 10
USER = "ana"


class Texts:
    """The texts and questions of a run, and the vector made of each of them before; asking for one
    costs nobody anything.
    """

    def __init__(self, folder: Path) -> None:
        self.texts: list[str] = json.loads((folder / "texts.json").read_text("utf-8"))
        self.questions: list[str] = json.loads((folder / "questions.json").read_text("utf-8"))
        self._vectors: Vectors = np.load(folder / "vectors.npy", mmap_mode="r")
        self._places = {text: n for n, text in enumerate(self.texts + self.questions)}
        self._made: list[Any] = []
        self.id, self.dimension = "given", int(self._vectors.shape[1])

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        """Shape (n, d), rows of length 1. What is not of the run, such as a turn with its speaker,
        is embedded now.
        """
        places = [self._places.get(text, -1) for text in texts]
        found = np.array(self._vectors[places])
        for n, place in enumerate(places):
            if place < 0:
                found[n] = self._embedder().embed([texts[n]])[0]
        return found

    def _embedder(self) -> Any:
        from omoide.models import load_embedder

        if not self._made:
            self._made.append(load_embedder("static"))
        return self._made[0]


class Contestant(Protocol):
    """One product."""

    searches: str  # what takes part in a recall

    def bulk(self, texts: Sequence[str], first: int) -> None:
        """Add many at once, the way the product does that; first is the number of the first."""
        ...

    def add(self, text: str, number: int) -> None:
        """Add one; when this returns it is on disk, as far as the product cares."""
        ...

    def recall(self, question: str) -> list[str]:
        """The ten best texts."""
        ...


class Omoide:
    """Items through the write door; with look-alikes searched for on every single remember."""

    searches = "words, vectors, entities, time"

    def __init__(self, texts: Texts, folder: Path) -> None:
        from omoide.memory import Memory
        from omoide.models.embedders.encoders import Named
        from omoide.nouns.scope import Scope
        from omoide.store.sqlite.engine import SqliteStore

        store = SqliteStore.open(folder / "omoide.db")
        self._memory = Memory(
            store, scope=Scope(user=USER), embedder=Named("given", texts), background=False
        )

    def bulk(self, texts: Sequence[str], first: int) -> None:
        from benchmarks.figures import fill

        vectors = self._memory.encoders.loaded[0].embedder.embed(texts)
        fill(self._memory, texts, vectors, self._memory.scope)

    def add(self, text: str, number: int) -> None:
        self._memory.remember(text)

    def recall(self, question: str) -> list[str]:
        return [hit.text for hit in self._memory.recall(question, limit=TOP).hits]


class OmoideLog(Omoide):
    """Turns of the log: durable before anything thinks about them; vectors follow."""

    def bulk(self, texts: Sequence[str], first: int) -> None:
        from omoide.nouns.session import Conversation
        from omoide.nouns.turn import Message

        self._memory.ingest(
            Conversation(id=f"bulk-{first}", messages=tuple(Message(text=text) for text in texts))
        )
        self._memory.admin.tidy()

    def add(self, text: str, number: int) -> None:
        from dataclasses import replace

        self._memory.ingest([{"content": text}], replace(self._memory.scope, session="single"))


class Bare:
    """What the same work costs with nothing around it: a table, FTS5, vectors beside it, one scan
    of all of them.
    """

    searches = "words (FTS5, any of them), vectors (all, numpy)"

    def __init__(self, texts: Texts, folder: Path) -> None:
        self._texts = texts
        self._db = sqlite3.connect(folder / "bare.db", isolation_level=None)
        self._db.executescript(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;CREATE TABLE notes (id INTEGER"
            " PRIMARY KEY, text TEXT NOT NULL, vector BLOB NOT NULL);CREATE VIRTUAL TABLE words"
            " USING fts5(text, content='notes', content_rowid='id', tokenize='porter unicode61');"
        )
        self._vectors = np.zeros((1 << 17, texts.dimension), np.float32)
        self._count = 0

    def bulk(self, texts: Sequence[str], first: int) -> None:
        vectors = self._texts.embed(texts)
        ids = range(self._count + 1, self._count + 1 + len(texts))
        self._db.execute("BEGIN IMMEDIATE")
        self._db.executemany(
            "INSERT INTO notes VALUES (?, ?, ?)",
            zip(ids, texts, (v.tobytes() for v in vectors), strict=True),
        )
        self._db.executemany(
            "INSERT INTO words (rowid, text) VALUES (?, ?)", zip(ids, texts, strict=True)
        )
        self._db.execute("COMMIT")
        self._vectors[self._count : self._count + len(texts)] = vectors
        self._count += len(texts)

    def add(self, text: str, number: int) -> None:
        self.bulk([text], number)

    def recall(self, question: str) -> list[str]:
        words = " OR ".join(f'"{word}"' for word in dict.fromkeys(question.split()))
        found = self._db.execute(
            "SELECT rowid, -bm25(words) FROM words WHERE words MATCH ? ORDER BY rank LIMIT 200",
            (words,),
        ).fetchall()
        cosine = self._vectors[: self._count] @ self._texts.embed([question])[0]
        near = np.argpartition(-cosine, min(200, self._count - 1))[:200]
        scores = {int(place) + 1: float(cosine[place]) for place in near}
        best = max((score for _, score in found), default=1.0)
        for row, score in found:
            scores[row] = scores.get(row, 0.0) + score / best
        top = sorted(scores, key=lambda row: -scores[row])[:TOP]
        return [
            self._db.execute("SELECT text FROM notes WHERE id = ?", (row,)).fetchone()[0]
            for row in top
        ]


class Mem0:
    """With its local Qdrant on disk and infer=False; its keyword arm wants a model from a hub and
    stays out.
    """

    searches = "vectors (its local Qdrant)"

    def __init__(self, texts: Texts, folder: Path) -> None:
        os.environ |= {"MEM0_TELEMETRY": "False", "MEM0_DIR": str(folder), "OPENAI_API_KEY": "none"}
        from mem0 import Memory
        from mem0.utils.factory import EmbedderFactory

        EmbedderFactory.provider_to_class["langchain"] = f"{__name__}.Mem0Embedder"
        Mem0Embedder.texts = texts
        self._memory = Memory.from_config(
            {
                "embedder": {
                    "provider": "langchain",
                    "config": {"embedding_dims": texts.dimension},
                },
                "vector_store": {
                    "provider": "qdrant",
                    "config": {
                        "path": str(folder / "qdrant"),
                        "on_disk": True,
                        "embedding_model_dims": texts.dimension,
                    },
                },
                "history_db_path": str(folder / "history.db"),
            }
        )

    def bulk(self, texts: Sequence[str], first: int) -> None:
        self._memory.add(
            [{"role": "user", "content": text} for text in texts], user_id=USER, infer=False
        )

    def add(self, text: str, number: int) -> None:
        self.bulk([text], number)

    def recall(self, question: str) -> list[str]:
        found = self._memory.search(question, filters={"user_id": USER}, top_k=TOP, threshold=0.0)
        return [hit["memory"] for hit in found["results"]]


class Mem0Embedder:
    """The given vectors, as mem0 asks for them."""

    texts: Texts

    def __init__(self, config: Any = None) -> None:
        self.config = config

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:
        vector: list[float] = self.texts.embed([text])[0].tolist()
        return vector


class Chroma:
    """A persistent client with a collection for the user; its index is approximate (HNSW), here as
    it comes.
    """

    searches = "vectors (HNSW, a collection a user)"
    where: dict[str, Any] | None = None

    def __init__(self, texts: Texts, folder: Path) -> None:
        import chromadb
        from chromadb.config import Settings

        client = chromadb.PersistentClient(
            str(folder / "chroma"), settings=Settings(anonymized_telemetry=False)
        )
        self._notes = client.create_collection(
            "notes",
            embedding_function=chroma_function(texts),
            configuration={"hnsw": {"space": "cosine"}},
        )

    def bulk(self, texts: Sequence[str], first: int) -> None:
        mine: Any = [{"user": USER}] * len(texts)
        self._notes.add(
            ids=[f"n{first + n}" for n in range(len(texts))], documents=list(texts), metadatas=mine
        )

    def add(self, text: str, number: int) -> None:
        self.bulk([text], number)

    def recall(self, question: str) -> list[str]:
        found = self._notes.query(query_texts=[question], n_results=TOP, where=self.where)[
            "documents"
        ]
        return list(found[0]) if found else []


class ChromaFiltered(Chroma):
    """All users in one collection, each question filtered by its user."""

    searches = "vectors (HNSW), filtered by user"
    where: dict[str, Any] | None = {"user": USER}  # noqa: RUF012


def chroma_function(texts: Texts) -> Any:
    """The given vectors, as Chroma asks for them."""
    from chromadb import EmbeddingFunction

    class Given(EmbeddingFunction):  # type: ignore[misc]
        def __init__(self) -> None:
            pass

        def __call__(self, input: Any) -> Any:
            return list(texts.embed(input))

        @staticmethod
        def name() -> str:
            return "given"

        def get_config(self) -> dict[str, Any]:
            return {}

        @staticmethod
        def build_from_config(config: dict[str, Any]) -> Any:
            return Given()

    return Given()


class LangGraph:
    """SqliteStore with an index on the text."""

    searches = "vectors (all, in SQLite)"

    def __init__(self, texts: Texts, folder: Path) -> None:
        from langgraph.store.sqlite import SqliteStore

        self._open = ExitStack()
        self._store = self._open.enter_context(
            SqliteStore.from_conn_string(
                str(folder / "langgraph.db"),
                index={
                    "dims": texts.dimension,
                    "embed": lambda given: texts.embed(given).tolist(),
                    "text_fields": ["text"],
                },
            )
        )
        self._store.setup()

    def bulk(self, texts: Sequence[str], first: int) -> None:
        from langgraph.store.base import PutOp

        for start in range(0, len(texts), 500):  # more are too many SQL variables
            some = texts[start : start + 500]
            self._store.batch(
                [
                    PutOp(("notes", USER), f"n{first + start + n}", {"text": text})
                    for n, text in enumerate(some)
                ]
            )

    def add(self, text: str, number: int) -> None:
        self._store.put(("notes", USER), f"n{number}", {"text": text})

    def recall(self, question: str) -> list[str]:
        return [
            hit.value["text"]
            for hit in self._store.search(("notes", USER), query=question, limit=TOP)
        ]


CONTESTANTS: dict[str, Any] = {
    "omoide": Omoide, "omoide-log": OmoideLog, "bare": Bare,
    "chroma": Chroma, "chroma-filtered": ChromaFiltered, "langgraph": LangGraph, "mem0": Mem0,
}  # fmt: skip


def timed(call: Any) -> tuple[float, float]:
    """Seconds that a call takes: by the clock, and of processors, which others on the machine
    hardly change.
    """
    start, worked = time.perf_counter(), time.process_time()
    call()
    return time.perf_counter() - start, time.process_time() - worked


def obey(contestant: Contestant, texts: Texts, order: dict[str, Any]) -> Any:
    """What an order asks for: seconds by call, how many texts find themselves, or what is
    searched.
    """
    numbers = range(order["first"], order["end"])
    match order["do"]:
        case "bulk":
            return timed(
                lambda: contestant.bulk(texts.texts[order["first"] : order["end"]], order["first"])
            )
        case "add":
            return [timed(lambda n=n: contestant.add(texts.texts[n], n)) for n in numbers]
        case "recall":
            return [
                timed(lambda n=n: contestant.recall(texts.questions[n % len(texts.questions)]))
                for n in numbers
            ]
        case "finds":
            return sum(texts.texts[n] in contestant.recall(texts.texts[n]) for n in numbers)
        case "searches":
            return contestant.searches
    raise ValueError(order["do"])


def main(name: str, folder: str) -> None:
    logging.disable(logging.CRITICAL)
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what products print is no answer
    texts = Texts(Path(folder))
    own = Path(folder) / name
    own.mkdir()
    contestant: Contestant = CONTESTANTS[name](texts, own)
    for line in sys.stdin:
        print(json.dumps(obey(contestant, texts, json.loads(line))), file=answers, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
