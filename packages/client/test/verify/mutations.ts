import { type Address, toAddress } from '../../../core/src/addresses/address.ts';
import { findAssociatedTokenAddress } from '../../../core/src/addresses/derived-addresses.ts';
import {
  associatedTokenProgram,
  tokenProgram as classicTokenProgram,
  computeBudgetProgram,
  memoProgram,
  memoProgramV1,
  recentBlockhashesSysvar,
  systemProgram,
  token2022Program,
} from '../../../core/src/addresses/programs.ts';
import { keypairFromName } from '../../../sandbox/src/ledger/keypair.ts';
import { type InstructionParts, type Meta, type Parts, putTogether } from './parts.ts';

/** Draws whole numbers below a bound: fast, and reproducible by its seed. */
export class Draw {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  below(bound: number): number {
    // mulberry32
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % bound;
  }

  pick<Value>(values: readonly Value[]): Value {
    const value = values[this.below(values.length)];
    if (value === undefined) throw new RangeError('nothing to pick from');
    return value;
  }
}

const keyOf = (name: string): Address => toAddress(keypairFromName(name).address);
/** Who would be paid by a theft. */
export const thief = keyOf('splwright verify thief');
const strangers = [thief, keyOf('splwright verify stranger'), keyOf('splwright verify other')];

const ro = (address: Address): Meta => ({ address, signer: false, writable: false });
const rw = (address: Address): Meta => ({ address, signer: false, writable: true });
const signs = (address: Address): Meta => ({ address, signer: true, writable: false });

/** Where the transfer of a transaction goes, by its own instruction. */
export interface Transfer {
  index: number;
  instruction: InstructionParts;
  source: Address;
  mint: Address;
  destination: Address;
  authority: Address;
}

/** The main transfer of parts: the last one of its token program, or of SOL where there is none. */
export function transferOf({ instructions }: Parts): Transfer {
  const isTransfer = ({ program }: InstructionParts) => program === classicTokenProgram || program === token2022Program;
  const isOfSol = ({ program, data }: InstructionParts) => program === systemProgram && data[0] === 2;
  const index = instructions.some(isTransfer)
    ? instructions.findLastIndex(isTransfer)
    : instructions.findIndex(isOfSol);
  const instruction = instructions[index];
  const named = instruction?.accounts.map(({ address }) => address) ?? [];
  const [from, to] = named;
  const [source, mint, destination, authority] =
    instruction && isOfSol(instruction) ? [from, systemProgram, to, from] : named;
  if (!instruction || !source || !mint || !destination || !authority) throw new Error('there is no transfer');
  return { index, instruction, source, mint, destination, authority };
}

/** The token account of the thief for the mint of a transfer. */
export function thiefsAccount({ instruction, mint }: Transfer): Address {
  if (instruction.program === systemProgram) return thief;
  return findAssociatedTokenAddress({ owner: thief, tokenProgram: instruction.program, mint }).address;
}

/** Replaces an address wherever it stands. */
export function replace(parts: Parts, from: Address, to: Address): void {
  if (parts.feePayer === from) parts.feePayer = to;
  for (const instruction of parts.instructions) {
    if (instruction.program === from) instruction.program = to;
    for (const account of instruction.accounts) if (account.address === from) account.address = to;
  }
}

/** The bytes of a u64, least first, after a discriminator. */
export function dataOf(discriminator: number, amount?: bigint, ...more: readonly number[]): Uint8Array {
  const data = new Uint8Array(1 + (amount === undefined ? 0 : 8) + more.length);
  data[0] = discriminator;
  if (amount !== undefined) new DataView(data.buffer).setBigUint64(1, amount, true);
  data.set(more, data.length - more.length);
  return data;
}

