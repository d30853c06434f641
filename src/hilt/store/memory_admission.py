"""Quotas and leaves of `MemoryStore`: no waiting, so that no two admissions interleave."""

import time
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import replace

from hilt.policy.claims import Approval, ApprovalClaim, Claim, LedgerClaim, QuotaClaim
from hilt.store.memory_ledger import CLAIMED, MemoryLedger
from hilt.store.outcomes import id_taken, preferred, stand
from hilt.store.records import AdmitOutcome, Claimed, Exhausted, Granted, Ungranted, admitted

MOST_IDLE_COUNTERS = 1_000
"""Quotas counted at once before those that nobody used within their window are looked for and forgotten."""

_Counter = tuple[str, float]


class MemoryAdmission:
    """Quotas and leaves of all sessions."""

    def __init__(self) -> None:
        self._uses: dict[_Counter, list[float]] = {}
        self._approvals: dict[str, Approval] = {}
        self._sweep_at = MOST_IDLE_COUNTERS

    def take(self, claims: Sequence[Claim], principal: str, ledger: MemoryLedger) -> tuple[AdmitOutcome, ...]:
        """Take all or none."""
        now = time.time()
        acts: list[LedgerClaim] = []
        outcomes: list[AdmitOutcome] = []
        for claim in claims:
            match claim:
                case LedgerClaim():
                    outcomes.append(ledger.take(claim, principal))
                    if isinstance(outcomes[-1], Claimed):
                        acts.append(claim)
                case QuotaClaim():
                    outcomes.append(self._standing(claim, now))
                case ApprovalClaim():
                    outcomes.append(self._leave(claim, now))
        if not admitted(outcomes):
            for act in acts:
                ledger.release(act)
            return stand(outcomes)
        self._use({(claim.key, claim.window_s) for claim in claims if isinstance(claim, QuotaClaim)}, now)
        self._use_up((each.approval for each in outcomes if isinstance(each, Granted)), now)
        return tuple(outcomes)

    def save(self, approval: Approval) -> None:
        """Keep a leave."""
        if approval.id in self._approvals:
            raise id_taken(approval.id)
        self._approvals[approval.id] = approval

    def live(self, principal: str | None) -> list[Approval]:
        """Leaves that hold, latest first."""
        now = time.time()
        found = [
            each
            for each in self._approvals.values()
            if each.holds(now) and (principal is None or each.principal == principal)
        ]
        return sorted(found, key=lambda each: (-each.given, each.id))

    def revoke(self, approval_id: str) -> Approval | None:
        """The leave that held and holds no more."""
        now = time.time()
        approval = self._approvals.get(approval_id)
        if approval is None or not approval.holds(now):
            return None
        ended = self._approvals[approval_id] = replace(approval, revoked=now)
        return ended

    def purge(self, cutoff: float) -> None:
        """Forget leaves that ended before, and uses that no window counts."""
        for each in list(self._approvals.values()):
            ends = [at for at in (each.used, each.revoked, each.expires) if at is not None]
            if min(ends) <= cutoff:
                del self._approvals[each.id]
        self._forget_idle(time.time())

    def _standing(self, quota: QuotaClaim, now: float) -> AdmitOutcome:
        uses = self._uses.get((quota.key, quota.window_s))
        if uses is None:
            return CLAIMED
        del uses[: bisect_right(uses, now - quota.window_s)]
        return CLAIMED if len(uses) < quota.most else Exhausted(uses[-quota.most] + quota.window_s - now)

    def _leave(self, claim: ApprovalClaim, now: float) -> AdmitOutcome:
        found = preferred(each for each in self._approvals.values() if each.holds(now) and each.covers(claim))
        return Ungranted() if found is None else Granted(found)

    def _use(self, counters: Iterable[_Counter], now: float) -> None:
        for counter in counters:
            self._uses.setdefault(counter, []).append(now)
        if len(self._uses) > self._sweep_at:
            self._forget_idle(now)
            self._sweep_at = 2 * len(self._uses) + MOST_IDLE_COUNTERS

    def _use_up(self, granted: Iterable[Approval], now: float) -> None:
        for approval in granted:
            if approval.scope == "once":
                self._approvals[approval.id] = replace(approval, used=now)

    def _forget_idle(self, now: float) -> None:
        for counter, uses in list(self._uses.items()):
            if uses[-1] + counter[1] <= now:
                del self._uses[counter]
