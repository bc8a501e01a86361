import assert from 'node:assert/strict';
import { PublicKey, TransactionInstruction, TransactionMessage, VersionedTransaction } from '@solana/web3.js';
import fc from 'fast-check';
import { type Address, toAddress } from '../../src/addresses/address.ts';
import { computeBudgetProgram, isTokenProgram } from '../../src/addresses/programs.ts';
import { TransactionDecodeError } from '../../src/bytes/byte-reader.ts';
import { writeU32, writeU64 } from '../../src/bytes/little-endian.ts';
import { type IntentMatch, matchIntent } from '../../src/outcome/compare-intents.ts';
import { landedContent, type ProgramCalls } from '../../src/outcome/landed-content.ts';
import type { BalanceChange, TokenBalances } from '../../src/outcome/token-balances.ts';
import type { TokenTransfer } from '../../src/outcome/token-transfer.ts';
import { readTransferIntent, type TransferIntent } from '../../src/outcome/transfer-intent.ts';
import { toMessage } from '../../src/plan/plan-message.ts';
import type { TransferPlan } from '../../src/plan/transfer-plan.ts';
import {
  type DecodedTransaction,
  decodeTransaction,
  type LoadedAddresses,
} from '../../src/transaction/decode-transaction.ts';
import {
  encodeTransaction,
  type TransactionVersion,
  transactionSizeLimit,
  type UnsignedMessage,
} from '../../src/transaction/encode-transaction.ts';
import type { Instruction } from '../../src/transaction/instruction.ts';
import { readTransactionLayout } from '../../src/transaction/transaction-layout.ts';
import { changed } from '../fixtures.ts';
import { anyAddress, anyBlockhash, anyOptionPlan } from '../random-plans.ts';
import { compileWithKit, lookupTableOf, transactionOf } from '../witness-transaction.ts';

/** The intent of bytes that have one. */
export function intentOf(bytes: Uint8Array): TransferIntent {
  const read = readTransferIntent(bytes);
  assert.ok('intent' in read, 'fault' in read ? read.fault.kind : '');
  return read.intent;
}

/** What else is known of a landed transaction. */
export interface LandedFacts {
  loaded?: LoadedAddresses | undefined;
  /** None unless they are given; `undefined` where the node did not keep them. */
  calls?: ProgramCalls | undefined;
  hasSucceeded?: boolean;
  /** By default those that follow from the transfers. */
  balances?: TokenBalances | undefined;
}

/** How far landed bytes are the intended transaction; `undefined` also when they are no transaction. */
export function matchBytes(
  intent: TransferIntent,
  bytes: Uint8Array,
  facts: LandedFacts = {},
): IntentMatch | undefined {
  const decoded = decodedOrNothing(bytes, facts.loaded);
  if (!decoded) return undefined;
  const content = landedContent(decoded, 'calls' in facts ? facts.calls : new Map());
  const balances = 'balances' in facts ? facts.balances : balancesAfter(intent, content.transfers);
  return matchIntent(intent, { content, balances, hasSucceeded: facts.hasSucceeded ?? true });
}

/** What bytes say; `undefined` when they are no transaction. */
export function decodedOrNothing(bytes: Uint8Array, loaded?: LoadedAddresses): DecodedTransaction | undefined {
  try {
    return decodeTransaction(bytes, loaded);
  } catch (error) {
    assert.ok(error instanceof TransactionDecodeError, String(error));
    return undefined;
  }
}

/** What the token accounts hold once these transfers are made; the programs refuse those that do not fit to the mint. */
export function balancesAfter(intent: TransferIntent, transfers: readonly TokenTransfer[]): TokenBalances {
  const balances = new Map<Address, BalanceChange>();
  const add = (account: Address, amount: bigint): void => {
    const { mint } = intent;
    const known = balances.get(account) ?? { mint, before: 2n ** 80n, after: 2n ** 80n, owner: undefined };
    balances.set(account, { ...known, after: known.after + amount });
  };
  for (const { source, destination, amount, mint, tokenProgram, decimals } of transfers) {
    const fits = (mint ?? intent.mint) === intent.mint && (decimals ?? intent.decimals) === intent.decimals;
    if (source === intent.source && !(fits && tokenProgram === intent.tokenProgram)) continue;
    add(source, -amount);
    add(destination, amount);
  }
  return balances;
}

