"""Models of vectors: the one in force, the active and the previous one, and what each takes."""

from __future__ import annotations

import sqlite3
from contextlib import AbstractContextManager

from kebab_core import ActiveModel, EmbeddingIdentity, StoredModel

from kebab_store_sqlite.corpus_stats import raise_corpus_revision
from kebab_store_sqlite.database import SqliteDatabase

MODELS = "SELECT model_no, model_id, model_version, dimensions, settings_json FROM embedding_models"
_MODEL = (
    f"{MODELS} WHERE model_id = :model_id AND model_version = :model_version AND dimensions = :dimensions"
)
ADD_MODEL = """
    INSERT OR IGNORE INTO embedding_models (model_id, model_version, dimensions)
    VALUES (:model_id, :model_version, :dimensions)
"""
_SET_SETTINGS = "UPDATE embedding_models SET settings_json = ? WHERE model_no = ?"
MODEL_OF_KEY = f"{MODELS} WHERE model_no = (SELECT CAST(value AS INTEGER) FROM kv WHERE key = ?)"
IN_FORCE, ACTIVE, PREVIOUS = (
    "embedding_model",
    "active_embedding_model",
    "previous_embedding_model",
)
"""Keys of `kv`, with the number of a model."""
MODELS_IN_USE = (
    f"(SELECT CAST(value AS INTEGER) FROM kv WHERE key IN ('{IN_FORCE}', '{ACTIVE}', '{PREVIOUS}'))"
)
_STORED_MODELS = """
    SELECT m.*, s.vectors, s.size_bytes FROM (
      SELECT model_no, count(*) AS vectors, sum(length(vector)) AS size_bytes FROM vectors GROUP BY model_no
    ) s CROSS JOIN embedding_models m USING (model_no) ORDER BY model_id, model_version, dimensions
"""
PUT_VALUE = "INSERT INTO kv (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value"
GET_VALUE = "SELECT value FROM kv WHERE key = ?"
_CONTENT_VERSION = "content_version"
DROP_MODELS = f"""
    DELETE FROM embedding_models WHERE model_no NOT IN {MODELS_IN_USE}
      AND NOT EXISTS (SELECT 1 FROM vectors v WHERE v.model_no = embedding_models.model_no)
"""


class SqliteEmbeddingModels:
    """The part of `SqliteEmbeddingRepo` that is about models."""

    def __init__(self, database: SqliteDatabase) -> None:
        self._db = database

    def one_state(self) -> AbstractContextManager[object]:
        """Return a context in which all reads of this thread see one state."""
        return self._db.snapshot()

    def content_version(self) -> str:
        """Return the version of passages and vectors, which changes with them and never repeats; empty without any."""
        return self._db.read_first(GET_VALUE, (_CONTENT_VERSION,), value_of) or ""

    def latest_model(self) -> EmbeddingIdentity | None:
        """Return the model in force, which need not be the configured one; None before the first request."""
        with self._db.reading() as connection:
            return model_of_key(connection, IN_FORCE)

    def activate(self, identity: EmbeddingIdentity, settings_json: str) -> None:
        """Record that all passages have a vector of a model."""
        if self.active_model() != (identity, settings_json):
            with self._db.writing() as connection:
                connection.execute(ADD_MODEL, identity.model_dump())
                model_no = number_of(connection, identity)
                former = model_of_key(connection, ACTIVE)
                if former is not None and former != identity:
                    connection.execute(PUT_VALUE, (PREVIOUS, str(number_of(connection, former))))
                connection.execute(_SET_SETTINGS, (settings_json, model_no))
                connection.execute(PUT_VALUE, (ACTIVE, str(model_no)))

    def active_model(self) -> ActiveModel | None:
        """Return the model that was complete last; None before the first."""
        return self._complete_model(ACTIVE)

    def previous_model(self) -> ActiveModel | None:
        """Return the model that was active before the active one."""
        return self._complete_model(PREVIOUS)

    def _complete_model(self, key: str) -> ActiveModel | None:
        return self._db.read_first(
            MODEL_OF_KEY, (key,), lambda row: ActiveModel(identity_of(row), row["settings_json"] or "{}")
        )

    def stored_models(self) -> list[StoredModel]:
        """Return the models with a vector, by model."""
        return self._db.read_all(
            _STORED_MODELS,
            (),
            lambda row: StoredModel(
                identity_of(row), row["settings_json"] or "{}", row["vectors"], row["size_bytes"]
            ),
        )

    def delete_model(self, identity: EmbeddingIdentity) -> int:
        """Delete the vectors of a model with everything measured of them; return their number."""
        with self._db.writing() as connection:
            model_no = number_of(connection, identity)
            gone = connection.execute("DELETE FROM vectors WHERE model_no = ?", (model_no,)).rowcount
            connection.execute(
                "DELETE FROM kv WHERE key = ? OR (key = ? AND value = ?)",
                (centroids_key(identity), PREVIOUS, str(model_no)),
            )
            connection.execute(DROP_MODELS)
            if gone:
                raise_corpus_revision(connection)
            return gone


def centroids_key(identity: EmbeddingIdentity) -> str:
    """Return the key of `kv` of the query centroids of a model."""
    return f"anchors:{identity.model_id}@{identity.model_version}/{identity.dimensions}"


def value_of(row: sqlite3.Row) -> str:
    """Return the value of a row of `kv`."""
    return str(row["value"])


def number_of(connection: sqlite3.Connection, identity: EmbeddingIdentity) -> int:
    """Return the number of a model, 0 for one that is unknown."""
    row = connection.execute(_MODEL, identity.model_dump()).fetchone()
    return 0 if row is None else int(row["model_no"])


def model_of_key(connection: sqlite3.Connection, key: str) -> EmbeddingIdentity | None:
    """Return the model whose number a key of `kv` has; None without one."""
    row = connection.execute(MODEL_OF_KEY, (key,)).fetchone()
    return None if row is None else identity_of(row)


def identity_of(row: sqlite3.Row) -> EmbeddingIdentity:
    """Return the model of a row of `embedding_models`."""
    return EmbeddingIdentity(
        model_id=row["model_id"], model_version=row["model_version"], dimensions=row["dimensions"]
    )
