from kebab_chunk import CHUNKER_VERSIONS, HeadingChunker, build_chunker
from kebab_core import Chunker, TokenCounter
from kebab_testing.fakes.counter import CharacterCounter, WordCounter
from kebab_testing.laws.chunker import ChunkerLaws


class TestHeadingChunkerByWords(ChunkerLaws):
    def make_token_counter(self) -> TokenCounter:
        return WordCounter()

    def make_chunker(self, counter: TokenCounter) -> Chunker:
        return HeadingChunker(counter)


class TestPageChunker(ChunkerLaws):
    def make_token_counter(self) -> TokenCounter:
        return WordCounter()

    def make_chunker(self, counter: TokenCounter) -> Chunker:
        return build_chunker("pdf-page-v1", counter)


class TestHeadingChunkerByCharacters(ChunkerLaws):
    def make_token_counter(self) -> TokenCounter:
        return CharacterCounter()

    def make_chunker(self, counter: TokenCounter) -> Chunker:
        return build_chunker(CHUNKER_VERSIONS[0], counter)
