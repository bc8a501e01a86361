"""Pays an order once, and prints the signature once it is final. Needs: pip install requests solders"""

import base64
import os
import sys
import time

import requests
from solders.keypair import Keypair
from solders.message import to_bytes_versioned
from solders.transaction import VersionedTransaction

with open(os.environ["KEYPAIR_FILE"]) as file:
    payer = Keypair.from_json(file.read())
# In your database before anything is asked for. It names the payment, not the attempt.
order = sys.argv[1]
payment = {
    "from_address": str(payer.pubkey()),
    "to_address": os.environ["TO_ADDRESS"],
    "token_mint_address": os.environ["TOKEN_MINT_ADDRESS"],
    "amount_decimal": "1.5",
    "memo": order,
}
service = requests.Session()
service.headers["Authorization"] = "Bearer " + os.environ["SPLWRIGHT_API_KEY"]


def ask(path, body, headers=None):
    """Posts to the service until it answers. Under its Idempotency-Key a payment is safe to ask for again."""
    while True:
        try:
            reply = service.post(os.environ["SPLWRIGHT_URL"] + path, json=body, headers=headers, timeout=30)
            if reply.ok:
                return reply.json()["data"]
            if "already_landed" in reply.text:
                sys.exit(f"{order} has landed already: {reply.json()['landed']['signature']}")
            if reply.status_code not in (409, 429) and reply.status_code < 500:
                sys.exit(f"{order} was refused: {reply.text}")
            time.sleep(int(reply.headers.get("Retry-After", 1)))
        except requests.RequestException:
            time.sleep(1)


outcome = {"outcome": "expired"}
while outcome["outcome"] == "expired":
    built = ask("/v1/transfers", payment, {"Idempotency-Key": order})
    message = VersionedTransaction.from_bytes(base64.b64decode(built["transaction"])).message
    signed = VersionedTransaction.populate(message, [payer.sign_message(to_bytes_versioned(message))])
    encoded = base64.b64encode(bytes(signed)).decode()
    options = {"encoding": "base64", "preflightCommitment": "confirmed"}
    send = {"jsonrpc": "2.0", "id": 1, "method": "sendTransaction", "params": [encoded, options]}
    question = {"transaction": encoded, "last_valid_block_height": built["lifetime"]["last_valid_block_height"]}
    outcome = {"is_final": False}
    while not outcome["is_final"]:
        # Nodes drop transactions, so the same bytes are sent again; the chain takes them once.
        try:
            requests.post(os.environ["SOLANA_RPC_URL"], json=send, timeout=30)
        except requests.RequestException as error:
            print(error, file=sys.stderr)
        outcome = ask("/v1/transfers/outcome", question)
        time.sleep(1)
print(outcome["outcome"], outcome.get("signature"))
