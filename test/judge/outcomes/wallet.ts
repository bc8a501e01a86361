import {
  AccountRole,
  address,
  type Blockhash,
  compileTransaction,
  createNoopSigner,
  decompileTransactionMessage,
  getCompiledTransactionMessageDecoder,
  getTransactionEncoder,
  type Instruction,
  isSolanaError,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
} from '@solana/kit';
import { getTransferSolInstruction } from '@solana-program/system';
import { getTransferCheckedInstruction } from '@solana-program/token-2022';
import { type Keypair, keypairFromName } from '../../../packages/sandbox/src/ledger/keypair.ts';
import { batchOf, memoOf, withReferences } from '../../setup/payment-forms.ts';
import { throughProxy } from '../../setup/proxy-program.ts';
import { memoProgram } from '../addresses.ts';
import type { Situation } from '../situation.ts';
import { readTransaction, signTransaction } from '../transaction.ts';

/** How a wallet changes what it is given before it signs it. */
export type WalletChange = (typeof walletChanges)[number];
/** Every way in which a wallet changes what it is given. */
export const walletChanges = [
  'compute_price',
  'guard_before',
  'guard_after',
  'blockhash',
  'fee_payer',
  'price_of_sponsor',
  'unchecked',
  'with_fee',
  'batch',
  'in_a_program',
  'drops_memo',
  'adds_memo',
  'drops_references',
  'moves_references',
  'adds_reference',
  'hands_reference',
] as const;

/** The bytes that a transaction of version 1 may have. */
export const maxBytesOfVersion1 = 4_096;
/** The bytes that a transaction of the other versions may have. */
export const maxBytes = 1_232;

/** What a wallet signs with. */
export interface WalletKeys {
  situation: Situation;
  /** Who pays where the wallet replaces the fee payer. */
  otherPayer: Keypair;
  /** The newest blockhash. */
  blockhash: { blockhash: Blockhash; lastValidBlockHeight: bigint };
}

/** What a wallet signed. */
export interface Signed {
  bytes: Uint8Array;
  /** What the wallet changed; what did not fit it left. */
  changes: readonly WalletChange[];
}

// Of another payment.
const otherReference = keypairFromName('splwright judge reference of another').address;
const computeBudgetProgram = address('ComputeBudget111111111111111111111111111111');

/** Signs a built transaction as it is. */
export function signAsBuilt(bytes: Uint8Array, { situation }: Pick<WalletKeys, 'situation'>): Uint8Array {
  return signTransaction(readTransaction(bytes), situation.signers);
}

/** Changes a built transaction as wallets do, and signs it; leaves out the last changes while it does not fit. */
export function signChanged(bytes: Uint8Array, wanted: readonly WalletChange[], keys: WalletKeys): Signed {
  for (let count = wanted.length; count > 0; count -= 1) {
    const changes = wanted.slice(0, count);
    const changed = tryChange(bytes, changes, keys);
    if (changed) return { bytes: changed, changes };
  }
  return { bytes: signAsBuilt(bytes, keys), changes: [] };
}

function tryChange(bytes: Uint8Array, changes: readonly WalletChange[], keys: WalletKeys): Uint8Array | undefined {
  const { situation, otherPayer, blockhash } = keys;
  const compiled = getCompiledTransactionMessageDecoder().decode(readTransaction(bytes).messageBytes);
  const given = decompileTransactionMessage(compiled);
  const instructions = changedInstructions(given.instructions, changes, situation, compiled.version !== 1);
  const payer = changes.includes('fee_payer') ? otherPayer.address : given.feePayer.address;
  const paid = setTransactionMessageFeePayer(payer, { ...given, instructions });
  try {
    const transaction = compileTransaction(
      // Also in the place of a nonce.
      changes.includes('blockhash') ? setTransactionMessageLifetimeUsingBlockhash(blockhash, paid) : paid,
    );
    const limit = compiled.version === 1 ? maxBytesOfVersion1 : maxBytes;
    if (getTransactionEncoder().encode(transaction).length > limit) return undefined;
    return signTransaction(transaction, [...situation.signers, otherPayer]);
  } catch (error) {
    if (isSolanaError(error)) return undefined;
    throw error;
  }
}

