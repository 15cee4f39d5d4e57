"""A collector for OTLP over HTTP in JSON that reads what it gets by OpenTelemetry's own schema (the package opentelemetry-proto).

Prints {"port": N}, then for each request one JSON object: {"spans": […]} with what it read, or {"fault": "…"}. The first requests may be
refused on purpose: --refuse 503,429. What comes to another path is answered 200 and told with its traceparent. Ends with its standard
input."""

import argparse
import base64
import http.server
import json
import os
import sys
import threading

from google.protobuf import json_format
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

HEX = set("0123456789abcdef")


def base64_of(text, length):
    """The mapping of the protocol writes ids as hexadecimal, that of Protocol Buffers bytes as Base64."""
    if len(text) != 2 * length or not set(text.lower()) <= HEX or set(text) == {"0"}:
        raise ValueError(f"{text!r} is no id of {length} bytes")
    return base64.b64encode(bytes.fromhex(text)).decode()


def with_bytes(document):
    for resource in document["resourceSpans"]:
        for scope in resource["scopeSpans"]:
            for span in scope["spans"]:
                for holder in [span, *span.get("links", [])]:
                    holder["traceId"] = base64_of(holder["traceId"], 16)
                    holder["spanId"] = base64_of(holder["spanId"], 8)
                if "parentSpanId" in span:
                    span["parentSpanId"] = base64_of(span["parentSpanId"], 8)
                for name in ["startTimeUnixNano", "endTimeUnixNano"]:
                    if not isinstance(span[name], str):
                        raise ValueError(f"{name} is no string")
                if not isinstance(span["kind"], int):
                    raise ValueError("kind is no number")
    return document


def value(any_value):
    kind = any_value.WhichOneof("value")
    found = getattr(any_value, kind) if kind else None
    return [value(element) for element in found.values] if kind == "array_value" else found


def attributes(pairs):
    return {pair.key: value(pair.value) for pair in pairs}


def spans(body):
    request = json_format.Parse(json.dumps(with_bytes(json.loads(body))), ExportTraceServiceRequest(), ignore_unknown_fields=False)
    for resource in request.resource_spans:
        for scope in resource.scope_spans:
            for span in scope.spans:
                yield {
                    "trace": span.trace_id.hex(), "span": span.span_id.hex(), "parent": span.parent_span_id.hex() or None,
                    "name": span.name, "kind": span.kind, "flags": span.flags,
                    "nanoseconds": span.end_time_unix_nano - span.start_time_unix_nano, "start": span.start_time_unix_nano,
                    "attributes": attributes(span.attributes), "status": span.status.code,
                    "resource": attributes(resource.resource.attributes), "scope": scope.scope.name,
                }


class Collector(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    refusals = []
    lock = threading.Lock()

    def log_message(self, *_):
        pass

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        isExport = self.path == "/v1/traces"
        with self.lock:
            status = self.refusals.pop(0) if self.refusals and isExport else 200
        report, answer = {"status": status}, b"{}"
        if not isExport:
            report = {"other": self.path, "traceparent": self.headers["traceparent"]}
        elif status == 200:
            try:
                if self.headers["Content-Type"] != "application/json":
                    raise ValueError(self.headers["Content-Type"])
                report = {"spans": list(spans(body)), "key": self.headers["X-Api-Key"]}
            except Exception as error:  # Whatever is wrong with it is for the test to say.
                report, status = {"fault": f"{type(error).__name__}: {error}"}, 400
        # Before the answer, so that who has got that finds this written.
        with self.lock:
            print(json.dumps(report), flush=True)
        self.send_response(status)
        if status in (429, 503):
            self.send_header("Retry-After", "1")
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--refuse", default="")
    options = parser.parse_args()
    Collector.refusals = [int(status) for status in options.refuse.split(",") if status]
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Collector)
    print(json.dumps({"port": server.server_address[1]}), flush=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    sys.stdin.read()
    os._exit(0)


main()
