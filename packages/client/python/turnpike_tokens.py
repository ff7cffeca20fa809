"""Input tokens of a Turnpike text request, computed from a pricing entry alone. Python 3.9 or newer, standard library only.

    estimate = Estimate(entry["input_token_estimate"], tables)
    estimate.request("/v1/chat/completions", body)

`tables` is the JSON that GET answers at input_token_estimate["tables"]["path"]. A body that the gateway would refuse has no estimate:
what this returns for one means nothing, and it may raise KeyError, TypeError or ValueError.
"""

import base64
import json
import struct
import sys
from math import ceil

LOWER = "abcdefghijklmnopqrstuvwxyz"
UPPER = LOWER.upper()
IMPOSSIBLE = -(10**12)


def bit(field, number):
    return int(field[number // 8 * 2 : number // 8 * 2 + 2], 16) >> number % 8 & 1


def groups(table):
    return {entry: digits for digits, entries in table.items() for entry in entries.split(" ")}


class Estimate:
    def __init__(self, rule, tables):
        if rule["version"] != 2 or tables["version"] != 2:
            raise ValueError("this is version 2 of the rule")
        self.rule = rule
        self.words = groups(tables["words"])
        self.other_words = groups(tables["other_words"])
        self.symbols = groups(tables["symbols"])
        self.joins = {}
        for join, cost in groups(tables["joins"]).items():
            at = next(i for i in range(1, len(join)) if join[i - 1] in LOWER and join[i] in UPPER)
            self.joins.setdefault(join[at - 1 : at + 1], []).append((join[:at], join[at:], int(cost)))
        self.repeated = {c: int(n) for n, symbols in tables["repeated_symbols"].items() for c in symbols}
        first, second = " " + LOWER + UPPER, LOWER + UPPER
        self.pairs = {
            a + b for i, a in enumerate(first) for j, b in enumerate(second) if bit(tables["letter_pairs"], i * 52 + j)
        }
        listed = tables["pairs"]
        self.pairs.update(listed[i : i + 2] for i in range(0, len(listed), 2))
        self.triples = {
            a + b + c
            for i, a in enumerate(first)
            for j, b in enumerate(LOWER)
            for k, c in enumerate(LOWER)
            if bit(tables["letter_triples"], (i * 26 + j) * 26 + k)
        }
        self.known = {block: field for block, field in tables["known_characters"].items()}
        self.known_seen = {}
        self.ranges = [tuple(int(x, 16) for x in r.split("-")) for r in tables["letter_ranges"].split(" ")]
        self.kinds = {}

    # The text rule.

    def kind(self, c):
        kind = self.kinds.get(c)
        if kind is None:
            if c in " \t\n":
                kind = c
            elif "0" <= c <= "9":
                kind = "digit"
            elif c in LOWER or c in UPPER or any(a <= ord(c) <= b for a, b in self.ranges):
                kind = "letter"
            else:
                kind = "symbol"
            self.kinds[c] = kind
        return kind

    def is_known(self, c):
        known = self.known_seen.get(c)
        if known is None:
            field = self.known.get("%02x" % (ord(c) >> 8))
            known = field is not None and bit(field, ord(c) & 255) == 1
            self.known_seen[c] = known
        return known

    def text(self, text):
        runs, i = [], 0
        while i < len(text):
            kind, start = self.kind(text[i]), i
            i += 1
            if kind != "digit":
                while i < len(text) and self.kind(text[i]) == kind:
                    i += 1
            runs.append((kind, text[start:i]))
        tokens, after_space = 0, False
        for n, (kind, run) in enumerate(runs):
            if kind == "digit":
                tokens += 1
            elif kind == " " and len(run) == 1 and n + 1 < len(runs) and runs[n + 1][0] in ("letter", "symbol"):
                after_space = True
                continue
            elif kind == "letter":
                tokens += self.letters(run, after_space)
            elif kind == "symbol":
                tokens += self.symbol_run(run, after_space)
            else:
                tokens += ceil(len(run) / 31)
            after_space = False
        return tokens

    def letters(self, run, after_space):
        if not run.isascii():
            digits = self.other_words.get(run)
            return int(digits[0 if after_space else 1]) if digits else self.most_pieces(run, after_space)
        tokens, start = 0, 0
        for at in range(1, len(run) + 1):
            if at < len(run) and not (run[at - 1] in LOWER and run[at] in UPPER):
                continue
            tokens += self.part(run[start:at], after_space and start == 0)
            if at < len(run):
                fitting = self.joins.get(run[at - 1 : at + 1], ())
                tokens += max((cost for a, b, cost in fitting if run[:at].endswith(a) and run[at:].startswith(b)), default=0)
            start = at
        return tokens

    def part(self, part, after_space):
        digits = self.words.get(part.lower())
        if digits:
            capitals = sum(c in UPPER for c in part)
            if capitals == 0:
                return int(digits[0 if after_space else 1])
            if capitals == 1 and part[0] in UPPER and len(part) > 1:
                return int(digits[2 if after_space else 3])
            if capitals == len(part) and len(part) > 1:
                return int(digits[4 if after_space else 5])
        return self.most_pieces(part, after_space)

    def symbol_run(self, run, after_space):
        digits = self.symbols.get(run)
        if digits:
            return int(digits[0 if after_space else 1])
        longest = self.repeated.get(run[0])
        if longest and run == run[0] * len(run):
            return ceil(len(run) / longest) + (1 if after_space else 0)
        return self.most_pieces(run, after_space)

    def most_pieces(self, run, after_space):
        tokens, stretch = 0, []
        for c in (" " if after_space else "") + run:
            if self.is_known(c):
                stretch.append(c)
            else:
                tokens += self.most(stretch) + len(c.encode("utf-8", "surrogatepass"))
                stretch = []
        return tokens + self.most(stretch)

    def most(self, s):
        # best[i][n]: the most pieces of the first i characters, the last piece 1, 2 or at least 3 (n = 0, 1, 2) long.
        best = [(IMPOSSIBLE, IMPOSSIBLE, 0)]
        for i in range(1, len(s) + 1):
            pair = i >= 2 and s[i - 2] + s[i - 1] in self.pairs
            triple = i >= 3 and s[i - 3] + s[i - 2] + s[i - 1] in self.triples
            one, two, more = best[i - 1]
            single = 1 + max(IMPOSSIBLE if pair else one, IMPOSSIBLE if triple else two, more)
            double = IMPOSSIBLE
            if pair:
                one, two, more = best[i - 2]
                double = 1 + max(IMPOSSIBLE if triple else one, two, more)
            long = 1 + max(best[i - 3]) if i >= 3 else IMPOSSIBLE
            best.append((single, double, long))
        return max(best[-1])

    # Everything of a request.

    def image(self, width, height):
        r = self.rule["image"]
        longer, shorter = max(width, height), min(width, height)
        tiles = 1
        if longer > r["one_tile_up_to_px"]:
            if longer > r["longest_side_px"]:
                shorter = -(-shorter * r["longest_side_px"] // longer)
                longer = r["longest_side_px"]
            tile = min(r["largest_tile_px"], max(r["smallest_tile_px"], shorter * 2 // 3))
            tiles = -(-longer // tile) * -(-shorter // tile)
        return max(r["least_tokens"], r["tile_tokens"] * tiles)

    def image_url(self, url):
        if url[:5].lower() != "data:":
            return self.rule["image"]["by_url_tokens"]
        return self.image_base64(url[url.index(",") + 1 :])

    def image_base64(self, data):
        return self.image(*pixels(base64.b64decode(data)))

    def json(self, value):
        return self.text(canonical(value))

    def request(self, endpoint, body):
        messages = len(body["messages"])
        if endpoint == "/v1/messages":
            tokens = sum(self.blocks(m["content"]) for m in body["messages"])
            if body.get("system") not in (None, []):
                messages += 1
                tokens += self.blocks(body["system"])
            for tool in body.get("tools") or []:
                tokens += self.json(members(tool, "name", "description", "input_schema"))
        else:
            tokens = sum(self.chat_message(m) for m in body["messages"])
            for tool in body.get("tools") or []:
                tokens += self.json(members(tool["function"], "name", "description", "parameters"))
            wanted = body.get("response_format") or {}
            if wanted.get("type") == "json_schema":
                tokens += self.json(members(wanted["json_schema"], "description", "schema"))
        return self.rule["per_request"] + self.rule["per_message"] * messages + tokens

    def chat_message(self, message):
        tokens, content = 0, message.get("content")
        if isinstance(content, str):
            tokens += self.text(content)
        for part in content if isinstance(content, list) else ():
            if part["type"] == "image_url":
                tokens += self.image_url(part["image_url"]["url"])
            else:
                tokens += self.text(part["refusal" if part["type"] == "refusal" else "text"])
        for call in message.get("tool_calls") or []:
            function = call["function"]
            tokens += self.json({"name": function["name"], "arguments": json.loads(function["arguments"].strip() or "{}")})
            tokens += self.text(function["name"])
            signature = ((call.get("extra_content") or {}).get("google") or {}).get("thought_signature")
            tokens += self.text(signature) if signature is not None else 0
        return tokens

    def blocks(self, content):
        if isinstance(content, str):
            return self.text(content)
        tokens = 0
        for block in content:
            kind = block["type"]
            if kind == "text":
                tokens += self.text(block["text"])
            elif kind == "image":
                source = block["source"]
                by_url = source["type"] == "url"
                tokens += self.rule["image"]["by_url_tokens"] if by_url else self.image_base64(source["data"])
            elif kind == "tool_use":
                tokens += self.json(members(block, "name", "input")) + self.text(block["name"])
                signature = block.get("thought_signature")
                tokens += self.text(signature) if signature is not None else 0
            elif kind == "tool_result" and block.get("content") is not None:
                tokens += self.blocks(block["content"])
        return tokens


def members(record, *names):
    return {name: record[name] for name in names if record.get(name) is not None}


# RFC 8785.


def canonical(value):
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    if isinstance(value, (int, float)):
        return number(float(value))
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, list):
        return "[" + ",".join(map(canonical, value)) + "]"
    keys = sorted(value, key=lambda key: key.encode("utf-16-be", "surrogatepass"))
    return "{" + ",".join(canonical(key) + ":" + canonical(value[key]) for key in keys) + "}"


def number(x):
    if x == 0:
        return "0"
    if x < 0:
        return "-" + number(-x)
    mantissa, _, exponent = repr(x).partition("e")
    whole, _, fraction = mantissa.partition(".")
    fraction = fraction if fraction != "0" or exponent else ""
    digits = (whole + fraction).lstrip("0")
    point = len(whole) + int(exponent or 0) - (len(whole + fraction) - len(digits))
    digits = digits.rstrip("0")
    if len(digits) <= point <= 21:
        return digits + "0" * (point - len(digits))
    if 0 < point <= 21:
        return digits[:point] + "." + digits[point:]
    if -6 < point <= 0:
        return "0." + "0" * -point + digits
    exponent = point - 1
    sign = "+" if exponent > 0 else "-"
    return digits[0] + ("." + digits[1:] if len(digits) > 1 else "") + "e" + sign + str(abs(exponent))


# Sizes from the headers of PNG, JPEG and WebP.


def pixels(data):
    if data[:8] == b"\x89PNG\r\n\x1a\n":
        return struct.unpack(">II", data[16:24])
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return webp_pixels(data)
    at = 2
    while at + 4 <= len(data):
        marker = data[at + 1]
        if marker == 0xFF:
            at += 1
        elif marker == 0x01 or 0xD0 <= marker <= 0xD8:
            at += 2
        elif 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack(">HH", data[at + 5 : at + 9])
            return width, height
        else:
            at += 2 + struct.unpack(">H", data[at + 2 : at + 4])[0]
    raise ValueError("not an image")


def webp_pixels(data):
    chunk = data[12:16]
    if chunk == b"VP8 ":
        width, height = struct.unpack("<HH", data[26:30])
        return width & 0x3FFF, height & 0x3FFF
    if chunk == b"VP8L":
        size = struct.unpack("<I", data[21:25])[0]
        return (size & 0x3FFF) + 1, (size >> 14 & 0x3FFF) + 1
    return (
        int.from_bytes(data[24:27], "little") + 1,
        int.from_bytes(data[27:30], "little") + 1,
    )


def main():
    """One JSON line in ({"text"} or {"endpoint", "body"}), one number out; the arguments are a pricing entry and the tables."""
    with open(sys.argv[1], encoding="utf-8") as entry, open(sys.argv[2], encoding="utf-8") as tables:
        estimate = Estimate(json.load(entry)["input_token_estimate"], json.load(tables))
    for line in sys.stdin.buffer:
        asked = json.loads(line)
        print(estimate.text(asked["text"]) if "text" in asked else estimate.request(asked["endpoint"], asked["body"]))


if __name__ == "__main__":
    main()
