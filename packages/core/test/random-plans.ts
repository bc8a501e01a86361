import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { type Address, addressFromBytes } from '../src/addresses/address.ts';
import { findAssociatedTokenAddress } from '../src/addresses/derived-addresses.ts';
import { tokenProgram, tokenPrograms } from '../src/addresses/programs.ts';
import type { Payment, TransferPlan } from '../src/plan/transfer-plan.ts';
import { type Memo, parseMemo } from '../src/request/memo.ts';
import { encodeTransaction } from '../src/transaction/encode-transaction.ts';
import type { Instruction } from '../src/transaction/instruction.ts';
import { anyCharacter } from './random-text.ts';

/** The memo of a text. Throws when the text cannot be one. */
export function memoOf(text: string): Memo {
  const parsed = parseMemo(text);
  if ('fault' in parsed) throw new Error(`not a memo: ${JSON.stringify(text)}`);
  return parsed.memo;
}

/** An address that nothing else has. */
export function freshAddress(): Address {
  return addressFromBytes(randomBytes(32));
}

const any32Bytes = fc.uint8Array({ minLength: 32, maxLength: 32 });

/** Any 32 bytes as an address. */
export const anyAddress: fc.Arbitrary<Address> = any32Bytes.map(addressFromBytes);

/** Any blockhash. */
export const anyBlockhash: fc.Arbitrary<string> = any32Bytes.map(addressFromBytes);

/** Texts of every script that a transaction with any other part has room for. */
export const anyMemoText: fc.Arbitrary<string> = fc
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

/** A payment in the transaction of a plan. */
export function paymentOf(
  { mint, tokenProgram: program }: Pick<TransferPlan, 'mint' | 'tokenProgram'>,
  parts: Pick<Payment, 'recipient' | 'amount'> & Partial<Payment>,
): Payment {
  const account = findAssociatedTokenAddress({ owner: parts.recipient, mint, tokenProgram: program });
  return {
    memo: undefined,
    references: [],
    recipientTokenAccount: account.address,
    recipientTokenAccountBump: account.bump,
    recipientTokenAccountExists: false,
    createsRecipientTokenAccount: false,
    transferFee: 0n,
    rent: 0n,
    hookAccounts: [],
    ...parts,
  };
}

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
    const plan = withTokenAccounts({ feePayer: sender, sender, recipient, mint, ...rest });
    return {
      ...plan,
      splits: splits.map((split) => paymentOf(plan, { ...split, recipient: split.other ?? recipient })),
    };
  });

/** The options of a plan whose request names none. */
export const noOptions = {
  layout: 'default',
  version: 'legacy',
  computeUnitPrice: 0n,
  nonce: undefined,
  references: [],
  priorityFee: 0n,
  splits: [],
} as const;

/** A transfer of 1.5 tokens between fresh addresses, without any optional part but those given. */
export function planWith(parts: Partial<TransferPlan>): TransferPlan {
  const sender = freshAddress();
  const plan = {
    ...noOptions,
    feePayer: sender,
    sender,
    recipient: freshAddress(),
    mint: freshAddress(),
    tokenProgram,
    decimals: 6,
    amount: 1_500_000n,
    recipientTokenAccountExists: false,
    createsRecipientTokenAccount: false,
    memo: undefined,
    computeUnitLimit: undefined,
    hookAccounts: [],
    transferFee: 0n,
    networkFee: 5000n,
    rent: 0n,
    ...parts,
  };
  return { ...withTokenAccounts(plan), ...parts };
}

type PlannedTokenAccounts = Pick<
  TransferPlan,
  'senderTokenAccount' | 'senderTokenAccountBump' | 'recipientTokenAccount' | 'recipientTokenAccountBump'
>;

/** Puts the token accounts of its two wallets into a plan. */
export function withTokenAccounts<T extends Pick<TransferPlan, 'sender' | 'recipient' | 'mint' | 'tokenProgram'>>(
  plan: T,
): T & PlannedTokenAccounts {
  const { sender, recipient, mint, tokenProgram: program } = plan;
  const own = findAssociatedTokenAddress({ owner: sender, mint, tokenProgram: program });
  const other = findAssociatedTokenAddress({ owner: recipient, mint, tokenProgram: program });
  return {
    ...plan,
    senderTokenAccount: own.address,
    senderTokenAccountBump: own.bump,
    recipientTokenAccount: other.address,
    recipientTokenAccountBump: other.bump,
  };
}

/** Encodes a legacy transaction of these instructions. */
export function legacyTransaction(
  feePayer: Address,
  instructions: readonly Instruction[],
  lifetimeToken: string,
): Uint8Array {
  return encodeTransaction({ version: 'legacy', feePayer, instructions, lifetimeToken, config: undefined });
}
