import json
import os
import typing

import openai
import pydantic

from checks import BASE_URL, PNG, buying, expect, fails_with, run

http, seen = buying(os.environ["PRIVATE_KEY"])
client = openai.OpenAI(base_url=f"{BASE_URL}/v1", api_key="unused", http_client=http)
MODEL = "gm-3.6-flash"


def function(name, **properties):
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    return {"type": "function", "function": {"name": name, "description": f"Finds the {name}.", "parameters": schema}}


TOOLS = [function("weather", city={"type": "string"}), function("time", zone={"type": "string"})]


def ask(text=None, **params):
    seen.clear()
    messages = params.pop("messages", None) or [{"role": "user", "content": text}]
    return client.chat.completions.create(**{"model": MODEL, "max_tokens": 800, "messages": messages, **params})


def check_text_for_one_payment():
    answer = ask("Hello")
    expect(answer.choices[0].message.content, "You said: Hello")
    expect(answer.choices[0].finish_reason, "stop")
    expect([status for status, _ in seen], [402, 200])
    expect(len({key for _, key in seen}), 1)
    assert answer.usage.prompt_tokens > 0 and answer.usage.completion_tokens > 0


def check_roles_turns_and_sampling():
    history = [{"role": "user", "content": "Zero"}, {"role": "assistant", "content": "You said: Zero"}]
    for role in ("system", "developer"):
        messages = [{"role": role, "content": "Be brief."}, *history, {"role": "user", "content": "One"}]
        answer = ask(messages=messages, temperature=0.2, top_p=0.9, seed=3, reasoning_effort="low")
        expect(answer.choices[0].message.content, "You said: One")


def check_stop_and_ceiling():
    expect(ask("one END two", stop=["END"]).choices[0].message.content, "You said: one ")
    cut = ask("many words " * 20, model="gm-2.5-flash", max_tokens=3)
    expect(cut.choices[0].finish_reason, "length")


def check_image():
    url = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PNG}"}}
    answer = ask(messages=[{"role": "user", "content": [{"type": "text", "text": "Look"}, url]}])
    expect(answer.choices[0].message.content, "You said: Look")


def check_parsed_schema():
    class Solution(pydantic.BaseModel):
        answer: str
        kind: typing.Literal["easy", "hard"]
        steps: list[str]

    parsed = client.chat.completions.parse(
        model=MODEL, messages=[{"role": "user", "content": "Solve it"}], response_format=Solution
    )
    assert isinstance(parsed.choices[0].message.parsed, Solution)
    as_object = ask("As JSON, please", response_format={"type": "json_object"})
    assert isinstance(json.loads(as_object.choices[0].message.content), dict)


def check_parallel_tools():
    messages = [{"role": "user", "content": "call weather and time"}]
    message = ask(messages=messages, tools=TOOLS).choices[0].message
    expect([call.function.name for call in message.tool_calls], ["weather", "time"])
    results = [
        {"role": "tool", "tool_call_id": call.id, "content": content}
        for call, content in zip(message.tool_calls, ("sunny", "noon"))
    ]
    carried = message.model_dump(exclude_none=True)
    assert "thought_signature" in json.dumps(carried)
    told = ask(messages=[*messages, carried, *results], tools=TOOLS)
    expect(told.choices[0].message.content, "The tool weather answered: sunny\nThe tool time answered: noon")


def check_tool_choice():
    named = ask("Hi", tools=TOOLS, tool_choice={"type": "function", "function": {"name": "time"}})
    expect([call.function.name for call in named.choices[0].message.tool_calls], ["time"])
    expect(ask("call weather", tools=TOOLS, tool_choice="none").choices[0].message.tool_calls, None)


def check_bad_request():
    error = fails_with(openai.BadRequestError, lambda: ask("x", model="gpt-9"))
    expect((error.status_code, error.code, error.body["charged"]), (400, "model_not_available", "no"))
    expect([status for status, _ in seen], [400])


def check_conflict():
    key = {"x-idempotency-key": os.urandom(16).hex()}
    ask("first", extra_headers=key)
    error = fails_with(openai.ConflictError, lambda: ask("second", extra_headers=key))
    expect(error.code, "idempotency_key_reused")
    expect([status for status, _ in seen], [409])


def check_no_money():
    poor, _ = buying(os.environ["POOR_PRIVATE_KEY"])
    broke = openai.OpenAI(base_url=f"{BASE_URL}/v1", api_key="unused", http_client=poor)
    messages = [{"role": "user", "content": "poor"}]
    error = fails_with(openai.APIStatusError, lambda: broke.chat.completions.create(model=MODEL, messages=messages))
    expect(error.status_code, 402)


run(dict(globals()))
