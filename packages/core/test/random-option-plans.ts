import fc from 'fast-check';
import type { NonceAdvance } from '../src/accounts/nonce-account.ts';
import type { TransferPlan } from '../src/plan/transfer-plan.ts';
import type { TransactionVersion } from '../src/transaction/encode-transaction.ts';
import { anyAddress, anyPlan, freshAddress } from './random-plans.ts';

const anyU64 = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });

/** A nonce account that the authority advances, at fresh addresses. */
export function nonceOf(authority: NonceAdvance['authority']): NonceAdvance {
  return { account: freshAddress(), authority, nonce: freshAddress() };
}

/** Plans with any of the options, in the versions given: some larger than a transaction may be. */
export function anyOptionPlan(...versions: readonly TransactionVersion[]): fc.Arbitrary<TransferPlan> {
  return fc
    .record({
      base: anyPlan,
      version: fc.constantFrom(...versions),
      otherPayer: fc.option(anyAddress, { nil: undefined }),
      nonceAccount: fc.option(anyAddress, { nil: undefined }),
      isAdvancedByPayer: fc.boolean(),
      lifetimeToken: anyAddress,
      references: fc.uniqueArray(anyAddress, { maxLength: 10 }),
      isRecipientReferred: fc.boolean(),
      computeUnitLimit: fc.integer({ min: 1, max: 1_400_000 }),
      computeUnitPrice: fc.oneof(fc.constant(0n), anyU64),
      priorityFee: fc.oneof(fc.constant(0n), anyU64),
    })
    .map(({ base, version, otherPayer, nonceAccount, isAdvancedByPayer, lifetimeToken, ...options }) => {
      const feePayer = otherPayer ?? base.sender;
      const authority = isAdvancedByPayer ? feePayer : base.sender;
      return {
        ...base,
        version,
        feePayer,
        nonce: nonceAccount === undefined ? undefined : { account: nonceAccount, authority, nonce: lifetimeToken },
        // Whoever has a role of their own may be a reference too: the account is in the message once.
        references: options.isRecipientReferred ? [...options.references.slice(1), base.recipient] : options.references,
        computeUnitLimit: version === 1 ? options.computeUnitLimit : base.computeUnitLimit,
        computeUnitPrice: version === 1 ? 0n : options.computeUnitPrice,
        priorityFee: version === 1 ? options.priorityFee : 0n,
      };
    });
}
