import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { sampleLink, samplePayment, viewWith } from '../../../packages/server/test/pages/pay-views.ts';
import { startBrowser, startPage } from '../../setup/browser.ts';
import { openPay, waitForPhase } from '../../setup/pay-browser.ts';
import {
  paid,
  payer,
  paymentOf,
  sends,
  signature,
  signatureBytes,
  startPayPages,
  waits,
  walletThat,
} from '../../setup/pay-pages.ts';
import type { AskedOfWallet, TestWallet } from '../../setup/test-wallet.ts';

const browser = await startBrowser(test);

describe('the page of a payment link', () => {
  it('pays with a wallet of the browser, and shows the state until it is final, without a reload', async (t) => {
    const { fake, show, urlOf } = await startPayPages(t);
    const asked: AskedOfWallet[] = [];
    const wallet = walletThat(async (what) => {
      asked.push(what);
      return signatureBytes;
    });
    const { page, faults } = await openPay(browser, urlOf(), { wallets: [wallet] });
    const posted = page.waitForRequest((request) => request.method() === 'POST');
    await page.getByRole('button', { name: 'Test Wallet' }).click();
    assert.deepEqual((await posted).postDataJSON(), { account: payer });
    await waitForPhase(page, 'sent');
    assert.deepEqual(asked, [
      {
        address: payer,
        chain: 'solana:localnet',
        preflightCommitment: 'confirmed',
        transaction: paymentOf(sampleLink),
      },
    ]);
    show({ state: 'paid', payments: [{ ...paid, commitment: 'confirmed' }] });
    await waitForPhase(page, 'confirmed');
    assert.equal(await page.locator('#title').textContent(), 'You paid 25.00 USDC');
    show({ state: 'paid', isFinal: true, payments: [paid] });
    await waitForPhase(page, 'final');
    assert.equal(await page.locator('#signature').textContent(), signature);
    assert.equal(await page.locator('#payer').textContent(), payer);
    assert.equal(fake.requests.filter((request) => request === 'GET /pay/open').length, 1, 'no reload');
    assert.deepEqual(faults, []);
  });

  it('shows what a wallet or the service refuses, and lets the payer try again', async (t) => {
    const { fake, urlOf } = await startPayPages(t);
    const message = 'You have 3.20 USDC; this payment needs 25.00.';
    const { pay } = fake;
    fake.pay = () => ({ status: 422, body: { message } });
    const rejects = walletThat(() => Promise.reject(new Error('User rejected the request.')), { name: 'Strict' });
    const { page } = await openPay(browser, urlOf(), { wallets: [rejects] });
    const alert = page.getByRole('alert');
    await page.getByRole('button', { name: 'Strict' }).click();
    await alert.getByText(message, { exact: true }).waitFor();
    await waitForPhase(page, 'open');
    fake.pay = pay;
    await page.getByRole('button', { name: 'Strict' }).click();
    await alert.getByText('Strict: ').getByText('User rejected the request.').waitFor();
    await waitForPhase(page, 'open');
  });

  it('lets go of a wallet that never answers, and asks which account pays where there are several', async (t) => {
    const { urlOf } = await startPayPages(t);
    const several = walletThat(async () => signatureBytes, { name: 'Two', accounts: [sampleLink.recipient, payer] });
    const { page } = await openPay(browser, urlOf(), { wallets: [waits, several] });
    await page.getByRole('button', { name: 'Test Wallet' }).click();
    await page.getByText('Approve in Test Wallet').waitFor();
    await page.getByRole('button', { name: 'Choose another way to pay' }).click();
    // The first wallet may still send: the page says so until it has answered, also after a reload.
    const alert = page
      .getByRole('alert')
      .getByText('Test Wallet may still show an earlier request for this payment, or have sent it.');
    await alert.waitFor();
    await page.reload();
    await alert.waitFor();
    await page.getByRole('button', { name: 'Two' }).click();
    await waitForPhase(page, 'account');
    await alert.waitFor();
    const posted = page.waitForRequest((request) => request.method() === 'POST');
    await page.getByRole('button', { name: `${payer.slice(0, 4)}…${payer.slice(-4)}` }).click();
    assert.deepEqual((await posted).postDataJSON(), { account: payer });
    await waitForPhase(page, 'sent');
  });

  it('offers only wallets that can send on this network', async (t) => {
    const { urlOf } = await startPayPages(t);
    const elsewhere = walletThat(async () => signatureBytes, { name: 'Mainnet only', chains: ['solana:mainnet'] });
    const signsOnly: TestWallet = { name: 'Signs only', accounts: [payer] };
    const { page } = await openPay(browser, urlOf(), { wallets: [elsewhere, signsOnly, sends] });
    await page.getByRole('button', { name: 'Test Wallet' }).waitFor();
    assert.deepEqual(await page.locator('#wallet-list button').allTextContents(), ['Test Wallet']);
  });

  it('goes back to the shop by itself after the payment, unless the payer stays', async (t) => {
    const { show, urlOf } = await startPayPages(t);
    const redirect = await startPage(t);
    const { link } = viewWith({ id: 'open', redirect });
    const paidView = { link, state: 'paid', isFinal: true, payments: [paid] } as const;
    for (const stays of [false, true]) {
      show({ link });
      const { page } = await openPay(browser, urlOf());
      await page.clock.install();
      assert.equal(await page.locator('#shop').isVisible(), false);
      show(paidView);
      await waitForPhase(page, 'final');
      if (stays) await page.getByRole('button', { name: 'Stay here' }).click();
      else {
        await page.clock.fastForward(10_000);
        await page.waitForURL(`${redirect}/`);
      }
      assert.equal(await page.locator('#returning').isVisible(), false);
    }
    // Opened later, it shows the payment.
    const { page } = await openPay(browser, urlOf());
    assert.equal(await page.getByRole('link', { name: 'Back to the shop' }).getAttribute('href'), redirect);
    assert.equal(await page.locator('#returning').isVisible(), false);
    await page.getByRole('link', { name: 'Receipt' }).click();
    await page.getByRole('heading', { name: 'Receipt' }).waitFor();
    await page.getByText(paid.signature, { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Print' }).waitFor();
  });

  it('shows that an attempt on a phone was refused, and not what it was told of its own', async (t) => {
    const { fake, urlOf } = await startPayPages(t);
    const { page } = await openPay(browser, urlOf(), { wallets: [sends] });
    const refusal = { wallet: '7Py7…riFu', reason: 'It has too little USDC.', at: new Date('2026-11-28T09:04:00Z') };
    fake.refusals.set(sampleLink.id, refusal);
    await page.getByText('The wallet 7Py7…riFu was refused at 10:04. It has too little USDC.').waitFor();
    fake.refusals.set(sampleLink.id, { ...refusal, wallet: `${payer.slice(0, 4)}…${payer.slice(-4)}` });
    fake.pay = () => ({ status: 422, body: { message: 'You have 3.20 USDC; this payment needs 25.00.' } });
    await page.getByRole('button', { name: 'Test Wallet' }).click();
    await page.getByText('You have 3.20 USDC').waitFor();
    await page.locator('#refused:empty').waitFor({ state: 'attached' });
  });

  it('remembers after a reload that it has sent a payment, and says when the network has not seen it', async (t) => {
    const { urlOf } = await startPayPages(t);
    const { page } = await openPay(browser, urlOf(), { wallets: [sends] });
    await page.getByRole('button', { name: 'Test Wallet' }).click();
    await waitForPhase(page, 'sent');
    await page.reload();
    await waitForPhase(page, 'sent');
    await page.evaluate(`sessionStorage.setItem('paid /pay/open', '${signature} ' + (Date.now() - 151000))`);
    await page.reload();
    await waitForPhase(page, 'unseen');
    await page.getByRole('heading', { name: 'Not seen on the sandbox' }).waitFor();
    await page.getByText('A wallet that is set to another network').waitFor();
    await page.getByRole('button', { name: 'Choose another way to pay' }).click();
    await waitForPhase(page, 'open');
  });

  it('says of a wallet that still asks to reject it, until it has answered, also when the link is closed', async (t) => {
    const { show, urlOf } = await startPayPages(t);
    const answer = Promise.withResolvers<Uint8Array>();
    const { page } = await openPay(browser, urlOf(), { wallets: [walletThat(() => answer.promise)] });
    const alert = page.getByRole('alert');
    await page.getByRole('button', { name: 'Test Wallet' }).click();
    await page.getByText('Approve in Test Wallet').waitFor();
    assert.equal(await alert.textContent(), '');
    show({ state: 'cancelled' });
    await waitForPhase(page, 'cancelled');
    await alert.getByText('Reject it there').waitFor();
    answer.reject(new Error('User rejected the request.'));
    await page.locator('#alert:empty').waitFor({ state: 'attached' });
  });

  it('says of a wallet that ends in an error that it may have sent the payment, also after a reload', async (t) => {
    const { urlOf } = await startPayPages(t);
    const vague = walletThat(() => Promise.reject(new Error('Not confirmed in 30 s.')));
    const { page } = await openPay(browser, urlOf(), { wallets: [vague] });
    const alert = page.getByRole('alert');
    await page.getByRole('button', { name: 'Test Wallet' }).click();
    await alert.getByText('Test Wallet: Not confirmed in 30 s. Test Wallet may still show').waitFor();
    await page.reload();
    await alert.getByText('or have sent it').waitFor();
  });

  it('tells the payer whose wallet sends after the link was paid', async (t) => {
    const { show, urlOf } = await startPayPages(t);
    const answer = Promise.withResolvers<Uint8Array>();
    const { page } = await openPay(browser, urlOf(), { wallets: [walletThat(() => answer.promise)] });
    await page.getByRole('button', { name: 'Test Wallet' }).click();
    await page.getByText('Approve in Test Wallet').waitFor();
    show({ state: 'paid', isFinal: true, payments: [samplePayment] });
    await waitForPhase(page, 'final');
    answer.resolve(signatureBytes);
    await waitForPhase(page, 'taken');
  });

  it('tells both of two tabs, and the payer whose payment came second', async (t) => {
    const { show, urlOf } = await startPayPages(t);
    const { page, context } = await openPay(browser, urlOf(), { wallets: [sends] });
    const other = await context.newPage();
    await other.goto(urlOf());
    await page.getByRole('button', { name: 'Test Wallet' }).click();
    await waitForPhase(page, 'sent');
    show({ state: 'paid', isFinal: true, payments: [samplePayment] });
    await other.bringToFront();
    await waitForPhase(other, 'final');
    assert.equal(await other.locator('#offer').isVisible(), false);
    await page.bringToFront();
    await waitForPhase(page, 'taken');
  });

  it('says what a link is that can no longer be paid, also when it closes while it is looked at', async (t) => {
    const { show, urlOf } = await startPayPages(t);
    const { page } = await openPay(browser, urlOf());
    for (const [state, title] of [
      ['expired', 'has expired'],
      ['cancelled', 'was canceled'],
    ] as const) {
      show({ state });
      await waitForPhase(page, state);
      await page.getByRole('heading', { name: title }).waitFor();
      assert.equal(await page.locator('#code').isVisible(), false);
    }
    // A fork has dropped what closed it.
    show({ state: 'open' });
    await waitForPhase(page, 'open');
    assert.equal(await page.locator('#code').isVisible(), true);
  });

  it('takes no amount that can be read in two ways: it has no QR code, no link and no payment until that is clear', async (t) => {
    const { fake, urlOf } = await startPayPages(t);
    fake.views.set('open', viewWith({ id: 'open', minAmount: 1_000_000n, maxAmount: 100_000_000_000n }));
    const { page, faults } = await openPay(browser, urlOf(), { wallets: [sends] });
    const field = page.getByLabel('Amount in USDC');
    const wallet = page.getByRole('button', { name: 'Test Wallet' });
    await wallet.waitFor();
    const offered = () => page.locator('#open').getAttribute('href');
    for (const [typed, asked] of [
      ['1,000', '1,000 can mean 1000 or 1. Type 1000 or 1.'],
      ['12.500', '12.500 can mean 12500 or 12.5. Type 12500 or 12.5.'],
    ] as const) {
      await field.fill('20');
      await page.locator('#code img[src$="amount=20"]').waitFor();
      // At once: neither the wallet nor the code takes the amount before while the words are still to come.
      const seen = await page.evaluate(`(() => {
        const find = (selector) => document.querySelector(selector);
        find('#chosen').value = ${JSON.stringify(typed)};
        find('#chosen').dispatchEvent(new Event('input', { bubbles: true }));
        const left = [find('#open').hasAttribute('href'), find('#code').childElementCount];
        find('#wallet-list button').click();
        return left;
      })()`);
      assert.deepEqual(seen, [false, 0]);
      await page.getByText(asked).waitFor();
      assert.equal(await page.locator('#code').isVisible(), false);
      assert.equal(await wallet.isVisible(), false);
      assert.equal(await offered(), null);
      assert.equal(await page.locator('main').getAttribute('data-phase'), 'open');
      assert.equal(await page.evaluate('document.activeElement.id'), 'chosen');
    }
    await field.fill('1,000.50');
    await page.locator('#code img[src$="amount=1000.5"]').waitFor();
    assert.equal(await offered(), `solana:${encodeURIComponent('https://pay.example.com/pay/open?amount=1000.5')}`);
    await wallet.click();
    await waitForPhase(page, 'sent');
    assert.deepEqual(
      fake.requests.filter((line) => line.startsWith('POST')),
      ['POST /pay/open?amount=1000.5'],
    );
    assert.deepEqual(faults, []);
  });

  it('works without scripts as far as QR code, amount and state go', async (t) => {
    const { fake, show, urlOf } = await startPayPages(t);
    const { page } = await openPay(browser, urlOf(), { javaScriptEnabled: false });
    assert.equal(await page.locator('#wallets').isVisible(), false);
    assert.equal(await page.locator('#code').isVisible(), true);
    show({ state: 'paid', isFinal: true, payments: [paid] });
    await page.reload();
    await page.getByRole('heading', { name: 'Paid' }).waitFor();
    fake.views.set('open', viewWith({ minAmount: 5_000_000n, maxAmount: 500_000_000n }));
    await page.reload();
    await page.getByLabel('Amount in USDC').fill('12.5');
    await page.getByRole('button', { name: 'Use this amount' }).click();
    await page.waitForURL(/\?amount=12\.5$/);
    assert.match((await page.locator('#open').getAttribute('href')) ?? '', /amount%3D12\.50$/);
    await page.getByLabel('Amount in USDC').fill('12,500');
    await page.getByRole('button', { name: 'Use this amount' }).click();
    await page.getByText('12,500 can mean').waitFor();
    assert.equal(await page.locator('#code').isVisible(), false);
    assert.equal(await page.locator('#open').getAttribute('href'), null);
    assert.equal(await page.getByLabel('Amount in USDC').inputValue(), '12,500');
  });
});

describe("the shop's brand", () => {
  it('colors the buttons, and has a logo that runs nothing, also when it is opened by itself', async (t) => {
    const svg =
      '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9" onload="document.title=1"><script>document.title=2</script></svg>';
    const { urlOf } = await startPayPages(t, {
      name: 'Lotus',
      color: '#ffd400',
      logo: { mediaType: 'image/svg+xml', bytes: Buffer.from(svg) },
    });
    const { page, faults } = await openPay(browser, urlOf());
    const [color, ink] = await page.locator('#open').evaluate((each) => {
      const style = Object(globalThis).getComputedStyle(each);
      return [style.backgroundColor, style.color];
    });
    assert.deepEqual([color, ink], ['rgb(255, 212, 0)', 'rgb(0, 0, 0)']);
    assert.deepEqual(faults, []);
    await page.goto(new URL('/pay/logo', urlOf()).href);
    assert.equal(await page.title(), '');
    assert.equal(await page.locator('svg').count(), 1);
  });
});
