"""Every message of the product is a literal template with the arguments that it names."""

from __future__ import annotations

from kebab_testing.tables import walk

from tools.messages import Listing, list_messages, read_module


def read(source: str) -> Listing:
    listing = Listing([], [])
    read_module("x.py", source, listing)
    return listing


def test_every_message_is_a_template_with_its_arguments() -> None:
    listing = list_messages()
    assert listing.faults == []
    assert len(listing.templates) > 300


@walk(
    "source",
    [
        'StorageError(f"no {path}")',
        'StorageError("no " + path)',
        'StorageError("no %s" % path)',
        'StorageError("no {}".format(path))',
        'StorageError("; ".join(reasons))',
        'message = f"no {path}"\nraise StorageError(message)',
        "def fail(text: str): raise StorageError(text)",
        "StorageError(str(error))",
        'Message(f"no {path}")',
        "Message(template, path=path)",
    ],
)
def test_a_message_that_is_put_together_is_a_fault(source: str) -> None:
    assert len(read(source).faults) == 1


@walk(
    "source",
    [
        'StorageError("no {path}")',
        'StorageError("no file", _path=path)',
        'StorageError(Message("no {path}", path=path), _path=path)',
        'StorageError("no {path", path=path)',
        'StorageError("no {path.name}", path=path)',
        'StorageError("no {}", path=path)',
        'Message("no file", path=path)',
        'Message("{n} file", plural="{n} files", n=n)',
        'Message("{count} file", plural=files, count=n)',
    ],
)
def test_a_template_that_does_not_fit_its_arguments_is_a_fault(source: str) -> None:
    assert len(read(source).faults) == 1


@walk(
    ("source", "templates"),
    [
        ('StorageError("no {path!r}", path=path, size=1)', ["no {path!r}"]),
        ('StorageError("no {path}: {reason}", path=path, _reason=reason)', ["no {path}: {reason}"]),
        ('StorageError("a" if x else "b")', ["a", "b"]),
        ('GONE = "it is gone"\ndef f(): raise StorageError(GONE)', ["it is gone"]),
        ('StorageError(Message("no {path}", path=path))', ["no {path}"]),
        ("def fail(message: Message): raise StorageError(message)", []),
        ("StorageError(error.message)", []),
        ('Message("{count} file", plural="{count} files", count=n)', ["{count} file"]),
    ],
)
def test_templates_are_found_where_they_stand(source: str, templates: list[str]) -> None:
    listing = read(source)
    assert listing.faults == []
    assert [template.text for template in listing.templates] == templates
