import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import * as kit from '@solana/kit';
import * as web3 from '@solana/web3.js';
import { build } from 'esbuild';
import { SplwrightClient, SplwrightError, toKit, toWeb3 } from '../../../packages/client/src/index.ts';
import { sandboxApiKey } from '../../../packages/server/src/keys/authenticated-key.ts';
import { startBrowser, startPage } from '../../setup/browser.ts';
import { landInWorld, signInWorld } from '../../setup/land.ts';
import { startTestService } from '../../setup/service.ts';
import { readUntil } from '../../setup/wait-until.ts';
import { named, peopleOf, signWith, toKeypair } from '../../setup/wallets.ts';

const service = await startTestService(test);
const { world, ledger } = service.sandbox;
const { alice, bob, carol } = peopleOf(world);
const usdc = named(world.mints, 'USDC');
const client = new SplwrightClient({ url: service.url, apiKey: sandboxApiKey });
const payment = { from_address: alice.address, to_address: bob.address, token_mint_address: usdc.address };

/** Sends signed bytes, and returns the outcome once it is final. */
async function land(transaction: Uint8Array, lastValidBlockHeight: string | undefined) {
  const { error, logs } = ledger.sendTransaction(transaction);
  assert.equal(error, null, logs.join('\n'));
  return client.waitForOutcome({ transaction, last_valid_block_height: lastValidBlockHeight }, { everyMs: 200 });
}

/** The problem that a call was refused with. Throws any other error. */
function refusalOf(error: unknown): SplwrightError['problem'] {
  if (error instanceof SplwrightError) return error.problem;
  throw error;
}

describe('the client, on the service', { concurrency: true }, () => {
  it('pays with @solana/kit, whose transaction knows when it expires', async () => {
    const built = await client.buildTransfer({ ...payment, amount: 1_500_000n, memo: 'by kit' });
    const transaction = toKit(kit, built);
    assert.equal(
      transaction.lifetimeConstraint.lastValidBlockHeight,
      BigInt(built.lifetime.last_valid_block_height ?? 0),
    );
    const keyPair = await kit.createKeyPairFromBytes(kit.getBase58Encoder().encode(alice.secret_key));
    const signed = await kit.signTransaction([keyPair], transaction);
    kit.assertIsTransactionWithBlockhashLifetime(signed);
    const bytes = Uint8Array.from(kit.getTransactionEncoder().encode(signed));
    assert.equal((await land(bytes, built.lifetime.last_valid_block_height)).outcome, 'landed');
  });

  it('pays with @solana/web3.js, in every version that it reads', async () => {
    for (const version of ['legacy', 0] as const) {
      const built = await client.buildTransfer({ ...payment, amount_decimal: '0.25', transaction_version: version });
      const { transaction, confirmation } = toWeb3(web3, built);
      assert.equal(transaction.message.recentBlockhash, confirmation.blockhash);
      transaction.sign([toKeypair(alice.secret_key)]);
      const outcome = await land(transaction.serialize(), String(confirmation.lastValidBlockHeight));
      assert.equal(outcome.outcome, 'landed', version.toString());
    }
  });

  it('pays by the three operations', async () => {
    const calls = [
      () => client.buildTokenTransfer({ ...payment, amount: 1n, memo: 'memo' }),
      () => client.buildTokenTransfer({ ...payment, amount: 2n, yid: 'yid-7' }),
      () =>
        client.buildCreateTokenAccountTransfer({ ...payment, to_address: carol.address, amount: 3n, summary: true }),
    ];
    for (const call of calls) {
      const { transaction, lifetime } = await call();
      const signed = await signWith(transaction, [alice.secret_key]);
      assert.equal((await land(signed, lifetime.last_valid_block_height)).outcome, 'landed');
    }
  });

  it('pays many recipients, and finds out about each transaction', async () => {
    const transfers = world.wallets
      .filter(({ address }) => address !== alice.address)
      .map(({ address }) => ({ to_address: address, amount: 5n, memo: 'payroll '.repeat(20) }));
    const batch = await client.buildBatch({
      from_address: alice.address,
      token_mint_address: usdc.address,
      transfers: [...transfers, ...transfers, ...transfers],
    });
    assert.ok(batch.transactions.length > 1);
    const signed = await Promise.all(
      batch.transactions.map(({ transaction }) => signInWorld(service.sandbox, transaction)),
    );
    for (const bytes of signed) assert.equal(ledger.sendTransaction(bytes).error, null);
    const outcomes = await client.findOutcomes(signed.map((transaction) => ({ transaction })));
    assert.deepEqual(new Set(outcomes.map(({ outcome }) => outcome)), new Set(['landed']));
  });

  it('pays once under one key, and then says what has paid', async () => {
    const call = { idempotencyKey: 'order-7' };
    const first = await client.buildTransfer({ ...payment, amount: 7n }, call);
    const second = await client.buildTransfer({ ...payment, amount: 7n }, call);
    assert.deepEqual(second, { ...first, isReplay: true });
    const signed = await signWith(first.transaction, [alice.secret_key]);
    const { signature } = await land(signed, first.lifetime.last_valid_block_height);
    // What the second call was told by the nodes serves the third one for a moment.
    const refusal = await readUntil(
      () => client.buildTransfer({ ...payment, amount: 7n }, call).then(() => undefined, refusalOf),
      (found) => found !== undefined,
    );
    assert.ok(refusal?.code === 'already_landed');
    assert.equal(refusal.landed.signature, signature);
  });

  it('makes a payment link, and hears that it was paid', async () => {
    const asked = { to_address: bob.address, token_mint_address: usdc.address, amount: 9n, label: 'Shop' };
    const { id, url, state } = await client.createPaymentLink(asked);
    assert.equal(state, 'open');
    const reply = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ account: alice.address }),
    });
    const { transaction } = (await reply.json()) as { transaction: string };
    await landInWorld(service.sandbox, transaction);
    const link = await client.waitForPayment(id, { everyMs: 200 });
    assert.deepEqual([link.state, link.payer, link.received_amount], ['paid', alice.address, '9']);
    assert.ok((await client.listPaymentLinks({ limit: 100 })).data.some((each) => each.id === id));
    const other = await client.createPaymentLink({ ...asked, label: 'Other' });
    assert.equal((await client.cancelPaymentLink(other.id)).state, 'cancelled');
  });
});

