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
import { feeOf, feeRule } from '../../src/plan/transaction-fee.ts';
import type { TransferRequest } from '../../src/request/transfer-request.ts';
import { encodeTransaction } from '../../src/transaction/encode-transaction.ts';
import { freshWallet, memoOf, planWith } from '../fixtures.ts';
import { decideOn } from '../ledger-transfers.ts';

test('The rule in force is 5,000 lamports a signature', () => {
  assert.deepEqual(feeRule, { lamportsPerSignature: 5_000n });
  const plan = planWith({});
  const sponsored = { ...plan, feePayer: freshWallet() };
  assert.deepEqual(feeOf({ ...plan, feePayer: plan.sender }, feeRule), { networkFee: 5_000n, priorityFee: 0n });
  assert.deepEqual(feeOf(sponsored, feeRule), { networkFee: 10_000n, priorityFee: 0n });
  assert.equal(feeOf(sponsored, { lamportsPerSignature: 7n }).networkFee, 14n);
});

test('The priority fee is charged for the limit that is asked for, rounded up, and is nothing without a limit', () => {
  const budget = { ...planWith({}), computeUnitPrice: 25_000n };
  assert.equal(feeOf({ ...budget, computeUnitLimit: 66_400 }, feeRule).priorityFee, 1_660n);
  assert.equal(feeOf({ ...budget, computeUnitLimit: 66_401 }, feeRule).priorityFee, 1_661n);
  assert.equal(feeOf({ ...budget, computeUnitLimit: undefined }, feeRule).priorityFee, 0n);
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
      assert.deepEqual(feeOf(plan, feeRule), { networkFee: plan.networkFee, priorityFee: plan.priorityFee });
    });
  }
});
