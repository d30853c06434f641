"""The ledger of `MemoryStore`: dictionaries, no waiting, so that no two claims interleave."""

import time
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from hilt.policy.claims import LedgerClaim
from hilt.store.outcomes import took_effect
from hilt.store.records import Claimed, ClaimOutcome, Repeated, Running, Stored, Unsettled

MOST_RESULT_CHARACTERS = 64 << 20

CLAIMED = Claimed()

_Act = tuple[str, str, str, str]


@dataclass(slots=True)
class Entry:
    """A claim and, once settled, its answer. `settled` is when, None before."""

    claim: LedgerClaim
    since: float
    settled: float | None = None
    result: str = ""
    ran: bool = False


class MemoryLedger:
    """Claims and answers of all sessions.

    Answers are kept up to `MOST_RESULT_CHARACTERS`; beyond, the oldest are forgotten, but never
    one that holds off a second run of an act.
    """

    def __init__(self) -> None:
        self._entries: dict[tuple[str, str, int, str], Entry] = {}
        self._answers: dict[tuple[str, str], Entry] = {}
        self._acts: dict[_Act, list[Entry]] = {}
        self._settled: deque[Entry] = deque()
        self._characters = 0

    def take(self, claim: LedgerClaim, principal: str) -> ClaimOutcome:
        """One claim's outcome; `principal` owns the claim's session."""
        key = (claim.session, claim.turn, claim.position, claim.digest)
        entry = self._entries.get(key)
        if entry is not None:
            if entry.settled is None:
                return Running(entry.since, entry.claim)
            return Stored(entry.result)
        acts = _acts(claim, principal)
        earlier = self._earlier(claim, acts) if acts else None
        if earlier is not None:
            return earlier
        self._enter(claim, acts)
        return CLAIMED

    def settle(self, claim: LedgerClaim, principal: str, result: str, *, ran: bool) -> None:
        """Keep the answer, entering the claim when it was never taken."""
        key = (claim.session, claim.turn, claim.position, claim.digest)
        entry = self._entries.get(key)
        if entry is None:
            entry = self._enter(claim, _acts(claim, principal))
        if entry.settled is None:
            self._settled.append(entry)
        self._characters += len(result) - len(entry.result)
        entry.settled = time.time()
        entry.result = result
        entry.ran = ran
        self._answers[claim.session, claim.call_id] = entry
        while self._characters > MOST_RESULT_CHARACTERS and self._settled:
            oldest = self._settled.popleft()
            if not _holds(oldest):
                self._drop(oldest)

    def release(self, claim: LedgerClaim) -> None:
        """Forget the claim if it is not settled."""
        entry = self._entries.get((claim.session, claim.turn, claim.position, claim.digest))
        if entry is not None and entry.settled is None:
            self._drop(entry)

    def results(self, session_id: str, call_ids: Iterable[str]) -> Iterator[tuple[str, str]]:
        """Call id and latest answer, for those that have one."""
        for call in call_ids:
            entry = self._answers.get((session_id, call))
            if entry is not None:
                yield call, entry.result

    def unsettled(self, session_id: str) -> list[Unsettled]:
        """Claims without an answer, oldest first."""
        return [
            Unsettled(claim=entry.claim, since=entry.since, alive=True)
            for entry in self._entries.values()
            if entry.settled is None and entry.claim.session == session_id
        ]

    def count(self, session_id: str) -> int:
        """How many claims of the session are kept."""
        return sum(entry.claim.session == session_id for entry in self._entries.values())

    def used_since(self, cutoff: float) -> set[str]:
        """Sessions with a claim taken after `cutoff`."""
        return {entry.claim.session for entry in self._entries.values() if entry.since > cutoff}

    def purge(self, cutoff: float, idle: set[str]) -> int:
        """Drop answers older than `cutoff`, and all of the `idle` sessions; how many."""
        gone = [
            entry
            for entry in self._entries.values()
            if entry.claim.session in idle
            or (entry.settled is not None and entry.settled <= cutoff and not _holds(entry))
        ]
        for entry in gone:
            self._drop(entry)
        return len(gone)

    def _earlier(self, claim: LedgerClaim, acts: Sequence[_Act]) -> ClaimOutcome | None:
        earlier = [
            entry
            for act in acts
            for entry in self._acts.get(act, ())
            if act[0] == "key" or entry.claim.turn != claim.turn
        ]
        for entry in reversed(earlier):
            if entry.settled is not None and entry.ran and took_effect(entry.result):
                return Repeated(entry.settled, entry.result)
        for entry in earlier:
            if entry.settled is None:
                return Running(entry.since, entry.claim)
        return None

    def _enter(self, claim: LedgerClaim, acts: Sequence[_Act]) -> Entry:
        entry = Entry(claim, time.time())
        self._entries[claim.session, claim.turn, claim.position, claim.digest] = entry
        for act in acts:
            self._acts.setdefault(act, []).append(entry)
        return entry

    def _drop(self, entry: Entry) -> None:
        claim = entry.claim
        key = (claim.session, claim.turn, claim.position, claim.digest)
        if self._entries.get(key) is not entry:
            return
        del self._entries[key]
        self._characters -= len(entry.result)
        if self._answers.get((claim.session, claim.call_id)) is entry:
            del self._answers[claim.session, claim.call_id]
        if claim.irreversible or claim.idempotency_key is not None:
            for act, entries in list(self._acts.items()):
                self._acts[act] = [one for one in entries if one is not entry]
                if not self._acts[act]:
                    del self._acts[act]


def _acts(claim: LedgerClaim, principal: str) -> tuple[_Act, ...]:
    """What earlier acts this claim meets: the same act of its session, the same key of its owner."""
    if not claim.irreversible and claim.idempotency_key is None:
        return ()
    acts: list[_Act] = []
    if claim.irreversible:
        acts.append(("same", claim.session, claim.tool, claim.digest))
    if claim.idempotency_key is not None:
        acts.append(("key", principal, claim.tool, claim.idempotency_key))
    return tuple(acts)


def _holds(entry: Entry) -> bool:
    """Whether the entry holds off a second run."""
    return entry.claim.irreversible or entry.claim.idempotency_key is not None
