import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { toAddress } from '../../../packages/core/src/index.ts';
import { unrestricted } from '../../../packages/server/src/keys/authenticated-key.ts';
import type { LinkView } from '../../../packages/server/src/links/link-view.ts';
import { openKeyStore } from '../../../packages/server/src/serve/store/open-key-store.ts';
import { longestView, sampleLink, samplePayment, viewWith } from '../../../packages/server/test/pages/pay-views.ts';
import { startSponsoredService } from '../../../packages/server/test/setup/sponsored-service.ts';
import { newKeyStore } from '../../../packages/server/test/store/databases.ts';
import { startBrowser } from '../../setup/browser.ts';
import { assertLooks, assertNoViolations, openPay, waitForPhase } from '../../setup/pay-browser.ts';
import {
  paid,
  payer,
  sends,
  signature,
  signatureBytes,
  startPayPages,
  waits,
  walletThat,
} from '../../setup/pay-pages.ts';
import { startTestService } from '../../setup/service.ts';
import { temporaryFolder } from '../../setup/temporary-folder.ts';
import { startWebhookReceiver } from '../../setup/webhook-receiver.ts';
import { startLinkService } from '../links/link-service.ts';

const browser = await startBrowser(test);
const databaseUrl = `sqlite:${temporaryFolder(test)}/keys.db`;
const { service, client, alice, bob, usdc, body } = await startLinkService(test, { DATABASE_URL: databaseUrl });

const formsWithOptions = ['transfer', 'batch', 'payment_link', 'webhook', 'yid_transfer'];
const build = (page: Page): Promise<void> => page.locator('#form [type="submit"]').click();
const signs = (page: Page): Locator => page.getByRole('button', { name: /^Sign / });
const openForm = async (page: Page, form: string): Promise<void> => {
  await page.goto(`${service.url}/?form=${form}`);
};

