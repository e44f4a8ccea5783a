"""Reports about kebab itself, and errors."""

from __future__ import annotations

from kebab_config import ConfigChange
from kebab_core import (
    ChatServer,
    ChunkNotFoundError,
    ConfigInvalidError,
    EmbeddingIdentity,
    EmbeddingModelId,
    EmbeddingVersion,
    ModelEntry,
    NliModelEntry,
    RerankerEntry,
    StoreStats,
)
from kebab_wire import (
    WIRE_SCHEMAS,
    ChatModelEntryV1,
    CompletionV1,
    ConfigKeyReport,
    ConfigMigrationV1,
    ConfigPathsReport,
    ConfigReport,
    ConfigSourceReport,
    DesktopEntryV1,
    DoctorCheck,
    DoctorReport,
    ErasureReportV1,
    ExportReportV1,
    FormerModelV1,
    ImportReportV1,
    InitReport,
    LakeCompactionV1,
    LakeCopyV1,
    McpHostsV1,
    McpHostV1,
    McpInstallV1,
    ModelCleanupV1,
    ModelListV1,
    ModelPullV1,
    ModelSwitchV1,
    ResetReport,
    SchemaModels,
    SchemaPlugin,
    SchemaReport,
    VersionV1,
    WatchServiceV1,
    WireCatalog,
    WireObject,
    classify_error,
    wire_stats,
)

from tools.wire.examples.documents import CHUNK_IDS, CONFIG, DATA, HOME, ROOT, START

_DEBUG = "run it again with --debug and look for the id in the log"

STATS = StoreStats(
    doc_count=142,
    chunk_count=1310,
    asset_count=140,
    failed_file_count=1,
    pending_document_count=0,
    held_document_count=0,
    last_ingest_at=START,
    docs_by_media={"markdown": 130, "text": 12},
    docs_by_lang={"ko": 90, "en": 52},
    sqlite_bytes=9_420_800,
    asset_bytes=1_204_224,
    schema_version=1,
    corpus_revision=57,
)


def build_reports() -> dict[str, WireObject]:
    """Return reports and errors by name."""
    return {
        "doctor": DoctorReport(
            ok=True, checks=(DoctorCheck(name="sqlite_open", ok=True, detail="kebab.sqlite (schema v1)"),)
        ),
        "doctor.unhealthy": DoctorReport(
            ok=False,
            checks=(
                DoctorCheck(name="config_loaded", ok=True, detail=CONFIG),
                DoctorCheck(
                    name="data_dir_writable",
                    ok=False,
                    detail=f"{DATA} cannot be written",
                    hint="check its permissions, or set `storage.data_dir`",
                ),
            ),
        ),
        "doctor.repaired": DoctorReport(
            ok=True,
            checks=(DoctorCheck(name="sqlite_integrity", ok=True, detail="no damage found"),),
            repaired=("the full-text indexes were made anew from 1234 chunks",),
        ),
        "schema": _schema(),
        "version": VersionV1(kebab_version="0.1.0"),
        "completion": _completion(),
        "model_list": _models(),
        "model_pull": _pulled_model(),
        "model_switch": _switched_model(),
        "model_cleanup": ModelCleanupV1(
            models=(FormerModelV1(model=_SMALL, vectors=1240, size_bytes=952_320),),
            vectors=1240,
            size_bytes=952_320,
        ),
        **_setups(),
        **_errors(),
    }


def _schema() -> WireObject:
    return SchemaReport(
        kebab_version="0.1.0",
        wire=WireCatalog(schemas=tuple(sorted(WIRE_SCHEMAS))),
        capabilities={"json_mode": True, "lexical_search": True, "vector_search": False},
        models=SchemaModels(
            parser_version="md-v1",
            chunker_version="md-heading-v1",
            active_parsers=("md-v1", "text-v1"),
            active_chunkers=("md-heading-v1",),
            analyzer_version="ko-en@1",
            prompt_template_version="rag-v3",
            index_version="lexical:ko-en@1",
            corpus_revision=57,
        ),
        stats=wire_stats(
            STATS,
            stale_document_count=3,
            data_bytes={"assets": 8_388_608, "kebab.sqlite": 52_428_800, "vectors": 6_291_456},
            table_bytes={"full_text": 20_971_520, "document_parts": 17_825_792, "vectors": 8_388_608},
        ),
        plugins=(
            SchemaPlugin(
                group="kebab.extractors", name="epub", distribution="acme-kebab-epub", version="1.2.0"
            ),
        ),
    )


