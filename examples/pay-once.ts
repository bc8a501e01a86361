import { setTimeout as pause } from 'node:timers/promises';
import * as kit from '@solana/kit';
import { type BuiltTransfer, SplwrightClient, SplwrightError, sendOptions, toKit } from 'splwright-client';
import { endWith, readWorld, service } from './sandbox.ts';

// With KEYPAIR_FILE the payer's own key; otherwise a wallet of the sandbox.
const world = await readWorld();
const [alice, bob] = world.wallets;
const [usdc] = world.mints;
const client = new SplwrightClient({ url: service, apiKey: world.api_key, timeoutMs: 10_000 });
const rpc = kit.createSolanaRpc(world.rpc_url);
const keyPair = await kit.createKeyPairFromBytes(kit.getBase58Encoder().encode(alice.secret_key));

// The order is in your database before anything is asked for. It is all that this program must find again after a crash.
const order = process.argv[2] ?? endWith('Name the order: npx node examples/pay-once.ts order-1001');
const payment = {
  from_address: alice.address,
  to_address: bob.address,
  token_mint_address: usdc.address,
  amount: 1_500_000n,
  memo: order,
};
console.log(await payOnce());

/** Returns the signature of the payment, once it is final. */
async function payOnce(): Promise<string> {
  for (;;) {
    try {
      const built = await client.buildTransfer(payment, { idempotencyKey: order });
      // The client has verified it: docs/verify.md says what that means.
      const signature = await settle(built);
      if (signature !== undefined) return signature;
    } catch (error) {
      if (!(error instanceof SplwrightError)) throw error;
      const { problem, retryAfterMs = 1_000 } = error;
      if (problem.code === 'already_landed' && (await isFinal(problem.landed.signature))) {
        return problem.landed.signature;
      }
      const isTemporary = problem.code === 'no_answer' || [409, 429].includes(problem.status) || problem.status >= 500;
      if (!isTemporary) return endWith(`${order} was refused: ${error.message}`);
      console.error(`${error.message}; asking again`);
      // No answer, in progress, may still land, or landed and not final yet. Under its key it is safe to ask again.
      await pause(retryAfterMs);
    }
  }
}

/** Signs and sends. Returns the signature once the transaction has paid and is final, and undefined once it never can. */
async function settle(built: BuiltTransfer): Promise<string | undefined> {
  // The same bytes get the same signature, so signing a replay makes no second transaction.
  const signed = await kit.signTransaction([keyPair], toKit(kit, built));
  const transaction = Uint8Array.from(kit.getTransactionEncoder().encode(signed));
  const question = { transaction, ...built.lifetime };
  // Nodes drop transactions, so the same bytes are sent again; the chain takes them once. Only the outcome says what happened.
  const encoded = kit.getBase64EncodedWireTransaction(signed);
  const send = () => rpc.sendTransaction(encoded, { ...sendOptions, encoding: 'base64' }).send();
  for (;;) {
    const refusal = await send().then(() => undefined, String);
    const { is_final: isDecided, outcome, reason, signature } = await client.findOutcome(question);
    if (isDecided && outcome === 'failed') throw new Error(`${order} failed: ${reason}`);
    if (isDecided) return signature;
    if (outcome === 'pending' && refusal) console.error(`The node does not take it: ${refusal}; sending again`);
    await pause(1_000);
  }
}

async function isFinal(signature: string): Promise<boolean> {
  const config = { searchTransactionHistory: true } as const;
  const statuses = await rpc
    .getSignatureStatuses([kit.signature(signature)], config)
    .send()
    .catch(() => undefined);
  return statuses?.value[0]?.confirmationStatus === 'finalized';
}
