"""The sections of the configuration.

`kebab-config` composes, loads and checks them; each part of kebab gets its own section and nothing more.
"""

from __future__ import annotations

import shlex
import unicodedata
from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, SecretStr, StringConstraints, field_validator, model_validator

from kebab_core.facets import SourceType, TrustLevel
from kebab_core.files import SourceName
from kebab_core.messages import Message
from kebab_core.model import Model

FOLDER_SOURCE = "folder"
BUCKET_SOURCE = "s3"
"""Kind of a source whose files lie in a folder on this machine."""
VariableName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]


class SourceSettings(Model):
    """One folder of documents."""

    id: Annotated[SourceName, AfterValidator(lambda name: unicodedata.normalize("NFC", name))]
    """Name that citations and filters use; letters and digits of any script, `.`, `_`, `-`."""
    root: str
    """Folder to ingest, or the URL of a bucket or of a folder of one (`s3://`, `gs://`, `az://`)."""
    include: tuple[str, ...] = ("**/*",)
    """Patterns of files to take, gitignore syntax."""
    exclude: tuple[str, ...] = ()
    """Patterns of files to leave out, in addition to the ignore files."""
    trust_level: TrustLevel | None = None
    """Trust of its documents, `primary` where unset; front matter may lower it and never raise it."""
    source_type: SourceType | None = None
    """Type of documents whose front matter does not say."""
    kind: str = FOLDER_SOURCE
    """`folder`, `s3` for a bucket, or the name of a plugin, which reads what `root` names."""
    writable: bool = False
    """Keep notes of programs and agents here, below `_external/notes`; where no source says so, in the data folder."""

    @model_validator(mode="after")
    def _url_of_bucket(self) -> SourceSettings:
        if self.kind == BUCKET_SOURCE and "://" not in self.root:
            raise ValueError(Message("the root of a source in a bucket is a URL, as s3://bucket/folder"))
        return self

    @property
    def is_folder(self) -> bool:
        """True if its files lie in a folder on this machine."""
        return self.kind == FOLDER_SOURCE


class WorkspaceSettings(Model):
    """Folders of documents."""

    root: str = "~/KnowledgeBase"
    """Folder to ingest; used when `sources` is empty."""
    include: tuple[str, ...] = ("**/*",)
    """Patterns of files to take, gitignore syntax."""
    exclude: tuple[str, ...] = (".git/**", "node_modules/**", ".obsidian/**")
    """Patterns of files to leave out, in addition to the ignore files."""
    follow_symlinks: bool = True
    """Follow links whose target lies inside the same source."""
    sources: tuple[SourceSettings, ...] = ()
    """Several folders instead of one `root`."""

    @model_validator(mode="after")
    def _unique_ids(self) -> WorkspaceSettings:
        ids = [source.id for source in self.sources]
        if len(set(ids)) != len(ids):
            raise ValueError(Message("two sources have the same id"))
        return self


StorageEngine = Literal["sqlite", "lake"]
VectorIndex = Literal["auto", "matrix", "lancedb"]


class StorageSettings(Model):
    """Storage of kebab's own data."""

    data_dir: str = "${XDG_DATA_HOME:-~/.local/share}/kebab"
    """Folder for the database, the copied assets and the models."""
    copy_threshold_mb: int = Field(default=100, ge=0, le=100_000)
    """Files up to this size (MiB) are copied into the data folder; larger ones are referred to."""
    cache_mb: int = Field(default=2_000, ge=0, le=1_000_000)
    """Maximum size (MiB) of the cache of model outputs, and of vectors that no passage uses: texts that come back need no model."""
    engine: StorageEngine = "sqlite"
    """Where documents are read from: the data folder (`sqlite`), or the lake that another base publishes (`lake`); answers stay in the data folder."""
    lake: str = ""
    """Folder of the lake, or the URL of its bucket (`s3://`, `gs://`, `az://`). With `engine = "sqlite"` every ingest publishes there; empty: nowhere."""
    mirror: str = ""
    """Folder of a copy of the lake, which `kebab lake mirror` makes and brings up to date. A reader searches the copy; empty: the lake itself."""
    refresh_s: int = Field(default=30, ge=0, le=86_400)
    """A reader of a lake looks for a newer revision after this many seconds."""
    retention_h: int = Field(default=48, ge=1, le=10_000)
    """Hours for which a revision of the lake stays readable after the next one; removed text stays in it as long."""
    index_cache_mb: int = Field(default=512, ge=16, le=1_000_000)
    """Memory (MiB) that a reader of a lake keeps indexes in."""
    vector_index: VectorIndex = "auto"
    """Vector search: exact over all vectors (`matrix`), by an approximate index of LanceDB (`lancedb`), or by that above 200,000 passages only (`auto`)."""

    @model_validator(mode="after")
    def _lake_to_read(self) -> StorageSettings:
        if self.engine == "lake" and not self.lake:
            raise ValueError(Message("storage.engine is `lake`, and storage.lake is empty"))
        return self