/** Messages as the service makes them: any version, any option, either layout. */
export const anyMessage: fc.Arbitrary<UnsignedMessage> = fc
  .tuple(anyOptionPlan('legacy', 0, 1), fc.boolean(), anyBlockhash)
  .map(([plan, isX402, blockhash]) => {
    const laidOut = isX402 ? toX402(plan) : plan;
    return toMessage(laidOut, laidOut.nonce?.nonce ?? blockhash);
  })
  .filter(fits);

function toX402(plan: TransferPlan): TransferPlan {
  const computeUnitLimit = plan.computeUnitLimit ?? 60_000;
  return changed(plan, {
    layout: 'x402',
    splits: [],
    nonce: undefined,
    createsRecipientTokenAccount: false,
    computeUnitLimit,
  });
}

/** Whether a validator takes a transaction of this size. */
export function fits(message: UnsignedMessage): boolean {
  return encodeTransaction(message).length <= transactionSizeLimit(message.version);
}

/** What wallets, sponsors and those between them change about a transaction without signatures. */
export interface WalletChange {
  compiler: 'our encoder' | 'kit' | 'web3.js';
  version: TransactionVersion | undefined;
  feePayer: Address | undefined;
  blockhash: string;
  computeBudget: { units: number; microLamports: bigint } | undefined;
  guards: readonly { index: number; instruction: Instruction }[];
  /** By which the instructions are sorted; undefined where they keep their order. */
  order: readonly number[] | undefined;
  signature: Uint8Array;
}

/** An instruction of a program that is not known, such as Lighthouse. */
const anyGuard: fc.Arbitrary<Instruction> = fc.record({
  program: anyAddress,
  accounts: fc.array(fc.record({ address: anyAddress, signer: fc.constant(false), writable: fc.boolean() }), {
    maxLength: 2,
  }),
  data: fc.oneof(
    fc.uint8Array({ maxLength: 20 }),
    // As long as a transfer's, and with its discriminator.
    fc.uint8Array({ minLength: 9, maxLength: 9 }).map((rest) => Uint8Array.of(12, ...rest)),
  ),
});

/** Any signature but the empty one. */
export const anySignature: fc.Arbitrary<Uint8Array> = fc
  .uint8Array({ minLength: 64, maxLength: 64 })
  .filter((signature) => signature.some((byte) => byte !== 0));

/** Changes that leave what is paid as it is. */
export const anyWalletChange: fc.Arbitrary<WalletChange> = fc.record({
  compiler: fc.constantFrom('our encoder', 'kit', 'web3.js'),
  version: fc.option(fc.constantFrom<TransactionVersion>('legacy', 0, 1), { nil: undefined, freq: 2 }),
  feePayer: fc.option(anyAddress, { nil: undefined }),
  blockhash: anyBlockhash,
  computeBudget: fc.option(
    fc.record({ units: fc.nat({ max: 1_400_000 }), microLamports: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }) }),
    { nil: undefined },
  ),
  guards: fc.array(fc.record({ index: fc.nat({ max: 9 }), instruction: anyGuard }), { maxLength: 2 }),
  order: fc.option(fc.array(fc.nat({ max: 99 }), { minLength: 16, maxLength: 16 }), { nil: undefined }),
  signature: anySignature,
});

/** Makes the changes of a wallet. The blockhash is always another. */
export function changeAsWallet(message: UnsignedMessage, change: WalletChange): UnsignedMessage {
  const { computeBudget, guards, order, feePayer, blockhash } = change;
  const version = change.version ?? message.version;
  let instructions = [...message.instructions];
  if (computeBudget) {
    instructions = instructions.filter(({ program }) => program !== computeBudgetProgram);
    if (version !== 1) instructions.unshift(...computeBudgetInstructions(computeBudget));
  }
  for (const { index, instruction } of guards) instructions.splice(index, 0, instruction);
  if (order) {
    const rank = new Map(instructions.map((instruction, index) => [instruction, order[index] ?? 0]));
    instructions.sort((one, other) => (rank.get(one) ?? 0) - (rank.get(other) ?? 0));
  }
  const units = computeBudget?.units ?? 200_000;
  const config = {
    priorityFee: computeBudget?.microLamports ?? 0n,
    computeUnitLimit: units,
    loadedAccountsDataSizeLimit: 9,
  };
  return {
    version,
    feePayer: feePayer ?? message.feePayer,
    instructions,
    lifetimeToken: blockhash,
    config: version === 1 ? config : undefined,
  };
}

