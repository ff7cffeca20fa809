import json
import os

import anthropic

from checks import BASE_URL, PNG, buying, expect, fails_with, run

http, seen = buying(os.environ["PRIVATE_KEY"])
client = anthropic.Anthropic(base_url=BASE_URL, api_key="unused", http_client=http)
MODEL = "gm-3.6-flash"


def tool(name, **properties):
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    return {"name": name, "description": f"Finds the {name}.", "input_schema": schema}


TOOLS = [tool("weather", city={"type": "string"}), tool("time", zone={"type": "string"})]


def ask(text=None, **params):
    seen.clear()
    messages = params.pop("messages", None) or [{"role": "user", "content": text}]
    return client.messages.create(**{"model": MODEL, "max_tokens": 800, "messages": messages, **params})


def text_of(message):
    return "".join(block.text for block in message.content if block.type == "text")


def calls_of(message):
    return [block for block in message.content if block.type == "tool_use"]


def check_text_for_one_payment():
    answer = ask("Hello")
    expect((text_of(answer), answer.stop_reason, answer.role), ("You said: Hello", "end_turn", "assistant"))
    expect([status for status, _ in seen], [402, 200])
    expect(len({key for _, key in seen}), 1)
    assert answer.usage.input_tokens > 0 and answer.usage.output_tokens > 0


def check_system_and_turns():
    history = [{"role": "user", "content": "Zero"}, {"role": "assistant", "content": "You said: Zero"}]
    for system in ("Be brief.", [{"type": "text", "text": "Be brief."}]):
        answer = ask(messages=[*history, {"role": "user", "content": "One"}], system=system)
        expect(text_of(answer), "You said: One")


def check_stop_and_ceiling():
    expect(text_of(ask("one END two", stop_sequences=["END"])), "You said: one ")
    expect(ask("many words " * 20, model="gm-2.5-flash", max_tokens=3).stop_reason, "max_tokens")


def check_thinking():
    thinking = {"type": "enabled", "budget_tokens": 1024}
    expect(text_of(ask("Why?", thinking=thinking, max_tokens=4000)), "You said: Why?")


def check_image():
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}}
    answer = ask(messages=[{"role": "user", "content": [image, {"type": "text", "text": "Look"}]}])
    expect(text_of(answer), "You said: Look")


def check_parallel_tools():
    messages = [{"role": "user", "content": "call weather and time"}]
    asked = ask(messages=messages, tools=TOOLS)
    expect((asked.stop_reason, [call.name for call in calls_of(asked)]), ("tool_use", ["weather", "time"]))
    carried = [block.model_dump(exclude_none=True) for block in asked.content]
    assert "thought_signature" in json.dumps(carried)
    results = [
        {"type": "tool_result", "tool_use_id": call.id, "content": content, "is_error": content == "broken"}
        for call, content in zip(calls_of(asked), ("sunny", "broken"))
    ]
    turns = [*messages, {"role": "assistant", "content": carried}, {"role": "user", "content": results}]
    expect(text_of(ask(messages=turns, tools=TOOLS)), "The tool weather answered: sunny\nThe tool time failed: broken")


def check_tool_choice():
    named = ask("Hi", tools=TOOLS, tool_choice={"type": "tool", "name": "time"})
    expect([call.name for call in calls_of(named)], ["time"])
    expect(calls_of(ask("call weather", tools=TOOLS, tool_choice={"type": "none"})), [])


def check_bad_request():
    error = fails_with(anthropic.BadRequestError, lambda: ask("x", model="claude-9"))
    expect((error.status_code, error.body["error"]["code"]), (400, "model_not_available"))
    expect([status for status, _ in seen], [400])


def check_conflict():
    key = {"x-idempotency-key": os.urandom(16).hex()}
    ask("first", extra_headers=key)
    fails_with(anthropic.ConflictError, lambda: ask("second", extra_headers=key))
    expect([status for status, _ in seen], [409])


def check_no_money():
    poor, _ = buying(os.environ["POOR_PRIVATE_KEY"])
    broke = anthropic.Anthropic(base_url=BASE_URL, api_key="unused", http_client=poor)
    messages = [{"role": "user", "content": "poor"}]
    error = fails_with(
        anthropic.APIStatusError, lambda: broke.messages.create(model=MODEL, max_tokens=64, messages=messages)
    )
    expect(error.status_code, 402)


run(dict(globals()))
