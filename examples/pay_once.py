"""Pays an order once, and prints the signature once it is final. Needs: pip install requests solders"""

import base64, os, sys, time

import requests
from solders.keypair import Keypair
from solders.message import to_bytes_versioned
from solders.pubkey import Pubkey
from solders.token.associated import get_associated_token_address
from solders.transaction import VersionedTransaction

with open(os.environ["KEYPAIR_FILE"]) as file:
    payer = Keypair.from_json(file.read())
order = sys.argv[1]  # In your database before anything is asked for. It names the payment, not the attempt.
to, mint = os.environ["TO_ADDRESS"], os.environ["TOKEN_MINT_ADDRESS"]
payment = {"from_address": str(payer.pubkey()), "to_address": to, "token_mint_address": mint}
payment |= {"amount": "1500000", "memo": order}  # In base units.
headers = {"Authorization": "Bearer " + os.environ["SPLWRIGHT_API_KEY"], "Idempotency-Key": order}
service, node = os.environ["SPLWRIGHT_URL"], os.environ["SOLANA_RPC_URL"]
token_programs = "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA", "TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb"
memo_program = "MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr"
associated = "ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL"

def ask(url, body, headers=None):
    """Posts until there is an answer. Under its Idempotency-Key a payment is safe to ask for again."""
    while True:
        try:
            reply = requests.post(url, json=body, headers=headers, timeout=30)
            if reply.ok:
                return reply.json()
            if reply.status_code < 500 and "Retry-After" not in reply.headers:
                sys.exit(reply.text)
            fault, pause = reply.text, int(reply.headers.get("Retry-After", 1))
        except requests.RequestException as error:
            fault, pause = type(error).__name__, 1  # Not its text, which has the URL, often with a key.
        print(fault, "(asking again)", file=sys.stderr)
        time.sleep(pause)

outcome = {"outcome": "expired"}
while outcome["outcome"] == "expired":
    built = ask(service + "/v1/transfers", payment, headers)["data"]
    message = VersionedTransaction.from_bytes(base64.b64decode(built["transaction"])).message
    # It must pay as asked for: by a transfer at its end, before which no more is done than a memo and the recipient's token account.
    keys = [str(key) for key in message.account_keys]
    *before, transfer = message.instructions
    program, accounts = keys[transfer.program_id_index], [keys[index] for index in transfer.accounts]
    recipient_account = get_associated_token_address(*map(Pubkey.from_string, (to, mint, program)))
    amount = int(payment["amount"]).to_bytes(8, "little")
    pays = accounts[1:3] == [mint, str(recipient_account)] and transfer.data[:9] == bytes([12]) + amount
    of_associated = [each for each in before if keys[each.program_id_index] == associated]
    pays = pays and all(keys[each.accounts[1]] == str(recipient_account) for each in of_associated)
    others = {keys[each.program_id_index] for each in before} - {memo_program, associated}
    if not pays or program not in token_programs or others:
        sys.exit("The transaction does not do what was asked for.")
    signed = VersionedTransaction.populate(message, [payer.sign_message(to_bytes_versioned(message))])
    encoded = base64.b64encode(bytes(signed)).decode()
    options = {"encoding": "base64", "preflightCommitment": "confirmed"}
    send = {"jsonrpc": "2.0", "id": 1, "method": "sendTransaction", "params": [encoded, options]}
    question = {"transaction": encoded, "last_valid_block_height": built["lifetime"]["last_valid_block_height"]}
    outcome = {"is_final": False}
    while not outcome["is_final"]:
        # Nodes drop transactions, so the same bytes are sent again; the chain takes them once.
        refusal = ask(node, send).get("error")
        outcome = ask(service + "/v1/transfers/outcome", question, headers)["data"]
        if refusal and outcome["outcome"] == "pending":
            print(refusal["message"], file=sys.stderr)
        time.sleep(1)
print(outcome["outcome"], outcome.get("signature"))