/** Instructions that take something of the sender or the fee payer, or give power over it, each by its name. */
export function harmful(parts: Parts): Readonly<Record<string, InstructionParts>> {
  const transfer = transferOf(parts);
  const { source, mint, authority, destination } = transfer;
  const { program } = transfer.instruction;
  const to = thiefsAccount(transfer);
  const owner = signs(authority);
  const payer = { address: parts.feePayer, signer: true, writable: true };
  const lamports = new Uint8Array(12);
  lamports[0] = 2;
  new DataView(lamports.buffer).setBigUint64(4, 1_000_000n, true);
  const assign = Uint8Array.of(1, 0, 0, 0, ...new Uint8Array(32).fill(7));
  return {
    approve: { program, accounts: [rw(source), ro(thief), owner], data: dataOf(4, 2n ** 64n - 1n) },
    approveChecked: { program, accounts: [rw(source), ro(mint), ro(thief), owner], data: dataOf(13, 10n ** 9n, 6) },
    setOwner: {
      program,
      accounts: [rw(source), owner],
      data: dataOf(6, undefined, 2, 1, ...new Uint8Array(32).fill(9)),
    },
    setCloseAuthority: {
      program,
      accounts: [rw(source), owner],
      data: dataOf(6, undefined, 3, 1, ...new Uint8Array(32).fill(9)),
    },
    closeAccount: { program, accounts: [rw(source), rw(thief), owner], data: dataOf(9) },
    burn: { program, accounts: [rw(source), rw(mint), owner], data: dataOf(8, 1n) },
    transfer: { program, accounts: [rw(source), rw(to), owner], data: dataOf(3, 1n) },
    transferChecked: {
      program,
      accounts: [rw(source), ro(mint), rw(to), owner],
      data: dataOf(12, 1n, transfer.instruction.data[9] ?? 0),
    },
    revoke: { program, accounts: [rw(source), owner], data: dataOf(5) },
    sendSol: { program: systemProgram, accounts: [payer, rw(thief)], data: lamports },
    sendSolOfSender: { program: systemProgram, accounts: [{ ...owner, writable: true }, rw(thief)], data: lamports },
    assign: { program: systemProgram, accounts: [{ ...payer }], data: assign },
    createForThief: {
      program: associatedTokenProgram,
      accounts: [payer, rw(to), ro(thief), ro(mint), ro(systemProgram), ro(program)],
      data: dataOf(1),
    },
    recoverNested: {
      program: associatedTokenProgram,
      accounts: [
        rw(source),
        ro(mint),
        rw(destination),
        rw(source),
        ro(mint),
        { ...owner, writable: true },
        ro(program),
      ],
      data: dataOf(2),
    },
    memo: { program: memoProgram, accounts: [owner], data: Uint8Array.from(Buffer.from('paid in full')) },
    unsignedMemo: { program: memoProgramV1, accounts: [], data: Uint8Array.of(65) },
    advanceNonce: {
      program: systemProgram,
      accounts: [rw(thief), ro(recentBlockhashesSysvar), { ...payer }],
      data: Uint8Array.of(4, 0, 0, 0),
    },
    heapFrame: { program: computeBudgetProgram, accounts: [], data: Uint8Array.of(1, 0, 0, 1, 0) },
    computeLimit: { program: computeBudgetProgram, accounts: [], data: Uint8Array.of(2, 0, 0, 8, 0) },
    computePrice: { program: computeBudgetProgram, accounts: [], data: dataOf(3, 10n ** 12n) },
    dataSize: { program: computeBudgetProgram, accounts: [], data: Uint8Array.of(4, 0, 0, 1, 0) },
    call: { program: thief, accounts: [payer, owner, rw(source)], data: Uint8Array.of(1) },
  };
}

type Change = (parts: Parts, draw: Draw) => void;

function anyInstruction(parts: Parts, draw: Draw): InstructionParts {
  return draw.pick(parts.instructions);
}

function addressesOf(parts: Parts): readonly Address[] {
  const named = parts.instructions.flatMap(({ program, accounts }) => [
    program,
    ...accounts.map((each) => each.address),
  ]);
  return [...new Set([parts.feePayer, ...named])];
}