class ChunkingSettings(Model):
    """Sizes of the passages that documents are cut into, in estimated tokens."""

    target_tokens: int = Field(default=380, ge=16, le=100_000)
    """Target size: a passage ends before the block that would exceed this."""
    max_tokens: int = Field(default=440, ge=16, le=100_000)
    """Maximum size of a passage."""
    overlap_tokens: int = Field(default=60, ge=0, le=50_000)
    """Length of the end of a passage that is repeated at the start of the next in the same section."""

    @model_validator(mode="after")
    def _nested(self) -> ChunkingSettings:
        if self.max_tokens < self.target_tokens:
            raise ValueError(Message("max_tokens must not be smaller than target_tokens"))
        if self.overlap_tokens >= self.target_tokens:
            raise ValueError(Message("overlap_tokens must be smaller than target_tokens"))
        return self


class CodeIngestSettings(Model):
    """Source code files to leave out."""

    skip_generated: bool = True
    """Leave out files marked as generated."""
    max_file_bytes: int = Field(default=1_000_000, ge=1, le=1_000_000_000)
    """Leave out larger source files, and larger files without an extension."""
    max_file_lines: int = Field(default=20_000, ge=1, le=10_000_000)
    """Leave out longer source files."""
    extra_skip_globs: tuple[str, ...] = ()
    """Patterns of source files to leave out."""


class ExternalSettings(Model):
    """Trust of documents that do not come from a source; never above that of the first source."""

    text_trust_level: TrustLevel = TrustLevel.SECONDARY
    """Highest trust of text that is piped in, and of files outside all sources that an agent gives."""
    web_trust_level: TrustLevel = TrustLevel.GENERATED
    """Highest trust of text that is given with a `source_uri`, such as a web page."""


class PdfIngestSettings(Model):
    """PDFs."""

    passwords: tuple[SecretStr, ...] = Field(default=(), exclude=True)
    """Passwords that encrypted PDFs are tried with, in this order; they are shown nowhere. After a new one, the next run reads again only the files that failed."""


class ImageIngestSettings(Model):
    """Pictures."""

    gps: bool = False
    """Keep where a picture was taken."""


class OcrIngestSettings(Model):
    """Text in pictures."""

    pictures: Literal["linked", "all", "off"] = "linked"
    """Pictures whose text is recognised: `linked`, those that a note shows; `all`; or `off`. Text that was recognised stays."""
    scans: bool = True
    """Recognise text in pages of PDFs that are pictures."""
    timeout_s: float = Field(default=60.0, gt=0, le=86_400)
    """CPU seconds that one picture or page may take."""
    memory_mb: int = Field(default=2048, ge=64, le=1_048_576)
    """Memory that one picture or page may take (MiB); held on Linux only."""


class AsrIngestSettings(Model):
    """Speech in recordings, which the extra `kebab-cli[audio]` hears."""

    recordings: Literal["all", "off"] = "all"
    """Recordings whose speech is heard, but for those with subtitles beside them: `all` or `off`. What was heard stays."""
    language: str = Field(default="", pattern=r"^([a-z]{2,3})?$")
    """What is spoken, such as `en` or `ko`; empty to detect it for each three minutes."""
    timeout_s: float = Field(default=1200.0, gt=0, le=86_400)
    """CPU seconds that three minutes of a recording may take."""
    memory_mb: int = Field(default=4096, ge=64, le=1_048_576)
    """Memory that hearing may take (MiB); held on Linux only."""


class CaptionSettings(Model):
    """Sentences that a chat model writes about pictures, so that they are found by what they show."""

    model: str = ""
    """Name of a model that looks at pictures, of the server of `models.llm` (`ollama` or `openai`); empty for none. Of the pictures
    that `ingest.ocr.pictures` names each is sent there once, and of PDFs each page that is scanned or has a picture."""
    max_pages: int = Field(default=100, ge=0, le=100_000)
    """Pages of one PDF, and frames of one picture, that are sent at most, from the first on; 0 leaves PDFs out and takes one frame."""


