"""The vector leg: the passages that lie nearest to a query, in every script of the index alike."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from kebab_core import (
    ChunkId,
    DocumentSet,
    Embedder,
    EmbeddingIdentity,
    EmbeddingKind,
    IndexId,
    IndexModelMismatchError,
    LanguageSpread,
    NotIndexedError,
    VectorMatrix,
    VectorStore,
)

from kebab_search.anchors import Anchors, without_mean
from kebab_search.floor import Floor, floor_for
from kebab_search.model_habits import ModelHabits, habits_of
from kebab_search.scripts import Script, script_of_language, script_of_text
from kebab_search.sides import Near, Placed, Side, VectorQuestion
from kebab_search.standing import spreads_by_script

_HINT = "kebab embed"


class VectorLeg:
    """Asks a vector index by meaning.

    Passages in the script of the query are told by their cosine with it. Passages in another script are told by their
    cosine with what the query has beyond the mean of questions in its script, each script apart; otherwise they would
    all come after all of the query's own.

    Args:
        embedder: The model.
        store: Where its vectors are.
        index_id: Which index of it.
        anchors: The means of questions.
        advice: Tells what to do where no passage has a vector of the model; asked only then. None: to embed.
    """

    def __init__(
        self,
        *,
        embedder: Embedder,
        store: VectorStore,
        index_id: IndexId,
        anchors: Anchors,
        advice: Callable[[], str] | None = None,
    ) -> None:
        self._embedder = embedder
        self._store = store
        self._index_id = index_id
        self._advice = advice
        self.anchors = anchors

    @property
    def identity(self) -> EmbeddingIdentity:
        """The exact model."""
        return self._embedder.identity

    @property
    def habits(self) -> ModelHabits:
        """What is usual for the model."""
        return habits_of(self.identity.model_id)

    def read(self, text: str) -> VectorQuestion:
        """Return a query as it is put to the index.

        Raises:
            NotIndexedError: There are no vectors yet.
            IndexModelMismatchError: There are, of other models only.
        """
        vector = self._embedder.embed([text], EmbeddingKind.QUERY)
        script, spreads = script_of_text(text), self._spreads(vector)
        plain = spreads_by_script(spreads, usual=self.habits.plain)
        languages = _languages(spreads)
        sides = {
            held: Side(vector, spread, languages[held], is_foreign=held is not script)
            for held, spread in plain.items()
        }
        mean = self.anchors.questions.get(script)
        if mean is None or not any(side.is_foreign for side in sides.values()):
            return VectorQuestion(vector, script, sides)
        rest = without_mean(vector, mean)
        centred = spreads_by_script(self._spreads(rest), usual=self.habits.centred)
        return VectorQuestion(
            vector,
            script,
            {
                held: side._replace(vector=rest, spread=centred[held]) if side.is_foreign else side
                for held, side in sides.items()
            },
        )

    def floor(self, question: VectorQuestion, *, knows_words: bool) -> Floor:
        """Return how far chunks must stand out to be hits for that alone.

        Args:
            question: The query.
            knows_words: Whether any chunk of the index holds a word of it.
        """
        return floor_for(
            question.vector,
            self.habits.floors,
            anchors=self.anchors,
            knows_words=knows_words,
            vectors=question.vectors,
        )

    def nearest(
        self, question: VectorQuestion, *, depth: int, documents: DocumentSet | None, floor: Floor
    ) -> list[Near]:
        """Return the chunks that stand out most in their script, `depth` at most, best first.

        Args:
            question: The query.
            depth: How many chunks of each script are looked at.
            documents: Only chunks of these; None is all of them.
            floor: How far a chunk must stand out.
        """
        if documents is not None and not documents:
            return []
        found = [
            (-standing, chunk_id)
            for side in question.sides.values()
            for chunk_id, standing in self._nearest_on(side, depth=depth, documents=documents)
            if standing >= (floor.abroad if side.is_foreign else floor.at_home)
        ]
        return [
            Near(chunk_id, -below, rank)
            for rank, (below, chunk_id) in enumerate(sorted(found)[:depth], start=1)
        ]

    def place(
        self, question: VectorQuestion, chunks: Sequence[tuple[ChunkId, str]]
    ) -> Mapping[ChunkId, Placed]:
        """Return how near chunks are, given with the language of their documents; those with a vector only."""
        placed: dict[ChunkId, Placed] = {}
        cosines = self._cosines(question.vector, [chunk_id for chunk_id, _ in chunks])
        for script, side in question.sides.items():
            ids = [chunk_id for chunk_id, lang in chunks if script_of_language(lang) is script]
            corrected = cosines if side.vector is question.vector else self._cosines(side.vector, ids)
            for chunk_id in ids:
                if chunk_id in corrected and chunk_id in cosines:
                    standing = side.spread.standing(corrected[chunk_id])
                    placed[chunk_id] = Placed(script, cosines[chunk_id], standing)
        return placed

    def _cosines(self, vector: VectorMatrix, chunk_ids: Sequence[ChunkId]) -> Mapping[ChunkId, float]:
        found = self._store.similarities(self._index_id, vector, chunk_ids) if chunk_ids else []
        return {
            chunk_id: cosine for chunk_id, cosine in zip(chunk_ids, found, strict=True) if cosine is not None
        }

    def _nearest_on(
        self, side: Side, *, depth: int, documents: DocumentSet | None
    ) -> Iterator[tuple[ChunkId, float]]:
        hits = [
            hit
            for lang in side.languages
            for hit in self._store.search(
                self._index_id, side.vector, limit=depth, documents=documents, lang=lang
            )
        ]
        hits.sort(key=lambda hit: (-hit.cosine, hit.chunk_id))
        return ((hit.chunk_id, side.spread.standing(hit.cosine)) for hit in hits[:depth])

    def _spreads(self, vector: VectorMatrix) -> list[LanguageSpread]:
        try:
            spreads = self._store.spreads(self._index_id, vector)
        except NotIndexedError:
            spreads = []
        if spreads:
            return spreads
        others = [table for table in self._store.tables() if table.rows and table.index_id != self._index_id]
        if not others:
            raise NotIndexedError(
                "no passage has a vector yet", hint=self._advice() if self._advice else _HINT
            )
        held = others[0].identity
        made_by, in_force = _tell_apart(held, self.identity)
        raise IndexModelMismatchError(
            f"the vectors were made by {made_by}, the model in force is {in_force}",
            hint=self._advice() if self._advice else _HINT,
            indexed=f"{held.model_id}@{held.model_version}",
            expected=f"{self.identity.model_id}@{self.identity.model_version}",
        )


def _tell_apart(held: EmbeddingIdentity, wanted: EmbeddingIdentity) -> tuple[str, str]:
    """Return what two models are called: by name, and of the same name by what else tells them apart."""
    if held.model_id != wanted.model_id:
        return repr(held.model_id), repr(wanted.model_id)
    if held.model_version != wanted.model_version:
        return _with_version(held), _with_version(wanted)
    return (
        f"{_with_version(held)}, {held.dimensions} dimensions",
        f"{_with_version(wanted)}, {wanted.dimensions}",
    )


def _with_version(identity: EmbeddingIdentity) -> str:
    return f"{identity.model_id!r} {identity.model_version}"


def _languages(spreads: Sequence[LanguageSpread]) -> Mapping[Script, tuple[str | None, ...]]:
    """Return the languages of each script; None alone, which stands for all, where there is one script only."""
    by_script: dict[Script, tuple[str | None, ...]] = {}
    for spread in spreads:
        script = script_of_language(spread.lang)
        by_script[script] = (*by_script.get(script, ()), spread.lang)
    return by_script if len(by_script) > 1 else dict.fromkeys(by_script, (None,))