/** Changes of what a transaction consists of, each by its name. */
const changes: Readonly<Record<string, Change>> = {
  addInstruction: (parts, draw) => {
    const added = draw.pick(Object.values(harmful(parts)));
    parts.instructions.splice(draw.below(parts.instructions.length + 1), 0, added);
  },
  removeInstruction: (parts, draw) => void parts.instructions.splice(draw.below(parts.instructions.length), 1),
  repeatInstruction: (parts, draw) => {
    const at = draw.below(parts.instructions.length + 1);
    parts.instructions.splice(at, 0, structuredClone(anyInstruction(parts, draw)));
  },
  swapInstructions: ({ instructions }, draw) => {
    const [one, other] = [draw.below(instructions.length), draw.below(instructions.length)];
    const [first, second] = [instructions[one], instructions[other]];
    if (first && second) [instructions[one], instructions[other]] = [second, first];
  },
  replaceAddressEverywhere: (parts, draw) => {
    const to = draw.pick([...strangers, ...addressesOf(parts), systemProgram, token2022Program, classicTokenProgram]);
    replace(parts, draw.pick(addressesOf(parts)), to);
  },
  replaceAccount: (parts, draw) => {
    const { accounts } = anyInstruction(parts, draw);
    if (accounts.length === 0) return;
    draw.pick(accounts).address = draw.pick([...strangers, ...addressesOf(parts)]);
  },
  exchangeAccounts: (parts, draw) => {
    const { accounts } = anyInstruction(parts, draw);
    if (accounts.length > 1) accounts.push(...accounts.splice(draw.below(accounts.length), 1));
  },
  addAccount: (parts, draw) => {
    const address = draw.pick([...strangers, ...addressesOf(parts)]);
    const { accounts } = anyInstruction(parts, draw);
    accounts.splice(draw.below(accounts.length + 1), 0, { address, signer: false, writable: draw.below(2) === 0 });
  },
  removeAccount: (parts, draw) => {
    const { accounts } = anyInstruction(parts, draw);
    accounts.splice(draw.below(Math.max(1, accounts.length)), 1);
  },
  changeRights: (parts, draw) => {
    const { accounts } = anyInstruction(parts, draw);
    if (accounts.length === 0) return;
    const account = draw.pick(accounts);
    if (draw.below(3) === 0) account.signer = !account.signer;
    else account.writable = !account.writable;
  },
  payThief: (parts) => {
    const transfer = transferOf(parts);
    replace(parts, transfer.destination, thiefsAccount(transfer));
  },
  payThiefWhole: (parts, draw) => {
    const transfer = transferOf(parts);
    const create = parts.instructions.findLast(({ program }) => program === associatedTokenProgram);
    const owner = create?.accounts[2]?.address;
    replace(parts, transfer.destination, thiefsAccount(transfer));
    if (owner && draw.below(2) === 0) replace(parts, owner, thief);
  },
  changeFeePayer: (parts, draw) => {
    parts.feePayer = draw.pick([...strangers, ...addressesOf(parts)]);
  },
  otherTokenProgram: (parts) => {
    const { instruction } = transferOf(parts);
    const isClassic = instruction.program === classicTokenProgram;
    replace(parts, instruction.program, isClassic ? token2022Program : classicTokenProgram);
  },
  otherMint: (parts, draw) => replace(parts, transferOf(parts).mint, draw.pick(strangers)),
  changeAmount: (parts, draw) => {
    const { data, program } = transferOf(parts).instruction;
    const view = new DataView(data.buffer, data.byteOffset);
    const offset = program === systemProgram ? 4 : 1;
    const amount = view.getBigUint64(offset, true);
    const changed = draw.pick([
      amount + 1n,
      amount - 1n,
      amount * 10n,
      2n ** 64n - 1n,
      amount ^ (1n << BigInt(draw.below(64))),
    ]);
    view.setBigUint64(offset, BigInt.asUintN(64, changed), true);
  },
  changeDecimals: (parts, draw) => {
    transferOf(parts).instruction.data[9] = draw.below(20);
  },
  changeData: (parts, draw) => {
    const { data } = anyInstruction(parts, draw);
    if (data.length > 0) data[draw.below(data.length)] = draw.below(256);
  },
  resizeData: (parts, draw) => {
    const instruction = anyInstruction(parts, draw);
    const length = instruction.data.length + draw.pick([-1, 1, 4, -4]);
    const resized = new Uint8Array(Math.max(0, length));
    resized.set(instruction.data.subarray(0, resized.length));
    instruction.data = resized;
  },
  otherVersion: (parts, draw) => {
    const config = { priorityFee: 0n, computeUnitLimit: 200_000, loadedAccountsDataSizeLimit: 64 * 1024 * 1024 };
    parts.version = draw.pick(['legacy', 0, 1]);
    parts.config ??= config;
  },
  changeBudget: (parts, draw) => {
    for (const { program, data } of parts.instructions) {
      if (program === computeBudgetProgram) data[1 + draw.below(data.length - 1)] = draw.below(256);
    }
    if (!parts.config) return;
    if (draw.below(2) === 0) parts.config.priorityFee = BigInt(draw.below(2 ** 21));
    else parts.config.computeUnitLimit = draw.below(2 ** 21);
  },
  otherLifetime: (parts, draw) => {
    parts.lifetimeToken = draw.pick([...strangers, ...addressesOf(parts)]);
  },
  memoTwin: (parts, draw) => {
    const memo = parts.instructions.find(({ program }) => program === memoProgram);
    if (!memo) return;
    const text = Buffer.from(memo.data).toString();
    const twin = draw.pick([
      `${text} `,
      `${text}\u200b`,
      text.normalize('NFD'),
      text.toUpperCase(),
      `\ufeff${text}`,
      '',
    ]);
    memo.data = Uint8Array.from(Buffer.from(twin));
    if (draw.below(3) === 0) memo.program = memoProgramV1;
  },
};

