"""Rows at which the statements of a file begin: a long definition is cut there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from kebab_parse_code.definitions import find_nodes, known_types

if TYPE_CHECKING:
    from tree_sitter import Node

    from kebab_parse_code.rules import LanguageRules
    from kebab_parse_code.units import Unit

_MIN_CHARS = 800
"""Shorter units fit into a passage, but where the settings make passages a third as long as usual."""
_MAX_DEPTH = 16
"""Deeper statements are left out: a passage holds more than one so deep."""
_SEQUENCES = (
    # statements
    "block case_statement class_static_block compound_statement constructor_body "
    "expression_switch_statement lambda_literal match_block module preproc_elif preproc_else preproc_if preproc_ifdef "
    "program select_statement source_file statement_block statement_list switch_block switch_block_statement_group "
    "switch_body switch_case switch_default translation_unit type_switch_statement when_expression",
    # members
    "annotation_type_body class_body const_declaration declaration_list enum_body enum_body_declarations enum_class_body "
    "enum_variant_list enumerator_list field_declaration_list import_declaration import_spec_list interface_body "
    "interface_type macro_definition object_type type_declaration var_spec_list",
    # elements
    "argument_list arguments array array_expression array_initializer dictionary field_initializer_list "
    "initializer_list jsx_element list literal_value object set token_tree tuple use_list value_arguments",
)
"""Types of nodes that hold such in a row, in all grammars."""


class StatementRows:
    """The rows in which statements, members and elements of a file begin, with the comments above them.

    Args:
        rules: Those that the file was parsed with.
        root: The syntax tree.
        lines: The lines of the file.
    """

    def __init__(self, rules: LanguageRules, root: Node, lines: Sequence[str]) -> None:
        self._rules = rules
        self._root = root
        self._lines = lines
        self._depths: Mapping[int, int] | None = None

    def find(self, unit: Unit) -> tuple[tuple[int, ...], ...] | None:
        """Find the rows in a unit after its first, in order, those of each depth apart, outermost first.

        Returns:
            None for a unit that is short, or in which no statement begins a row.
        """
        rows = range(unit.first_row, unit.last_row + 1)
        if unit.is_broken or sum(len(self._lines[row]) for row in rows) < _MIN_CHARS:
            return None
        if self._depths is None:
            self._depths = _find_depths(self._rules, self._root, self._lines)
        by_depth: dict[int, list[int]] = {}
        for row in rows[1:]:
            if (depth := self._depths.get(row)) is not None:
                by_depth.setdefault(depth, []).append(row)
        return tuple(tuple(by_depth[depth]) for depth in sorted(by_depth)[:_MAX_DEPTH]) or None


def _find_depths(rules: LanguageRules, root: Node, lines: Sequence[str]) -> dict[int, int]:
    """Return the rows in which statements begin, each with the number of sequences around the outermost one."""
    depths: dict[int, int] = {}
    around: list[int] = []
    indents = [len(line) - len(line.lstrip()) for line in lines]
    types = known_types(rules, " ".join(_SEQUENCES).split())
    if "statement_list" in types:
        types.remove("block")  # of Go: brackets around a list
    for sequence in find_nodes(rules, f"[{' '.join(f'({each})' for each in types)}] @sequence", root):
        while around and around[-1] <= sequence.start_byte:
            around.pop()
        for row in _statement_rows(rules, sequence, indents):
            depths.setdefault(row, len(around))
        around.append(sequence.end_byte)
    return depths


def _statement_rows(rules: LanguageRules, sequence: Node, indents: Sequence[int]) -> list[int]:
    """Return the rows that begin with a statement of a sequence or with the comments and attributes above one."""
    rows: list[int] = []
    first_above = end_above = -2
    for node in sequence.named_children:
        row, column = node.start_point
        if column > indents[row]:
            continue
        if node.type not in rules.leading:
            rows.append(first_above if end_above == row - 1 else row)
            continue
        if end_above != row - 1:
            first_above = row
        end_above = node.end_point.row - (node.end_point.column == 0)
    return rows
