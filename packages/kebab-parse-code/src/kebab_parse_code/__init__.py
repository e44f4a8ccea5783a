r"""Reads source code into kebab documents, a block for each definition.

It opens no files and makes no chunks.

    extractor = CodeExtractor(LANGUAGES["python"])
    document = extractor.extract(context, b"def add(a, b):\n    return a + b\n")
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_core import lazy_exports

if TYPE_CHECKING:
    from kebab_parse_code.definitions import error_rows as error_rows, parse as parse
    from kebab_parse_code.extractor import (
        LANGUAGES as LANGUAGES,
        NO_PARSER_VERSION as NO_PARSER_VERSION,
        CodeExtractor as CodeExtractor,
        TextCodeExtractor as TextCodeExtractor,
        build_c_extractor as build_c_extractor,
        build_cpp_extractor as build_cpp_extractor,
        build_dockerfile_extractor as build_dockerfile_extractor,
        build_go_extractor as build_go_extractor,
        build_java_extractor as build_java_extractor,
        build_javascript_extractor as build_javascript_extractor,
        build_kotlin_extractor as build_kotlin_extractor,
        build_manifest_extractor as build_manifest_extractor,
        build_python_extractor as build_python_extractor,
        build_rust_extractor as build_rust_extractor,
        build_typescript_extractor as build_typescript_extractor,
        build_yaml_extractor as build_yaml_extractor,
    )
    from kebab_parse_code.rules import LanguageRules as LanguageRules

__getattr__, __dir__ = lazy_exports(__name__)
