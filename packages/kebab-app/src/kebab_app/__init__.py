"""The facade of kebab: ingest, search, fetch and look after one knowledge base.

Faces (command line, servers) and programs use this package; it is the only one that puts the others together.

    from kebab_app import App
    from kebab_config import load_settings, read_environment

    with App(load_settings(config_path=None, environ=read_environment())) as app:
        app.ingest()
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_core import lazy_loader

if TYPE_CHECKING:
    from kebab_app.app import App
    from kebab_app.ask_options import AskRequest, show_score, show_threshold
    from kebab_app.bulk_search import MAX_QUERIES, require_few
    from kebab_app.claims import Claim, ClaimSource
    from kebab_app.clock import SystemClock
    from kebab_app.demo import open_demo
    from kebab_app.doctor.examination import report_broken_config
    from kebab_app.embedding.passage_text import passage_text
    from kebab_app.evaluate_options import EvaluateOptions
    from kebab_app.forget import ForgetPlan
    from kebab_app.ingest.request import CancelToken
    from kebab_app.ingest_use_case import IngestOptions
    from kebab_app.knowledge_base import VectorParts
    from kebab_app.logs import configure_logging
    from kebab_app.models import PullStep, licence_of, list_models, pull_model
    from kebab_app.reset import ResetScope, plan_reset
    from kebab_app.set_up import initialize
    from kebab_app.stored_answers import AnswerChoice
    from kebab_app.wiring import count_brief_hit

_MODULE_OF = {
    "MAX_QUERIES": "bulk_search",
    "AnswerChoice": "stored_answers",
    "App": "app",
    "AskRequest": "ask_options",
    "CancelToken": "ingest.request",
    "Claim": "claims",
    "ClaimSource": "claims",
    "EvaluateOptions": "evaluate_options",
    "ForgetPlan": "forget",
    "IngestOptions": "ingest_use_case",
    "PullStep": "models",
    "ResetScope": "reset",
    "SystemClock": "clock",
    "VectorParts": "knowledge_base",
    "configure_logging": "logs",
    "count_brief_hit": "wiring",
    "initialize": "set_up",
    "licence_of": "models",
    "list_models": "models",
    "open_demo": "demo",
    "passage_text": "embedding.passage_text",
    "plan_reset": "reset",
    "pull_model": "models",
    "report_broken_config": "doctor.examination",
    "require_few": "bulk_search",
    "show_score": "ask_options",
    "show_threshold": "ask_options",
}

__all__ = [
    "MAX_QUERIES",
    "AnswerChoice",
    "App",
    "AskRequest",
    "CancelToken",
    "Claim",
    "ClaimSource",
    "EvaluateOptions",
    "ForgetPlan",
    "IngestOptions",
    "PullStep",
    "ResetScope",
    "SystemClock",
    "VectorParts",
    "configure_logging",
    "count_brief_hit",
    "initialize",
    "licence_of",
    "list_models",
    "open_demo",
    "passage_text",
    "plan_reset",
    "pull_model",
    "report_broken_config",
    "require_few",
    "show_score",
    "show_threshold",
]

__getattr__ = lazy_loader(__name__, _MODULE_OF)
