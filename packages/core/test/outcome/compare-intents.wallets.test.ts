import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { propertyRuns } from '../../../../test/setup/property-runs.ts';
import { type Address, addressFromBytes } from '../../src/addresses/address.ts';
import { memoProgram, memoProgramV1, tokenPrograms } from '../../src/addresses/programs.ts';
import type { IntentMatch } from '../../src/outcome/compare-intents.ts';
import { encodeTransaction, type UnsignedMessage } from '../../src/transaction/encode-transaction.ts';
import { type Instruction, role } from '../../src/transaction/instruction.ts';
import { freshAddress } from '../fixtures.ts';
import { anyAddress, anyBlockhash } from '../random-plans.ts';
import {
  anyMessage,
  anyWalletChange,
  changeAsWallet,
  compile,
  fits,
  intentOf,
  isTransfer,
  matchBytes,
  signedBy,
  type WalletChange,
  withLookupTable,
} from './landed-transactions.ts';

/** The bytes that land: the message changed as a wallet does, compiled by some library and signed. */
function landed(message: UnsignedMessage, change: WalletChange): Uint8Array {
  const changed = changeAsWallet(message, change);
  // Another is tried where it has no room.
  fc.pre(fits(changed));
  return signedBy(compile(changed, change.compiler), change.signature);
}

function matchMessage(message: UnsignedMessage, bytes: Uint8Array): IntentMatch | undefined {
  return matchBytes(intentOf(encodeTransaction(message)), bytes);
}

test('A transaction pays the same after whatever wallets change about it, in every version and layout', () => {
  const property = fc.property(anyMessage, anyWalletChange, (message, change) => {
    const bytes = landed(message, change);
    assert.equal(matchMessage(message, bytes), 'same_payments');
  });
  fc.assert(property, { numRuns: propertyRuns(300) });
});

interface Picks {
  /** Chooses the transfer. */
  index: number;
  /** Nothing else has it. */
  fresh: Address;
}

/** A change of the instructions that concerns money, and what it is then; undefined where it is not possible. */
type MoneyChange = (instructions: readonly Instruction[], picks: Picks) => readonly Instruction[] | undefined;

/** Changes one of the transfers. */
function inTransfer(change: (transfer: Instruction, picks: Picks) => Partial<Instruction> | undefined): MoneyChange {
  return (instructions, picks) => {
    const transfers = instructions.filter(isTransfer);
    const chosen = transfers[picks.index % transfers.length];
    const parts = chosen && change(chosen, picks);
    return parts && instructions.map((each) => (each === chosen ? { ...each, ...parts } : each));
  };
}

const otherAccount = (position: number): MoneyChange =>
  inTransfer(({ accounts }, { fresh }) => ({
    accounts: accounts.map((meta, index) => (index === position ? { ...meta, address: fresh } : meta)),
  }));

const amountOf = (data: Uint8Array): bigint => Buffer.from(data).readBigUInt64LE(1);

function withAmount(data: Uint8Array, difference: bigint): Uint8Array {
  const changed = Uint8Array.from(data);
  new DataView(changed.buffer).setBigUint64(1, amountOf(data) + difference, true);
  return changed;
}

const isMemo = ({ program }: Instruction): boolean => program === memoProgram;
const aMemo = (text: string): Instruction => ({ program: memoProgram, accounts: [], data: Buffer.from(text) });

