import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, it, test } from 'node:test';
import { decodeBase58, findAssociatedTokenAddress, toAddress } from '../../../packages/core/src/index.ts';
import { startBrowser } from '../../setup/browser.ts';
import { assertLooks, openPay } from '../../setup/pay-browser.ts';
import { repository } from '../../setup/process.ts';
import { startTestService } from '../../setup/service.ts';
import type { TestWallet } from '../../setup/test-wallet.ts';
import { named, signWith } from '../../setup/wallets.ts';
import { tokensOf } from '../idempotency/keyed-client.ts';

const [, command = ''] =
  /^```sh\n(.*)\n```$/m.exec(readFileSync(join(repository, 'docs/take-payment.md'), 'utf8')) ?? [];
const browser = await startBrowser(test);
const { url, sandbox } = await startTestService(test);
const { world, ledger } = sandbox;
const [alice, bob] = [named(world.wallets, 'alice'), named(world.wallets, 'bob')];

const shop = spawn('bash', ['-c', `exec ${command}`], {
  cwd: repository,
  env: { ...process.env, SPLWRIGHT_URL: url, SHOP_PORT: '0' },
  // A process group of its own: npx does not pass signals on to what it runs.
  detached: true,
  stdio: ['ignore', 'pipe', 'inherit'],
});
test.after(async () => {
  const closed = once(shop, 'close');
  process.kill(-Number(shop.pid), 'SIGTERM');
  await closed;
});
const [line] = await once(createInterface(shop.stdout), 'line');
const [shopUrl = ''] = /http:\S+$/.exec(String(line)) ?? [];

const { address: received } = findAssociatedTokenAddress({
  owner: toAddress(bob.address),
  mint: toAddress(named(world.mints, 'USDC').address),
  tokenProgram: toAddress(named(world.mints, 'USDC').token_program),
});

/** A wallet of the browser that signs with a key of the sandbox, and sends to its ledger, on which it is final at once. */
function walletOf({ address, secret_key: secretKey }: { address: string; secret_key: string }): TestWallet {
  return {
    name: 'Test Wallet',
    accounts: [address],
    send: async ({ transaction, preflightCommitment }) => {
      assert.equal(preflightCommitment, 'confirmed');
      const sent = ledger.sendTransaction(await signWith(transaction, [secretKey]));
      assert.equal(sent.error, null, sent.logs.join('\n'));
      const decoded = decodeBase58(sent.signature);
      if (!('bytes' in decoded)) throw new Error(sent.signature);
      return decoded.bytes;
    },
  };
}

describe('docs/take-payment.md', () => {
  it('has a shop whose page takes a payment by a wallet, and shows when it is final', async () => {
    const before = tokensOf(sandbox, received);
    const { page, faults } = await openPay(browser, shopUrl, { wallets: [walletOf(alice)] });
    const wallet = page.getByRole('button', { name: 'Test Wallet' });
    await wallet.waitFor();
    await assertLooks(page, 'take-payment-open', wallet);
    await wallet.click();
    await page.getByRole('status').getByText('Paid: ').waitFor();
    const [, signature = ''] = ((await page.getByRole('status').textContent()) ?? '').split(' ');
    assert.match(ledger.transactionRecord(signature)?.memo ?? '', /order 1001$/);
    assert.equal(tokensOf(sandbox, received) - before, 25_000_000n);
    await assertLooks(page, 'take-payment-paid');
    // It is not offered again, and not built either.
    await page.reload();
    await page.getByRole('status').getByText('Paid: ').waitFor();
    assert.equal(await wallet.count(), 0);
    const again = await fetch(new URL('/orders/1001/payment', shopUrl), {
      method: 'POST',
      body: JSON.stringify({ account: alice.address }),
    });
    assert.deepEqual([again.status, await again.json()], [409, { message: 'It is paid already.' }]);
    assert.deepEqual(faults, []);
  });

  it('never shows the API key to a page', async () => {
    for (const path of ['/', '/page.js', '/orders/1001']) {
      const text = await (await fetch(new URL(path, shopUrl))).text();
      assert.doesNotMatch(text, /swk_/, path);
    }
  });
});
