import fc from 'fast-check';
import { type Address, addressFromBytes } from '../src/addresses/address.ts';
import { tokenPrograms } from '../src/addresses/programs.ts';
import type { TransferPlan } from '../src/plan/transfer-plan.ts';
import type { TransactionVersion } from '../src/transaction/encode-transaction.ts';
import { changed, memoOf, paymentOf, planWith, recipientOf } from './fixtures.ts';

/** Any character of Unicode but a surrogate, the first 256 and the lower planes more often. The library's own unit takes 0.7 s to make. */
export const anyCharacter: fc.Arbitrary<string> = fc
  .oneof(
    { weight: 2, arbitrary: fc.integer({ min: 0, max: 0xff }) },
    { weight: 3, arbitrary: fc.integer({ min: 0x100, max: 0xd7ff }) },
    { weight: 3, arbitrary: fc.integer({ min: 0xe000, max: 0x10ffff }) },
  )
  .map((codePoint) => String.fromCodePoint(codePoint));

const any32Bytes = fc.uint8Array({ minLength: 32, maxLength: 32 });

/** Any 32 bytes as an address. */
export const anyAddress: fc.Arbitrary<Address> = any32Bytes.map(addressFromBytes);

/** Any blockhash. */
export const anyBlockhash: fc.Arbitrary<string> = any32Bytes.map(addressFromBytes);

/** Texts of every script that a transaction with any other part has room for. */
const anyMemoText: fc.Arbitrary<string> = fc
  .oneof(
    fc.string({ minLength: 1, maxLength: 640 }),
    fc.string({ unit: anyCharacter, minLength: 1, maxLength: 160 }),
    fc.string({ unit: fc.constantFrom('a', ' ', '\0', '\n', 'é', 'ß', '漢', '😀', '\ufeff', '"'), minLength: 1 }),
  )
  .filter((text) => text.isWellFormed() && Buffer.byteLength(text) <= 640);

const anySplit = fc.record({
  /** Without it the main recipient is paid once more. */
  other: fc.option(anyAddress, { nil: undefined, freq: 8 }),
  amount: fc.bigInt({ min: 1n, max: 2n ** 64n - 1n }),
  createsRecipientTokenAccount: fc.boolean(),
  hookAccounts: fc.array(fc.record({ address: anyAddress, signer: fc.constant(false), writable: fc.boolean() }), {
    maxLength: 1,
  }),
});

/** None nearly always; otherwise as many as leave room for a short memo. */
const anySplits = fc.oneof(
  { weight: 3, arbitrary: fc.array(anySplit, { maxLength: 0 }) },
  { weight: 1, arbitrary: fc.array(anySplit, { minLength: 1, maxLength: 3 }) },
);

/** Plans as the service makes them, and some that it does not make yet: with and without each optional part. */
export const anyPlan: fc.Arbitrary<TransferPlan> = fc
  .record({
    addresses: fc.uniqueArray(anyAddress, { minLength: 3, maxLength: 3 }),
    tokenProgram: fc.constantFrom(...tokenPrograms),
    decimals: fc.nat({ max: 255 }),
    amount: fc.oneof(fc.bigInt({ min: 1n, max: 2n ** 64n - 1n }), fc.constant(2n ** 64n - 1n), fc.constant(1n)),
    recipientTokenAccountExists: fc.boolean(),
    createsRecipientTokenAccount: fc.boolean(),
    memo: fc.option(anyMemoText.map(memoOf), { nil: undefined }),
    computeUnitLimit: fc.option(fc.nat({ max: 0xffffffff }), { nil: undefined }),
    hookAccounts: fc.oneof(
      { weight: 4, arbitrary: fc.constant([]) },
      fc.array(fc.record({ address: anyAddress, signer: fc.constant(false), writable: fc.boolean() }), {
        minLength: 1,
        maxLength: 3,
      }),
    ),
    transferFee: fc.constant(0n),
    networkFee: fc.constant(5000n),
    layout: fc.constant('default' as const),
    version: fc.constant('legacy' as const),
    computeUnitPrice: fc.constant(0n),
    nonce: fc.constant(undefined),
    references: fc.constant([]),
    priorityFee: fc.constant(0n),
    rent: fc.constant(0n),
    splits: anySplits,
  })
  .map(({ addresses, splits, ...rest }) => {
    const [sender, recipient, mint] = addresses;
    if (!sender || !recipient || !mint) throw new Error('too few');
    const plan = planWith({ sender, recipient, mint, ...rest });
    return changed(plan, {
      splits: splits.map((split) => paymentOf(plan, { ...split, recipient: split.other ?? recipient })),
    });
  });

const anyU64 = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });

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
      return changed(base, {
        version,
        feePayer,
        nonce: nonceAccount === undefined ? undefined : { account: nonceAccount, authority, nonce: lifetimeToken },
        // Whoever has a role of their own may be a reference too: the account is in the message once.
        references: options.isRecipientReferred
          ? [...options.references.slice(1), recipientOf(base).recipient]
          : options.references,
        computeUnitLimit: version === 1 ? options.computeUnitLimit : base.computeUnitLimit,
        computeUnitPrice: version === 1 ? 0n : options.computeUnitPrice,
        priorityFee: version === 1 ? options.priorityFee : 0n,
      });
    });
}
