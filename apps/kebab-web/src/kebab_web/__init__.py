"""The local web page of a knowledge base."""

from kebab_web.entrance import Entrance as Entrance
