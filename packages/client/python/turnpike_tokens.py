"""Input tokens of a Turnpike text request, computed from a pricing entry alone. Python 3.9 or newer, standard library only.

    estimate = Estimate(entry["input_token_estimate"], tables)
    estimate.request("/v1/chat/completions", body)

`tables` is the JSON that GET answers at input_token_estimate["tables"]["path"]. A body that the gateway would refuse has no
estimate: what this returns for one means nothing, and it may raise. In the words of the published rule.
"""

import base64
import json
import math
import re
import sys

LONGEST_BLANK = 31
SMALL = "abcdefghijklmnopqrstuvwxyz"
LETTERS = SMALL + SMALL.upper()
CUT = re.compile("(?<=[a-z])(?=[A-Z])")
NEVER = -math.inf


class Estimate:
    def __init__(self, rule, tables):
        if rule["version"] != 2 or tables["version"] != 2:
            raise ValueError("this is version 2 of the rule")
        self.rule = rule
        self.words = by_entry(tables["words"])
        self.other_words = by_entry(tables["other_words"])
        self.symbols = by_entry(tables["symbols"])
        self.repeated = {symbol: int(group) for group, symbols in tables["repeated_symbols"].items() for symbol in symbols}
        # By the small letter and the capital at the cut: the entry, where its cut is, what it costs.
        self.joins = {}
        for entry, group in by_entry(tables["joins"]).items():
            at = CUT.search(entry).start()
            self.joins.setdefault(entry[at - 1 : at + 1], []).append((entry, at, int(group)))
        self.known = {int(block, 16): bits(field) for block, field in tables["known_characters"].items()}
        pair, triple = bits(tables["letter_pairs"]), bits(tables["letter_triples"])
        firsts = list(enumerate(" " + LETTERS))
        self.pairs = {a + b for i, a in firsts for j, b in enumerate(LETTERS) if pair[i * 52 + j]}
        self.pairs.update(tables["pairs"][at : at + 2] for at in range(0, len(tables["pairs"]), 2))
        smalls = list(enumerate(SMALL))
        self.triples = {
            a + b + c for i, a in firsts for j, b in smalls for k, c in smalls if triple[(i * 26 + j) * 26 + k]
        }
        ranges = [[chr(int(end, 16)) for end in ends.split("-")] for ends in tables["letter_ranges"].split(" ")]
        letter = "A-Za-z" + "".join(f"{first}-{last}" for first, last in ranges)
        # A space that belongs to what follows stands alone before it; the longest run of spaces is tried first.
        self.run = re.compile(
            f"(?P<blank>  +| (?![{letter}]|[^{letter}0-9 \t\n])|\t+|\n+)|(?P<digit>[0-9])"
            f"|(?P<space> ?)(?:(?P<letters>[{letter}]+)|(?P<symbols>[^{letter}0-9 \t\n]+))"
        )

    def request(self, endpoint, body):
        parts = parts_of_messages(body) if endpoint == "/v1/messages" else parts_of_chat(body)
        tokens = self.rule["per_request"] + self.rule["per_message"] * parts.messages
        tokens += sum(map(self.text, parts.texts))
        tokens += sum(self.text(canonical_json(value)) for value in parts.json)
        return tokens + sum(image_tokens(url, self.rule["image"]) for url in parts.images)

    def text(self, text):
        # Both halves of a surrogate pair side by side are one character.
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
        tokens = 0
        for run in self.run.finditer(text):
            if run["blank"]:
                tokens += -(-len(run[0]) // LONGEST_BLANK)
            elif run["digit"]:
                tokens += 1
            elif run["letters"]:
                tokens += self.letters(run["letters"], bool(run["space"]))
            else:
                tokens += self.symbol_run(run["symbols"], bool(run["space"]))
        return tokens

    def letters(self, run, after_space):
        if not run.isascii():
            digits = self.other_words.get(run)
            return int(digits[0 if after_space else 1]) if digits else self.most_pieces(run, after_space)
        cuts = [cut.start() for cut in CUT.finditer(run)]
        tokens = sum(self.join(run, cut) for cut in cuts)
        for start, end in zip([0, *cuts], [*cuts, len(run)]):
            tokens += self.part(run[start:end], after_space and start == 0)
        return tokens

    def join(self, run, cut):
        listed = self.joins.get(run[cut - 1 : cut + 1], [])
        return max((cost for entry, at, cost in listed if at <= cut and run.startswith(entry, cut - at)), default=0)

    def part(self, part, after_space):
        digits = self.words.get(part.lower())
        if digits and part.islower():
            return int(digits[0 if after_space else 1])
        if digits and part == part.capitalize():
            return int(digits[2 if after_space else 3])
        if digits and part.isupper():
            return int(digits[4 if after_space else 5])
        return self.most_pieces(part, after_space)

    def symbol_run(self, run, after_space):
        digits = self.symbols.get(run)
        if digits:
            return int(digits[0 if after_space else 1])
        number = self.repeated.get(run[0])
        if number and run == run[0] * len(run):
            return -(-len(run) // number) + after_space
        return self.most_pieces(run, after_space)

    def most_pieces(self, run, after_space):
        tokens, stretch = 0, ""
        for character in " " + run if after_space else run:
            block, place = divmod(ord(character), 256)
            if block in self.known and self.known[block][place]:
                stretch += character
            else:
                tokens += self.pieces(stretch) + len(character.encode("utf-8", "surrogatepass"))
                stretch = ""
        return tokens + self.pieces(stretch)

    def pieces(self, stretch):
        # most[end]: the most pieces up to there when the last is one, two, or at least three characters long. Nothing forbids what
        # follows a long piece; so it is at the start.
        most = [(NEVER, NEVER, 0)]
        three_back = NEVER  # the most up to any position three or more back
        for end in range(1, len(stretch) + 1):
            is_pair = stretch[end - 2 : end] in self.pairs if end >= 2 else False
            is_triple = stretch[end - 3 : end] in self.triples if end >= 3 else False
            one, two, more = most[end - 1]
            single = 1 + max(NEVER if is_pair else one, NEVER if is_triple else two, more)
            double = NEVER
            if is_pair:
                one, two, more = most[end - 2]
                double = 1 + max(NEVER if is_triple else one, two, more)
            if end >= 3:
                three_back = max(three_back, *most[end - 3])
            most.append((single, double, 1 + three_back))
        return max(most[-1])


def by_entry(groups):
    return {entry: group for group, entries in groups.items() for entry in entries.split(" ")}


def bits(field):
    return [byte >> place & 1 for byte in bytes.fromhex(field) for place in range(8)]


# What is counted.


class Parts:
    def __init__(self, messages):
        self.messages, self.texts, self.json, self.images = messages, [], [], []


def parts_of_chat(body):
    parts = Parts(len(body["messages"]))
    for message in body["messages"]:
        content = message.get("content")
        if isinstance(content, str):
            parts.texts.append(content)
        for part in content if isinstance(content, list) else []:
            if part["type"] == "image_url":
                parts.images.append(part["image_url"]["url"])
            else:
                parts.texts.append(part["refusal" if part["type"] == "refusal" else "text"])
        for call in message.get("tool_calls") or []:
            function = call["function"]
            parts.json.append({"name": function["name"], "arguments": parsed_arguments(function["arguments"])})
            parts.texts.append(function["name"])
            google = (call.get("extra_content") or {}).get("google") or {}
            parts.texts.append(google.get("thought_signature") or "")
    for tool in body.get("tools") or []:
        parts.json.append(members(tool["function"], "name", "description", "parameters"))
    wanted = body.get("response_format") or {}
    if wanted.get("type") == "json_schema":
        parts.json.append(members(wanted["json_schema"], "description", "schema"))
    return parts


def parts_of_messages(body):
    system = body.get("system") or None
    parts = Parts(len(body["messages"]) + (system is not None))
    add_blocks(parts, system)
    for message in body["messages"]:
        add_blocks(parts, message["content"])
    for tool in body.get("tools") or []:
        parts.json.append(members(tool, "name", "description", "input_schema"))
    return parts


def add_blocks(parts, content):
    if isinstance(content, str):
        parts.texts.append(content)
    for block in content if isinstance(content, list) else []:
        if block["type"] == "text":
            parts.texts.append(block["text"])
        elif block["type"] == "image":
            source = block["source"]
            parts.images.append(source["url"] if source["type"] == "url" else "data:," + source["data"])
        elif block["type"] == "tool_use":
            parts.json.append(members(block, "name", "input"))
            parts.texts.append(block["name"])
            parts.texts.append(block.get("thought_signature") or "")
        elif block["type"] == "tool_result":
            add_blocks(parts, block.get("content"))


def members(record, *names):
    return {name: record[name] for name in names if record.get(name) is not None}


# White space as ECMAScript has it: str.strip() knows fewer, and others.
BLANK = re.compile("[\t\n\v\f\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]*")


def parsed_arguments(text):
    return {} if BLANK.fullmatch(text) else json.loads(text)


# RFC 8785.


def canonical_json(value):
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    if isinstance(value, str):
        return canonical_string(value)
    if isinstance(value, (int, float)):
        return canonical_number(float(value))
    if isinstance(value, list):
        return "[" + ",".join(map(canonical_json, value)) + "]"
    names = sorted(value, key=lambda name: name.encode("utf-16-be", "surrogatepass"))
    return "{" + ",".join(canonical_string(name) + ":" + canonical_json(value[name]) for name in names) + "}"


def canonical_string(value):
    return json.dumps(value, ensure_ascii=False)


def canonical_number(double):
    """As ECMAScript writes numbers: repr finds the same digits and sets them otherwise."""
    if not math.isfinite(double):
        raise ValueError("a number that JSON cannot hold")
    if double == 0:
        return "0"
    if double < 0:
        return "-" + canonical_number(-double)
    mantissa, _, exponent = repr(double).partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + fraction).lstrip("0")
    point = len(digits) - len(fraction) + int(exponent or 0)  # how many digits stand before the decimal point
    digits = digits.rstrip("0")
    if len(digits) <= point <= 21:
        return digits + "0" * (point - len(digits))
    if 0 < point <= 21:
        return digits[:point] + "." + digits[point:]
    if -6 < point <= 0:
        return "0." + "0" * -point + digits
    fraction = "." + digits[1:] if len(digits) > 1 else ""
    return f"{digits[0]}{fraction}e{point - 1:+d}"


# Images, by the headers of PNG, JPEG and WebP.


def image_tokens(url, rule):
    if url[:5].lower() != "data:":
        return rule["by_url_tokens"]
    shorter, longer = sorted(pixels(base64.b64decode(url.partition(",")[2])))
    tiles = 1
    if longer > rule["one_tile_up_to_px"]:
        limit = rule["longest_side_px"]
        if longer > limit:
            longer, shorter = limit, -(-shorter * limit // longer)
        tile = min(max(shorter * 2 // 3, rule["smallest_tile_px"]), rule["largest_tile_px"])
        tiles = -(-longer // tile) * -(-shorter // tile)
    return max(rule["least_tokens"], rule["tile_tokens"] * tiles)


def pixels(data):
    if data[:8] == b"\x89PNG\r\n\x1a\n":
        return big(data[16:20]), big(data[20:24])
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return webp_pixels(data)
    at = 2
    while at + 4 <= len(data):
        marker = data[at + 1]
        if marker == 0xFF:  # a fill byte
            at += 1
        elif 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            return big(data[at + 7 : at + 9]), big(data[at + 5 : at + 7])
        else:
            at += 2 + big(data[at + 2 : at + 4])
    raise ValueError("neither PNG nor JPEG nor WebP")


def webp_pixels(data):
    if data[12:16] == b"VP8X":
        return little(data[24:27]) + 1, little(data[27:30]) + 1
    if data[12:16] == b"VP8L":
        sides = little(data[21:25])
        return (sides & 0x3FFF) + 1, (sides >> 14 & 0x3FFF) + 1
    return little(data[26:28]) & 0x3FFF, little(data[28:30]) & 0x3FFF


def big(data):
    return int.from_bytes(data, "big")


def little(data):
    return int.from_bytes(data, "little")


def main():
    """One JSON line in ({"text"} or {"endpoint", "body"}), one number out; the arguments are a pricing entry and the tables."""
    with open(sys.argv[1], encoding="utf-8") as entry, open(sys.argv[2], encoding="utf-8") as tables:
        estimate = Estimate(json.load(entry)["input_token_estimate"], json.load(tables))
    for line in sys.stdin.buffer:
        asked = json.loads(line)
        print(estimate.text(asked["text"]) if "text" in asked else estimate.request(asked["endpoint"], asked["body"]))


if __name__ == "__main__":
    main()
