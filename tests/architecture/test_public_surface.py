import importlib

from kebab_testing.tables import walk

from tests.architecture.members import MEMBERS, MODULES, Member
from tests.architecture.surface import actual_surface, agreed_surface, public_names


def test_every_member_has_agreed_names() -> None:
    assert agreed_surface().keys() == MODULES


@walk("member", MEMBERS)
def test_the_public_names_are_the_agreed_ones(member: Member) -> None:
    # after a change on purpose: python -m tests.architecture.surface --write
    assert actual_surface()[member.module] == agreed_surface()[member.module]


@walk("member", MEMBERS)
def test_every_public_name_can_be_had(member: Member) -> None:
    names = public_names(member.module)
    assert len(set(names)) == len(names)
    assert not [name for name in names if not hasattr(importlib.import_module(member.module), name)]


@walk("member", MEMBERS)
def test_a_member_says_what_it_is_for(member: Member) -> None:
    assert (importlib.import_module(member.module).__doc__ or "").strip()


@walk("member", MEMBERS)
def test_no_public_name_is_also_the_name_of_a_module(member: Member) -> None:
    # Importing the module from anywhere would put it in the place of the name.
    modules = {path.stem for path in member.source.glob("*.py")} | {
        path.parent.name for path in member.source.glob("*/__init__.py")
    }
    assert not modules & set(public_names(member.module))
