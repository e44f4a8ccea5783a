"""The rule that leaves one path out, looked up after the walk has classified it. Called by `explain`."""

from __future__ import annotations

from kebab_core import RuleOrigin, ScanItem, SkippedPath, SkipReason, SkipRule

from kebab_source_fs.entry_filter import Child
from kebab_source_fs.folder import find_mark, is_never_content
from kebab_source_fs.ignore import RuleStack
from kebab_source_fs.media import media_type_of
from kebab_source_fs.rules import ScanRules


def find_rule(rules: ScanRules, child: Child, item: ScanItem, *, follows_links: bool) -> SkipRule | None:
    """The rule by which a path is left out.

    Settings are called by the fields of `SourceScope`, those of source code by the fields of `CodeIngestSettings` after
    `code.`. What is built in is called `name`, or `mark` where something in or beside a folder tells; the pattern is
    then the name, or what tells.

    Args:
        rules: Those of the walk.
        child: The path.
        item: Its classification.
        follows_links: Whether the walk follows links.

    Returns:
        None for what is not skipped, and where the reason says it all.
    """
    if not isinstance(item, SkippedPath):
        return None
    if item.reason is SkipReason.BUILTIN_BLACKLIST:
        return _built_in(child, is_folder=item.is_folder)
    stacks = {
        SkipReason.GITIGNORE: (child.folder.gitignore, ".gitignore"),
        SkipReason.KEBABIGNORE: (child.folder.kebabignore, ".kebabignore"),
    }
    if item.reason in stacks:
        stack, name = stacks[item.reason]
        return _ignore_file(stack, item, name)
    return _setting(rules, child, item, follows_links=follows_links)


def _setting(rules: ScanRules, child: Child, item: SkippedPath, *, follows_links: bool) -> SkipRule | None:
    match item.reason:
        case SkipReason.CONFIG_EXCLUDE:
            return _excluded(rules, child, item, follows_links=follows_links)
        case SkipReason.NOT_INCLUDED:
            return SkipRule(RuleOrigin.SETTING, "include")
        case SkipReason.SIZE_EXCEEDED:
            return _limit(rules, child)
    return None


def _built_in(child: Child, *, is_folder: bool) -> SkipRule:
    name = child.name.shown
    if is_never_content(name, is_folder=is_folder):
        return SkipRule(RuleOrigin.BUILT_IN, "name", name)
    return SkipRule(RuleOrigin.BUILT_IN, "mark", find_mark(child.disk_path, name))


def _ignore_file(stack: RuleStack, item: SkippedPath, name: str) -> SkipRule | None:
    deciding = stack.deciding(item.workspace_path, is_folder=item.is_folder)
    if deciding is None:
        return None
    prefix, line = deciding
    return SkipRule(RuleOrigin.IGNORE_FILE, f"{prefix}{name}", line.text, line.number)


def _excluded(rules: ScanRules, child: Child, item: SkippedPath, *, follows_links: bool) -> SkipRule | None:
    deciding = rules.exclude.deciding(item.workspace_path, is_folder=item.is_folder)
    if deciding is not None and rules.exclude.ignores(item.workspace_path, is_folder=item.is_folder):
        return SkipRule(RuleOrigin.SETTING, "exclude", deciding[1].text)
    if child.entry.is_symlink() and not follows_links:
        return SkipRule(RuleOrigin.SETTING, "follow_symlinks")
    return _code_glob(rules.code_globs, item)


def _code_glob(globs: RuleStack, item: SkippedPath) -> SkipRule | None:
    """The glob that names a file of source code or a folder above it."""
    path = item.workspace_path
    above = [(path[:end], True) for end, char in enumerate(path) if char == "/"]
    for one, is_folder in [(str(path), False), *above]:
        deciding = globs.deciding(one, is_folder=is_folder)
        if deciding is not None and globs.ignores(one, is_folder=is_folder):
            return SkipRule(RuleOrigin.SETTING, "code.extra_skip_globs", deciding[1].text)
    return None


def _limit(rules: ScanRules, child: Child) -> SkipRule:
    is_code = media_type_of(child.name.shown).kind == "code"
    if is_code and rules.max_code_bytes < rules.max_file_bytes:
        return SkipRule(RuleOrigin.SETTING, "code.max_file_bytes", limit=rules.max_code_bytes)
    return SkipRule(RuleOrigin.SETTING, "max_file_bytes", limit=rules.max_file_bytes)
