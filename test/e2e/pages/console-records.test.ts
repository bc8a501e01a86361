import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import type { Page } from 'playwright-core';
import { freshWallet } from '../../../packages/core/test/fixtures.ts';
import { sandboxApiKey, unrestricted } from '../../../packages/server/src/keys/authenticated-key.ts';
import { openKeyStore } from '../../../packages/server/src/store/open-key-store.ts';
import { startBrowser } from '../../setup/browser.ts';
import { assertAccessible, assertFits, openPay } from '../../setup/pay-browser.ts';
import { temporaryFolder } from '../../setup/temporary-folder.ts';
import { startLinkService } from '../links/link-service.ts';

const databaseUrl = `sqlite:${temporaryFolder(test)}/keys.db`;
const browser = await startBrowser(test);
const { service, client, alice, bob, usdc, body, land, walletOf } = await startLinkService(test, {
  DATABASE_URL: databaseUrl,
});

const open = (form: string, options = {}) =>
  openPay(browser, `${service.url}/?form=${form}`, { permissions: ['clipboard-read', 'clipboard-write'], ...options });
const build = (page: Page): Promise<void> => page.locator('#form [type="submit"]').click();
const rowsOf = (page: Page) =>
  page
    .locator('.records')
    .getByRole('button')
    .filter({ has: page.locator('time') });
const copied = (page: Page): Promise<string> => page.evaluate('navigator.clipboard.readText()');

/** Signs as alice and sends, and waits until her transaction is confirmed. */
async function send(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Sign as alice and send' }).click();
  await page.locator('[data-outcome="landed"]').waitFor();
}

/** Asserts that everyone can use the page in both colors, and that it fits a phone, a tablet and a desk. */
async function assertFine(page: Page, what: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width: 360, height: 900 });
    await assertAccessible(page, `${what}, ${colorScheme}`);
  }
  for (const width of [768, 1440]) {
    await page.setViewportSize({ width, height: 900 });
    await assertFits(page, `${what}, ${width}`);
  }
}

describe('the transfers and batches that a browser has sent', () => {
  it('are listed with their state and lead to their outcome, also after a reload, until they are cleared', async () => {
    const { page, context, faults } = await open('transfer');
    await page.locator('#memo').fill('for your eyes only');
    await build(page);
    assert.equal(await rowsOf(page).count(), 0, 'what was built alone');
    await send(page);
    await page.getByRole('row', { name: 'alice 1000000 999998.5' }).waitFor();
    await page.getByRole('row', { name: 'bob 0 1.5' }).waitFor();
    const row = rowsOf(page).filter({ hasText: '1.5 USDC from alice to bob' });
    await row.getByText(/^(?:landed|final)$/).waitFor();
    await assertFine(page, 'sent');
    await page.reload();
    await row.click();
    await page.getByText('It landed.', { exact: true }).waitFor();
    await row.getByText('final', { exact: true }).waitFor();
    // Nothing needs to be asked any more, in a tab that never had the bytes.
    const other = await context.newPage();
    await other.goto(`${service.url}/?form=outcome`);
    await rowsOf(other).first().click();
    await other.getByText('1.5 USDC from alice to bob.', { exact: true }).waitFor();
    assert.equal(await other.locator('.terms .address').count(), 2, 'the signature and the recipient');

    const kept = String(await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])'));
    assert.ok(kept.includes('1.5 USDC') && !kept.includes(sandboxApiKey) && !kept.includes('eyes only'));
    assert.ok(!kept.includes(Buffer.from('for your eyes only').toString('base64').slice(2, 20)), 'nor its bytes');
    await other.getByRole('button', { name: 'Clear' }).click();
    await page.getByText('What you send from here is listed here.').waitFor();
    assert.equal(await other.evaluate('document.activeElement.textContent'), 'Recent in this browser');
    assert.equal(await page.evaluate('localStorage.length'), 0);
    assert.deepEqual(faults, []);
    await context.close();
  });

  it('say how many transactions of a batch have landed, each with its signature', async () => {
    const { page, context, faults } = await open('batch');
    const rows = Array.from({ length: 20 }, (_, index) => `${freshWallet()},${index + 1}`);
    await page.locator('#transfers').fill(['to_address,amount', ...rows].join('\n'));
    await build(page);
    await page.getByRole('button', { name: 'Sign as alice and send' }).click();
    await page.getByText(/^([2-9]) of \1 landed|^All recipients are paid/).waitFor();
    const row = rowsOf(page).filter({ hasText: '0.00021 USDC from alice to 20 recipients' });
    await row.getByText(/^(?:landed|final)$/).waitFor();
    await page.reload();
    await row.click();
    const parts = page.locator('.parts li');
    await parts.first().waitFor();
    assert.ok((await parts.count()) > 1);
    await parts.last().getByRole('button', { name: 'Copy the signature of transaction' }).click();
    assert.match(await copied(page), /^[1-9A-HJ-NP-Za-km-z]{86,88}$/);
    assert.deepEqual(faults, []);
    await context.close();
  });

  it('have none that the user of a wallet has refused, and each that may have been sent', async () => {
    let answer = new Error('User rejected.');
    const wallet = { name: 'Moody', accounts: [alice.address], send: () => Promise.reject(answer) };
    const { page, context } = await open('transfer', { wallets: [wallet, walletOf(alice)] });
    await build(page);
    const ask = page.getByRole('button', { name: 'Sign and send with Moody' });
    await ask.click();
    await page.getByRole('alert').getByText('User rejected.').waitFor();
    assert.equal(await rowsOf(page).count(), 0);
    answer = new Error('The connection was lost.');
    await ask.click();
    await page.getByRole('alert').getByText('The connection was lost.').waitFor();
    await rowsOf(page).getByText('sent', { exact: true }).waitFor();
    const again = await context.newPage();
    await page.close();
    await again.goto(`${service.url}/?form=transfer`);
    await rowsOf(again).click();
    await again.getByText(/^The bytes stay in the tab that sent them\./).waitFor();
    await context.close();
  });
});

