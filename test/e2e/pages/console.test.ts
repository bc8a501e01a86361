import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, it, test } from 'node:test';
import { promisify } from 'node:util';
import { VersionedTransaction } from '@solana/web3.js';
import type { Page, Response } from 'playwright-core';
import { encodeBase58 } from '../../../packages/core/src/addresses/base58.ts';
import { sandboxApiKey } from '../../../packages/server/src/keys/authenticated-key.ts';
import { startBrowser } from '../../setup/browser.ts';
import { openPay, readQrCode } from '../../setup/pay-browser.ts';
import type { AskedOfWallet } from '../../setup/test-wallet.ts';
import { startLinkService } from '../links/link-service.ts';

const browser = await startBrowser(test);
const { service, client, ledger, alice, land, walletOf } = await startLinkService(test);

const open = (form: string, options = {}) => openPay(browser, `${service.url}/?form=${form}`, options);
const build = (page: Page, name: RegExp = /^(?:Build|Create|Find) the/): Promise<void> =>
  page.getByRole('button', { name }).click();

/** Signs as wallets of the sandbox, sends, and waits until that is final. */
async function landFrom(page: Page, who = 'alice'): Promise<void> {
  await page.getByRole('button', { name: `Sign as ${who} and send` }).click();
  await page.getByText(/^It landed in slot [0-9]+ and is final\.$/).waitFor();
}

