"""The rules of a scan that leave paths out, in the order in which reasons are given."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from kebab_core import CodeIngestSettings, IgnoreEdit, MediaType, SkipReason, SourceScope
from kebab_text import is_generated_name

from kebab_source_fs.folder import Folder, is_never_content, read_rules
from kebab_source_fs.ignore import PatternLine, RuleSet


def has_code_limit(media: MediaType) -> bool:
    """Whether the limit of size of source code holds by name.

    It does for a file that only content can tell to be text, which is mostly a program, and not for JSON, which may be an exported
    chat of any size.
    """
    if media.kind == "code":
        return media.lang != "json"
    return media.kind == "text" and media.format == "unnamed"


class ScanRules:
    """The rules of one scope.

    A path that several rules leave out has the first of these reasons: built-in, `.gitignore`, `.kebabignore`,
    configured exclude. The families are independent: a `!` in one takes back nothing that another says. What links
    and special files, include patterns and sizes say comes after these and is asked by the walk.
    Inside `scope.kept`, only the built-in rule and the limits of size hold.

    Args:
        scope: Include and exclude patterns and the general limit of size.
        code: Limits that hold for source code only.
        edits: Changes of ignore files, by their paths inside the source, that count as made.
    """

    def __init__(
        self,
        scope: SourceScope,
        code: CodeIngestSettings,
        *,
        edits: Mapping[str, IgnoreEdit] | None = None,
    ) -> None:
        self._edits = edits or {}
        self.exclude = RuleSet(scope.exclude)
        self._include = RuleSet(scope.include)
        self._kept = scope.kept
        self._code_globs = RuleSet(code.extra_skip_globs)
        self._skip_generated = code.skip_generated
        self.max_file_bytes = scope.max_file_bytes
        self.max_code_bytes = min(code.max_file_bytes, scope.max_file_bytes)

    def exclusion(self, folder: Folder, name: str, *, is_folder: bool) -> SkipReason | None:
        """The reason why a path is excluded, or None.

        Args:
            folder: The folder that holds it.
            name: Its name, NFC.
            is_folder: Whether it is a folder or a link to one.
        """
        if is_never_content(name, is_folder=is_folder):
            return SkipReason.BUILTIN_BLACKLIST
        if not (is_folder or folder.has_file_rules):
            return None
        path = folder.prefix + name
        return (
            None
            if self._is_kept(folder, path)
            else self._pattern_exclusion(folder, path, is_folder=is_folder)
        )

    def _pattern_exclusion(self, folder: Folder, path: str, *, is_folder: bool) -> SkipReason | None:
        if folder.gitignore.ignores(path, is_folder=is_folder):
            return SkipReason.GITIGNORE
        if folder.kebabignore.ignores(path, is_folder=is_folder):
            return SkipReason.KEBABIGNORE
        if self.exclude.verdict(path, is_folder=is_folder):
            return SkipReason.CONFIG_EXCLUDE
        return None

    def is_included(self, folder: Folder, name: str, *, is_folder: bool) -> bool:
        """Verdict of the include patterns on a path; where none matches, that of its folder."""
        if folder.is_included and not self._include.takes_back:
            return True
        path = folder.prefix + name
        if self._is_kept(folder, path):
            return True
        verdict = self._include.verdict(path, is_folder=is_folder)
        return folder.is_included if verdict is None else verdict

    def file_exclusion(
        self, folder: Folder, name: str, *, media: MediaType, byte_len: int
    ) -> SkipReason | None:
        """The reason why a regular file that `exclusion` lets pass is left out all the same, or None.

        Args:
            folder: The folder that holds it.
            name: Its name, NFC.
            media: Its medium by name.
            byte_len: Its size.
        """
        if (
            self._skip_generated
            and is_generated_name(name)
            and not self._is_kept(folder, folder.prefix + name)
        ):
            return SkipReason.GENERATED
        max_bytes = self.max_code_bytes if has_code_limit(media) else self.max_file_bytes
        if media.kind == "code":
            path = folder.prefix + name
            if not self._is_kept(folder, path) and self.code_glob(path) is not None:
                return SkipReason.CONFIG_EXCLUDE
        if not self.is_included(folder, name, is_folder=False):
            return SkipReason.NOT_INCLUDED
        return SkipReason.SIZE_EXCEEDED if byte_len > max_bytes else None

    def code_glob(self, path: str) -> PatternLine | None:
        """The glob that leaves out a file of source code or a folder above it; None if there is none."""
        above = [(path[:end], True) for end, char in enumerate(path) if char == "/"]
        found = (
            self._code_globs.deciding(one, is_folder=is_folder) for one, is_folder in [(path, False), *above]
        )
        return next((line for line in found if line is not None and not line.takes_back), None)

    def _is_kept(self, folder: Folder, path: str) -> bool:
        return folder.is_kept or path == self._kept

    def enter(self, folder: Folder, *, name: str, on_disk: str, real_path: str) -> Folder:
        """Return a subfolder with the rules that hold inside it.

        Args:
            folder: The folder that holds it.
            name: Its name, NFC.
            on_disk: Its name as spelled on disk.
            real_path: Where it is without links.

        Raises:
            OSError: One of its ignore files cannot be read.
        """
        return self._with_rules(
            Folder(
                disk_path=f"{folder.disk_path}/{on_disk}",
                real_path=real_path,
                prefix=f"{folder.prefix}{name}/",
                gitignore=folder.gitignore,
                kebabignore=folder.kebabignore,
                is_included=self.is_included(folder, name, is_folder=True),
                is_kept=self._is_kept(folder, folder.prefix + name),
            )
        )

    def enter_root(self, root: str, *, real_path: str) -> Folder:
        """Return the root with its rules.

        Raises:
            OSError: One of its ignore files cannot be read.
        """
        return self._with_rules(Folder(disk_path=root, real_path=real_path, prefix=""))

    def _read_rules(self, folder: Folder, name: str, *, edit: IgnoreEdit | None) -> RuleSet | None:
        """Read one ignore file of a folder. See `folder.read_rules`."""
        return read_rules(folder.disk_path, name, edit=edit)

    def _with_rules(self, folder: Folder) -> Folder:
        gitignore, kebabignore = (
            above.below(
                folder.prefix,
                self._read_rules(folder, name, edit=self._edits.get(f"{folder.prefix}{name}")),
            )
            for above, name in ((folder.gitignore, ".gitignore"), (folder.kebabignore, ".kebabignore"))
        )
        return replace(
            folder,
            gitignore=gitignore,
            kebabignore=kebabignore,
            has_file_rules=any(
                rules.may_classify_files(folder.prefix) for rules in (gitignore, kebabignore, self.exclude)
            ),
        )
