"""Findings as SARIF 2.1.0, which code hosts show beside a change."""

from collections.abc import Mapping, Sequence
from hashlib import sha256

from hilt.audit.findings import RULES, Finding, Rule, Severity
from hilt.audit.legs import Audited

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
VERSION = "2.1.0"
ROOT = "%SRCROOT%"
_SCORES: Mapping[Severity, str] = {"error": "8.5", "warning": "5.0", "note": "2.0"}


def sarif(findings: Sequence[Finding], *, version: str, places: Mapping[str, str]) -> dict[str, object]:
    """The log. `places` has for a tool's label the file that declares it, relative to where the audit ran."""
    driver = {"name": "hilt", "semanticVersion": version, "rules": [_rule(each) for each in RULES]}
    run = {
        "tool": {"driver": driver},
        "automationDetails": {"id": "hilt/audit/"},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {ROOT: {"description": {"text": "the folder in which the audit ran"}}},
        "results": [_result(each, places) for each in findings],
    }
    return {"$schema": SCHEMA, "version": VERSION, "runs": [run]}


def _rule(rule: Rule) -> dict[str, object]:
    return {
        "id": rule.code,
        "name": rule.name,
        "shortDescription": {"text": rule.says},
        "help": {"text": rule.fix, "markdown": rule.fix},
        "defaultConfiguration": {"level": rule.severity},
        "properties": {"tags": ["security"], "precision": "high", "security-severity": _SCORES[rule.severity]},
    }


def _result(finding: Finding, places: Mapping[str, str]) -> dict[str, object]:
    return {
        "ruleId": finding.rule.code,
        "ruleIndex": RULES.index(finding.rule),
        "level": finding.rule.severity,
        "message": {"text": finding.message},
        "locations": [_location(each, places, finding.argument if not place else None)
                      for place, each in enumerate(finding.tools)],
        "partialFingerprints": {"hiltFinding/v1": _fingerprint(finding)},
    }  # fmt: skip


def _location(tool: Audited, places: Mapping[str, str], argument: str | None) -> dict[str, object]:
    name = f"{tool.server}.{tool.name}"
    logical = [{"name": tool.name, "fullyQualifiedName": name, "kind": "function"}]
    if argument is not None:
        logical.append({"name": argument, "fullyQualifiedName": f"{name}.{argument}", "kind": "parameter"})
    place = places.get(tool.label)
    if place is None:
        return {"logicalLocations": logical}
    file = {"artifactLocation": {"uri": place, "uriBaseId": ROOT}, "region": {"startLine": 1}}
    return {"physicalLocation": file, "logicalLocations": logical}


def _fingerprint(finding: Finding) -> str:
    """The same for the same finding wherever it stands."""
    parts = [
        finding.rule.code,
        *(f"{each.server}.{each.name}" for each in finding.tools),
        finding.argument or "",
        finding.about,
    ]
    return sha256("\x1f".join(parts).encode()).hexdigest()
