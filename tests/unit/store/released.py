"""The schemas as they were released, written by hand and never changed again."""

import sqlite3
from pathlib import Path

VERSION_1 = """
CREATE TABLE schema_version (version INTEGER NOT NULL);
INSERT INTO schema_version VALUES (1);
CREATE TABLE upkeep (name TEXT NOT NULL, at FLOAT NOT NULL, PRIMARY KEY (name));
CREATE TABLE sessions (id TEXT NOT NULL, principal TEXT NOT NULL, opened FLOAT NOT NULL, used FLOAT NOT NULL,
    PRIMARY KEY (id));
CREATE TABLE ledger (
    id INTEGER NOT NULL, session TEXT NOT NULL, turn TEXT NOT NULL, position INTEGER NOT NULL, digest TEXT NOT NULL,
    tool TEXT NOT NULL, call_id TEXT NOT NULL, irreversible BOOLEAN NOT NULL, since FLOAT NOT NULL, owner TEXT NOT NULL,
    settled FLOAT, effective BOOLEAN NOT NULL, result TEXT, principal TEXT NOT NULL, idempotency_key TEXT,
    PRIMARY KEY (id), UNIQUE (session, turn, position, digest),
    FOREIGN KEY(session) REFERENCES sessions (id) ON DELETE CASCADE
);
CREATE INDEX ledger_acts ON ledger (session, tool, digest) WHERE irreversible;
CREATE INDEX ledger_calls ON ledger (session, call_id);
CREATE INDEX ledger_keys ON ledger (principal, tool, idempotency_key) WHERE idempotency_key IS NOT NULL;
CREATE INDEX ledger_unsettled ON ledger (session) WHERE settled IS NULL;
CREATE TABLE blobs (
    id TEXT NOT NULL, session TEXT NOT NULL, file TEXT NOT NULL, bytes BIGINT NOT NULL, media_type TEXT NOT NULL,
    at FLOAT NOT NULL, PRIMARY KEY (id), FOREIGN KEY(session) REFERENCES sessions (id) ON DELETE CASCADE
);
CREATE INDEX blobs_session ON blobs (session);
CREATE TABLE short_names (
    session TEXT NOT NULL, kind TEXT NOT NULL, number INTEGER NOT NULL, original TEXT NOT NULL,
    PRIMARY KEY (session, kind, number), UNIQUE (session, kind, original),
    FOREIGN KEY(session) REFERENCES sessions (id) ON DELETE CASCADE
);
CREATE TABLE memos (
    session TEXT NOT NULL, "key" TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (session, "key"),
    FOREIGN KEY(session) REFERENCES sessions (id) ON DELETE CASCADE
);
CREATE TABLE pending (
    handle TEXT NOT NULL, session TEXT NOT NULL, document TEXT NOT NULL, asked FLOAT NOT NULL, expires FLOAT NOT NULL,
    answer TEXT, PRIMARY KEY (handle), FOREIGN KEY(session) REFERENCES sessions (id) ON DELETE CASCADE
);
CREATE INDEX pending_session ON pending (session);
CREATE TABLE events (
    number INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, session TEXT NOT NULL, at FLOAT NOT NULL, text TEXT NOT NULL,
    FOREIGN KEY(session) REFERENCES sessions (id) ON DELETE CASCADE
);
CREATE INDEX events_session ON events (session, number);
"""

# Never released: version 1 before acts could be named by a key.
VERSION_0 = (
    VERSION_1.replace("schema_version VALUES (1)", "schema_version VALUES (0)")
    .replace(" result TEXT, principal TEXT NOT NULL, idempotency_key TEXT,", " result TEXT,")
    .replace(
        "CREATE INDEX ledger_keys ON ledger (principal, tool, idempotency_key) WHERE idempotency_key IS NOT NULL;", ""
    )
)

VERSION_2 = (
    VERSION_1.replace("schema_version VALUES (1)", "schema_version VALUES (2)")
    + """
CREATE TABLE sightings (
    number INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, session TEXT NOT NULL, document TEXT NOT NULL,
    FOREIGN KEY(session) REFERENCES sessions (id) ON DELETE CASCADE
);
CREATE INDEX sightings_session ON sightings (session, number);
CREATE TABLE approvals (
    id TEXT NOT NULL, principal TEXT NOT NULL, tool TEXT NOT NULL, scope TEXT NOT NULL, policy TEXT NOT NULL,
    given FLOAT NOT NULL, expires FLOAT NOT NULL, session TEXT NOT NULL, digest TEXT NOT NULL, shape TEXT NOT NULL,
    "by" TEXT NOT NULL, says TEXT NOT NULL, used FLOAT, revoked FLOAT, PRIMARY KEY (id)
);
CREATE INDEX approvals_tool ON approvals (principal, tool);
CREATE TABLE quota_uses (
    id INTEGER NOT NULL, "key" TEXT NOT NULL, window_s FLOAT NOT NULL, at FLOAT NOT NULL, PRIMARY KEY (id)
);
CREATE INDEX quota_uses_key ON quota_uses ("key", window_s, at);
CREATE TABLE trail (
    number BIGINT NOT NULL, session TEXT NOT NULL, at FLOAT NOT NULL, text TEXT NOT NULL, hash TEXT NOT NULL,
    PRIMARY KEY (number)
);
INSERT INTO sightings (session, document) VALUES ('s', '{}');
INSERT INTO approvals VALUES (
    'a1', 'ann', 'pay', 'always', 'p1', 1e9, 1e11, '', '', '', '', 'every call of pay', NULL, NULL
);
INSERT INTO quota_uses ("key", window_s, at) VALUES ('q', 60, 1e10);
"""
)

CONTENT = """
INSERT INTO sessions VALUES ('s', 'ann', 1e10, 1e10);
INSERT INTO ledger (
    session, turn, position, digest, tool, call_id, irreversible, since, owner, settled, effective, result{columns}
)
VALUES ('s', 't1', 0, 'd1', 'pay', 'call_1', 1, 1e10, 'x', 1e10, 1, '{{"n": 1}}'{values});
INSERT INTO short_names VALUES ('s', 'ticket', 1, 'a');
INSERT INTO memos VALUES ('s', 'k', '1');
INSERT INTO pending VALUES ('h', 's', '{{}}', 1e10, 1e11, NULL);
INSERT INTO events (session, at, text) VALUES ('s', 1e10, '{{}}');
"""


def build(file: Path, version: int) -> None:
    """A store as Hilt of that schema version left it, with something of everything in it."""
    file.parent.mkdir(parents=True)
    schema = {0: VERSION_0, 1: VERSION_1, 2: VERSION_2}[version]
    columns, values = ("", "") if version == 0 else (", principal, idempotency_key", ", 'ann', NULL")
    connection = sqlite3.connect(file)
    connection.executescript("PRAGMA journal_mode=WAL;" + schema + CONTENT.format(columns=columns, values=values))
    connection.close()


def shape(file: Path) -> dict[str, object]:
    """Columns of every table and index, whatever their order or spelling in the statements."""
    connection = sqlite3.connect(file)
    names = connection.execute("SELECT type, name FROM sqlite_master WHERE name NOT LIKE 'sqlite_%'").fetchall()
    found: dict[str, object] = {}
    for kind, name in names:
        rows = connection.execute(f"PRAGMA {kind}_info({name})").fetchall()
        # A default only fills old rows, and the place of a column does not matter to us.
        found[name] = sorted((row[1], row[2], row[3], row[5]) if kind == "table" else (row[0], row[2]) for row in rows)
    connection.close()
    return found
