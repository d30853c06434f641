"""A server that lists what a file of tools says, and answers each call with what it was asked.

python replay.py TOOLS.json
"""

import json
import re
import sys
from pathlib import Path

PAGE = 40
LIKELY = ("AB-1", "01234567-89ab-4def-8123-456789abcdef", "AB", "text", "1", "a.b", "123", "#fff", "2026-01-01")
"""Texts that fit one of the patterns that real servers ask for."""


def instance(schema, root=None):
    """A small value that fits a schema, as far as the schemas of real servers go."""
    root = root if root is not None else schema
    if "$ref" in schema:
        return instance(pointed(root, schema["$ref"]), root)
    given = next((schema[key] for key in ("const", "default") if schema.get(key) is not None), None)
    if given is not None:
        return given
    if schema.get("enum"):
        return schema["enum"][0]
    branch = next((schema[key][0] for key in ("anyOf", "oneOf", "allOf") if schema.get(key)), None)
    return instance(branch, root) if branch is not None else made(schema, root)


def pointed(root, reference):
    for step in reference.removeprefix("#/").split("/"):
        root = root[step]
    return root


def made(schema, root):
    kind = schema.get("type")
    kind = kind[0] if isinstance(kind, list) else kind or ("object" if "properties" in schema else "string")
    if kind == "object":
        properties = schema.get("properties", {})
        return {name: instance(properties.get(name, {}), root) for name in schema.get("required", [])}
    if kind == "array":
        return [instance(schema.get("items") or {}, root) for _ in range(schema.get("minItems", 0))]
    if kind in ("integer", "number"):
        return number(schema, kind)
    return {"boolean": False, "null": None}[kind] if kind in ("boolean", "null") else text(schema)


def number(schema, kind):
    least = schema.get("minimum", schema.get("exclusiveMinimum", -1) + 1)
    return int(least) if kind == "integer" else least


def text(schema):
    if "pattern" in schema:
        return next((each for each in LIKELY if re.search(schema["pattern"], each)), "")
    word = "https://example.org/" if schema.get("format") in ("uri", "url") else "text"
    return word.ljust(schema.get("minLength", 0), "x")[: schema.get("maxLength", 1_000)]


def listed(tools, cursor):
    start = int(cursor or 0)
    more = {"nextCursor": str(start + PAGE)} if start + PAGE < len(tools) else {}
    return {"tools": tools[start : start + PAGE], **more}


def called(tools, params):
    tool = next((each for each in tools if each["name"] == params["name"]), None)
    if tool is None:
        return {"isError": True, "content": [{"type": "text", "text": f"no tool {params['name']}"}]}
    said = json.dumps({"called": params["name"], "arguments": params.get("arguments", {})}, ensure_ascii=False)
    structured = {"structuredContent": instance(tool["outputSchema"])} if tool.get("outputSchema") else {}
    return {"content": [{"type": "text", "text": said}], **structured}


def main(file):
    data = json.loads(Path(file).read_bytes())
    tools = data["tools"]
    for line in sys.stdin.buffer:
        message = json.loads(line)
        if "id" not in message or "method" not in message:
            continue
        method, params = message["method"], message.get("params", {})
        reply = {"jsonrpc": "2.0", "id": message["id"]}
        if method == "initialize":
            capabilities = {"tools": {"listChanged": False}}
            server = {"name": data["name"], "version": "1"}
            reply["result"] = {"protocolVersion": "2025-06-18", "capabilities": capabilities, "serverInfo": server}
        elif method == "tools/list":
            reply["result"] = listed(tools, params.get("cursor"))
        elif method == "tools/call":
            reply["result"] = called(tools, params)
        elif method == "ping":
            reply["result"] = {}
        else:
            reply["error"] = {"code": -32601, "message": f"{method} is not there"}
        sys.stdout.write(json.dumps(reply, ensure_ascii=False) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1])
