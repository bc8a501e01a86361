import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getBase58Encoder } from '@solana/kit';
import { Check } from 'typebox/schema';
import { startTestService } from '../../../../test/setup/service.ts';
import { named } from '../../../../test/setup/wallets.ts';
import { replySchemas } from '../../src/transfers/reply-schema.ts';
import { valueAt } from '../app/openapi-document.ts';
import { alice, bob, createBody, createPath, memoBody, memoPath, usdc, yidBody } from '../app/sample-bodies.ts';

const kinds = [
  ['memo_transfer', memoPath, memoBody],
  ['yid_transfer', memoPath, yidBody],
  ['create_transfer', createPath, createBody],
] as const;

/** What stands for a value that no two runs share. */
const anyText = '(any)';
const sandboxIssuer = '5ydAaWAiJPfkDwKHEZEmX6DsW5Z5VUperTCBKqKevkgN';

/** A parsed reply with its bytes, and everything that a blockhash or a nonce decides, replaced. */
function withoutLifetime(reply: unknown): unknown {
  const volatile = ['transaction', 'latestBlockhash', 'blockhash', 'last_valid_block_height', 'message_hash', 'value'];
  return JSON.parse(JSON.stringify(reply), (name, value) => {
    const isVolatile =
      volatile.includes(name) || (name === 'data' && (typeof value === 'string' || Array.isArray(value)));
    return isVolatile && value !== null ? anyText : value;
  });
}

const freezeWarningOf = (mint: string): object => ({
  code: 'freeze_authority',
  level: 'note',
  detail: `The issuer can freeze any account of the mint ${mint}.`,
});

const usdcSummary = {
  transaction_version: 'legacy',
  message_hash: anyText,
  size: 327,
  size_limit: 1232,
  signers: [alice],
  fee_payer: alice,
  token_program: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  token_symbol: 'USDC',
  token_name: 'USD Coin',
  decimals: 6,
  sender: alice,
  sender_token_account: '8wPxMKaK8Vq4GCxYnkD44BcGSh2gxB3c9rj2WDEjpf6t',
  recipient: bob,
  recipient_token_account: 'ChtcJX16gfLZ2qELbysj5isAaEpBcFpf4bKTsnLmiK3H',
  amount: { base_units: '1500000', decimal: '1.5' },
  transfer_fee: { base_units: '0', decimal: '0' },
  received_amount: { base_units: '1500000', decimal: '1.5' },
  network_fee: '5000',
  priority_fee: '0',
  rent: '0',
  tip: null,
  creates_token_account: false,
  thaws_token_account: false,
  splits: [],
  compute_unit_limit: null,
  compute_units_consumed: null,
  blockhash: anyText,
  last_valid_block_height: anyText,
  nonce: null,
  recipient_requires_memo: false,
  memo: 'invoice 1001',
  references: [],
  transfer_hook: null,
  sender_token_account_delegate: null,
  sender_token_account_close_authority: null,
  recipient_token_account_delegate: null,
  recipient_token_account_close_authority: null,
  warnings: [freezeWarningOf(usdc)],
};