const moneyChanges: Readonly<Record<string, MoneyChange>> = {
  'one base unit more': inTransfer(({ data }) => ({ data: withAmount(data, 1n) })),
  'one base unit less': inTransfer(({ data }) => ({ data: withAmount(data, -1n) })),
  'other decimals': inTransfer(({ data }) => ({ data: data.map((byte, index) => (index === 9 ? byte ^ 1 : byte)) })),
  'another source': otherAccount(0),
  'another mint': otherAccount(1),
  'another destination': otherAccount(2),
  'another authority': otherAccount(3),
  'the other token program': inTransfer(({ program }) => {
    const other = tokenPrograms.find((each) => each !== program);
    return other && { program: other };
  }),
  'another reference': inTransfer(({ accounts }, { fresh }) =>
    accounts.length > 4 ? { accounts: [...accounts.slice(0, -1), role.readonly(fresh)] } : undefined,
  ),
  'one reference less': inTransfer(({ accounts }) =>
    accounts.length > 4 ? { accounts: accounts.slice(0, -1) } : undefined,
  ),
  'one reference more': inTransfer(({ accounts }, { fresh }) => ({ accounts: [...accounts, role.readonly(fresh)] })),
  'a reference twice': inTransfer(({ accounts }) => {
    const [reference] = accounts.slice(4);
    return reference && { accounts: [...accounts, reference] };
  }),
  'one payment dropped': (instructions, { index }) => {
    const transfers = instructions.filter(isTransfer);
    return instructions.filter((each) => each !== transfers[index % transfers.length]);
  },
  'one payment made by two': (instructions, { index }) => {
    const transfers = instructions.filter(isTransfer);
    const chosen = transfers[index % transfers.length];
    // One base unit would be paid by one of the two.
    if (!chosen || amountOf(chosen.data) === 1n) return undefined;
    return instructions.flatMap((each) => {
      if (each !== chosen) return [each];
      const less = { ...each, data: withAmount(each.data, -1n) };
      return [less, { ...each, data: Uint8Array.of(12, 1, 0, 0, 0, 0, 0, 0, 0, each.data[9] ?? 0) }];
    });
  },
  'the amounts of two payments exchanged': (instructions) => {
    const [one, other] = instructions.filter(isTransfer);
    if (!one || !other || Buffer.compare(one.data, other.data) === 0) return undefined;
    if (one.accounts.map(({ address }) => address).join() === other.accounts.map(({ address }) => address).join())
      return undefined;
    return instructions.map((each) => {
      if (each === one) return { ...one, data: other.data };
      return each === other ? { ...other, data: one.data } : each;
    });
  },
  'another memo': (instructions) =>
    instructions.map((each) => (isMemo(each) ? { ...each, data: Buffer.concat([each.data, Buffer.of(0x20)]) } : each)),
  'no memo': (instructions) => instructions.filter((each) => !isMemo(each)),
  'a further memo': (instructions) => [...instructions, aMemo('')],
  'a further memo by the first Memo program': (instructions) => [
    { ...aMemo('x'), program: memoProgramV1 },
    ...instructions,
  ],
};

/** Whether a change has changed anything: a memo that is not there cannot go. */
function isChanged(before: readonly Instruction[], after: readonly Instruction[]): boolean {
  return before.length !== after.length || before.some((each, index) => each !== after[index]);
}

/** Those that prove another payment where there is one alone; the others leave it in doubt. */
const proofs: ReadonlySet<string> = new Set([
  'one base unit more',
  'one base unit less',
  'other decimals',
  'another source',
  'another mint',
  'another destination',
  'the other token program',
  'one payment dropped',
  'another memo',
]);

/** Those that wallets are known for. */
const isDoubtful: ReadonlySet<string> = new Set([
  'another authority',
  'one payment made by two',
  'no memo',
  'a further memo',
  'a further memo by the first Memo program',
]);

describe('a transaction is not certainly the intended one any more, whatever else wallets change, with', () => {
  for (const [name, changeMoney] of Object.entries(moneyChanges)) {
    test(`${name}, which ${proofs.has(name) ? 'proves another payment' : 'leaves it in doubt'}`, () => {
      const picks = fc.record({ index: fc.nat({ max: 9 }), fresh: anyAddress });
      const property = fc.property(anyMessage, picks, anyWalletChange, (message, picked, change) => {
        const instructions = changeMoney(message.instructions, picked);
        fc.pre(instructions !== undefined && isChanged(message.instructions, instructions));
        const match = matchMessage(message, landed({ ...message, instructions }, change));
        // Of several payments, the others are as they were.
        const isAlone = message.instructions.filter(isTransfer).length === 1;
        if (isAlone && proofs.has(name)) assert.equal(match, undefined);
        // It can be the address of something else that is named.
        else if (name === 'one reference less') assert.notEqual(match, undefined);
        else assert.ok(match === 'similar' || match === undefined, match);
        if (isAlone && isDoubtful.has(name)) assert.equal(match, 'similar');
      });
      fc.assert(property, { numRuns: 30 });
    });
  }
});

