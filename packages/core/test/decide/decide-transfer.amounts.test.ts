import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { token2022Program } from '../../src/addresses/programs.ts';
import { summarizeTransfer } from '../../src/decide/transfer-summary.ts';
import { maxAmount } from '../../src/request/amount.ts';
import { decidedIn, feeMint, foundIn, freshWallet, requestOf, tokenAccount } from '../fixtures.ts';

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