describe('every state of the console looks right', () => {
  it('each form as it is opened, with its options', async () => {
    const { page, context } = await openPay(browser, service.url);
    for (const form of [...formsWithOptions, 'outcome', 'inspect', 'memo_transfer', 'create_transfer']) {
      await openForm(page, form);
      await assertLooks(page, `console-${form}`);
      const tops = await page.locator('nav a').evaluateAll((all) => all.map((each) => Object(each).offsetTop));
      assert.equal(new Set(tops).size, 1, 'the tabs are in one row');
      const options = page.locator('details.options summary').first();
      if (!formsWithOptions.includes(form)) continue;
      await options.click();
      for (const item of form === 'transfer' ? ['split', 'reference'] : form === 'payment_link' ? ['token'] : [])
        await page.getByRole('button', { name: `Add a ${item}` }).click();
      await page.getByText('The same in curl').click();
      await page.getByRole('region', { name: 'The request in curl' }).getByText('--data @-').waitFor();
      await assertLooks(page, `console-${form}-options`);
    }
    await context.close();
  });

  it('a transfer: built, sent, refused, with SOL', async () => {
    const { page, context } = await openPay(browser, service.url);
    await build(page);
    await page.getByText(/^Can land for about/).waitFor();
    await assertLooks(page, 'transfer-built', signs(page));
    await page.getByText('Reply as JSON').click();
    await page.getByText(/bytes, explained/).click();
    await page.locator('#reply').getByRole('listbox').waitFor();
    await assertLooks(page, 'transfer-built-opened');
    await signs(page).click();
    await page.locator('[data-step="final"]').waitFor();
    await assertLooks(page, 'transfer-final');
    await page.locator('#to_address').fill('nonsense');
    await build(page);
    await page.getByRole('alert').getByText('The request is invalid').waitFor();
    await assertLooks(page, 'transfer-refused');
    await page.locator('#to_address').fill(bob.address);
    await page.locator('#amount_decimal').fill('99999999');
    await build(page);
    await page.getByRole('alert').getByText('insufficient_token_balance').waitFor();
    await assertLooks(page, 'transfer-refused-by-the-chain');
    await page.locator('#token_mint_address').fill('SOL');
    await page.locator('#amount_decimal').fill('1.5');
    await build(page);
    await page.getByText('alice pays bob 1.5 SOL.').waitFor();
    await assertLooks(page, 'transfer-sol', signs(page));
    await page
      .locator('.records')
      .getByRole('button')
      .filter({ has: page.locator('time') })
      .first()
      .click();
    await page.getByText('It landed.', { exact: true }).waitFor();
    await assertLooks(page, 'transfer-recent');
    await context.close();
  });

  it('a batch: built, sent, refused', async () => {
    const { page, context } = await openPay(browser, `${service.url}/?form=batch`);
    await build(page);
    await page.getByText('alice pays 7.5 USDC to 3 recipients').waitFor();
    await assertLooks(page, 'batch-built', signs(page));
    await signs(page).click();
    await page.getByText('All recipients are paid. This is final.').waitFor();
    await assertLooks(page, 'batch-final');
    await page.locator('#transfers').fill('to_address,amount_decimal\nnonsense,-1');
    await build(page);
    await page.getByText('Line 2, column 2').first().waitFor();
    await assertLooks(page, 'batch-refused');
    await context.close();
  });

  it('a payment link: made, paid, canceled', async () => {
    const { page, context } = await openPay(browser, `${service.url}/?form=payment_link`);
    await build(page);
    await page.locator('.qr').waitFor();
    await assertLooks(page, 'link-made');
    await page.getByRole('button', { name: 'Cancel the link' }).click();
    await page.getByRole('button', { name: 'Cancel it for good?' }).waitFor();
    await assertLooks(page, 'link-to-be-canceled');
    await page.getByRole('button', { name: 'Cancel it for good?' }).click();
    await page.getByText('Canceled.').waitFor();
    await assertLooks(page, 'link-canceled');
    const { url } = await client.create(body);
    const { page: checkout } = await openPay(browser, url);
    await assertLooks(checkout, 'checkout-sandbox', checkout.getByRole('button', { name: 'Pay as alice' }));
    await checkout.getByRole('button', { name: 'Pay as alice' }).click();
    await waitForPhase(checkout, 'final');
    await assertLooks(checkout, 'checkout-sandbox-final');
    await page.reload();
    await page
      .getByRole('button', { name: /^1\.5 USDC paid/ })
      .first()
      .click();
    await page.getByText('Paid. This is final.').waitFor();
    await assertLooks(page, 'link-paid');
    await context.close();
  });

  it('a webhook endpoint: made, failing, delivered', async (t) => {
    const receiver = await startWebhookReceiver(t, [500, 204]);
    const { page, context } = await openPay(browser, `${service.url}/?form=webhook`);
    await page.locator('#url').fill(receiver.url);
    await build(page);
    await page.getByText('Save the secret now.').waitFor();
    await assertLooks(page, 'webhook-made');
    await page.getByRole('button', { name: 'Send a test event' }).click();
    await page
      .locator('#reply')
      .getByText(/: status 500, \d+ ms$/)
      .waitFor();
    await page.locator('.records').getByText('failing').waitFor();
    await assertLooks(page, 'webhook-failing');
    await page.getByRole('button', { name: 'Send again' }).click();
    await page.getByText('webhook.test: Delivered.').waitFor();
    await assertLooks(page, 'webhook-delivered');
    await page.locator('#api-key').fill('');
    await page.locator('#api-key').press('Tab');
    await page.getByText('Enter your API key at the top of this page.').first().waitFor();
    await assertLooks(page, 'webhook-without-key');
    await context.close();
  });

  it('an outcome, and bytes that are looked at', async () => {
    const fields = { from_address: alice.address, to_address: bob.address, token_mint_address: usdc, amount: '7' };
    const built = await service.post('/v1/transfers', fields);
    const { transaction } = Object(await built.json()).data;
    const { page, context } = await openPay(browser, `${service.url}/?form=outcome`);
    await page.locator('#transaction').fill(transaction);
    await build(page);
    await page.getByText('It can still land.').waitFor();
    await assertLooks(page, 'outcome-pending');
    await openForm(page, 'inspect');
    await page.locator('#transaction').fill(transaction);
    await build(page);
    await page.getByRole('listbox').waitFor();
    await assertLooks(page, 'inspect-bytes');
    await page.locator('#transaction').fill('€');
    await build(page);
    await page.locator('#transaction-fault').getByText('must be base64').waitFor();
    await assertLooks(page, 'inspect-refused');
    await context.close();
  });

  it('usage: of the sandbox key, and of a key with limits', async (t) => {
    const store = await openKeyStore(databaseUrl);
    t.after(() => store.close());
    const amounts = new Map([[usdc, { perTransfer: 2_000_000n, perDay: 4_000_000n }]]);
    const restrictions = { ...unrestricted, toAddresses: new Set([bob.address]), amounts };
    const made = await store.create({ name: 'app', expiresAt: null, rateLimitPerMinute: 60, restrictions });
    const { page, context } = await openPay(browser, `${service.url}/?form=usage`);
    await page.getByText('Requests with the sandbox key are not counted.').waitFor();
    await assertLooks(page, 'usage-sandbox');
    await page.locator('#api-key').fill(made.key);
    await page.locator('#api-key').press('Tab');
    await page.getByText('4 of 4 USDC left today').waitFor();
    await assertLooks(page, 'usage-limits');
    await context.close();
  });

  it('of a service on a network: empty, without a key, with one, built', async (t) => {
    const { databaseUrl: ofNetwork, store } = await newKeyStore(t);
    const { key } = await store.create({ name: 'network', expiresAt: null });
    const upstream = { SOLANA_RPC_URLS: service.sandbox.rpcUrl, DATABASE_URL: ofNetwork };
    const network = await startTestService(t, { ...upstream, PAGES: 'on' });
    const { page, context } = await openPay(browser, network.url, { wallets: [sends] });
    await assertLooks(page, 'network-empty');
    await build(page);
    await page.getByText('Paste your API key here.').waitFor();
    await assertLooks(page, 'network-without-key');
    await page.locator('#api-key').fill(key);
    await build(page);
    await page.getByText('from_address is missing.').waitFor();
    await assertLooks(page, 'network-nothing-filled-in');
    await page.locator('#from_address').fill(alice.address);
    await page.locator('#to_address').fill(bob.address);
    await page.locator('#token_mint_address').fill(usdc);
    await page.locator('#amount_decimal').fill('0.000042');
    await build(page);
    await page.getByText('0.000042 USDC.').waitFor();
    await assertLooks(page, 'network-built', signs(page));
    await context.close();
  });

  it('with a sponsor whose fee is named: the console and the checkout', async (t) => {
    const { kora, service: sponsored, people } = await startSponsoredService(t);
    kora.rules.price = { type: 'margin', margin: 0 };
    const { page, context } = await openPay(browser, sponsored.url);
    await page.locator('details.options summary').first().click();
    await page.locator('#fee_payer').fill('sponsor');
    await page.locator('#max_sponsor_fee').fill('9000000');
    await page.locator('details.options summary').first().click();
    await build(page);
    await page.getByText('alice pays bob 1.5 USDC').first().waitFor();
    await assertLooks(page, 'transfer-sponsored', signs(page));
    const link = { ...body, to_address: people.bob.address, sponsored: true, max_sponsor_fee: '9000000' };
    const made = await sponsored.post('/v1/payment-links', link);
    await page.goto(Object(await made.json()).data.url);
    await page.getByText('charges you at most 9.00 USDC on top').waitFor();
    await assertLooks(page, 'checkout-sponsored', page.getByRole('button', { name: 'Pay as alice' }));
    await context.close();
  });
});

