"""`python -m kebab_mcp` serves the knowledge base that its flags point to."""

from __future__ import annotations

import sys

from kebab_config import lighten_libraries

from kebab_mcp.options import parse_options
from kebab_mcp.server import serve

lighten_libraries()
serve(parse_options(sys.argv[1:]))