def _setups() -> dict[str, WireObject]:
    return {
        "watch_service": WatchServiceV1(
            path="/home/kim/.config/systemd/user/kebab-watch.service",
            status="written",
            command="systemctl --user daemon-reload && systemctl --user enable --now kebab-watch.service",
        ),
        "desktop_entry": DesktopEntryV1(
            path="/home/kim/.local/share/applications/kebab.desktop",
            status="written",
            command="xdg-mime default kebab.desktop x-scheme-handler/kebab",
        ),
        "mcp_install": McpInstallV1(
            host="claude-code",
            path=f"{HOME}/프로젝트/.mcp.json",
            status="updated",
            dry_run=False,
            backup_path=f"{HOME}/프로젝트/.mcp.json.bak",
            command=f"{HOME}/.venv/bin/kebab",
            arguments=("mcp", "--config", CONFIG, "--readonly"),
            kept=("--readonly",),
            dropped=("kebab",),
            switched_off=True,
        ),
        "mcp_install.dry": McpInstallV1(
            host="codex",
            path=f"{HOME}/.codex/config.toml",
            status="created",
            dry_run=True,
            command="kebab",
            arguments=("mcp",),
            diff='--- now\n+++ then\n@@ -0,0 +1,3 @@\n+[mcp_servers.kebab]\n+command = "kebab"\n+args = ["mcp"]\n',
        ),
        "mcp_hosts": McpHostsV1(
            hosts=(
                McpHostV1(
                    host="claude-code",
                    title="Claude Code",
                    path=f"{HOME}/프로젝트/.mcp.json",
                    is_project=True,
                    exists=True,
                    installed=True,
                ),
                McpHostV1(
                    host="codex",
                    title="Codex",
                    path=f"{HOME}/.codex/config.toml",
                    is_project=False,
                    exists=False,
                    installed=False,
                ),
            )
        ),
        "init_report": InitReport(
            config_path=CONFIG,
            data_dir=DATA,
            database_schema_version=1,
            roots=(f"{HOME}/문서",),
            created=(CONFIG, DATA, f"{DATA}/kebab.sqlite"),
            kept=(f"{HOME}/문서",),
            chat_servers=(ChatServer(server="Ollama", provider="ollama", models=("qwen3:4b",)),),
        ),
        "export_report": ExportReportV1(
            path=f"{HOME}/백업/노트.zip",
            size_bytes=12_400_310,
            created_at=START,
            kebab_version="0.1.0",
            database_schema_version=1,
            has_configuration=True,
            copies=366,
            external_documents=3,
            evaluation_files=2,
            missing_copies=("옛 폴더/메모.md",),
            keys_like_secrets=("models.llm.endpoint",),
        ),
        "import_report": ImportReportV1(
            created_at=START,
            kebab_version="0.1.0",
            database_schema_version=1,
            config_path=CONFIG,
            data_dir=DATA,
            documents=366,
            copies=365,
            external_documents=3,
            evaluation_files=2,
            missing_roots=(f"{HOME}/문서",),
            kept_apart=(f"{DATA}/external-20261123T030000Z/source-default/3f9a2c10ee4d.md",),
            backup_path=f"{CONFIG}.bak",
        ),
        "lake_compaction": LakeCompactionV1(
            lake="s3://team/lake", revision=118, bytes_before=1_412_000_000, bytes_after=903_000_000
        ),
        "lake_copy": LakeCopyV1(
            lake="s3://team/lake",
            folder=f"{HOME}/lake",
            revision=118,
            copied_files=37,
            copied_bytes=412_000_000,
            removed_files=12,
        ),
        "reset_report": ResetReport(
            scope="data_only", removed_paths=(f"{DATA}/kebab.sqlite", f"{DATA}/assets")
        ),
        "reset_report.orphans": ResetReport(
            scope="orphans_only", removed_paths=(), orphans_purged=1, purged_paths=("옛 폴더/메모.md",)
        ),
        "erasure_report": ErasureReportV1(
            documents=("_external/3f9a2c10ee4d.md",),
            removed_paths=(f"{HOME}/문서/_external/3f9a2c10ee4d.md",),
            answers=("ret_4a8b2c1e90d37f56",),
        ),
        "erasure_report.answers": ErasureReportV1(answers=("ret_4a8b2c1e90d37f56",), erased=False),
        "config_report": _config(),
        "config_migration": ConfigMigrationV1(
            config_path=CONFIG,
            dry_run=False,
            from_schema_version=1,
            to_schema_version=2,
            changed=True,
            backup_path=f"{CONFIG}.bak",
            changes=(
                ConfigChange(kind="renamed_key", path="search.k", detail="is called search.default_k now"),
            ),
        ),
    }


