import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { address } from '@solana/kit';
import { TOKEN_2022_PROGRAM_ADDRESS } from '@solana-program/token-2022';
import { Check } from 'typebox/schema';
import { faucet } from '../../../packages/sandbox/src/ledger/faucet.ts';
import { actionSchema, payStateSchema } from '../../../packages/server/src/wire/schemas/pay-schema.ts';
import { readProblem } from '../../../packages/server/test/http/problem.ts';
import { startBrowser } from '../../setup/browser.ts';
import { assertAccessible, assertFits, openPay } from '../../setup/pay-browser.ts';
import { createTokenAccounts } from '../../setup/token-accounts.ts';
import type { TokenMintKind } from '../../setup/token-mint-kinds.ts';
import { createTokenMint } from '../../setup/token-mints.ts';
import { startLinkService } from './link-service.ts';

const { client, service, ledger, alice, bob, body, land } = await startLinkService(test);
const noMaximum = 2n ** 64n - 1n;

/** Makes a mint of which alice has 1,000 tokens. */
async function mintOf(name: string, extensions: TokenMintKind['extensions'] & object): Promise<string> {
  const kind: TokenMintKind = { words: name, tokenProgram: TOKEN_2022_PROGRAM_ADDRESS, decimals: 6, extensions };
  const mint = await createTokenMint(ledger, kind, name);
  await createTokenAccounts(ledger, mint, [{ owner: address(alice.address), amount: 1_000_000_000n }]);
  return mint.address;
}

function mintWithFee(name: string, transferFeeBasisPoints: number, maximumFee = noMaximum): Promise<string> {
  const fee = { epoch: 0n, maximumFee, transferFeeBasisPoints };
  return mintOf(name, () => [
    {
      __kind: 'TransferFeeConfig',
      transferFeeConfigAuthority: faucet.address,
      withdrawWithheldAuthority: faucet.address,
      withheldAmount: 0n,
      olderTransferFee: fee,
      newerTransferFee: fee,
    },
  ]);
}

const withholding = await mintWithFee('withholding', 269);
const taking = await mintWithFee('taking', 10_000);
const multiplied = await mintOf('multiplied', () => [
  {
    __kind: 'ScaledUiAmountConfig',
    authority: faucet.address,
    multiplier: 4,
    newMultiplierEffectiveTimestamp: 0n,
    newMultiplier: 4,
  },
]);
const growing = await mintOf('growing', () => [
  {
    __kind: 'InterestBearingConfig',
    rateAuthority: faucet.address,
    initializationTimestamp: 0n,
    preUpdateAverageRate: 500,
    lastUpdateTimestamp: 0n,
    currentRate: 500,
  },
]);
{
  // As if it had grown since 1970: the token program begins at the time of its ledger.
  const account = ledger.getAccount(address(growing));
  assert.ok(account);
  const data = Uint8Array.from(account.data);
  for (const offset of [202, 212]) new DataView(data.buffer).setBigInt64(offset, 0n, true);
  ledger.setAccount({ ...account, data });
}
const tenOf = (mint: string) => ({ ...body, token_mint_address: mint, amount: '10000000' });
const short = (mint: string) => `${mint.slice(0, 4)}…${mint.slice(-4)}`;

async function readAction(url: string) {
  const action: unknown = await (await fetch(url)).json();
  if (!Check(actionSchema, action)) assert.fail(JSON.stringify(action));
  return action;
}

async function readState(id: string) {
  const state: unknown = await (await fetch(`${service.url}/pay/${id}/state`)).json();
  if (!Check(payStateSchema, state)) assert.fail(JSON.stringify(state));
  return state;
}

describe('a payment link in a mint that withholds 2.69 %', () => {
  it('says everywhere what arrives, and that is what arrives', async () => {
    const made = await client.create(tenOf(withholding));
    assert.deepEqual([made.state, made.amount, made.received_amount], ['open', '10000000', '9731000']);
    assert.equal((await client.read(made.id)).received_amount, '9731000');
    const said = (unit: string) => `The token withholds 2.69 %: the seller receives 9.731 ${unit}.`;
    const unit = short(withholding);
    assert.ok(
      (await readAction(made.url)).description.startsWith(`10.00 ${unit} to Tea house. ${said(unit)} · token `),
    );
    assert.deepEqual((await readState(made.id)).notes, [said('tokens')]);
    const { transaction, message } = await client.pay(made.id, alice.address);
    assert.equal(
      message,
      `10.00 ${unit} to Tea house. The token withholds 0.269 ${unit}: the seller receives 9.731 ${unit}.`,
    );
    await land(transaction, alice);
    const paid = await client.readUntil(made.id, ({ state }) => state === 'paid');
    assert.equal(paid.received_amount, '9731000');
  });

  it('says for both bounds what arrives where the payer chooses', async () => {
    const { amount: _, ...others } = tenOf(withholding);
    const made = await client.create({ ...others, amount_min: '1000000', amount_max: '10000000' });
    assert.deepEqual(
      [made.received_amount, made.received_amount_min, made.received_amount_max],
      [undefined, '973100', '9731000'],
    );
  });

  it('is refused where the fee would take all of the least amount', async () => {
    const refuse = async (bounds: object, mint = withholding) => {
      const { amount: _, ...others } = tenOf(mint);
      const { status, code, errors } = await readProblem(
        await client.send('POST', '/v1/payment-links', { ...others, ...bounds }),
      );
      assert.deepEqual([status, code], [422, 'nothing_received']);
      return [errors?.[0]?.pointer, errors?.[0]?.detail ?? ''] as const;
    };
    const [pointer, detail] = await refuse({ amount: '1' });
    assert.equal(pointer, '/amount');
    assert.equal(
      detail,
      `The mint ${withholding} withholds up to 269 basis points (2.69 %) of a transfer, rounded up: of 1 base unit ` +
        '(0.000001 tokens) nothing would arrive. Ask for more, or for another token.',
    );
    assert.equal((await refuse({ amount_min: '1', amount_max: '9000000' }))[0], '/amount_min');
    assert.match((await refuse({ amount: '10000000' }, taking))[1], /nothing would arrive\. Ask for another token\.$/);
  });
});

