import { createPrivateKey, sign } from 'node:crypto';
import { decodeBase58 } from 'splwright-core';

const confirmationPollMs = 100;
const confirmationTimeoutMs = 20_000;

const signatureBytes = 64;

/** The bytes before the 32 bytes of an Ed25519 seed in PKCS #8 (RFC 8410, section 7). */
const pkcs8Prefix = Buffer.from('302e020100300506032b657004220420', 'hex');

/** A wallet for the demo, over standard Solana JSON-RPC: signs, submits, confirms, reads balances. */
export class DemoLedger {
  readonly #rpcUrl: string;

  constructor(rpcUrl: string) {
    this.#rpcUrl = rpcUrl;
  }

  /** Returns the tokens of a wallet as decimal text, or `none` when it has no token account for the mint. */
  async tokenBalance(owner: string, mint: string): Promise<string> {
    const { value: accounts } = await this.#call<{ value: { pubkey: string }[] }>('getTokenAccountsByOwner', [
      owner,
      { mint },
      { encoding: 'base64', commitment: 'confirmed' },
    ]);
    const [account] = accounts;
    if (!account) return 'none';
    const { value: balance } = await this.#call<{ value: { uiAmountString: string } }>('getTokenAccountBalance', [
      account.pubkey,
      { commitment: 'confirmed' },
    ]);
    return balance.uiAmountString;
  }

  /** Signs with the wallet's secret key, submits, and resolves with the signature once the transaction is confirmed. */
  async signAndSubmit(transactionBytes: Uint8Array, secretKey: string): Promise<string> {
    const signed = signAlone(transactionBytes, secretKey);
    const config = { encoding: 'base64', preflightCommitment: 'confirmed' };
    const signature = await this.#call<string>('sendTransaction', [Buffer.from(signed).toString('base64'), config]);
    await this.#confirm(signature);
    return signature;
  }

  async #confirm(signature: string): Promise<void> {
    const giveUpAt = performance.now() + confirmationTimeoutMs;
    while (performance.now() < giveUpAt) {
      const { value } = await this.#call<{ value: (SignatureStatus | null)[] }>('getSignatureStatuses', [[signature]]);
      const status = value[0];
      if (status?.err) throw new Error(`the transaction ${signature} failed: ${JSON.stringify(status.err)}`);
      if (status && status.confirmationStatus !== 'processed') return;
      await new Promise((resolve) => setTimeout(resolve, confirmationPollMs));
    }
    throw new Error(`the transaction ${signature} was not confirmed in ${confirmationTimeoutMs / 1000} seconds`);
  }

  async #call<Result>(method: string, params: readonly unknown[]): Promise<Result> {
    const response = await fetch(this.#rpcUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    // The node is the sandbox, whose replies are standard.
    const reply = (await response.json()) as { result: Result } | { error: { message: string } };
    if ('error' in reply) throw new Error(`${method}: ${reply.error.message}`);
    return reply.result;
  }
}

interface SignatureStatus {
  err: unknown;
  confirmationStatus: 'processed' | 'confirmed' | 'finalized';
}

/**
 * Signs a transaction whose only signer is this wallet, as any wallet does: a transaction is the number of its signatures,
 * 64 bytes for each, and the message that is signed. The secret key is base58 of 64 bytes: the seed, then the public key.
 */
function signAlone(transaction: Uint8Array, secretKey: string): Uint8Array {
  if (transaction[0] !== 1) throw new Error(`the transaction asks for ${transaction[0]} signatures, not for one`);
  const decoded = decodeBase58(secretKey);
  if (!('bytes' in decoded)) throw new Error('the secret key is not base58');
  const seed = decoded.bytes.subarray(0, 32);
  const privateKey = createPrivateKey({ key: Buffer.concat([pkcs8Prefix, seed]), format: 'der', type: 'pkcs8' });
  const signed = Uint8Array.from(transaction);
  signed.set(sign(null, signed.subarray(1 + signatureBytes), privateKey), 1);
  return signed;
}
