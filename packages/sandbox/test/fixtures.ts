import assert from 'node:assert/strict';
import { type Address, type Instruction, type Signature, signature } from '@solana/kit';
import { getAddMemoInstruction } from '@solana-program/memo';
import { type Sandbox, type SandboxOptions, startSandbox } from '../src/index.ts';
import { type Keypair, keypairFromName } from '../src/ledger/keypair.ts';
import { signedTransaction } from '../src/ledger/signed-transaction.ts';

/** The memo program that the sandbox has. */
const memoProgram =
  'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr' as Address<'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr'>;

/** The JSON of a reply, and its text where exact digits matter. */
export interface Reply {
  text: string;
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads replies of every shape, and fails where it misreads one
  json: any;
}

/** A sandbox whose slots pass only by hand, with short ways to talk to it. */
export interface TestSandbox extends Sandbox {
  /** Posts a call and gives the reply. */
  call(method: string, parameters?: readonly unknown[]): Promise<Reply>;
  /** Posts any body and gives the reply. */
  post(body: string, headers?: Record<string, string>): Promise<Reply>;
  mint(name: string): Address;
}

/** Starts a sandbox on free ports; its slots stand still unless the options say otherwise. */
export async function startTestSandbox(options: Partial<SandboxOptions> = {}): Promise<TestSandbox> {
  const sandbox = await startSandbox({ rpcPort: 0, slotMs: 0, ...options });
  const post = async (body: string, headers: Record<string, string> = { 'Content-Type': 'application/json' }) => {
    const response = await fetch(sandbox.rpcUrl, { method: 'POST', headers, body });
    const text = await response.text();
    return {
      text,
      status: response.status,
      json: text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : {},
    };
  };
  return {
    ...sandbox,
    post,
    call: (method, params = []) => post(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })),
    mint(name) {
      const mint = sandbox.world.mints.find((each) => each.name === name);
      assert.ok(mint, `the world has no mint ${name}`);
      return mint.address;
    },
  };
}

/** A wallet of the world, able to sign. */
export function wallet(name: string): Keypair {
  return keypairFromName(`splwright sandbox wallet ${name}`);
}

/** An instruction that does nothing but carry a text, which tells transactions apart. */
export function memo(text: string): Instruction {
  return getAddMemoInstruction({ memo: text }, { programAddress: memoProgram });
}

/** Signs a transaction of these instructions with the newest blockhash; the first signer pays. */
export function signed(
  sandbox: Sandbox,
  instructions: readonly Instruction[],
  ...signers: [Keypair, ...Keypair[]]
): Uint8Array {
  return signedTransaction(instructions, signers, sandbox.ledger.latestBlockhash());
}

/** Base64 of bytes. */
export function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}

/** Sends a memo of alice's and gives the signature. */
export function sendMemo(sandbox: Sandbox, text: string): Signature {
  const outcome = sandbox.ledger.sendTransaction(signed(sandbox, [memo(text)], wallet('alice')));
  assert.equal(outcome.error, null);
  return signature(outcome.signature);
}
