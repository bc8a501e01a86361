import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { address } from '@solana/kit';
import { extension, type TokenArgs } from '@solana-program/token-2022';
import { token2022Program } from '../../src/addresses/programs.ts';
import { summarizeTransfer } from '../../src/decide/transfer-summary.ts';
import { maxAmount } from '../../src/request/amount.ts';
import type { TransferRequest } from '../../src/request/transfer-request.ts';
import {
  contextIn,
  decidedIn,
  feeMint,
  foundIn,
  freshWallet,
  mintAccount,
  requestOf,
  type Scene,
  tokenAccount,
} from '../fixtures.ts';

const request = requestOf();
const held = (amount: bigint) => tokenAccount(request.mint, request.from, { amount }, token2022Program);

describe('What must arrive', () => {
  const asking = { ...request, amount: { received: 1_000_000n } };
  const mint = feeMint(100, 200);

  test('is sent with what the mint withholds now, and the payer hears what would arrive from a later epoch on', () => {
    const decided = decidedIn(asking, { mint });
    assert.deepEqual(
      decided.plan.payments.map(({ amount, transferFee }) => [amount, transferFee]),
      [[1_010_102n, 10_102n]],
    );
    const lifetime = { blockhash: freshWallet(), lastValidBlockHeight: 1n };
    const built = { ...decided, bytes: new Uint8Array(), lifetime, unitsConsumed: undefined };
    const { receivedAmount, warnings } = summarizeTransfer(built);
    assert.equal(receivedAmount, 1_000_000n);
    const scheduled = warnings.find(({ code }) => code === 'scheduled_transfer_fee');
    assert.partialDeepStrictEqual(scheduled?.context, { transferFee: 20_203n, receivedAmount: 989_899n });
  });

  test('is what is sent of a mint without fees, also as whole tokens', () => {
    const received = { digits: 15n, fractionDigits: 1 };
    assert.equal(decidedIn({ ...request, amount: { received } }).plan.payments[0]?.amount, 1_500_000n);
  });

  test('is refused by its own name, where the balance is too low or nothing of so much can be sent', () => {
    assert.deepEqual(foundIn(asking, { mint, senderTokenAccount: held(1_010_101n) }), [
      'insufficient_token_balance amountReceived',
    ]);
    assert.deepEqual(foundIn({ ...request, amount: { received: maxAmount } }, { mint }), [
      'amount_not_representable amountReceived',
    ]);
  });
});

/** The amount that goes to the recipient, and what is said of it. */
function sentIn(asked: TransferRequest, scene: Scene): unknown {
  const decided = decidedIn(asked, scene);
  return [decided.plan.payments.at(-1)?.amount, decided.max];
}

describe('An amount of "max"', () => {
  const asking: TransferRequest = { ...request, amount: 'max' };
  const other = freshWallet();
  const holding = (parts: Partial<TokenArgs>) => ({
    senderTokenAccount: tokenAccount(request.mint, request.from, parts),
  });
  const delegated = (amount: bigint) => holding({ delegate: address(request.from), delegatedAmount: amount });

  test('is all in the token account, less the splits', () => {
    assert.deepEqual(sentIn(asking, holding({ amount: 7n })), [7n, { held: 7n, left: 0n }]);
    const splits = [{ to: other, amount: 4n }];
    assert.deepEqual(sentIn({ ...asking, splits }, holding({ amount: 7n })), [3n, { held: 7n, left: 0n }]);
  });

  test('is what the delegation of the sender covers, which ends once it is spent', () => {
    assert.deepEqual(sentIn(asking, delegated(5n)), [5n, { held: 5_000_000n, left: 4_999_995n }]);
    const split = (amount: bigint) => sentIn({ ...asking, splits: [{ to: other, amount }] }, delegated(5n));
    assert.deepEqual(split(3n), [2n, { held: 5_000_000n, left: 4_999_995n }]);
    assert.deepEqual(split(5n), [4_999_995n, { held: 5_000_000n, left: 0n }]);
    const ofOther = { owner: address(other), delegate: address(request.from), delegatedAmount: 5n };
    assert.deepEqual(sentIn(asking, holding(ofOther)), [5n, { held: 5_000_000n, left: 4_999_995n }]);
    assert.deepEqual(sentIn(asking, delegated(6_000_000n)), [5_000_000n, { held: 5_000_000n, left: 0n }]);
  });

  test('is all for a permanent delegate, whatever was delegated to it', () => {
    const mint = mintAccount({ extensions: [extension('PermanentDelegate', { delegate: address(request.from) })] });
    const parts = { delegate: address(request.from), delegatedAmount: 5n, amount: 9n };
    const senderTokenAccount = tokenAccount(request.mint, request.from, parts, token2022Program);
    assert.deepEqual(sentIn(asking, { mint, senderTokenAccount }), [9n, { held: 9n, left: 0n }]);
  });

  test('is refused where nothing can be sent', () => {
    assert.deepEqual(foundIn(asking, holding({ amount: 0n })), ['insufficient_token_balance amount']);
    assert.deepEqual(foundIn(asking, { senderTokenAccount: null }), ['sender_token_account_not_found from']);
    const all = { ...asking, splits: [{ to: other, amount: 7n }] };
    assert.deepEqual(foundIn(all, holding({ amount: 7n })), ['insufficient_token_balance amount']);
    assert.partialDeepStrictEqual(contextIn(all, holding({ amount: 7n })), { available: 7n, amount: 8n });
  });
});
