/** A program as `x-codeSamples` of an OpenAPI document has it. */
export interface SampleProgram {
  lang: 'typescript' | 'python';
  label: string;
  source: string;
}

/**
 * Returns programs that build what a request to `/v1/transfers` or its `/batch` asks for, sign it with a keypair file and send it.
 *
 * `body` is the JSON of the request. All else that they need stands in the environment, as in `docs/go-live.md`.
 */
export function samplePrograms(path: string, body: string): readonly SampleProgram[] {
  const isBatch = path.endsWith('/batch');
  return [
    { lang: 'typescript', label: 'TypeScript', source: typescriptProgram(isBatch, body) },
    { lang: 'python', label: 'Python', source: pythonProgram(isBatch, path, body) },
  ];
}

function typescriptProgram(isBatch: boolean, body: string): string {
  const [method, list] = isBatch ? ['buildBatch', 'built.transactions'] : ['buildTransfer', '[built]'];
  return `// Pays the order that its argument names: node pay.ts order-1001
// npm install @solana/kit; splwright-client is among the tarballs that npm run pack makes.
import { readFileSync } from "node:fs";
import { argv, env } from "node:process";
import * as kit from "@solana/kit";
import { SplwrightClient, sendOptions } from "splwright-client";

const { SPLWRIGHT_URL = "", SPLWRIGHT_API_KEY = "", SOLANA_RPC_URL = "", KEYPAIR_FILE = "" } = env;
const [, , order] = argv;
if (!order) throw new Error("Name the order: run again under the same name, it is not paid twice.");
const payer = await kit.createKeyPairFromBytes(Uint8Array.from(JSON.parse(readFileSync(KEYPAIR_FILE, "utf8"))));
const client = new SplwrightClient({ url: SPLWRIGHT_URL, apiKey: SPLWRIGHT_API_KEY });
const rpc = kit.createSolanaRpc(SOLANA_RPC_URL);

// The client throws unless the bytes do what this asks for.
const built = await client.${method}(${body}, { idempotencyKey: order });
for (const { transaction } of ${list}) {
  const signed = await kit.partiallySignTransaction([payer], kit.getTransactionDecoder().decode(transaction));
  const encoded = kit.getBase64EncodedWireTransaction(signed);
  console.log(await rpc.sendTransaction(encoded, { ...sendOptions, encoding: "base64" }).send());
}
`;
}

// JSON has no three double quotes in a row, and raw text keeps its backslashes.
function pythonProgram(isBatch: boolean, path: string, body: string): string {
  const list = isBatch ? 'reply.json()["data"]["transactions"]' : '[reply.json()["data"]]';
  return `"""Pays the order that its argument names: python3 pay.py order-1001. Needs: pip install requests solders"""

import base64, os, sys
import requests
from solders.keypair import Keypair
from solders.message import to_bytes_versioned
from solders.transaction import VersionedTransaction

with open(os.environ["KEYPAIR_FILE"]) as file:
    payer = Keypair.from_json(file.read())
headers = {
    "Authorization": "Bearer " + os.environ["SPLWRIGHT_API_KEY"],
    "Content-Type": "application/json",
    # Run again under the same name, the order is not paid twice.
    "Idempotency-Key": sys.argv[1],
}
body = r"""${body}"""
reply = requests.post(os.environ["SPLWRIGHT_URL"] + "${path}", data=body.encode(), headers=headers, timeout=30)
if not reply.ok:
    sys.exit(reply.text)
# Verify what came back before you sign for real money: docs/verify.md.
for built in ${list}:
    transaction = VersionedTransaction.from_bytes(base64.b64decode(built["transaction"]))
    signatures, message = transaction.signatures, transaction.message
    signatures[message.account_keys.index(payer.pubkey())] = payer.sign_message(to_bytes_versioned(message))
    signed = base64.b64encode(bytes(VersionedTransaction.populate(message, signatures))).decode()
    options = {"encoding": "base64", "preflightCommitment": "confirmed"}
    send = {"jsonrpc": "2.0", "id": 1, "method": "sendTransaction", "params": [signed, options]}
    print(requests.post(os.environ["SOLANA_RPC_URL"], json=send, timeout=30).json())
`;
}