function computeBudgetInstructions({ units, microLamports }: { units: number; microLamports: bigint }): Instruction[] {
  const [limit, price] = [Uint8Array.of(2, 0, 0, 0, 0), Uint8Array.of(3, 0, 0, 0, 0, 0, 0, 0, 0)];
  writeU32(limit, 1, units);
  writeU64(price, 1, microLamports);
  return [limit, price].map((data) => ({ program: computeBudgetProgram, accounts: [], data }));
}

/** The bytes of a message as one library puts them together. web3.js does not know version 1: kit takes its place. */
export function compile(message: UnsignedMessage, compiler: WalletChange['compiler']): Uint8Array {
  if (compiler === 'our encoder') return encodeTransaction(message);
  if (compiler === 'web3.js' && message.version !== 1) return compileWithWeb3(message);
  const compiled = compileWithKit(message);
  const signerCount = compiled[message.version === 'legacy' ? 0 : 1] ?? 0;
  return transactionOf(compiled, message.version, signerCount);
}

function compileWithWeb3({ version, feePayer, instructions, lifetimeToken }: UnsignedMessage): Uint8Array {
  const message = new TransactionMessage({
    payerKey: new PublicKey(feePayer),
    recentBlockhash: lifetimeToken,
    instructions: instructions.map(
      ({ program, accounts, data }) =>
        new TransactionInstruction({
          programId: new PublicKey(program),
          keys: accounts.map(({ address, signer, writable }) => ({
            pubkey: new PublicKey(address),
            isSigner: signer,
            isWritable: writable,
          })),
          data: Buffer.from(data),
        }),
    ),
  });
  const compiled = version === 0 ? message.compileToV0Message() : message.compileToLegacyMessage();
  return new VersionedTransaction(compiled).serialize();
}

/** Puts a signature into the place of every signer. */
export function signedBy(bytes: Uint8Array, signature: Uint8Array): Uint8Array {
  const { signaturesOffset, requiredSignatures } = readTransactionLayout(bytes);
  const signed = Uint8Array.from(bytes);
  for (let index = 0; index < requiredSignatures; index++) signed.set(signature, signaturesOffset + index * 64);
  return signed;
}

/** Whether an instruction is one of the transfers that are built. */
export function isTransfer({ program, data }: Pick<Instruction, 'program' | 'data'>): boolean {
  return isTokenProgram(program) && data[0] === 12;
}

const tokenPrograms = ['TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb'];
const memoPrograms = ['Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo', 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr'];

/** What a transaction pays from a token account, by web3.js: a text for each payment, sorted, and the memos in their order. */
export function paymentsByWitness(bytes: Uint8Array, source: string): { payments: string[]; memos: string[] } {
  const { message } = VersionedTransaction.deserialize(bytes);
  const keys = message.staticAccountKeys.map((key) => key.toBase58());
  const payments: string[] = [];
  const memos: string[] = [];
  for (const { programIdIndex, accountKeyIndexes, data } of message.compiledInstructions) {
    const program = keys[programIdIndex] ?? '';
    const hex = Buffer.from(data).toString('hex');
    if (memoPrograms.includes(program)) memos.push(hex);
    if (!tokenPrograms.includes(program) || data[0] !== 12 || data.length < 10) continue;
    const [from, mint, destination, authority, ...others] = accountKeyIndexes.map((index) => keys[index]);
    if (from !== source || authority === undefined) continue;
    payments.push([program, hex.slice(0, 20), from, mint, destination, authority, ...others.sort()].join());
  }
  return { payments: payments.sort(), memos };
}

/** The message as web3.js recompiles it, with every account that need not be in the bytes in a lookup table. */
export function withLookupTable(message: UnsignedMessage): { bytes: Uint8Array; loaded: LoadedAddresses } {
  const plain = VersionedTransaction.deserialize(compile({ ...message, version: 0 }, 'web3.js')).message;
  const table = lookupTableOf(plain.staticAccountKeys);
  const compiled = TransactionMessage.decompile(plain).compileToV0Message([table]);
  const { writable, readonly } = compiled.resolveAddressTableLookups([table]);
  const textsOf = (keys: readonly PublicKey[]): Address[] => keys.map((key) => toAddress(key.toBase58()));
  return {
    bytes: new VersionedTransaction(compiled).serialize(),
    loaded: { writable: textsOf(writable), readonly: textsOf(readonly) },
  };
}
