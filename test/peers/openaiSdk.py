"""Uses the OpenAI SDK for Python against a companion over the tests' tiny model. `npm run test:peers` starts both.

    venv/bin/python test/peers/openaiSdk.py http://127.0.0.1:8081/v1 TOKEN

Exits with 1, and says what, when an answer is not as the SDK's users expect.
"""

import sys

import openai

PROMPT = "const a = the return();\n    const b = "
GREEDY = dict(model="any-name", prompt=PROMPT, max_tokens=12, temperature=0)


def refusal(client, kind, **change):
    try:
        client.completions.create(**{**GREEDY, **change})
    except kind as error:
        return error
    raise AssertionError(f"not refused: {change}")


def check(base_url, token):
    client = openai.OpenAI(base_url=base_url, api_key=token, max_retries=0)

    whole = client.completions.create(**GREEDY, suffix=";\n")
    assert whole.object == "text_completion" and whole.id, whole
    assert whole.usage.total_tokens == whole.usage.prompt_tokens + whole.usage.completion_tokens, whole.usage

    text = client.completions.create(**GREEDY).choices[0].text
    assert len(text) >= 4, text
    chunks = list(client.completions.create(**GREEDY, stream=True))
    assert len(chunks) > 2, chunks
    assert "".join(chunk.choices[0].text for chunk in chunks) == text, chunks

    stop = text[2:4]
    stopped = client.completions.create(**GREEDY, stop=stop).choices[0]
    assert stopped.text == text[: text.index(stop)], (stopped, stop)
    assert stopped.finish_reason == "stop", stopped

    logprobs = client.completions.create(**GREEDY, logprobs=1).choices[0].logprobs
    assert "".join(logprobs.tokens) == text, logprobs
    assert len(logprobs.token_logprobs) == len(logprobs.tokens), logprobs
    assert all(value <= 0 for value in logprobs.token_logprobs), logprobs

    assert [model.id for model in client.models.list()] == [whole.model]

    with client.completions.create(**{**GREEDY, "max_tokens": 200}, stream=True) as stream:
        next(iter(stream))
    assert client.completions.create(**GREEDY).choices[0].text == text, "after a stream that was closed"

    stranger = openai.OpenAI(base_url=base_url, api_key="wrong", max_retries=0)
    assert refusal(stranger, openai.AuthenticationError).code == "unauthorized"
    assert refusal(client, openai.BadRequestError, max_tokens=-1).param == "max_tokens"
    assert refusal(client, openai.BadRequestError, n=2).param == "n"


if __name__ == "__main__":
    check(sys.argv[1], sys.argv[2])
    print(f"openai {openai.__version__}: completions, streams, stop, logprobs, models, errors are as expected")
