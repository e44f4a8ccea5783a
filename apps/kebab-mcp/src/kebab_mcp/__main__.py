"""`python -m kebab_mcp` serves the knowledge base that its flags point to."""

from __future__ import annotations

import sys

from kebab_config import lighten_libraries

from kebab_mcp.server import serve
from kebab_mcp.shared_app import parse_options

lighten_libraries()
serve(parse_options(sys.argv[1:]))
