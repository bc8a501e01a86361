import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { address } from '@solana/kit';
import { named } from '../../../../test/setup/wallets.ts';
import { keypairFromName } from '../../../sandbox/src/ledger/keypair.ts';
import { Ledger } from '../../../sandbox/src/ledger/ledger.ts';
import { decodeTransaction } from '../../../sandbox/src/ledger/transaction-decoding.ts';
import { seedWorld } from '../../../sandbox/src/world.ts';
import { sampleRequest } from '../../../server/test/chain/sample-transfer.ts';
import { toAddress } from '../../src/addresses/address.ts';
import { toMessage } from '../../src/plan/plan-message.ts';
import { feeOf } from '../../src/plan/transaction-fee.ts';
import type { TransferRequest } from '../../src/request/transfer-request.ts';
import { encodeTransaction } from '../../src/transaction/encode-transaction.ts';
import { changed, freshWallet, memoOf, planWith } from '../fixtures.ts';
import { decideOn } from '../ledger-transfers.ts';

test('The network charges 5,000 lamports a signature', () => {
  const plan = planWith({});
  const sponsored = changed(plan, { feePayer: freshWallet() });
  assert.deepEqual(feeOf(changed(plan, { feePayer: plan.sender })), { networkFee: 5_000n, priorityFee: 0n });
  assert.deepEqual(feeOf(sponsored), { networkFee: 10_000n, priorityFee: 0n });
});

test('The priority fee is charged for the limit that is asked for, rounded up, and is nothing without a limit', () => {
  const budget = changed(planWith({}), { computeUnitPrice: 25_000n });
  assert.equal(feeOf(changed(budget, { computeUnitLimit: 66_400 })).priorityFee, 1_660n);
  assert.equal(feeOf(changed(budget, { computeUnitLimit: 66_401 })).priorityFee, 1_661n);
  assert.equal(feeOf(changed(budget, { computeUnitLimit: undefined })).priorityFee, 0n);
});

describe("The fee of a plan is what the ledger's getFeeForMessage says of its message", async () => {
  const ledger = new Ledger();
  const world = await seedWorld(ledger);
  const [nonce] = world.nonce_accounts;
  assert.ok(nonce);
  const nonceAccount = toAddress(nonce.address);
  const feePayer = toAddress(keypairFromName('fee test sponsor').address);
  ledger.airdrop(address(feePayer), 10n ** 9n);
  const bob = toAddress(named(world.wallets, 'bob').address);
  const base = { ...sampleRequest, to: bob, createTokenAccount: 'if_missing', memo: memoOf('invoice 1001') } as const;
  const priced = { priorityFee: { microLamportsPerComputeUnit: 333_333n } };
  const parts: Readonly<Record<string, Partial<TransferRequest>>> = {
    'of the sender': {},
    'of a sponsor': { feePayer },
    'with a price': priced,
    'with a price in version 1': { ...priced, version: 1 },
    'of a sponsor, with a price in version 0': { ...priced, version: 0, feePayer },
    'of a sponsor, in the x402 layout': { ...priced, layout: 'x402', createTokenAccount: 'never', feePayer },
    'with a nonce': { nonceAccount },
    'with splits and a created token account': {
      ...priced,
      splits: [{ to: freshWallet(), amount: 1n }],
    },
  };
  for (const [name, part] of Object.entries(parts)) {
    test(name, () => {
      const { plan } = decideOn(ledger, { ...base, ...part });
      const lifetimeToken = plan.nonce?.nonce ?? ledger.latestBlockhash().blockhash;
      const bytes = encodeTransaction(toMessage(plan, lifetimeToken));
      const fee = ledger.feeForMessage(decodeTransaction(bytes), 'processed');
      assert.equal(plan.networkFee + plan.priorityFee, fee);
      assert.deepEqual(feeOf(plan), { networkFee: plan.networkFee, priorityFee: plan.priorityFee });
    });
  }
});
