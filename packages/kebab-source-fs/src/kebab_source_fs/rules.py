"""Why a path of a source is left out: every rule of a scan, in the order in which reasons are given."""

from __future__ import annotations

from kebab_core import CodeIngestSettings, CodeMedia, MediaType, SkipReason, SourceScope

from kebab_source_fs.blacklist import is_never_content
from kebab_source_fs.folder import Folder, read_rules
from kebab_source_fs.ignore import RuleSet, RuleStack


class ScanRules:
    """The rules of one scope.

    A path that several rules leave out has the first of these reasons: built-in, `.gitignore`, `.kebabignore`,
    configured exclude. The families are independent: a `!` in one takes back nothing that another says. What links
    and special files, include patterns and sizes say comes after these and is asked by the walk.
    Inside `scope.kept`, only the built-in rule and the limits of size hold.

    Args:
        scope: Include and exclude patterns and the general limit of size.
        code: Limits that hold for source code only.
    """

    def __init__(self, scope: SourceScope, code: CodeIngestSettings) -> None:
        self._exclude = RuleStack().below("", RuleSet(scope.exclude))
        self._include = RuleSet(scope.include)
        self._kept = scope.kept
        self._code_globs = RuleStack().below("", RuleSet(code.extra_skip_globs))
        self._max_file_bytes = scope.max_file_bytes
        self._max_code_bytes = min(code.max_file_bytes, scope.max_file_bytes)

    def exclusion(self, folder: Folder, name: str, *, is_folder: bool) -> SkipReason | None:
        """Return why a path is excluded, or None.

        Args:
            folder: The folder that holds it.
            name: Its name, NFC.
            is_folder: Whether it is a folder or a link to one.
        """
        path = folder.prefix + name
        if is_never_content(name, is_folder=is_folder):
            return SkipReason.BUILTIN_BLACKLIST
        if self._is_kept(path):
            return None
        if folder.gitignore.ignores(path, is_folder=is_folder):
            return SkipReason.GITIGNORE
        if folder.kebabignore.ignores(path, is_folder=is_folder):
            return SkipReason.KEBABIGNORE
        if self._exclude.ignores(path, is_folder=is_folder):
            return SkipReason.CONFIG_EXCLUDE
        return None

    def is_included(self, folder: Folder, name: str, *, is_folder: bool) -> bool:
        """Return what the include patterns say of a path; silence inherits from the folder that holds it."""
        path = folder.prefix + name
        if self._is_kept(path):
            return True
        verdict = self._include.verdict(path, is_folder=is_folder)
        return folder.is_included if verdict is None else verdict

    def code_exclusion(self, path: str, media: MediaType) -> SkipReason | None:
        """Return why a file of source code is excluded, or None; a glob may also name a folder above it."""
        if not isinstance(media, CodeMedia) or not self._code_globs.levels or self._is_kept(path):
            return None
        above = [path[:end] for end, char in enumerate(path) if char == "/"]
        is_excluded = self._code_globs.ignores(path, is_folder=False) or any(
            self._code_globs.ignores(folder, is_folder=True) for folder in above
        )
        return SkipReason.CONFIG_EXCLUDE if is_excluded else None

    def _is_kept(self, path: str) -> bool:
        return self._kept is not None and (path == self._kept or path.startswith(f"{self._kept}/"))

    def max_bytes(self, media: MediaType) -> int:
        """Return the size, in bytes, above which a file of this medium is left out."""
        return self._max_code_bytes if isinstance(media, CodeMedia) else self._max_file_bytes

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
            )
        )

    def enter_root(self, root: str, *, real_path: str) -> Folder:
        """Return the root with its rules.

        Raises:
            OSError: One of its ignore files cannot be read.
        """
        return self._with_rules(Folder(disk_path=root, real_path=real_path, prefix=""))

    @staticmethod
    def _with_rules(folder: Folder) -> Folder:
        return Folder(
            disk_path=folder.disk_path,
            real_path=folder.real_path,
            prefix=folder.prefix,
            gitignore=folder.gitignore.below(folder.prefix, read_rules(folder.disk_path, ".gitignore")),
            kebabignore=folder.kebabignore.below(folder.prefix, read_rules(folder.disk_path, ".kebabignore")),
            is_included=folder.is_included,
        )
