from kebab_core import EmbeddingKind
from kebab_embed_local.families import Pooling, family_of
from kebab_testing.tables import walk

TASK = "Represent this sentence for searching relevant passages: "


@walk(
    ("model", "query", "passage", "pooling"),
    [
        ("multilingual-e5-small", "query: ", "passage: ", Pooling.MEAN),
        ("intfloat/multilingual-e5-large", "query: ", "passage: ", Pooling.MEAN),
        ("BAAI/bge-m3", "", "", Pooling.CLS),
        ("bge-m3:latest", "", "", Pooling.CLS),
        ("BAAI/bge-small-en-v1.5", TASK, "", Pooling.CLS),
        ("snowflake-arctic-embed2", "query: ", "", Pooling.CLS),
        ("Snowflake/snowflake-arctic-embed-l-v2.0", "query: ", "", Pooling.CLS),
        ("snowflake/snowflake-arctic-embed-s", TASK, "", Pooling.CLS),
        ("nomic-embed-text", "search_query: ", "search_document: ", Pooling.MEAN),
        ("sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2", "", "", Pooling.MEAN),
        ("a-model-of-my-own", "", "", Pooling.MEAN),
    ],
)
def test_model_is_used_as_its_card_says(model: str, query: str, passage: str, pooling: Pooling) -> None:
    family = family_of(model)
    assert family.prefix(EmbeddingKind.QUERY) == query
    assert family.prefix(EmbeddingKind.DOCUMENT) == passage
    assert family.pooling is pooling


def test_instructed_model_is_told_its_task_with_queries_alone() -> None:
    family = family_of("multilingual-e5-large-instruct")
    assert family.prefix(EmbeddingKind.QUERY).startswith("Instruct: ")
    assert family.prefix(EmbeddingKind.DOCUMENT) == ""
