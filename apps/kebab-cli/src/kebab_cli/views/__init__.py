"""How results look to people: each module turns one kind of result into lines."""