test('The client pays from a page of another origin, by a Wallet Standard wallet', async (t) => {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('../../../packages/client/src/index.ts', import.meta.url))],
    bundle: true,
    minify: true,
    format: 'iife',
    globalName: 'splwright',
    write: false,
  });
  const browser = await startBrowser(t);
  const page = await browser.newPage();
  await page.goto(await startPage(t));
  // The wallet's own process, which no page sees.
  await page.exposeFunction('walletSigns', async (bytes: number[]) => {
    const signed = await signWith(Uint8Array.from(bytes), [alice.secret_key]);
    const { error } = ledger.sendTransaction(signed);
    assert.equal(error, null);
    return [...signed.subarray(1, 65)];
  });
  await page.addScriptTag({ content: outputFiles[0]?.text ?? '' });
  const [signature, outcome] = await page.evaluate(
    async ([url, apiKey, request]) => {
      const { splwright, walletSigns } = globalThis as unknown as {
        splwright: typeof import('../../../packages/client/src/index.ts');
        walletSigns: (bytes: readonly number[]) => Promise<number[]>;
      };
      const inPage = new splwright.SplwrightClient({ url, apiKey });
      const built = await inPage.buildTransfer({ ...request, amount: 11n });
      const wallet = {
        features: {
          'solana:signAndSendTransaction': {
            signAndSendTransaction: async ({ transaction }: { transaction: Uint8Array }) => [
              { signature: Uint8Array.from(await walletSigns([...transaction])) },
            ],
          },
        },
      };
      const sent = await splwright.signAndSend(wallet, {}, 'solana:localnet', built);
      const question = { transaction: built.transaction, ...built.lifetime };
      const verdict = await inPage.waitForOutcome(question, { everyMs: 200 });
      return [sent, verdict] as const;
    },
    [service.url, sandboxApiKey, payment] as const,
  );
  assert.equal(outcome.outcome, 'landed');
  assert.equal(outcome.signature, signature);
});

test('What the client hands over with a nonce says that it has no blockhash', async () => {
  const [nonce] = world.nonce_accounts;
  const built = await client.buildTransfer({ ...payment, amount: 1n, nonce_account: nonce?.address ?? '' });
  assert.equal(built.lifetime.nonce_account, nonce?.address);
  assert.throws(() => toKit(kit, built), /lives by a nonce/);
  assert.throws(() => toWeb3(web3, built), /lives by a nonce/);
});