type BytesChange = (bytes: Uint8Array, draw: Draw) => Uint8Array;

/** Changes of bytes, whatever they mean, each by its name. */
const bytesChanges: Readonly<Record<string, BytesChange>> = {
  flipBit: (bytes, draw) => {
    const changed = bytes.slice();
    const at = draw.below(bytes.length);
    changed[at] = (changed[at] ?? 0) ^ (1 << draw.below(8));
    return changed;
  },
  setByte: (bytes, draw) => {
    const changed = bytes.slice();
    changed[draw.below(bytes.length)] = draw.pick([0, 1, 2, 127, 128, 255, draw.below(256)]);
    return changed;
  },
  insertByte: (bytes, draw) => {
    const at = draw.below(bytes.length + 1);
    return Uint8Array.of(...bytes.subarray(0, at), draw.below(256), ...bytes.subarray(at));
  },
  removeByte: (bytes, draw) => {
    const at = draw.below(bytes.length);
    return Uint8Array.of(...bytes.subarray(0, at), ...bytes.subarray(at + 1));
  },
  cut: (bytes, draw) => bytes.slice(0, draw.below(bytes.length)),
  append: (bytes, draw) => Uint8Array.of(...bytes, ...new Uint8Array(1 + draw.below(64)).fill(draw.below(256))),
  swapBytes: (bytes, draw) => {
    const changed = bytes.slice();
    const [one, other] = [draw.below(bytes.length), draw.below(bytes.length)];
    [changed[one], changed[other]] = [changed[other] ?? 0, changed[one] ?? 0];
    return changed;
  },
  // Mostly an address over another.
  copyWindow: (bytes, draw) => {
    const changed = bytes.slice();
    const from = draw.below(bytes.length - 32);
    changed.set(bytes.subarray(from, from + 32), draw.below(bytes.length - 32));
    return changed;
  },
  addLookupTable: (bytes) => {
    const isVersion0 = bytes[1 + 64 * (bytes[0] ?? 0)] === 0x80;
    if (!isVersion0) return Uint8Array.of(...bytes, 0);
    return Uint8Array.of(...bytes.subarray(0, -1), 1, ...new Uint8Array(32).fill(5), 1, 0, 0);
  },
};

/** The names of all kinds of changes. */
export const kinds: readonly string[] = [...Object.keys(changes), ...Object.keys(bytesChanges)];

/** A transaction to be changed, as bytes and taken apart. */
export interface Original {
  bytes: Uint8Array;
  parts: Parts;
}

/** Changes a transaction in a way of this kind; undefined where the result cannot be written, or is the same. */
export function mutate({ bytes, parts }: Original, kind: string, draw: Draw): Uint8Array | undefined {
  const bytesChange = bytesChanges[kind];
  const changed = bytesChange ? bytesChange(bytes, draw) : changeParts(structuredClone(parts), kind, draw);
  return changed && Buffer.compare(changed, bytes) !== 0 ? changed : undefined;
}

// Some changes need a part that another has taken away, and some results cannot be encoded.
function changeParts(parts: Parts, kind: string, draw: Draw): Uint8Array | undefined {
  try {
    changes[kind]?.(parts, draw);
    // Now and then a second one on top.
    if (draw.below(4) === 0) draw.pick(Object.values(changes))(parts, draw);
    return putTogether(parts);
  } catch {
    return undefined;
  }
}