class IngestSettings(Model):
    """Ingest of files."""

    workers: int = Field(default=0, ge=0, le=256)
    """Processes that read and cut files; 0 is one per core."""
    max_file_mb: int = Field(default=200, ge=1, le=100_000)
    """Leave out larger files (MiB)."""
    extract_timeout_s: float = Field(default=30.0, gt=0, le=86_400)
    """CPU seconds that reading one file may take, for media that are risky to parse; one that only waits is given up after 20 times as long."""
    extract_memory_mb: int = Field(default=1024, ge=64, le=1_048_576)
    """Memory that reading one file may take (MiB), for media that are risky to parse; held on Linux only."""
    chunking: ChunkingSettings = ChunkingSettings()
    code: CodeIngestSettings = CodeIngestSettings()
    external: ExternalSettings = ExternalSettings()
    pdf: PdfIngestSettings = PdfIngestSettings()
    image: ImageIngestSettings = ImageIngestSettings()
    ocr: OcrIngestSettings = OcrIngestSettings()
    asr: AsrIngestSettings = AsrIngestSettings()
    caption: CaptionSettings = CaptionSettings()
    extractors: Mapping[str, Mapping[str, object]] = {}
    """Settings of extractor plugins, a section each by the name of the plugin."""


class EmbeddingSettings(Model):
    """The embedding model."""

    provider: str = "bundled"
    """`bundled` (comes with kebab), `fastembed`, `onnx`, `ollama`, `openai`, `none` (lexical search only), or the name of a plugin."""
    model: str = "multilingual-e5-small"
    """Name of the model, as its provider knows it."""
    version: str = "v1"
    """Version label; change it to make kebab treat the same name as another model."""
    dimensions: int = Field(default=384, ge=1, le=65_536)
    """Length of the model's vectors."""
    batch_tokens: int = Field(default=512, ge=16, le=1_000_000)
    """Tokens per batch, counted by the model's tokenizer."""
    threads: int = Field(default=0, ge=0, le=1024)
    """Batches embedded at the same time, one thread each; 0 is one per core. Model servers and plugins have settings of their own."""
    nice: int = Field(default=0, ge=0, le=19)
    """Niceness of the threads that embed passages; 19 leaves the processor to everything else. On Linux, for models that run inside kebab."""
    precision: Literal["auto", "int8", "fp32"] = "auto"
    """Arithmetic of the bundled model; `auto` is `int8` on CPUs with VNNI, `fp32` on others and where vectors in `fp32` are there."""
    endpoint: str | None = None
    """Address of a model server; unset for models that run inside kebab."""
    api_key_env: VariableName | None = None
    """Name of the environment variable that holds the model server's key; the key itself is kept nowhere."""


CHAT_SERVERS = ("ollama", "openai")
"""Built-in values of `models.llm.provider` that are servers."""
CHAT_PROVIDERS = ("llama-cpp", *CHAT_SERVERS)
"""Those that are chat models."""


class LlmSettings(Model):
    """The model that writes answers."""

    provider: str = "extractive"
    """`extractive`, which quotes sentences and needs no model; `ollama`; `openai`, any server with its API; `llama-cpp`, a GGUF file; or the name of a plugin."""
    model: str = "extractive"
    """Name of the model, as its provider knows it; for `llama-cpp` its file, absolute or below the models folder."""
    context_tokens: int = Field(default=32_768, ge=256, le=10_000_000)
    """Most tokens of prompt and answer together; a smaller window of the model counts more."""
    endpoint: str | None = None
    """Address of the model server; unset for `extractive`, `llama-cpp` and Ollama on this machine."""
    api_key_env: VariableName | None = None
    """Name of the environment variable that holds the model server's key; the key itself is kept nowhere."""
    temperature: float = Field(default=0.0, ge=0, le=2)
    """Sampling temperature; 0 is the most repeatable."""
    seed: int = Field(default=0, ge=0, le=2**31 - 1)
    """Seed of the model's random numbers, for models that take one."""
    connect_timeout_s: float = Field(default=5.0, gt=0, le=600)
    """Seconds to wait for a connection."""
    read_timeout_s: float = Field(default=300.0, gt=0, le=86_400)
    """Seconds to wait for the next part of a reply."""
    total_timeout_s: float = Field(default=1_800.0, gt=0, le=86_400)
    """Seconds that one reply may take, from the request to its end."""
    max_reply_mb: int = Field(default=32, ge=1, le=100_000)
    """Size of one reply as it is sent (MiB)."""
    keep_alive: Annotated[str, StringConstraints(pattern=r"^-?[0-9]{1,9}(ms|s|m|h)$")] | None = None
    """Time that `ollama` keeps the model loaded after an answer, such as `30m`; a negative one keeps it for ever, unset is Ollama's default."""
    threads: int = Field(default=0, ge=0, le=1024)
    """Threads of `llama-cpp`; 0 is one per core."""