describe('the links of a key', () => {
  it('are listed newest first with amount, payer, state and date, and stay', async () => {
    for (let count = 1; count <= 11; count += 1) await client.create({ ...body, amount: String(count), label: 'Many' });
    const { page, context, faults } = await open('payment_link');
    await rowsOf(page).nth(9).waitFor();
    await build(page);
    await page.getByText('Open: it can be paid.').waitFor();
    await rowsOf(page).nth(10).waitFor();
    await page.getByRole('button', { name: 'Copy the id' }).click();
    await page.getByRole('status').getByText('Copied: the id').waitFor({ state: 'attached' });
    const id = await copied(page);
    await page.getByRole('button', { name: 'Copy the link' }).click();
    await page.getByRole('button', { name: 'Copied' }).nth(1).waitFor();
    assert.equal(await copied(page), `${service.url}/pay/${id}`);
    await land((await client.pay(id, alice.address)).transaction, alice);
    const paid = rowsOf(page).filter({ hasText: 'Tea house · paid by alice' });
    await paid.getByText(/^paid/).waitFor();
    await page.reload();
    assert.match(String(await rowsOf(page).first().textContent()), /^1\.5 USDC.*Tea house · paid by alice.*20\d\d/);
    assert.match(String(await rowsOf(page).nth(1).textContent()), /^0\.000011 USDCopenMany.*20\d\d/);
    await page.getByRole('button', { name: 'Show older links' }).click();
    await rowsOf(page).filter({ hasText: '0.000001 USDC' }).waitFor();
    assert.equal(await rowsOf(page).count(), 12);
    assert.equal(await page.getByRole('button', { name: 'Show older links' }).count(), 0);
    // By keyboard, the list keeps its place while what is shown changes.
    await rowsOf(page).first().focus();
    await page.keyboard.press('Enter');
    await page.locator('[data-state="paid"]').waitFor();
    await assertFine(page, 'links');
    assert.deepEqual(faults, []);
    await context.close();
  });
});

describe('the usage of a key', () => {
  it('is what it is limited to and what is left today, of the key that is typed', async (t) => {
    const store = await openKeyStore(databaseUrl);
    t.after(() => store.close());
    const amounts = new Map([[usdc, { perTransfer: 2_000_000n, perDay: 4_000_000n }]]);
    const restrictions = { ...unrestricted, toAddresses: new Set([bob.address]), amounts };
    const made = await store.create({ name: 'app', expiresAt: null, rateLimitPerMinute: 60, restrictions });
    const payment = {
      from_address: alice.address,
      to_address: bob.address,
      token_mint_address: usdc,
      amount: '1000000',
    };
    const built = await service.post('/v1/transfers', payment, { authorization: `Bearer ${made.key}` });
    assert.equal(built.status, 200);
    const { page, context, faults } = await open('transfer');
    await page.getByRole('link', { name: 'Usage' }).click();
    await page.getByText('Requests with the key of the sandbox are not counted.').waitFor();
    await page.getByLabel('API key').fill(made.key);
    await page.getByLabel('API key').press('Tab');
    await page.getByText('app', { exact: true }).waitFor();
    await page.getByText(/^60 requests per minute: 5[0-9] left for the next [0-9]+ s$/).waitFor();
    await page.getByText('3 of 4 USDC left today').waitFor();
    await page.getByText('2 USDC in one transfer').waitFor();
    await page.getByText('1 wallet', { exact: true }).waitFor();
    assert.equal(await page.getByText(bob.address).count(), 0);
    await assertFine(page, 'usage');
    assert.deepEqual(faults, []);
    await page.getByLabel('API key').fill('swk_wrong');
    await build(page);
    await page.getByRole('alert').getByText('api_key_invalid').waitFor();
    await context.close();
  });
});

test('A transfer is built, signed, copied and found again by keyboard alone', async () => {
  const { page, context } = await open('transfer');
  const focusOn = async (name: string): Promise<void> => {
    for (let count = 0; count < 60; count += 1) {
      if ((await page.evaluate('document.activeElement.textContent.trim()')) === name) return;
      await page.keyboard.press('Tab');
    }
    assert.fail(`no key leads to ${name}`);
  };
  await page.locator('#memo').press('Enter');
  await page.getByText('alice pays bob 1.5 USDC.').waitFor();
  await focusOn('Sign as alice and send');
  await page.keyboard.press('Enter');
  await page.locator('[data-outcome="landed"]').waitFor();
  await focusOn('Copy the signature');
  await page.keyboard.press('Enter');
  await page.getByRole('status').getByText('Copied: the signature').waitFor({ state: 'attached' });
  assert.equal(await copied(page), await page.locator('.signature .address').textContent());
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.getByRole('status').getByText('Copied: the transaction').waitFor({ state: 'attached' });
  const bytes = Buffer.from(await copied(page), 'base64');
  assert.ok(bytes.length > 200 && bytes.subarray(1, 65).every((byte) => byte === 0), 'unsigned');
  await page.keyboard.press('Tab');
  await focusOn('Clear');
  await page.keyboard.press('Tab');
  await page.locator('.record:focus').waitFor();
  await page.keyboard.press('Enter');
  await page.getByText('It landed.', { exact: true }).waitFor();
  await context.close();
});
