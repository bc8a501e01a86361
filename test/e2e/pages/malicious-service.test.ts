import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import type { BrowserContext, Page } from 'playwright-core';
import { freshWallet } from '../../../packages/core/test/fixtures.ts';
import { sampleLink, viewWith } from '../../../packages/server/test/pages/pay-views.ts';
import { startBrowser } from '../../setup/browser.ts';
import { assertAccessible, openPay, waitForPhase } from '../../setup/pay-browser.ts';
import { payer, paymentOf, payReply, signatureBytes, startPayPages, walletThat } from '../../setup/pay-pages.ts';
import { stolenReply } from '../../setup/stolen-reply.ts';
import { startLinkService } from '../links/link-service.ts';

const browser = await startBrowser(test);

// That no other passes either: packages/client/test/verify/malicious-server.test.ts.
const thefts = ['takes ten times the amount', "pays the thief's token account", 'makes the thief a delegate'];

/** A wallet that counts how often it is asked. */
function countingWallet() {
  const asked = { count: 0 };
  const wallet = walletThat(async () => {
    asked.count += 1;
    return signatureBytes;
  });
  return { asked, wallet };
}

describe('the checkout page, at a service that was broken into', () => {
  it('asks no wallet for a signature, and says what differs', async (t) => {
    const { fake, urlOf } = await startPayPages(t);
    const { asked, wallet } = countingWallet();
    const { page, faults } = await openPay(browser, urlOf(), { wallets: [wallet] });
    const { pay } = fake;
    const pays = page.getByRole('button', { name: 'Test Wallet' });
    const alert = page.getByRole('alert');
    const honest = payReply(paymentOf(sampleLink));
    for (const theft of thefts) {
      const body = stolenReply(honest.body, theft);
      assert.ok(body, theft);
      fake.pay = () => ({ ...honest, body });
      await pays.click();
      await alert.getByText(/Your wallet was not asked.* [a-z_]+: .+: expected .+, found /).waitFor();
      assert.equal(asked.count, 0, theft);
    }
    await assertAccessible(page, 'refused');
    // Another wallet, another link, another amount, a transaction twice, none at all, and one that is signed.
    const signed = paymentOf(sampleLink).fill(1, 1, 65);
    const { link: otherLink } = viewWith({ reference: freshWallet() });
    for (const bytes of [
      paymentOf(sampleLink, freshWallet()),
      paymentOf(otherLink),
      paymentOf(sampleLink, payer, 25_000_001n),
      Uint8Array.of(...paymentOf(sampleLink), ...paymentOf(sampleLink)),
      new Uint8Array(0),
      signed,
    ]) {
      fake.pay = () => ({ ...honest, body: payReply(bytes).body });
      await pays.click();
      await alert.getByText('Your wallet was not asked').waitFor();
      assert.equal(asked.count, 0);
    }
    fake.pay = () => ({ status: 200, body: {} });
    await pays.click();
    await alert.getByText('invalid_reply').waitFor();
    assert.deepEqual([asked.count, faults.length], [0, 0]);
    fake.pay = pay;
    await pays.click();
    await waitForPhase(page, 'sent');
    assert.equal(asked.count, 1, 'an honest reply is signed');
  });

  it('pays the amount that was chosen and no other, under a memo in any script', async (t) => {
    const { fake, urlOf } = await startPayPages(t);
    const view = viewWith({ id: 'open', minAmount: 5_000_000n, maxAmount: 500_000_000n, memo: '茶\u202e "7" & <b>' });
    fake.views.set('open', view);
    const { asked, wallet } = countingWallet();
    const { page } = await openPay(browser, urlOf(), { wallets: [wallet] });
    const { pay } = fake;
    await page.getByLabel('Amount in USDC').fill('12.5');
    fake.pay = () => payReply(paymentOf(view.link, payer, 500_000_000n));
    await page.getByRole('button', { name: 'Test Wallet' }).click();
    await page.getByRole('alert').getByText('expected 12500000, found 500000000').waitFor();
    assert.equal(asked.count, 0);
    fake.pay = pay;
    await page.getByRole('button', { name: 'Test Wallet' }).click();
    await waitForPhase(page, 'sent');
    assert.equal(asked.count, 1);
  });

  it('asks no wallet where what verifies the transaction does not arrive', async (t) => {
    const { urlOf } = await startPayPages(t);
    const { asked, wallet } = countingWallet();
    const { page, context } = await openPay(browser, urlOf(), { wallets: [wallet] });
    await context.route('**/pages/browser/verification.ts', (route) => route.abort());
    await page.getByRole('button', { name: 'Test Wallet' }).click();
    await page.getByRole('alert').getByText('This page did not load completely.').waitFor();
    assert.equal(asked.count, 0);
  });
});