test('A reply with an option', async (t) => {
  const service = await startTestService(t);
  const { world } = service.sandbox;
  const carol = named(world.wallets, 'carol').address;
  const taxed = named(world.mints, 'TAXED').address;
  const nonceAccount = 'gpcdvix9yNN2MBE76H9zfNyJQ74pieAaQwM5129MhUU';

  await t.test(
    'has the summary as its third member, word for word, and the lifetime that the headers have',
    async () => {
      const response = await service.post(memoPath, { ...memoBody, summary: true });
      const body: unknown = await response.json();
      const expected = {
        data: { transaction: anyText, latestBlockhash: anyText },
        status: 'token transfer with memo and blockhash created successfully',
        summary: usdcSummary,
      };
      assert.equal(JSON.stringify(withoutLifetime(body), null, 2), JSON.stringify(expected, null, 2));
      const { headers } = response;
      assert.equal(valueAt(body, 'summary', 'blockhash'), headers.get('solana-blockhash'));
      assert.equal(valueAt(body, 'summary', 'last_valid_block_height'), headers.get('solana-last-valid-block-height'));
      assert.equal(valueAt(body, 'data', 'latestBlockhash'), headers.get('solana-blockhash'));
    },
  );

  await t.test('has a summary of every option at once', async () => {
    const response = await service.post(createPath, {
      ...createBody,
      to_address: carol,
      token_mint_address: taxed,
      fee_payer: bob,
      priority_fee: '25000',
      nonce_account: nonceAccount,
      transaction_version: 1,
      encoding: 'base64',
      references: [alice],
      simulate: true,
      summary: true,
    });
    const body: unknown = await response.json();
    const { blockhash: _, last_valid_block_height: __, compute_unit_limit: ___, ...same } = usdcSummary;
    const units = Number(valueAt(body, 'summary', 'compute_units_consumed'));
    const limit = Number(valueAt(body, 'summary', 'compute_unit_limit'));
    assert.ok(units > 10_000 && limit > units, `${units} of ${limit}`);
    assert.deepEqual(withoutLifetime(body), {
      data: anyText,
      status: 'transfer tx with create token account instruction created successfully',
      summary: {
        ...same,
        transaction_version: 1,
        size: 579,
        size_limit: 4096,
        signers: [bob, alice],
        fee_payer: bob,
        token_program: 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
        token_symbol: null,
        token_name: null,
        sender_token_account: 'EmnSnLVcpM5K3FxewbchxMNnwmPjdMUazS8Ku6GdRq26',
        recipient: carol,
        recipient_token_account: 'H5byLJQi5JusttKDfLfqsDLTrC8iRs8uxmAnAP1Yc3ov',
        transfer_fee: { base_units: '15000', decimal: '0.015' },
        received_amount: { base_units: '1485000', decimal: '1.485' },
        network_fee: '10000',
        priority_fee: String(Math.ceil((25_000 * limit) / 1_000_000)),
        rent: '1574800',
        tip: null,
        creates_token_account: true,
        thaws_token_account: false,
        splits: [],
        compute_unit_limit: limit,
        compute_units_consumed: units,
        blockhash: null,
        last_valid_block_height: null,
        nonce: { account: nonceAccount, authority: alice, value: anyText },
        memo: null,
        references: [alice],
        warnings: [
          {
            code: 'transfer_fee',
            level: 'warning',
            detail:
              `The mint ${taxed} withholds 15000 base units (0.015 tokens) of this transfer; 1485000 base units (1.485 ` +
              'tokens) arrive.',
          },
          {
            code: 'durable_nonce',
            level: 'warning',
            detail:
              `The transaction can land until the nonce account ${nonceAccount} is advanced: balances, owners and the rules ` +
              'of the mint may then differ from those that were checked. Advance the nonce to make it void.',
          },
          {
            code: 'mutable_transfer_fee',
            level: 'note',
            detail:
              `${sandboxIssuer} can change how much the mint ${taxed} withholds of each transfer, up to all of it, from a later ` +
              'epoch on.',
          },
          freezeWarningOf(taxed),
          {
            code: 'durable_nonces_will_be_removed',
            level: 'note',
            detail:
              'Solana intends to remove durable nonces, and no date is set: from then on this transaction, which uses the ' +
              `nonce of ${nonceAccount}, cannot land. Send it before, or build it again with a blockhash.`,
          },
        ],
      },
    });
    const { headers } = response;
    assert.equal(headers.get('solana-blockhash'), valueAt(body, 'summary', 'nonce', 'value'));
    assert.equal(headers.get('solana-last-valid-block-height'), null);
  });

  await t.test('holds the same bytes in every encoding, where the array stood', async () => {
    for (const [kind, path, body] of kinds) {
      const read = async (encoding: string | undefined): Promise<unknown> => {
        const response = await service.post(path, { ...body, nonce_account: nonceAccount, encoding });
        const reply: unknown = await response.json();
        assert.equal(response.status, 200, JSON.stringify(reply));
        assert.ok(Check(replySchemas[kind], reply));
        assert.deepEqual(Object.keys(Object(reply)), ['data', 'status']);
        return kind === 'memo_transfer' ? valueAt(reply, 'data', 'transaction') : valueAt(reply, 'data');
      };
      const array = await read(undefined);
      assert.ok(Array.isArray(array));
      assert.deepEqual(await read('array'), array);
      assert.equal(await read('base64'), Buffer.from(array).toString('base64'));
      assert.deepEqual([...getBase58Encoder().encode(String(await read('base58')))], array);
    }
  });

  await t.test('says in the summary what a simulation took, and that nothing was simulated otherwise', async () => {
    for (const simulate of [true, false]) {
      const body: unknown = await (await service.post(createPath, { ...createBody, simulate, summary: true })).json();
      const units = valueAt(body, 'summary', 'compute_units_consumed');
      assert.equal(simulate ? typeof units : units, simulate ? 'number' : null);
    }
  });
});
