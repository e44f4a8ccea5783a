"""Shared at run time: HTTP client for model servers, ONNX sessions without telemetry, programs that open files.

from kebab_core import Remedy
from kebab_runtime import ModelEndpoint, ModelServer

pull = Remedy(kind="pull_served_model", name="bge-m3")
endpoint = ModelEndpoint("Ollama", "http://127.0.0.1:11434", "bge-m3", "models.embedding", "vectors", pull)
reply = ModelServer(endpoint).post("/api/embed", {"model": "bge-m3", "input": ["색인"]})

And for pipelines: worker processes that hold each task to limits of time and memory, by `WorkerPool` here, by `RayPool`
on the machines of a cluster.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_core import lazy_exports

if TYPE_CHECKING:
    from kebab_runtime.bucket import Bucket as Bucket, StoredObject as StoredObject
    from kebab_runtime.editors import (
        build_command as build_command,
        desktop_command as desktop_command,
        find_editor as find_editor,
        needs_terminal as needs_terminal,
        page_link as page_link,
        player_command as player_command,
        reveal_command as reveal_command,
        viewer_command as viewer_command,
    )
    from kebab_runtime.loopback import (
        bind_port as bind_port,
        build_http_server as build_http_server,
        own_authorities as own_authorities,
    )
    from kebab_runtime.model_server import ModelServer as ModelServer, WatchedReply as WatchedReply
    from kebab_runtime.onnx import (
        MISSING_FILE_ERRORS as MISSING_FILE_ERRORS,
        MODEL_ERRORS as MODEL_ERRORS,
        disable_telemetry as disable_telemetry,
        load_onnxruntime as load_onnxruntime,
        mapped_onnx_errors as mapped_onnx_errors,
        open_session as open_session,
        physical_cores as physical_cores,
    )
    from kebab_runtime.ray_pool import (
        LOCAL as LOCAL,
        RayPool as RayPool,
        describe_machine as describe_machine,
        has_token as has_token,
        make_token as make_token,
    )
    from kebab_runtime.reply_limits import (
        Limit as Limit,
        ReplyLimits as ReplyLimits,
        ReplyWatch as ReplyWatch,
        WaitGuard as WaitGuard,
        guard_model_waits as guard_model_waits,
        waiting_for_model as waiting_for_model,
    )
    from kebab_runtime.server_errors import (
        CHECK_LOAD as CHECK_LOAD,
        ModelEndpoint as ModelEndpoint,
        ServerErrors as ServerErrors,
    )
    from kebab_runtime.worker_pool import (
        UNLIMITED as UNLIMITED,
        Result as Result,
        Task as Task,
        TaskLimits as TaskLimits,
        WorkerPool as WorkerPool,
    )

__getattr__, __dir__ = lazy_exports(__name__)
