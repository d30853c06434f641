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


def instance(schema, root=None, depth=0):
    """A small value that fits a schema, as far as the schemas of real servers go."""
    root = root if root is not None else schema
    if "$ref" in schema:
        node = root
        for step in schema["$ref"].removeprefix("#/").split("/"):
            node = node[step]
        return instance(node, root, depth + 1)
    for key in ("const", "default"):
        if key in schema and schema[key] is not None:
            return schema[key]
    if schema.get("enum"):
        return schema["enum"][0]
    for key in ("anyOf", "oneOf", "allOf"):
        if schema.get(key):
            return instance({**schema[key][0], **{"$defs": {}}}, root, depth + 1)
    kind = schema.get("type")
    kind = kind[0] if isinstance(kind, list) else kind or ("object" if "properties" in schema else "string")
    if kind == "object":
        needed = schema.get("required", [])
        return {name: instance(schema.get("properties", {}).get(name, {}), root, depth + 1) for name in needed}
    if kind == "array":
        return [instance(schema.get("items") or {}, root, depth + 1) for _ in range(schema.get("minItems", 0))]
    if kind in ("integer", "number"):
        least = schema.get("minimum", schema.get("exclusiveMinimum", 0) + ("exclusiveMinimum" in schema))
        return least if kind == "number" else int(least)
    if kind == "boolean":
        return False
    if kind == "null":
        return None
    formats = {"uri": "https://example.org/", "url": "https://example.org/", "date": "2026-01-01", "uuid": "0" * 8}
    if "pattern" in schema:
        return next((each for each in LIKELY if re.search(schema["pattern"], each)), "")
    text = formats.get(schema.get("format"), "text")
    return text.ljust(schema.get("minLength", 0), "x")[: schema.get("maxLength", 1_000)]


def listed(tools, cursor):
    start = int(cursor or 0)
    more = {"nextCursor": str(start + PAGE)} if start + PAGE < len(tools) else {}
    return {"tools": tools[start : start + PAGE], **more}


def called(tools, params):
    tool = next((each for each in tools if each["name"] == params["name"]), None)
    if tool is None:
        return {"isError": True, "content": [{"type": "text", "text": f"no tool {params['name']}"}]}
    said = json.dumps({"called": params["name"], "arguments": params.get("arguments", {})}, ensure_ascii=False)
    answer = {"content": [{"type": "text", "text": said}]}
    if tool.get("outputSchema"):
        answer["structuredContent"] = instance(tool["outputSchema"])
    return answer


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