test('With a further payment from the same token account it pays more, whatever else wallets change', () => {
  const addition = fc.record({
    destination: fc.option(anyAddress, { nil: undefined }),
    authority: fc.option(anyAddress, { nil: undefined }),
    index: fc.nat({ max: 9 }),
  });
  const property = fc.property(anyMessage, addition, anyWalletChange, (message, added, change) => {
    const transfer = message.instructions.find(isTransfer);
    const [source, mint, destination, authority] = transfer?.accounts ?? [];
    assert.ok(transfer && source && mint && destination && authority);
    const further = {
      ...transfer,
      accounts: [
        source,
        mint,
        role.writable(added.destination ?? destination.address),
        role.readonlySigner(added.authority ?? authority.address),
      ],
    };
    const bytes = landed({ ...message, instructions: message.instructions.toSpliced(added.index, 0, further) }, change);
    assert.equal(matchMessage(message, bytes), 'similar');
  });
  fc.assert(property, { numRuns: propertyRuns(100) });
});

test('With further payments from other token accounts it pays the same', () => {
  const property = fc.property(anyMessage, anyMessage, anyWalletChange, (message, other, change) => {
    const others = other.instructions.filter(isTransfer).slice(0, 1);
    const bytes = landed({ ...message, instructions: [...others, ...message.instructions] }, change);
    assert.equal(matchMessage(message, bytes), 'same_payments');
  });
  fc.assert(property, { numRuns: propertyRuns(100) });
});

test('Any order of the same references is the same, and any other set is not', () => {
  const few = fc.constantFrom(...[1, 2, 3].map((byte) => addressFromBytes(new Uint8Array(32).fill(byte))));
  const someReferences = fc.uniqueArray(few, { maxLength: 3 });
  const property = fc.property(
    anyMessage,
    someReferences,
    someReferences,
    anyWalletChange,
    (message, one, other, change) => {
      const withReferences = (references: readonly Address[]): UnsignedMessage => {
        const [first] = message.instructions.filter(isTransfer);
        assert.ok(first);
        const transfer = { ...first, accounts: [...first.accounts.slice(0, 4), ...references.map(role.readonly)] };
        return { ...message, instructions: [transfer] };
      };
      const bytes = landed(withReferences(other), change);
      const isSame = one.toSorted().join() === other.toSorted().join();
      const match = matchMessage(withReferences(one), bytes);
      if (isSame) assert.equal(match, 'same_payments');
      else {
        const isReplaced = one.length > 0 && other.length > 0 && !one.some((each) => other.includes(each));
        assert.equal(match, isReplaced ? undefined : 'similar');
      }
      const reversed = landed(withReferences(one.toReversed()), change);
      assert.equal(matchMessage(withReferences(one), reversed), 'same_payments');
    },
  );
  fc.assert(property, { numRuns: propertyRuns(100) });
});

test('A transaction that was recompiled with a lookup table pays the same, once it is known what that gave', () => {
  const property = fc.property(anyMessage, anyBlockhash, (message, lifetimeToken) => {
    const intent = intentOf(encodeTransaction(message));
    const changed: UnsignedMessage = { ...message, version: 0, config: undefined, lifetimeToken };
    fc.pre(fits(changed));
    const { bytes, loaded } = withLookupTable(changed);
    assert.equal(matchBytes(intent, bytes, { loaded }), 'same_payments');
    assert.equal(matchBytes(intent, bytes), undefined);
    // The recipient's token account, among others, is loaded: another one is another payment.
    const others = { ...loaded, writable: loaded.writable.map(() => freshAddress()) };
    assert.equal(matchBytes(intent, bytes, { loaded: others }), undefined);
  });
  fc.assert(property, { numRuns: propertyRuns(100) });
});
