"""A server whose tools, results, resources and prompts are files that a test writes, read anew each time.

    python told.py FOLDER

`tools.json` is the list; `results.json` a `CallToolResult` by tool. A few tools do something besides: `change` tells of
a changed list, `hang` waits until it is cancelled, `steps` says how far it is, `exit` ends the server.
"""

import json
import sys
from pathlib import Path

FOLDER = Path(sys.argv[1])
NO_METHOD = -32601


def read(name, otherwise):
    file = FOLDER / name
    return json.loads(file.read_bytes()) if file.exists() else otherwise


def send(**message):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def text(words):
    return {"content": [{"type": "text", "text": words}]}


def called(request, params):
    name, token = params["name"], params.get("_meta", {}).get("progressToken")
    if name == "hang":
        (FOLDER / "hanging").touch()
        return None
    if name == "exit":
        sys.exit(3)
    if name == "change":
        send(method="notifications/tools/list_changed")
    for step in range(1, 4) if name == "steps" else ():
        send(
            method="notifications/progress",
            params={"progressToken": token, "progress": step, "total": 3, "message": f"step {step}"},
        )
    said = text(json.dumps({"called": name, "arguments": params.get("arguments", {})}))
    return read("results.json", {}).get(name, said)


def answer(method, params, request):
    if method == "initialize":
        kinds = {"tools": {"listChanged": True}, "resources": {"listChanged": True}, "prompts": {"listChanged": True}}
        return {"protocolVersion": "2025-06-18", "capabilities": kinds, "serverInfo": {"name": "told", "version": "1"}}
    if method == "tools/call":
        return called(request, params)
    if method in ("resources/read", "prompts/get"):
        asked = params.get("uri") or params.get("name")
        return read("read.json", {}).get(asked, {"contents": [{"uri": asked, "text": f"{FOLDER.name}: {asked}"}]})
    names = {
        "tools/list": "tools",
        "resources/list": "resources",
        "resources/templates/list": "resourceTemplates",
        "prompts/list": "prompts",
    }
    return {names[method]: read(f"{names[method]}.json", [])} if method in names else {}


def main():
    (FOLDER / "starts").open("a").write("x")
    print("warming up, and this is no JSON", flush=True)
    for line in sys.stdin:
        message = json.loads(line)
        method, params = message.get("method", ""), message.get("params", {})
        if method == "notifications/cancelled":
            (FOLDER / "cancelled").touch()
        if "id" not in message or not method:
            continue
        result = answer(method, params, message["id"])
        if result is not None:
            send(id=message["id"], result=result)


main()
