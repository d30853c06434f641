"""What can be wrong with a text that is to be edited."""


class BrokenText(Exception):
    """A text is not in its format, or cannot be edited as it stands; `line` counts from 1, 0 means none."""

    def __init__(self, problem: str, line: int = 0) -> None:
        super().__init__(f"line {line}: {problem}" if line else problem)
        self.problem = problem
        self.line = line