class NliSettings(Model):
    """The model that checks answers against their evidence."""

    provider: Literal["onnx", "none"] = "none"
    """Provider of the model; `none` checks nothing."""
    model: str = ""
    """Name of the model, as its provider knows it."""


class ModelsSettings(Model):
    """Models by task."""

    reranker: str = ""
    """Cross-encoder that `ask` orders passages by, and `search` with `--rerank` hits: a name of `kebab models list`, or a folder, absolute or below the models folder; empty is none."""
    embedding: EmbeddingSettings = EmbeddingSettings()
    llm: LlmSettings = LlmSettings()
    nli: NliSettings = NliSettings()


class SearchSettings(Model):
    """Search."""

    default_k: int = Field(default=10, ge=1, le=1000)
    """Hits shown when `--k` is not given."""
    hybrid_fusion: Literal["calibrated", "rrf"] = "calibrated"
    """Fusion of the two legs of a hybrid search."""
    rrf_k: int = Field(default=60, ge=1, le=10_000)
    """Smoothing constant of reciprocal rank fusion."""
    rerank: bool = False
    """Put the first 20 hits in the order of `models.reranker`."""
    snippet_chars: int = Field(default=220, ge=20, le=10_000)
    """Length of a snippet in characters."""
    stale_threshold_days: int = Field(default=30, ge=0, le=100_000)
    """Days without a complete scan after which documents are shown as stale; 0 switches it off."""
    link_template: str = "file://{path}#L{line}"
    """Target of links to passages in a terminal."""
    viewer: str = "file://{path}#page={page}"
    """Link or command that opens a PDF at a page, such as `evince --page-index={page} {path}`."""

    @field_validator("link_template")
    @classmethod
    def _fillable(cls, value: str) -> str:
        try:
            value.format(path="", line=1)
        except (LookupError, ValueError, TypeError, AttributeError):
            raise ValueError(Message("only {names} may stand in braces", names="{path}, {line}")) from None
        return value

    @field_validator("viewer")
    @classmethod
    def _runnable(cls, value: str) -> str:
        try:
            words = shlex.split(value)
            value.format(path="", page=1)
        except (LookupError, ValueError, TypeError, AttributeError):
            raise ValueError(Message("only {names} may stand in braces", names="{path}, {page}")) from None
        if not words:
            raise ValueError(Message("it names no program"))
        return value


class RagSettings(Model):
    """Answers."""

    prompt_template_version: Literal["rag-v1", "rag-v2", "rag-v3", "rag-v4", "rag-v4-json"] = "rag-v4-json"
    """Version of the prompt template for chat models; from `rag-v4` on they name numbered sentences, and each claim is checked."""
    score_gate: float = Field(default=0.0, ge=0, le=1)
    """Minimum score of a passage that is read for an answer; where no hit has it, the answer is a refusal, and a chat model is not
    asked. 0 reads whatever search finds."""
    max_context_tokens: int = Field(default=8_000, ge=256, le=10_000_000)
    """Estimated tokens of evidence that go into a prompt."""
    nli_threshold: float = Field(default=0.0, ge=0, le=1)
    """Minimum entailment: below it the answer is a refusal; 0 switches the check off."""
    multi_hop_max_depth: int = Field(default=3, ge=1, le=10)
    """Maximum rounds of search for one question."""
    multi_hop_max_sub_queries: int = Field(default=5, ge=1, le=10)
    """Maximum number of sub-questions of one round."""


class McpSettings(Model):
    """Agents: permissions, and the server on a port."""

    ingest_roots: tuple[str, ...] = ()
    """Folders, besides the sources, out of which agents may have single files ingested; links are resolved first."""
    http_host: str = "127.0.0.1"
    """IP address that `kebab mcp --http PORT` listens on; one that other machines reach needs `http_public_url`."""
    http_public_url: str = ""
    """https address of the proxy with TLS in front of the server, where there is one."""


class ClusterSettings(Model):
    """Machines that ingest together."""

    ray: str = ""
    """Ray cluster on whose machines `kebab ingest` reads files, recognises text and computes embeddings: `auto` is the one that `kebab worker` made this machine part of, `host:port` the same by the address of its first machine, `local` one of this machine alone; empty: processes of this machine."""


class LoggingSettings(Model):
    """Logs."""

    level: Literal["debug", "info", "warning", "error"] = "warning"
    """Minimum level of the events that are written."""
    keep_runs: int = Field(default=100, ge=0, le=100_000)
    """Ingest logs kept, newest first."""
    retention_days: int = Field(default=30, ge=0, le=100_000)
    """Days after which logs are deleted; 0 keeps them."""
