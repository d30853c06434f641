"""A person who is not here: questions are kept in the store, and `hilt approvals` answers them."""

from hilt.review.people import Question, Reachable, Reply


class InboxPerson:
    """Whoever looks at `hilt approvals`. A call waits for their word a while, and is pending after that."""

    @property
    def reachable(self) -> Reachable:
        """`inbox`: the question is kept, and the store is looked at for the answer."""
        return "inbox"

    async def ask(self, question: Question) -> Reply:
        """Nobody sits here: the answer comes through the store."""
        return Reply(word="absent")
