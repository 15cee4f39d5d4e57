"""PyPI prometheus-client's own parser over the server's `/metrics`: conventions of names, types and values, and that nothing grows with what
strangers ask for.

Arguments: where the metrics are."""

import json
import math
import re
import sys
import urllib.error
import urllib.parse
import urllib.request

from peer_steps import expect, run_steps, step
from prometheus_client.parser import text_string_to_metric_families

METRICS = sys.argv[1]
BASE = METRICS[:-len("/metrics")]
UNITS = ("seconds", "bytes", "ratio", "total", "info", "celsius", "volts")


def families():
    with urllib.request.urlopen(METRICS) as answer:
        expect("text/plain" in answer.headers["Content-Type"], answer.headers["Content-Type"])
        return {family.name: family for family in text_string_to_metric_families(answer.read().decode())}


def series(found):
    return {(sample.name, tuple(sorted(sample.labels.items()))) for family in found.values()
            for sample in family.samples}


def ask(path, method="GET"):
    try:
        urllib.request.urlopen(urllib.request.Request(BASE + path, method=method)).close()
    except urllib.error.HTTPError as refused:
        refused.close()


@step("Each family has one type, a description, and names by Prometheus's conventions")
def names():
    found = families()
    expect(len(found) > 30, len(found))
    for family in found.values():
        expect(family.documentation.strip(), family.name, "has no HELP")
        expect(family.type in ("counter", "gauge", "histogram", "summary", "info"), family.name, family.type)
        expect(re.fullmatch(r"[a-z][a-z0-9_]*", family.name), family.name)
        expect(family.name.startswith(("countersign_", "process_", "http_server_")), family.name, "is of another library")
        for sample in family.samples:
            if family.type == "counter":
                expect(sample.name.endswith("_total") and sample.value >= 0, sample)
            for label, value in sample.labels.items():
                expect(re.fullmatch(r"[a-z][a-z0-9_]*|le", label) and len(value) <= 128, sample)
        if "latency" in family.name or "duration" in family.name:
            expect(family.name.endswith("_seconds"), family.name)


@step("Build, start, CPU and descriptors are told")
def process():
    found = families()
    for name in ("process_start_time_seconds", "process_cpu_seconds", "process_open_fds", "process_max_fds",
                 "process_resident_memory_bytes", "countersign_build_info"):
        expect(name in found or name.removesuffix("_info") in found, name, sorted(found))


@step("Histograms are cumulative, end at infinity, and agree with their counts")
def histograms():
    number = 0
    for family in families().values():
        if family.type != "histogram":
            continue
        number += 1
        by_labels = {}
        for sample in family.samples:
            labels = tuple(sorted((name, value) for name, value in sample.labels.items() if name != "le"))
            by_labels.setdefault(labels, []).append(sample)
        for labels, samples in by_labels.items():
            buckets = sorted((float(sample.labels["le"]), sample.value) for sample in samples
                             if sample.name.endswith("_bucket"))
            counts = [value for _, value in buckets]
            expect(counts == sorted(counts) and math.isinf(buckets[-1][0]), family.name, labels, buckets)
            total = next(sample.value for sample in samples if sample.name.endswith("_count"))
            expect(counts[-1] == total, family.name, labels)
    expect(number > 0, "there is no histogram")


@step("Strange methods and paths make no series of their own")
def cardinality():
    for path in ("/sign-in", "/none", "/openapi.json"):
        ask(path)
    ask("/none", "BREW")
    before = series(families())
    for number in range(40):
        ask(f"/none/{number}?x={number}", f"BREW{number}")
        ask("/account/v1/factors/" + urllib.parse.quote(f"id {number}\"\n{{}}"), "DELETE")
    after = series(families())
    fresh = after - before
    expect(len(fresh) <= 20, len(fresh), sorted(fresh)[:10])
    expect(not any("BREW3" in str(one) or "id 3" in str(one) for one in fresh), sorted(fresh)[:10])


@step("Methods that no route takes make no series for each path")
def refused_methods():
    own = {}
    with urllib.request.urlopen(BASE + "/dev/routes.json") as answer:
        for route in json.load(answer)["routes"]:
            own.setdefault(route["path"], {"OPTIONS"}).add(route["method"])
    expect(len(own) > 150, len(own))
    before = series(families())
    asked = 0
    for path, methods in own.items():
        path = re.sub(r"\{[^}]*\}|\*\*", "x", path)
        for method in ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "TRACE"]:
            if method not in methods and (method != "HEAD" or "GET" not in methods):
                ask(path, method)
                asked += 1
        ask(path, "OPTIONS")
    expect(asked > 800, asked)
    fresh = series(families()) - before
    refused = {dict(labels)["http_route"] for _, labels in fresh
               if dict(labels).get("http_response_status_code") in ("405", "204")}
    # Of one answer: a number of requests, of errors, and a histogram.
    expect(len(refused) <= 2 and len(fresh) <= 250, len(fresh), sorted(refused)[:10])


run_steps()
