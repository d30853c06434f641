"""A provider on the loopback: the published types and the known pairing rules for requests, a script for replies.

A request that the provider would refuse gets its 400, with the reasons; the real clients raise it.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import jsonschema_rs
from pydantic import TypeAdapter, ValidationError
from pydantic.json_schema import GenerateJsonSchema

Json = dict[str, Any]


@dataclass(slots=True)
class Provider:
    """The script (one reply a request: an object, or a list of events to stream), and what was asked."""

    replies: list[Json | list[Json]]
    url: str = ""
    requests: list[Json] = field(default_factory=list)
    refusals: list[str] = field(default_factory=list)


@contextmanager
def serving(*replies: Json | list[Json]) -> Iterator[Provider]:
    """A provider that gives these replies in turn."""
    provider = Provider(list(replies))
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(provider))
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    provider.url = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield provider
    finally:
        server.shutdown()
        server.server_close()
        thread.join(5)


def _handler(provider: Provider) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["content-length"])))
            provider.requests.append(request)
            faults = faults_of(self.path, request)
            provider.refusals += faults
            if faults:
                self._send(400, "application/json", json.dumps({"error": {"message": "; ".join(faults)}}))
                return
            reply = provider.replies.pop(0)
            if isinstance(reply, list):
                self._send(200, "text/event-stream", "".join(_event(self.path, each) for each in reply))
            else:
                self._send(200, "application/json", json.dumps(reply))

        def _send(self, status: int, media_type: str, text: str) -> None:
            body = text.encode()
            self.send_response(status)
            self.send_header("content-type", media_type)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Quiet: pytest shows what matters."""

    return Handler


def _event(path: str, event: Json) -> str:
    name = "" if path.endswith("/chat/completions") else f"event: {event['type']}\n"
    return f"{name}data: {json.dumps(event)}\n\n"


def faults_of(path: str, request: Json) -> list[str]:
    """Why the provider behind `path` would answer 400, in its own terms; nothing when it would not."""
    for ending, (published, pairing) in _RULES.items():
        if path.endswith(ending):
            return published(request) or pairing(request)
    return [f"no such endpoint: {path}"]


class _Tolerant(GenerateJsonSchema):
    """Types that exist in Python only (an open file as an upload) are no JSON: leave them out."""

    def handle_invalid_for_json_schema(self, schema: Any, error_info: str) -> Any:
        return {"not": {}}


def _closed(published: Any) -> jsonschema_rs.Validator:
    """A validator for a published type in which no object holds what the type does not name."""
    schema = TypeAdapter(published).json_schema(schema_generator=_Tolerant)
    for node in _objects(schema):
        if node.get("type") == "object" and "properties" in node:
            node.setdefault("additionalProperties", False)
    return jsonschema_rs.validator_for(schema)


def _objects(node: Any) -> Iterator[Json]:
    if isinstance(node, dict):
        yield node
        for each in node.values():
            yield from _objects(each)
    elif isinstance(node, list):
        for each in node:
            yield from _objects(each)


@cache
def _openai_chat() -> jsonschema_rs.Validator:
    from openai.types.chat.completion_create_params import CompletionCreateParams

    return _closed(CompletionCreateParams)


@cache
def _openai_responses() -> jsonschema_rs.Validator:
    from openai.types.responses.response_create_params import ResponseCreateParams

    return _closed(ResponseCreateParams)


@cache
def _anthropic() -> jsonschema_rs.Validator:
    from anthropic.types.message_create_params import MessageCreateParams

    return _closed(MessageCreateParams)


def _told(validator: jsonschema_rs.Validator, request: Json) -> list[str]:
    return [f"{each.instance_path}: {each.message[:200]}" for each in validator.iter_errors(request)]


def _gemini(request: Json) -> list[str]:
    """By the SDK's own models, which are closed and take both spellings, as the API does."""
    from google.genai import types

    try:
        TypeAdapter(list[types.Content]).validate_python(request["contents"])
        TypeAdapter(list[types.Tool]).validate_python(request.get("tools", []))
    except ValidationError as error:
        return [str(error)]
    return []


def chat_pairing(request: Json) -> list[str]:
    """Each assistant turn with calls is followed by one tool message a call, with no other message between."""
    faults = []
    messages = request["messages"]
    open_ids: list[str] = []
    for place, message in enumerate(messages):
        if message["role"] == "tool":
            if message["tool_call_id"] not in open_ids:
                faults.append(f"messages[{place}]: no open call {message['tool_call_id']!r}")
            else:
                open_ids.remove(message["tool_call_id"])
            continue
        faults += [f"messages[{place}]: call {id!r} has no result" for id in open_ids]
        open_ids = [call["id"] for call in message.get("tool_calls") or []]
        faults += _not_distinct(open_ids)
    return faults + [f"at the end: call {id!r} has no result" for id in open_ids]


def responses_pairing(request: Json) -> list[str]:
    """Each call has one output, behind it."""
    items = [item for item in request["input"] if isinstance(item, dict)] if isinstance(request["input"], list) else []
    called: list[str] = []
    answered: list[str] = []
    faults = []
    for item in items:
        if item.get("type") == "function_call":
            called.append(item["call_id"])
        elif item.get("type") == "function_call_output":
            answered.append(item["call_id"])
            faults += [] if item["call_id"] in called else [f"no call {item['call_id']!r}"]
    return faults + _not_distinct(called) + [f"call {id!r} has no output" for id in called if id not in answered]


def anthropic_pairing(request: Json) -> list[str]:
    """Each `tool_use` has its result in the next message, and results stand first there."""
    faults = []
    open_ids: list[str] = []
    for place, message in enumerate(request["messages"]):
        blocks = message["content"] if isinstance(message["content"], list) else []
        results = [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
        if [block["type"] for block in blocks[: len(results)]] != ["tool_result"] * len(results):
            faults.append(f"messages[{place}]: results must stand first")
        if sorted(results) != sorted(open_ids):
            faults.append(f"messages[{place}]: results {results} for calls {open_ids}")
        open_ids = [block["id"] for block in blocks if block["type"] == "tool_use"]
        faults += _not_distinct(open_ids)
    return faults


def gemini_pairing(request: Json) -> list[str]:
    """As many responses as calls, in the next content, of the same names in the same order."""
    faults = []
    calls: list[str] = []
    for place, content in enumerate(request["contents"]):
        names = [part["functionResponse"]["name"] for part in content["parts"] if "functionResponse" in part]
        if names != calls:
            faults.append(f"contents[{place}]: responses {names} for calls {calls}")
        calls = [part["functionCall"]["name"] for part in content["parts"] if "functionCall" in part]
    return faults


def _not_distinct(ids: Sequence[str]) -> list[str]:
    return [f"call ids are not distinct: {ids}"] if len(set(ids)) < len(ids) or "" in ids else []


Check = Callable[[Json], list[str]]
_RULES: Mapping[str, tuple[Check, Check]] = {
    "/chat/completions": (lambda request: _told(_openai_chat(), request), chat_pairing),
    "/responses": (lambda request: _told(_openai_responses(), request), responses_pairing),
    "/messages": (lambda request: _told(_anthropic(), request), anthropic_pairing),
    ":generateContent": (_gemini, gemini_pairing),
}
