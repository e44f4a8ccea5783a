from hypothesis import strategies as st
from kebab_chunk import CHUNKER_VERSIONS, HeadingChunker, build_chunker
from kebab_core import Chunker, TokenCounter
from kebab_testing.document_strategies import code_lines
from kebab_testing.fakes.counter import CharacterCounter, WordCounter
from kebab_testing.laws.chunker import ChunkerLaws
from kebab_testing.laws.code_chunker import CodeChunkerLaws


class TestHeadingChunkerByWords(ChunkerLaws):
    def make_token_counter(self) -> TokenCounter:
        return WordCounter()

    def make_chunker(self, counter: TokenCounter) -> Chunker:
        return HeadingChunker(counter)


class TestPageChunker(ChunkerLaws):
    def make_token_counter(self) -> TokenCounter:
        return WordCounter()

    def make_chunker(self, counter: TokenCounter) -> Chunker:
        return build_chunker("pdf-page-v2", counter)


class TestHeadingChunkerByCharacters(ChunkerLaws):
    def make_token_counter(self) -> TokenCounter:
        return CharacterCounter()

    def make_chunker(self, counter: TokenCounter) -> Chunker:
        return build_chunker(CHUNKER_VERSIONS[0], counter)


class TestCodeTextChunker(CodeChunkerLaws):
    def make_token_counter(self) -> TokenCounter:
        return CharacterCounter()

    def make_chunker(self, counter: TokenCounter) -> Chunker:
        return build_chunker("code-text-paragraph-v1", counter)


class TestCodeUnitChunker(CodeChunkerLaws):
    def make_token_counter(self) -> TokenCounter:
        return CharacterCounter()

    def make_chunker(self, counter: TokenCounter) -> Chunker:
        return build_chunker("code-python-ast-v2", counter)


class TestManifestChunker(CodeChunkerLaws):
    def make_token_counter(self) -> TokenCounter:
        return WordCounter()

    def make_chunker(self, counter: TokenCounter) -> Chunker:
        return build_chunker("manifest-file-v1", counter)


class TestDockerfileChunker(CodeChunkerLaws):
    def make_token_counter(self) -> TokenCounter:
        return CharacterCounter()

    def make_chunker(self, counter: TokenCounter) -> Chunker:
        return build_chunker("dockerfile-file-v2", counter)


RESOURCE = st.tuples(
    st.sampled_from(("web", "{{ .Release.Name }}-web", '"인증 서버"', "")),
    st.lists(code_lines().filter(lambda line: line.strip() not in {"}", "---"}), max_size=30),
).map(
    lambda pair: "\n".join(
        ["apiVersion: v1", "kind: ConfigMap", "metadata:", f"  name: {pair[0]}", "data:", "  script: |"]
        + [f"    {line}" for line in pair[1]]
    )
)
MANIFESTS = st.lists(RESOURCE | st.just("# 주석") | st.just("{{- if .x }}"), min_size=1, max_size=4).map(
    "\n---\n".join
)


class TestKubernetesResourceChunker(CodeChunkerLaws):
    texts = MANIFESTS | st.lists(code_lines(), max_size=9).map("\n".join)

    def make_token_counter(self) -> TokenCounter:
        return CharacterCounter()

    def make_chunker(self, counter: TokenCounter) -> Chunker:
        return build_chunker("k8s-manifest-resource-v1", counter)