describe('a payment link in a mint whose amounts wallets show otherwise', () => {
  it('says both amounts everywhere, and moves the one of the link', async () => {
    const made = await client.create(tenOf(multiplied));
    assert.deepEqual([made.amount, made.ui_amount, made.received_amount], ['10000000', '40', undefined]);
    const said = (unit: string) =>
      `Your wallet shows 40.00 ${unit} for the same payment: it multiplies amounts of this token.`;
    const unit = short(multiplied);
    const sentence = `10.00 ${unit} to Tea house. ${said(unit)}`;
    assert.ok((await readAction(made.url)).description.startsWith(`${sentence} · token `));
    assert.deepEqual((await readState(made.id)).notes, [said('tokens')]);
    const { transaction, message } = await client.pay(made.id, alice.address);
    assert.equal(message, sentence);
    await land(transaction, alice);
    const paid = await client.readUntil(made.id, ({ state }) => state === 'paid');
    assert.deepEqual([paid.received_amount, paid.ui_amount], ['10000000', '40']);
  });

  it('says about how much interest has made of it', async () => {
    const made = await client.create(tenOf(growing));
    assert.match(made.ui_amount ?? '', /^[1-9][0-9]*\.[0-9]+$/);
    assert.ok(Number(made.ui_amount) > 100, made.ui_amount);
    const { message } = await client.pay(made.id, alice.address);
    assert.match(message, / Your wallet shows about [1-9][0-9]+\.[0-9]+ \S+ for the same payment: it adds interest /);
  });

  it('and its transfers and batches say both amounts in their summaries, those of other mints one', async () => {
    const transfer = { from_address: alice.address, token_mint_address: multiplied };
    const paths = [
      ['/v1/transfers', { ...transfer, to_address: bob.address, amount: '10000000' }],
      ['/v1/transfers/batch', { ...transfer, transfers: [{ to_address: bob.address, amount: '10000000' }] }],
    ] as const;
    for (const [path, asked] of paths) {
      const { data } = Object(await (await client.send('POST', path, asked)).json());
      assert.deepEqual(data.summary.amount, { base_units: '10000000', decimal: '10', ui_amount: '40' }, path);
      assert.equal(data.summary.received_amount.ui_amount, '40');
    }
    const plain = { ...paths[0][1], token_mint_address: withholding };
    const { data } = Object(await (await client.send('POST', '/v1/transfers', plain)).json());
    assert.deepEqual(data.summary.received_amount, { base_units: '9731000', decimal: '9.731' });
  });
});

describe('the page of such a link', async () => {
  const browser = await startBrowser(test);

  it('shows both at the top, at every width', async () => {
    const { amount: _, ...range } = { ...tenOf(multiplied), amount_min: '1000000', amount_max: '12500000000' };
    for (const [asked, note] of [
      [tenOf(withholding), 'The token withholds 2.69 %: the seller receives 9.731 tokens.'],
      [tenOf(multiplied), 'Your wallet shows 40.00 tokens for the same payment'],
      [range, 'Your wallet shows 4.00 tokens to 50\u202f000.00 tokens'],
    ] as const) {
      const { url } = await client.create(asked);
      for (const width of [375, 768, 1440]) {
        const { page, context, faults } = await openPay(browser, url, { viewport: { width, height: 900 } });
        const shown = page.locator('#notes').getByText(note);
        const box = await shown.boundingBox();
        assert.ok(box && box.y + box.height < 900, `seen without scrolling: ${note} ${width}`);
        await (width === 375 ? assertAccessible : assertFits)(page, `${note} ${width}`);
        assert.deepEqual(faults, []);
        await context.close();
      }
    }
  });
});
