"""A question as it is kept in the store: written for `hilt approvals`, read by whoever answers it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import get_args

from hilt.declarations.schema import is_array, is_object
from hilt.policy.claims import Approval, Scope
from hilt.review.people import Question, Reply
from hilt.review.scopes import leave

SCOPES: tuple[Scope, ...] = get_args(Scope)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question with what an answer to it is bound to: whose, the digest of the arguments, the policy asked under."""

    question: Question
    principal: str
    digest: str
    policy: str

    def text(self) -> str:
        """As the store keeps it."""
        asked = self.question
        return json.dumps(
            {
                "tool": asked.tool,
                "arguments": asked.arguments,
                "activity": asked.activity,
                "reasons": asked.reasons,
                "preview": asked.preview,
                "shape": asked.shape,
                "scopes": asked.scopes,
                "usual": asked.usual,
                "principal": self.principal,
                "digest": self.digest,
                "policy": self.policy,
            }
        )

    def leave(self, id: str, scope: Scope, *, now: float, by: str) -> Approval:
        """The yes of this scope to this question."""
        return leave(
            id,
            scope,
            principal=self.principal,
            session=self.question.session,
            tool=self.question.tool,
            digest=self.digest,
            shape=self.question.shape,
            policy=self.policy,
            now=now,
            by=by,
        )


def read_asked(handle: str, session: str, document: str) -> Asked:
    """The question that a document of the store holds."""
    found: object = json.loads(document)
    fields: Mapping[str, object] = found if is_object(found) else {}

    def text(name: str) -> str:
        value = fields.get(name)
        return value if isinstance(value, str) else ""

    def texts(name: str) -> tuple[str, ...]:
        value = fields.get(name)
        return tuple(str(each) for each in value) if is_array(value) else ()

    return Asked(
        question=Question(
            handle=handle,
            session=session,
            tool=text("tool"),
            arguments=text("arguments"),
            activity=text("activity"),
            reasons=texts("reasons"),
            preview=text("preview"),
            shape=text("shape"),
            scopes=tuple(each for each in SCOPES if each in texts("scopes")) or ("once",),
            usual=scope_named(text("usual")) or "once",
        ),
        principal=text("principal"),
        digest=text("digest"),
        policy=text("policy"),
    )


def scope_named(name: object) -> Scope | None:
    """The scope of this name, None where it names none."""
    for each in SCOPES:
        if each == name:
            return each
    return None


def answer_text(reply: Reply) -> str:
    """A person's word as the store keeps it behind a question."""
    return json.dumps({"word": reply.word, "reason": reply.reason, "scope": reply.scope})


def read_answer(text: str | None) -> Reply | None:
    """The word kept behind a question, None where there is none; what is not understood is a no."""
    if text is None:
        return None
    try:
        found: object = json.loads(text)
    except ValueError:
        found = None
    fields: Mapping[str, object] = found if is_object(found) else {}
    reply = Reply(word="reject", reason=str(fields.get("reason", "")), scope=scope_named(fields.get("scope")))
    return replace(reply, word="approve") if fields.get("word") == "approve" else reply
