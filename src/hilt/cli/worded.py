"""A group of verbs that is mostly asked with words: what names none of its verbs goes to the one that lists."""

from typing import ClassVar

import click


class Worded(click.Group):
    """Words that are no command of the group are a filter for its `default` one."""

    default: ClassVar[str]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args or (args[0] not in self.commands and args[0] not in ("-h", "--help")):
            args = [self.default, *args]
        return super().parse_args(ctx, args)