function changedInstructions(
  given: readonly Instruction[],
  changes: readonly WalletChange[],
  situation: Situation,
  hasPriceInstruction: boolean,
): Instruction[] {
  const setsPrice = changes.includes('compute_price') && hasPriceInstruction;
  const kept = given
    .filter((each) => !setsPrice || !isPrice(each))
    .filter(({ programAddress }) => !changes.includes('drops_memo') || programAddress !== memoProgram)
    .map((each) => reform(each, changes, situation));
  // A nonce is advanced first of all.
  const start = situation.nonceAccount === undefined ? 0 : 1;
  return [
    ...kept.slice(0, start),
    ...(setsPrice ? [computeUnitPrice(situation)] : []),
    ...(changes.includes('guard_before') ? [guard(situation)] : []),
    ...(changes.includes('price_of_sponsor') ? [priceOfSponsor(situation)] : []),
    ...kept.slice(start),
    // A memo in the place of another makes another payment.
    ...(changes.includes('adds_memo') && !changes.includes('drops_memo')
      ? [memoOf('a note of the wallet', [situation.sender])]
      : []),
    ...(changes.includes('guard_after') ? [guard(situation)] : []),
    ...(changes.includes('moves_references') ? [withReferences(guard(situation), situation.references)] : []),
  ];
}

const transferChecked = 12;
// What a program that makes a transfer takes, too.
const enoughComputeUnits = 600_000;

/** A transfer in the form that a wallet gives it, and room for what that takes. */
function reform(
  instruction: Instruction,
  changes: readonly WalletChange[],
  { tokenProgram, references }: Situation,
): Instruction {
  const { programAddress, accounts = [], data } = instruction;
  const isFormed = changes.some((each) => each === 'in_a_program' || each === 'batch' || each === 'with_fee');
  if (programAddress === computeBudgetProgram && data?.[0] === 2 && isFormed) {
    const limit = Buffer.from(data);
    limit.writeUInt32LE(enoughComputeUnits, 1);
    return { ...instruction, data: Uint8Array.from(limit) };
  }
  if (programAddress !== tokenProgram || data?.[0] !== transferChecked) return instruction;
  const [source, mint, destination, authority, ...others] = accounts;
  if (!source || !mint || !destination || !authority) return instruction;
  const drops = changes.includes('drops_references') || changes.includes('moves_references');
  const dropped: ReadonlySet<string> = new Set(drops ? references : []);
  const further = others.filter(({ address: each }) => !dropped.has(each));
  // Of something else that the same transaction is to settle. A reference in the place of others makes another payment.
  const adds = changes.includes('adds_reference') && !changes.includes('drops_references');
  if (adds) further.push({ address: otherReference, role: AccountRole.READONLY });
  const [amount, decimals] = [data.slice(1, 9), data.slice(9, 10)];
  let formed: Instruction = { programAddress, accounts: [source, mint, destination, authority, ...further], data };
  if (changes.includes('with_fee')) {
    formed = { ...formed, data: Uint8Array.from([26, 1, ...amount, ...decimals, ...new Uint8Array(8)]) };
  } else if (changes.includes('unchecked')) {
    const own = [source, destination, authority, ...further];
    formed = { programAddress, accounts: own, data: Uint8Array.from([3, ...amount]) };
  }
  if (changes.includes('batch')) formed = batchOf(tokenProgram, [formed]);
  const handed = changes.includes('hands_reference') ? [otherReference] : [];
  return changes.includes('in_a_program') ? throughProxy([formed], handed) : formed;
}

function isPrice({ programAddress, data }: Instruction): boolean {
  return programAddress === computeBudgetProgram && data?.[0] === 3;
}

function computeUnitPrice({ world }: Situation): Instruction {
  const data = new Uint8Array(9);
  data[0] = 3;
  new DataView(data.buffer).setBigUint64(1, BigInt(1 + (world.number % 50)), true);
  return { programAddress: computeBudgetProgram, data };
}

// What a wallet asserts about the accounts: an instruction that no service knows. Nothing is moved by this one.
function guard({ sender }: Situation): Instruction {
  return getTransferSolInstruction({ source: createNoopSigner(sender), destination: sender, amount: 0n });
}

// What a sponsor charges for paying the fee: a further transfer of the sender's own tokens, here back to the sender.
function priceOfSponsor({ sender, mint, senderTokenAccount, decimals, tokenProgram }: Situation): Instruction {
  return getTransferCheckedInstruction(
    {
      source: senderTokenAccount,
      mint,
      destination: senderTokenAccount,
      authority: createNoopSigner(sender),
      amount: 1n,
      decimals,
    },
    { programAddress: tokenProgram },
  );
}