def _models() -> ModelListV1:
    return ModelListV1(
        models=(
            ModelEntry(
                name="multilingual-e5-small",
                provider="bundled",
                state="here",
                in_use=True,
                dimensions=384,
                size_bytes=105_093_420,
                licence="MIT",
                folder=f"{HOME}/.venv/lib/python3.11/site-packages/kebab_model_e5_small/data",
                precision="int8",
            ),
            ModelEntry(
                name="multilingual-e5-large",
                provider="fastembed",
                state="pullable",
                in_use=False,
                dimensions=1024,
                size_bytes=2_240_000_000,
                licence="MIT",
                repository="Qdrant/multilingual-e5-large-onnx",
            ),
        ),
        chat_models=(
            ChatModelEntryV1(name="qwen3:4b", in_use=True, size_bytes=2_500_000_000, kind="4.0B Q4_K_M"),
        ),
        nli_models=(
            NliModelEntry(
                name="mDeBERTa-v3-base-xnli-multilingual-nli-2mil7",
                state="pullable",
                in_use=False,
                size_bytes=1_140_000_000,
                licence="MIT",
            ),
        ),
        rerankers=(
            RerankerEntry(
                name="mmarco-mMiniLMv2-L12-H384-v1",
                state="pullable",
                in_use=False,
                multilingual=True,
                size_bytes=490_000_000,
                licence="Apache-2.0",
            ),
        ),
    )


def _pulled_model() -> ModelPullV1:
    return ModelPullV1(
        name="multilingual-e5-large",
        was_here=False,
        folder=f"{DATA}/models/multilingual-e5-large",
        repository="Qdrant/multilingual-e5-large-onnx",
        revision="0f" * 20,
        size_bytes=2_253_000_000,
        licence="MIT",
        dimensions=1024,
    )


_SMALL = EmbeddingIdentity(
    model_id=EmbeddingModelId("multilingual-e5-small"),
    model_version=EmbeddingVersion("v1+0f1e2d3c4b5a"),
    dimensions=384,
)
_LARGE = EmbeddingIdentity(
    model_id=EmbeddingModelId("multilingual-e5-large"),
    model_version=EmbeddingVersion("v1+a5b4c3d2e1f0"),
    dimensions=1024,
)


def _switched_model() -> ModelSwitchV1:
    return ModelSwitchV1(
        switched=True,
        model=_LARGE,
        before=_SMALL,
        aborted=False,
        computed=1240,
        reused=0,
        pending=0,
        changed=("models.embedding.provider", "models.embedding.model", "models.embedding.dimensions"),
        config_path=CONFIG,
    )


def _completion() -> CompletionV1:
    return CompletionV1.model_validate({"shell": "fish", "script": "complete --command kebab …\n"})


def _config() -> ConfigReport:
    return ConfigReport(
        config_path=CONFIG,
        config_exists=True,
        keys=(
            ConfigKeyReport(key="workspace.root", value=ROOT, origin="file"),
            ConfigKeyReport(key="workspace.exclude", value=["초안/**"], origin="file"),
            ConfigKeyReport(
                key="search.default_k", value=20, origin="env", origin_name="KEBAB_SEARCH_DEFAULT_K"
            ),
            ConfigKeyReport(key="models.llm.endpoint", value=None, origin="default", in_effect=False),
        ),
        warnings=("the variable KEBAB_SERCH_K is not known and has no effect",),
        paths=ConfigPathsReport(
            config_file=CONFIG,
            data_dir=DATA,
            state_dir=f"{HOME}/.local/state/kebab",
            cache_dir=f"{HOME}/.cache/kebab",
            log_dir=f"{HOME}/.local/state/kebab/logs",
            sources=(ConfigSourceReport(id="default", root=ROOT),),
        ),
    )


def _errors() -> dict[str, WireObject]:
    missing = ChunkNotFoundError(
        f"no chunk has the id {CHUNK_IDS[0]}", hint="search again", chunk_id=str(CHUNK_IDS[0])
    )
    invalid = ConfigInvalidError(
        "search.default_k: must be at least 1 (got 0)",
        hint=f"edit {CONFIG}",
        key="search.default_k",
        problems=["search.default_k: must be at least 1 (got 0)"],
    )
    return {
        "error": classify_error(missing),
        "error.config_invalid": classify_error(invalid),
        "error.internal": classify_error(ZeroDivisionError("division by zero"), render=lambda _: _DEBUG),
    }