const { service, alice, walletOf } = await startLinkService(test);

/** Opens a form of the console, with a wallet, and notes what is handed to it and to the sandbox's node. */
async function openForm(form: string) {
  const asked = { wallet: 0, node: 0 };
  const usual = walletOf(alice);
  const wallet = {
    ...usual,
    send: (sent: { transaction: Uint8Array }) => {
      asked.wallet += 1;
      return usual.send(sent);
    },
  };
  const opened = await openPay(browser, `${service.url}/?form=${form}`, { wallets: [wallet] });
  opened.page.on('request', (request) => {
    if (request.postData()?.includes('sendTransaction')) asked.node += 1;
  });
  return { ...opened, asked };
}

const build = (page: Page): Promise<void> => page.locator('#form [type="submit"]').click();
const signButtons = (page: Page) => page.locator('#reply').getByRole('button', { name: /sign/i });

/** Answers requests to a path as a service that was broken into, after it was asked once. */
async function breakInto(context: BrowserContext, page: Page, path: string) {
  const replied = page.waitForResponse((reply) => reply.url().endsWith(path));
  await build(page);
  const reply = await replied;
  const honest: unknown = await reply.json();
  const headers = await reply.allHeaders();
  const kept = ['content-type', 'solana-blockhash', 'solana-last-valid-block-height'];
  let body: unknown;
  await signButtons(page).first().waitFor();
  await context.route(`**${path}`, (route) =>
    body === undefined
      ? route.continue()
      : route.fulfill({
          headers: Object.fromEntries(Object.entries(headers).filter(([name]) => kept.includes(name))),
          body: JSON.stringify(body),
        }),
  );
  return {
    honest,
    answer: (next: unknown): void => {
      body = next;
    },
  };
}

/** Has the console build what is answered with each theft. */
async function tryThefts(form: string, path: string) {
  const { page, context, faults, asked } = await openForm(form);
  const { honest, answer } = await breakInto(context, page, path);
  for (const theft of thefts) {
    const stolen = stolenReply(honest, theft);
    assert.ok(stolen, theft);
    answer(stolen);
    await page.evaluate('document.getElementById("reply").replaceChildren()');
    await build(page);
    const alert = page.locator('#reply').getByRole('alert');
    await alert.getByText('the transaction does not do what you asked for').waitFor();
    const terms = await page.locator('#reply .terms dd').allTextContents();
    assert.equal(terms.length, 4, theft);
    assert.match(terms[0] ?? '', /^[a-z_]+$/, theft);
    assert.notEqual(terms[2], terms[3], theft);
    assert.equal(await signButtons(page).count(), 0, theft);
  }
  assert.deepEqual([asked.wallet, asked.node, faults], [0, 0, []], form);
  return { page, context, asked, answer };
}

describe('the console, at a service that was broken into', () => {
  it('offers no way to sign a transfer, and says what differs', async () => {
    const { page, context, asked, answer } = await tryThefts('transfer', '/v1/transfers');
    await assertAccessible(page, 'a difference');
    answer(undefined);
    await build(page);
    await page.getByText(/^Verified in this browser: .* sends .* in tokens of the mint /).waitFor();
    await page.getByRole('button', { name: 'Sign and send with Test Wallet' }).click();
    await page.locator('[data-step="final"]').waitFor();
    assert.equal(asked.wallet, 1, 'an honest reply is signed');
    await context.close();
  });

  it('offers none in its other forms', async () => {
    for (const [form, path] of [
      ['memo_transfer', '/v1/token-transfer-memo-hash'],
      ['yid_transfer', '/v1/token-transfer-memo-hash'],
      ['create_transfer', '/v1/create-token-account-transfer'],
      ['batch', '/v1/transfers/batch'],
    ] as const) {
      const { context } = await tryThefts(form, path);
      await context.close();
    }
  });

  it('offers none for a batch that leaves a payment out', async () => {
    const { page, context, asked } = await openForm('batch');
    const { honest, answer } = await breakInto(context, page, '/v1/transfers/batch');
    const { data } = Object(honest);
    answer({ data: { ...data, transactions: data.transactions.slice(1) } });
    await page.evaluate('document.getElementById("reply").replaceChildren()');
    await build(page);
    await page.locator('#reply .terms').getByText('wrong_transfers').waitFor();
    assert.equal(await signButtons(page).count(), 0);
    assert.deepEqual(asked, { wallet: 0, node: 0 });
  });
});
