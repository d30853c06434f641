"""The tables of version 3. A change here is a new version, a migration, and a fixture of the old."""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
)

VERSION = 3

TABLES = MetaData()

_NUMBER = BigInteger().with_variant(Integer(), "sqlite")


def _session(*, key: bool = False) -> Column[str]:
    owner = ForeignKey("sessions.id", ondelete="CASCADE")
    return Column("session", Text, owner, nullable=False, primary_key=key)


SCHEMA_VERSION = Table("schema_version", TABLES, Column("version", Integer, nullable=False))

# When a piece of upkeep was last done, over all processes.
UPKEEP = Table(
    "upkeep",
    TABLES,
    Column("name", Text, primary_key=True),
    Column("at", Float, nullable=False),
)

SESSIONS = Table(
    "sessions",
    TABLES,
    Column("id", Text, primary_key=True),
    Column("principal", Text, nullable=False),
    Column("opened", Float, nullable=False),
    Column("used", Float, nullable=False),
)

# `effective`: the act happened. `owner` is empty when whoever took the claim gave it up.
LEDGER = Table(
    "ledger",
    TABLES,
    Column("id", _NUMBER, primary_key=True, autoincrement=True),
    _session(),
    Column("turn", Text, nullable=False),
    Column("position", Integer, nullable=False),
    Column("digest", Text, nullable=False),
    Column("tool", Text, nullable=False),
    Column("call_id", Text, nullable=False),
    Column("irreversible", Boolean, nullable=False),
    Column("since", Float, nullable=False),
    Column("owner", Text, nullable=False),
    Column("settled", Float),
    Column("effective", Boolean, nullable=False),
    Column("result", Text),
    Column("principal", Text, nullable=False),
    Column("idempotency_key", Text),
    UniqueConstraint("session", "turn", "position", "digest"),
)

_IRREVERSIBLE = LEDGER.c.irreversible
_KEYED = LEDGER.c.idempotency_key.is_not(None)
_UNSETTLED = LEDGER.c.settled.is_(None)

Index("ledger_calls", LEDGER.c.session, LEDGER.c.call_id)
Index(
    "ledger_acts",
    LEDGER.c.session,
    LEDGER.c.tool,
    LEDGER.c.digest,
    sqlite_where=_IRREVERSIBLE,
    postgresql_where=_IRREVERSIBLE,
)
Index(
    "ledger_unsettled",
    LEDGER.c.session,
    sqlite_where=_UNSETTLED,
    postgresql_where=_UNSETTLED,
)
KEY_INDEX = Index(
    "ledger_keys",
    LEDGER.c.principal,
    LEDGER.c.tool,
    LEDGER.c.idempotency_key,
    sqlite_where=_KEYED,
    postgresql_where=_KEYED,
)

BLOBS = Table(
    "blobs",
    TABLES,
    Column("id", Text, primary_key=True),
    _session(),
    Column("file", Text, nullable=False),
    Column("bytes", BigInteger, nullable=False),
    Column("media_type", Text, nullable=False),
    Column("at", Float, nullable=False),
)
Index("blobs_session", BLOBS.c.session)

SHORT_NAMES = Table(
    "short_names",
    TABLES,
    _session(key=True),
    Column("kind", Text, primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("original", Text, nullable=False),
    UniqueConstraint("session", "kind", "original"),
)

MEMOS = Table(
    "memos",
    TABLES,
    _session(key=True),
    Column("key", Text, primary_key=True),
    Column("value", Text, nullable=False),
)

# What results showed, in order: the taint of a session, which is only ever added to.
SIGHTINGS = Table(
    "sightings",
    TABLES,
    Column("number", _NUMBER, primary_key=True, autoincrement=True),
    _session(),
    Column("document", Text, nullable=False),
    sqlite_autoincrement=True,
)
Index("sightings_session", SIGHTINGS.c.session, SIGHTINGS.c.number)

PENDING = Table(
    "pending",
    TABLES,
    Column("handle", Text, primary_key=True),
    _session(),
    Column("document", Text, nullable=False),
    Column("asked", Float, nullable=False),
    Column("expires", Float, nullable=False),
    Column("answer", Text),
)
Index("pending_session", PENDING.c.session)

EVENTS = Table(
    "events",
    TABLES,
    Column("number", _NUMBER, primary_key=True, autoincrement=True),
    _session(),
    Column("at", Float, nullable=False),
    Column("text", Text, nullable=False),
    sqlite_autoincrement=True,
)
Index("events_session", EVENTS.c.session, EVENTS.c.number)

# A person's leave. Not bound to a session's row: some hold beyond it.
APPROVALS = Table(
    "approvals",
    TABLES,
    Column("id", Text, primary_key=True),
    Column("principal", Text, nullable=False),
    Column("tool", Text, nullable=False),
    Column("scope", Text, nullable=False),
    Column("policy", Text, nullable=False),
    Column("given", Float, nullable=False),
    Column("expires", Float, nullable=False),
    Column("session", Text, nullable=False),
    Column("digest", Text, nullable=False),
    Column("shape", Text, nullable=False),
    Column("by", Text, nullable=False),
    Column("says", Text, nullable=False),
    Column("used", Float),
    Column("revoked", Float),
)
Index("approvals_tool", APPROVALS.c.principal, APPROVALS.c.tool)

QUOTA_USES = Table(
    "quota_uses",
    TABLES,
    Column("id", _NUMBER, primary_key=True, autoincrement=True),
    Column("key", Text, nullable=False),
    Column("window_s", Float, nullable=False),
    Column("at", Float, nullable=False),
)
Index("quota_uses_key", QUOTA_USES.c.key, QUOTA_USES.c.window_s, QUOTA_USES.c.at)

# The audit trail; it outlives the sessions it tells of. See `hilt.store.chain`.
TRAIL = Table(
    "trail",
    TABLES,
    Column("number", BigInteger, primary_key=True, autoincrement=False),
    Column("session", Text, nullable=False),
    Column("at", Float, nullable=False),
    Column("text", Text, nullable=False),
    Column("hash", Text, nullable=False),
)

# What other people's servers declared. A person's, not a session's: see `hilt.catalog.pins`.
PINNED_SERVERS = Table(
    "pinned_servers",
    TABLES,
    Column("server", Text, primary_key=True),
    Column("source", Text, nullable=False),
)

PINS = Table(
    "pins",
    TABLES,
    Column("server", Text, primary_key=True),
    Column("tool", Text, primary_key=True),
    Column("place", Integer, nullable=False),
    Column("accepted", Text, nullable=False),
    Column("accepted_document", Text, nullable=False),
    Column("accepted_at", Float, nullable=False),
    Column("accepted_by", Text, nullable=False),
    Column("seen", Text, nullable=False),
    Column("seen_document", Text, nullable=False),
    Column("seen_at", Float, nullable=False),
    Column("gone", Float),
    Column("findings", Text, nullable=False),
)
