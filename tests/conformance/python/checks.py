"""Runs the functions of a module that start with "check_" and prints what became of each as JSON."""

import json
import os
import sys
import traceback

import eth_account
import httpx2

from paying_transport import PayingTransport

BASE_URL = os.environ["BASE_URL"]
PNG = os.environ["PNG_BASE64"]


class Noting(httpx2.HTTPTransport):
    """Notes what went over the wire."""

    def __init__(self):
        super().__init__()
        self.seen = []

    def handle_request(self, request):
        response = super().handle_request(request)
        self.seen.append((response.status_code, request.headers.get("x-idempotency-key")))
        return response


def buying(private_key):
    noting = Noting()
    transport = PayingTransport(eth_account.Account.from_key(private_key), noting)
    return httpx2.Client(transport=transport, timeout=120), noting.seen


def expect(actual, wanted):
    if actual != wanted:
        raise AssertionError(f"{actual!r} instead of {wanted!r}")


def fails_with(kind, work):
    try:
        work()
    except kind as error:
        return error
    raise AssertionError(f"no {kind.__name__}")


def run(checks):
    results = []
    for name, check in checks.items():
        if not name.startswith("check_"):
            continue
        try:
            check()
            results.append({"name": name[6:], "error": None})
        except Exception as error:
            where = traceback.extract_tb(error.__traceback__)[1]
            results.append({"name": name[6:], "error": f"{type(error).__name__}: {error} (line {where.lineno})"})
    json.dump(results, sys.stdout)
