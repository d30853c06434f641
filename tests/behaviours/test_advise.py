"""The promise of `hilt advise`, driven from outside."""

import json
from pathlib import Path

from tests.command import as_process


def test_req_B10_six_answers_lead_to_a_home_with_costs_and_failures_or_to_no_tool_at_all(tmp_path: Path) -> None:
    def asked(*answers: str) -> dict[str, object]:
        names = ("control", "platform", "frequency", "arguments", "changes", "editor")
        options = [word for name, answer in zip(names, answers, strict=True) for word in (f"--{name}", answer)]
        document = json.loads(as_process("advise", *options, "--json", folder=tmp_path, home=tmp_path).out)
        assert {each["home"] for each in document["homes"]} == {
            "tool", "executor", "skill", "project", "memory", "nothing",
        }  # fmt: skip
        assert all(each["fails"] and each["standing_tokens"] >= 0 for each in document["homes"])
        assert document["decided"]
        found: dict[str, object] = document
        return found

    refund = asked("ask", "no-command", "sometimes", "structured", "stable", "developer")
    wish = asked("none", "nothing-runs", "rare", "none", "session", "nobody")

    assert (refund["home"], refund["is_tool"]) == ("tool", True)
    assert (wish["home"], wish["is_tool"]) == ("nothing", False)
    assert str(wish["says"]).startswith("not a tool at all")