describe('the console', () => {
  it('opens filled in, and its transfer lands and becomes final by three clicks', async () => {
    const { page, faults } = await openPay(browser, service.url);
    await build(page);
    await page.getByText('alice pays bob 1.5 USDC.').waitFor();
    // The time is named as soon as the pace of the chain is known.
    await page.getByText(/^Can land for about [0-9]+ seconds\.$/).waitFor();
    await landFrom(page);
    assert.deepEqual(faults, []);
  });

  it('has a form for each of the three operations, whose transactions land as well', async () => {
    for (const form of ['memo_transfer', 'yid_transfer', 'create_transfer']) {
      const { page, context, faults } = await open(form);
      if (form === 'yid_transfer') await page.locator('details.options summary').first().click();
      if (form === 'yid_transfer') await page.getByLabel('encoding').selectOption('base58');
      const posted = page.waitForRequest((request) => request.method() === 'POST');
      await build(page);
      // What is typed is whole tokens; these operations take base units alone.
      assert.equal(Object((await posted).postDataJSON()).amount, '1500000');
      await page.getByText('alice pays bob 1.5 USDC.').waitFor();
      await landFrom(page);
      assert.deepEqual(faults, [], form);
      await context.close();
    }
  });

  it('takes every kind of option: choices, lists, tables, and a fee payer who signs too', async () => {
    const { page } = await open('transfer');
    await page.locator('details.options summary').first().click();
    await page.getByLabel('Choose: Recipient').first().selectOption('carol');
    await page.getByLabel('Choose: Fee payer').selectOption('bob');
    const { address: dave } = service.sandbox.world.wallets.find(({ name }) => name === 'dave') ?? { address: '' };
    const splits = page.getByRole('group', { name: 'Splits splits' });
    await splits.getByRole('button', { name: 'Add a split' }).click();
    await splits.getByLabel('Choose: Recipient').selectOption('dave');
    await splits.getByLabel('Amount').fill('0.015');
    const references = page.getByRole('group', { name: 'References references' });
    for (const address of ['removed', dave, '', alice.address]) {
      await references.getByRole('button', { name: 'Add a reference' }).click();
      await references.getByRole('textbox', { name: 'Address' }).last().fill(address);
    }
    await references.getByRole('button', { name: 'Remove this reference' }).first().click();
    await page.getByLabel('Choose: Priority').selectOption('Custom price');
    await page.getByLabel('Priority priority_fee').fill('1000');
    await page.getByLabel('Transaction version').selectOption('1');
    await page.getByLabel('Simulate').check();
    const tip = { account: alice.address, lamports: '5000' };
    await page.getByLabel('Tip tip').fill(JSON.stringify(tip));
    await page.getByLabel('Metadata metadata').fill('{"order": "1001"}');
    const posted = page.waitForRequest((request) => request.url().endsWith('/v1/transfers'));
    await build(page);
    const body: unknown = (await posted).postDataJSON();
    assert.deepEqual(Object(body).splits, [{ to_address: dave, amount: '15000' }]);
    assert.deepEqual(Object(body).references, [dave, alice.address]);
    assert.deepEqual([Object(body).tip, Object(body).metadata], [tip, { order: '1001' }]);
    const { transaction_version: version, simulate, priority_fee: price, checks } = Object(body);
    assert.deepEqual([version, simulate, price, checks], [1, true, '1000', undefined]);
    await page.getByText('alice pays carol 1.5 USDC and 0.015 USDC to dave.').waitFor();
    await page.getByText('0.000005 SOL to alice', { exact: true }).waitFor();
    await landFrom(page, 'bob and alice');
  });

  it('shows all faults at once and each once, at its field, and the first field at fault has the focus', async () => {
    const { page } = await open('transfer');
    await page.getByLabel('Recipient to_address').fill('nonsense');
    await page.locator('#amount_decimal').fill('-1');
    await page.locator('details.options summary').first().click();
    await page.locator('#fee_payer').fill('too');
    await page.locator('details.options summary').first().click();
    await build(page);
    await page.getByRole('alert').getByText('The request is invalid').waitFor();
    const invalid = await page
      .locator('[aria-invalid="true"]')
      .evaluateAll((all) => all.map((each) => String(Object(each).id)));
    assert.deepEqual(invalid, ['to_address', 'amount_decimal', 'fee_payer']);
    await page
      .locator('#fee_payer-fault')
      .getByText(/^fee_payer is "too", which is not a Solana address/)
      .waitFor();
    assert.equal(await page.getByText('fee_payer is "too"').count(), 1);
    assert.equal(await page.evaluate('document.activeElement.id'), 'to_address');
    // An amount that is missing is no field of the request.
    await page.reload();
    await page.locator('#amount_decimal').fill('');
    await build(page);
    await page.locator('#amount_decimal-fault').getByText('Send one of them.').waitFor();
    // What the chain refuses comes with its remedy, too, and calls a wallet of the sandbox by its name.
    await page.locator('#amount_decimal').fill('99999999');
    await build(page);
    await page.getByRole('alert').getByText('insufficient_token_balance').waitFor();
    await page
      .locator('#amount_decimal-fault')
      .getByText(/^The token account \w+ of alice has .* fund it first\.$/)
      .waitFor();
    assert.equal(await page.evaluate('document.activeElement.id'), 'amount_decimal');
    assert.equal(await page.locator('[aria-invalid="true"]').count(), 1);
    // What is wrong with the key stands at its field.
    await page.getByLabel('API key').fill('swk_wrong');
    await build(page);
    await page.locator('#api-key-fault').getByText('checksum').waitFor();
    assert.equal(await page.evaluate('document.activeElement.id'), 'api-key');
  });

  it('offers the same request in curl, which makes it whatever a memo holds, and has no API key in it', async () => {
    const { page } = await open('transfer');
    const memo = `it's $HOME, \`id\`, "JSON"\\ and \u202e`;
    await page.locator('#memo').fill(memo);
    await page.getByText('The same in curl').click();
    const command = page.getByRole('region', { name: 'The request in curl' });
    await command.getByText('$HOME').waitFor();
    const text = (await command.textContent()) ?? '';
    assert.ok(!text.includes(sandboxApiKey) && !text.includes('\u202e'));
    const env = { PATH: process.env.PATH, SPLWRIGHT_API_KEY: sandboxApiKey };
    const { stdout } = await promisify(execFile)('sh', ['-c', text], { env });
    assert.equal(JSON.parse(stdout).data.summary.memo, memo);
    const [, body = ''] = /<<'JSON'\n([\s\S]*)\nJSON\n/.exec(text) ?? [];
    for (const language of ['TypeScript', 'Python']) {
      await page.getByText(`The same in ${language}`).click();
      const program = page.getByRole('region', { name: `The request in ${language}` });
      await program.getByText('sendTransaction').waitFor();
      const source = (await program.textContent()) ?? '';
      assert.ok(
        source.includes(body) && source.includes(language === 'Python' ? 'solders' : '"splwright-client"'),
        language,
      );
    }
  });

  it('finds the outcome of pasted bytes', async () => {
    const built = await service.post('/v1/transfers', {
      from_address: alice.address,
      to_address: 'CHqmkzhxq1g91ShQ5H2Cp5U62TrsRYUFqTMhSpW2vbBg',
      token_mint_address: 'Gr6zXNs3LaVMRGKwTUrWgFFQSggMvnPiWiQikW2a2tD1',
      amount: '7',
    });
    const { data } = Object(await built.json());
    await land(data.transaction, alice);
    const { page, faults } = await open('outcome');
    await page.getByLabel('Transaction transaction').fill(data.transaction);
    await build(page);
    await page.getByText('It landed.', { exact: true }).waitFor();
    await page.getByText('7 base units to').waitFor();
    assert.deepEqual(faults, []);
  });

  it('says what each byte means: of a reply, and of bytes that are pasted in any encoding', async () => {
    const { page, faults } = await open('transfer');
    const replied = page.waitForResponse((reply) => reply.url().endsWith('/v1/transfers'));
    await build(page);
    const { data } = Object(await (await replied).json());
    const bytes = Buffer.from(data.transaction, 'base64');
    await page.getByText(`The ${bytes.length} bytes, explained`).click();
    await page.locator('#reply').getByRole('listbox').waitFor();
    await page.getByRole('link', { name: 'Inspect' }).click();
    await page.waitForURL(/inspect/);
    const view = page.getByRole('listbox', { name: `The ${bytes.length} bytes of the transaction` });
    for (const text of [data.transaction, encodeBase58(bytes), JSON.stringify([...bytes])]) {
      await page.getByLabel('Transaction transaction').fill(text);
      await page.getByRole('button', { name: 'Inspect' }).click();
      await view.waitFor();
      await page.getByLabel('Transaction transaction').fill('€');
      await page.getByRole('button', { name: 'Inspect' }).click();
      await page.locator('#transaction-fault').getByText('must be base64, base58 or an array').waitFor();
      await view.waitFor({ state: 'detached' });
    }
    assert.deepEqual(faults, []);
  });

  it('makes a payment link, shows its QR code, and sees it paid or canceled', async () => {
    const { page, faults } = await open('payment_link');
    await build(page);
    await page.getByText('Open: it can be paid.').waitFor();
    const url = String(await page.locator('.terms .address').nth(2).textContent());
    assert.equal(await readQrCode(page, '.qr'), `solana:${url}`);
    const { transaction } = await client.pay(url.slice(url.lastIndexOf('/') + 1), alice.address);
    await land(transaction, alice);
    await page.getByText('Paid. This is final.').waitFor();
    await build(page);
    await page.getByRole('button', { name: 'Cancel the link' }).click();
    await page.getByRole('button', { name: 'Cancel it for good?' }).click();
    await page.getByText('Canceled.').waitFor();
    await page.reload();
    await page
      .getByRole('button', { name: /^1\.5 USDC paid/ })
      .first()
      .waitFor();
    assert.deepEqual(faults, []);
  });

  it('sends by a wallet of the browser, and says what the wallet refuses', async () => {
    const refuses = {
      name: 'Strict',
      accounts: [alice.address],
      send: () => Promise.reject(new Error('User rejected.')),
    };
    const { page } = await open('transfer', { wallets: [refuses, walletOf(alice)] });
    await page.locator('#memo').fill('by a wallet');
    await build(page);
    await page.getByRole('button', { name: 'Sign and send with Strict' }).click();
    await page.getByRole('alert').getByText('User rejected.').waitFor();
    await page.getByRole('button', { name: 'Sign and send with Test Wallet' }).click();
    await page.locator('[data-step="final"]').waitFor();
  });

  it('calls nothing dead that a wallet still has: one that takes 50 s or longer, and renews the blockhash, lands', async () => {
    const usual = walletOf(alice);
    const tells = (outcome: string) => async (reply: Response) =>
      reply.url().endsWith('/outcome') && Object(await reply.json()).data.outcome === outcome;
    for (const { blocks, before, answersAt } of [
      { blocks: 250, before: 'pending', answersAt: undefined },
      // Its payment lands after the time of the one that was built, and so is one that is similar.
      { blocks: 340, before: 'expired', answersAt: 'unknown' },
    ]) {
      const asked = Promise.withResolvers<void>();
      const approved = Promise.withResolvers<void>();
      const slow = {
        ...usual,
        send: async (sent: AskedOfWallet) => {
          asked.resolve();
          await approved.promise;
          const renewed = VersionedTransaction.deserialize(sent.transaction);
          renewed.message.recentBlockhash = ledger.latestBlockhash().blockhash;
          const signature = await usual.send({ transaction: renewed.serialize() });
          if (answersAt !== undefined) await page.waitForResponse(tells(answersAt));
          return signature;
        },
      };
      const { page, context } = await open('transfer', { wallets: [slow] });
      // Like no other payment of these tests: a similar one leaves the outcome unknown.
      await page.getByLabel(/^Amount, in whole tokens/).fill(`7.${blocks}`);
      await build(page);
      await page.getByRole('button', { name: 'Sign and send with Test Wallet' }).click();
      await asked.promise;
      ledger.advanceSlots(blocks);
      for (let replies = 0; replies < 2; replies += 1) await page.waitForResponse(tells(before));
      await page.getByText('a wallet can replace it: it may still land').waitFor();
      const text = (await page.locator('.sending').textContent()) ?? '';
      assert.match(text, /Approve it in Test Wallet/);
      assert.doesNotMatch(text, /never|no longer|expired/);
      assert.equal(await page.locator('[data-outcome="expired"]').count(), 0);
      approved.resolve();
      await page.getByText(/^It landed in slot [0-9]+ and is final\.$/).waitFor();
      await context.close();
    }
  });

  it('keeps the API key in its tab, never in a URL, and says when it is wrong', async () => {
    const { page, context } = await open('transfer');
    const urls: string[] = [];
    context.on('request', (request) => urls.push(request.url()));
    await page.getByLabel('API key').fill('swk_wrong');
    await page.getByRole('link', { name: 'Memo transfer' }).click();
    await page.waitForURL(/memo_transfer/);
    assert.equal(await page.getByLabel('API key').inputValue(), 'swk_wrong');
    await build(page);
    await page.locator('#api-key-fault').getByText('checksum').waitFor();
    const other = await context.newPage();
    await other.goto(`${service.url}/`);
    assert.notEqual(await other.getByLabel('API key').inputValue(), 'swk_wrong');
    assert.ok(urls.length > 3 && urls.every((url) => !url.includes('swk_')));
  });
});

describe('the path /', () => {
  it('is the console for browsers alone, and only where pages are on; otherwise it says where to go', async (t) => {
    const accept = 'text/html,application/xhtml+xml,*/*;q=0.8';
    const typeOf = async (url: string, headers = {}): Promise<string | null> =>
      (await fetch(url, { headers })).headers.get('content-type');
    assert.equal(await typeOf(service.url, { accept }), 'text/html; charset=utf-8');
    assert.equal(await typeOf(service.url), 'text/plain; charset=utf-8');
    const off = await startLinkService(t, { PAGES: 'off' });
    assert.equal(await typeOf(off.service.url, { accept }), 'text/plain; charset=utf-8');
  });
});