describe('every state of the checkout looks right', () => {
  const redirect = 'https://shop.example/';
  const sol = { ...sampleLink, mint: toAddress('So11111111111111111111111111111111111111112'), tokenSymbol: 'EURC' };
  const views: Readonly<Record<string, LinkView>> = {
    accepts: viewWith({ otherTokens: [sol] }),
    sponsored: viewWith({ maxSponsorFee: 100_000n }),
    range: viewWith({ minAmount: 1n }),
    longest: longestView,
    confirmed: viewWith({ redirect }, { state: 'paid', payments: [{ ...paid, commitment: 'confirmed' }] }),
    final: viewWith({ redirect }, { state: 'paid', isFinal: true, payments: [paid] }),
    expired: viewWith({ redirect }, { state: 'expired' }),
    cancelled: viewWith({}, { state: 'cancelled', isFinal: true }),
  };

  it('opened in that state, its receipt, and a link that does not exist', async (t) => {
    const { fake, urlOf } = await startPayPages(t);
    fake.views = new Map([...Object.entries(views), ...fake.views]);
    const { page, context } = await openPay(browser, urlOf(), { wallets: [sends] });
    for (const id of Object.keys(views)) {
      await page.goto(urlOf(id));
      const isOpen = ['accepts', 'sponsored', 'range', 'longest'].includes(id);
      await assertLooks(page, `checkout-${id}`, isOpen ? page.getByRole('button', { name: 'Test Wallet' }) : undefined);
      assert.equal(await page.locator('.until').isVisible(), isOpen || id === 'expired', id);
    }
    for (const id of ['confirmed', 'final', 'open']) {
      await page.goto(`${urlOf(id)}/receipt`);
      await assertLooks(page, `receipt-${id}`);
    }
    await page.goto(urlOf('unknown'));
    await assertLooks(page, 'checkout-unknown');
    fake.failWith = 429;
    await page.goto(urlOf());
    await assertLooks(page, 'checkout-too-many-requests');
    await context.close();
  });

  it('from one state to the next', async (t) => {
    const { fake, show, urlOf } = await startPayPages(t);
    const several = walletThat(async () => signatureBytes, { name: 'Two', accounts: [sampleLink.recipient, payer] });
    const { page, context, faults } = await openPay(browser, urlOf(), { wallets: [waits, several] });
    await assertLooks(page, 'checkout-open', page.getByRole('button', { name: 'Test Wallet' }));
    const refusal = { wallet: '7Py7…riFu', reason: 'It has too little USDC.', at: new Date('2026-11-28T09:04:00Z') };
    fake.refusals.set(sampleLink.id, refusal);
    await page.getByText('The wallet 7Py7…riFu was refused').waitFor();
    await assertLooks(page, 'checkout-refused-elsewhere');
    fake.refusals.clear();
    const { pay } = fake;
    fake.pay = () => ({ status: 422, body: { message: 'You have 3.20 USDC; this payment needs 25.00.' } });
    await page.getByRole('button', { name: 'Test Wallet' }).click();
    await page.getByText('You have 3.20 USDC').waitFor();
    await assertLooks(page, 'checkout-refused', page.getByRole('button', { name: 'Test Wallet' }));
    fake.pay = pay;
    await page.getByRole('button', { name: 'Test Wallet' }).click();
    await page.getByText('Approve in Test Wallet').waitFor();
    await assertLooks(page, 'checkout-waiting');
    await page.getByRole('button', { name: 'Choose another way to pay' }).click();
    await page.getByRole('button', { name: 'Two' }).click();
    await waitForPhase(page, 'account');
    await assertLooks(page, 'checkout-accounts');
    await page.getByRole('button', { name: '9WzD' }).click();
    await waitForPhase(page, 'sent');
    assert.equal(await page.getByRole('button').count(), 0, 'what is sent offers no account to pay it again');
    await assertLooks(page, 'checkout-sent');
    await page.evaluate(`sessionStorage.setItem('paid /pay/open', '${signature} ' + (Date.now() - 151000))`);
    await page.reload();
    await waitForPhase(page, 'unseen');
    await assertLooks(page, 'checkout-unseen');
    show({ payments: [{ ...paid, commitment: 'confirmed', flaw: 'too_little' }] });
    await waitForPhase(page, 'flawed');
    await assertLooks(page, 'checkout-flawed');
    show({ state: 'paid', payments: [samplePayment] });
    await waitForPhase(page, 'taken');
    await assertLooks(page, 'checkout-paid-by-another');
    assert.deepEqual(
      faults.filter((fault) => !fault.includes('422')),
      [],
    );
    await context.close();
  });

  it('on devnet, of a shop with a name and a color', async (t) => {
    const { urlOf } = await startPayPages(t, { name: 'Lotus', color: '#ffd400', logo: undefined }, 'solana:devnet');
    const wallet = walletThat(async () => signatureBytes, { chains: ['solana:devnet'] });
    const { page, context } = await openPay(browser, urlOf(), { wallets: [wallet] });
    await page.getByText('Devnet: test tokens with no value').waitFor();
    await assertLooks(page, 'checkout-devnet', page.getByRole('button', { name: 'Test Wallet' }));
    await context.close();
  });
});

describe('every other page looks right', () => {
  it('the list of problems, a problem, and a path that leads nowhere', async () => {
    const { page, context } = await openPay(browser, service.url);
    for (const path of ['/problems/', '/problems/invalid_amount', '/problems/insufficient_sol', '/nothing']) {
      await page.goto(service.url + path);
      await assertLooks(page, path.replaceAll('/', '_'));
    }
    await page.getByRole('link', { name: '/problems/' }).click();
    await page.getByRole('link', { name: 'insufficient_sol' }).click();
    await page.getByRole('heading', { name: 'Example' }).waitFor();
    await context.close();
  });

  // Its library lets long code scroll inside itself.
  it('the reference', async () => {
    const { page, context } = await openPay(browser, `${service.url}/docs`);
    await page.getByRole('heading', { name: 'Build a transfer' }).first().waitFor();
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      for (const width of [375, 1280, 1366, 1440]) {
        await page.setViewportSize({ width, height: 720 });
        assert.equal(await page.evaluate('document.documentElement.scrollWidth'), width);
      }
      await assertNoViolations(page, `docs, ${colorScheme}`);
    }
    await context.close();
  });
});
