"""A transport for httpx2 that pays x402 challenges: give it to the official OpenAI and Anthropic clients as their http_client.

    account = eth_account.Account.from_key(PRIVATE_KEY)
    client = openai.OpenAI(base_url=..., api_key="unused", http_client=httpx2.Client(transport=PayingTransport(account), timeout=600))
"""

import hashlib
import uuid

import httpx2
from x402 import x402ClientSync
from x402.http.x402_http_client import x402HTTPClientSync
from x402.mechanisms.evm.exact import ExactEvmScheme


class PayingTransport(httpx2.BaseTransport):
    def __init__(self, account, transport=None):
        self._client = x402ClientSync().register("eip155:*", ExactEvmScheme(account))
        self._http = x402HTTPClientSync(self._client)
        self._transport = transport or httpx2.HTTPTransport()
        self._seed = uuid.uuid4().hex

    def handle_request(self, request):
        body = request.read()
        if request.method == "POST" and "x-idempotency-key" not in request.headers:
            # The same for a retry, which sends the same body, and another one for every other request of this client.
            known = f"{self._seed}\n{request.url}\n".encode() + body
            request.headers["x-idempotency-key"] = hashlib.sha256(known).hexdigest()
        response = self._transport.handle_request(request)
        if response.status_code != 402:
            return response
        response.read()
        response.close()
        required = self._http.get_payment_required_response(response.headers.get, response.json())
        payment = self._client.create_payment_payload(required)
        headers = {**request.headers, **self._http.encode_payment_signature_header(payment)}
        paid = httpx2.Request(request.method, request.url, headers=headers, content=body, extensions=request.extensions)
        return self._transport.handle_request(paid)

    def close(self):
        self._transport.close()
