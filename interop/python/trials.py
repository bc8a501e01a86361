"""Lands every trial with solders and solana, and prints the signature of each on a line of its own."""

import asyncio
import base64
import json
import os
import pathlib
import urllib.request

import base58
from solana.rpc.async_api import AsyncClient
from solana.rpc.commitment import Confirmed
from solana.rpc.models import TxOpts
from solders.keypair import Keypair
from solders.message import to_bytes_versioned
from solders.transaction import VersionedTransaction

SERVICE = os.environ["SERVICE_URL"]
TRIALS = json.loads((pathlib.Path(__file__).parent.parent / "trials.json").read_text())


def fetch(path, body=None, key=None):
    """Answers the JSON of a reply, and its headers."""
    data = None if body is None else json.dumps(body).encode()
    headers = {"Content-Type": "application/json"}
    if key is not None:
        headers["Authorization"] = f"Bearer {key}"
    with urllib.request.urlopen(urllib.request.Request(SERVICE + path, data, headers)) as reply:
        return json.load(reply), reply.headers


def decode(data, encoding):
    """The transaction of a reply, in the encoding that was asked for."""
    transaction = data["transaction"] if isinstance(data, dict) else data
    decoders = {"array": bytes, "base58": base58.b58decode, "base64": base64.b64decode}
    return VersionedTransaction.from_bytes(decoders[encoding](transaction))


async def main():
    world, _ = fetch("/sandbox/world")
    keypairs = {wallet["name"]: Keypair.from_base58_string(wallet["secret_key"]) for wallet in world["wallets"]}
    async with AsyncClient(world["rpc_url"], commitment=Confirmed) as client:
        for trial in TRIALS:
            reply, headers = fetch(trial["path"], trial["body"], world["api_key"])
            transaction = decode(reply["data"], trial["body"].get("encoding", "array"))
            message = transaction.message
            # Each signature stands where its signer stands among the accounts of the message.
            signatures = transaction.signatures
            for name in trial["signers"]:
                keypair = keypairs[name]
                index = message.account_keys.index(keypair.pubkey())
                signatures[index] = keypair.sign_message(to_bytes_versioned(message))
            signed = VersionedTransaction.populate(message, signatures)
            options = TxOpts(preflight_commitment=Confirmed)
            sent = await client.send_raw_transaction(bytes(signed), options)
            last_valid = int(headers["Solana-Last-Valid-Block-Height"])
            await client.confirm_transaction(sent.value, Confirmed, 0.1, last_valid)
            print(sent.value, flush=True)


asyncio.run(main())
