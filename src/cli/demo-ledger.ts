import {
  address,
  createKeyPairFromBytes,
  createSolanaRpc,
  getBase58Encoder,
  getBase64EncodedWireTransaction,
  getSignatureFromTransaction,
  getTransactionDecoder,
  type Signature,
  signTransaction,
} from '@solana/kit';

const confirmationPollMilliseconds = 100;
const confirmationTimeoutMilliseconds = 20_000;

/** The part of a wallet in the demo, played over standard Solana JSON-RPC: signs, submits, confirms, reads balances. */
export class DemoLedger {
  readonly #rpc: ReturnType<typeof createSolanaRpc>;

  constructor(rpcUrl: string) {
    this.#rpc = createSolanaRpc(rpcUrl);
  }

  /** Tokens of a wallet as decimal text, or `none` when it has no token account for the mint. */
  async tokenBalance(owner: string, mint: string): Promise<string> {
    const { value } = await this.#rpc
      .getTokenAccountsByOwner(address(owner), { mint: address(mint) }, { encoding: 'base64', commitment: 'confirmed' })
      .send();
    const [account] = value;
    if (!account) return 'none';
    const balance = await this.#rpc.getTokenAccountBalance(account.pubkey, { commitment: 'confirmed' }).send();
    return balance.value.uiAmountString;
  }

  /** Signs with the wallet's secret key, submits, and resolves with the signature once the transaction is confirmed. */
  async signAndSubmit(transactionBytes: Uint8Array, secretKey: string): Promise<string> {
    const keyPair = await createKeyPairFromBytes(getBase58Encoder().encode(secretKey));
    const signed = await signTransaction([keyPair], getTransactionDecoder().decode(transactionBytes));
    await this.#rpc.sendTransaction(getBase64EncodedWireTransaction(signed), { encoding: 'base64' }).send();
    const signature = getSignatureFromTransaction(signed);
    await this.#confirm(signature);
    return signature;
  }

  async #confirm(signature: Signature): Promise<void> {
    const giveUpAt = performance.now() + confirmationTimeoutMilliseconds;
    while (performance.now() < giveUpAt) {
      const { value } = await this.#rpc.getSignatureStatuses([signature]).send();
      const status = value[0];
      if (status?.err) throw new Error(`the transaction ${signature} failed: ${JSON.stringify(status.err)}`);
      if (status && status.confirmationStatus !== 'processed') return;
      await new Promise((resolve) => setTimeout(resolve, confirmationPollMilliseconds));
    }
    throw new Error(`the transaction ${signature} was not confirmed in time`);
  }
}
