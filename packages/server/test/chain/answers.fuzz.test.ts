import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { propertyRuns } from '../../../../test/setup/property-runs.ts';
import type { Account } from '../../../core/src/accounts/account.ts';
import { clockSysvar, rentSysvar } from '../../../core/src/accounts/sysvars.ts';
import { type Address, toAddress } from '../../../core/src/addresses/address.ts';
import { systemProgram, token2022Program, tokenProgram } from '../../../core/src/addresses/programs.ts';
import { decideTransfer } from '../../../core/src/decide/decide-transfer.ts';
import { summarizeTransfer } from '../../../core/src/decide/transfer-summary.ts';
import { buildTransaction } from '../../../core/src/plan/build-transaction.ts';
import { executeDiscriminator } from '../../../core/src/plan/resolve-hook-accounts.ts';
import { tokenAccountsOf } from '../../../core/test/fixtures.ts';
import { ChainHead } from '../../src/chain/chain-head.ts';
import {
  accountsRequest,
  blockhashKnownRequest,
  blockhashRequest,
  genesisHashRequest,
  healthRequest,
  pricesRequest,
  simulationRequest,
} from '../../src/chain/chain-requests.ts';
import { RoundedInteger } from '../../src/chain/json-values.ts';
import type { RpcRequest } from '../../src/chain/rpc-transport.ts';
import { UpstreamFault } from '../../src/chain/upstream-faults.ts';
import { describeSimulationError } from '../../src/outcomes/transaction-error-words.ts';
import { sampleAccount, sampleRequest } from './sample-transfer.ts';

const head = new ChainHead({ hasSeveralUpstreams: false, now: () => 0 });
const runs = { numRuns: propertyRuns(300) };
const u64 = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });

/** What a read of nonsense may throw: the fault of the upstream, or the wish for exact integers. */
function readOrFault<T>(request: Pick<RpcRequest<T>, 'read'>, result: unknown): T | undefined {
  try {
    return request.read(result);
  } catch (error) {
    assert.ok(error instanceof UpstreamFault || error instanceof RoundedInteger, String(error));
    return undefined;
  }
}

const anyJson = fc.oneof(
  fc.jsonValue({ maxDepth: 6 }),
  fc.record({ context: fc.record({ slot: fc.oneof(fc.nat(), fc.jsonValue()) }), value: fc.jsonValue({ maxDepth: 6 }) }),
);
const deep = (depth: number): unknown => {
  let value: unknown = 1;
  for (let level = 0; level < depth; level++) value = level % 2 === 0 ? [value] : { InstructionError: value };
  return value;
};

test('Of arbitrary JSON every reader makes an answer, or a fault of the upstream', () => {
  const requests: readonly Pick<RpcRequest<unknown>, 'read'>[] = [
    accountsRequest([systemProgram, rentSysvar, clockSysvar], head),
    blockhashRequest(head, () => undefined),
    blockhashKnownRequest(systemProgram, head),
    pricesRequest([systemProgram]),
    simulationRequest(new Uint8Array(), head),
    genesisHashRequest,
    healthRequest,
  ];
  fc.assert(
    fc.property(fc.constantFrom(...requests), anyJson, (request, json) => void readOrFault(request, json)),
    runs,
  );
  for (const request of requests) {
    for (const depth of [5, 100_000]) readOrFault(request, deep(depth));
  }
});

test('The error of a simulation, whatever it is, can be said in words or is a fault of the upstream', () => {
  const request = simulationRequest(new Uint8Array(), head);
  const error = fc.oneof(
    fc.jsonValue({ maxDepth: 8 }),
    fc.record({ InstructionError: fc.tuple(fc.oneof(fc.double(), fc.nat()), fc.jsonValue()) }),
    fc.record({ InstructionError: fc.tuple(fc.nat(4), fc.record({ Custom: fc.oneof(fc.double(), u64) })) }),
    fc.integer({ min: 1, max: 2_000 }).map(deep),
    fc.constant({ ManyMembers: Array.from({ length: 10_000 }, () => 1) }),
  );
  fc.assert(
    fc.property(error, fc.array(fc.string()), fc.oneof(u64, fc.double()), (err, logs, unitsConsumed) => {
      const read = readOrFault(request, { context: { slot: 1 }, value: { err, logs, unitsConsumed } });
      if (!read || read.simulation.error === null) return;
      const text = describeSimulationError(read.simulation.error, read.simulation.logs, []);
      assert.ok(text.length < 30_000, `${text.length} characters`);
    }),
    { numRuns: propertyRuns(100) },
  );
});

const hookProgram = toAddress('Hook111111111111111111111111111111111111111');
const nonceAccount = toAddress('Nonce11111111111111111111111111111111111111');

/** Type-length-value entries, most of types that are read and of lengths near the right ones. */
const entries = fc
  .array(
    fc.tuple(
      fc.constantFrom(1, 3, 5, 6, 8, 9, 10, 12, 14, 25, 26, 99),
      fc.oneof(fc.constantFrom(0, 1, 31, 32, 33, 63, 64, 65, 107, 108, 109, 295), fc.nat(120)),
      fc.integer({ min: 0, max: 255 }),
    ),
    { maxLength: 5 },
  )
  .map((list) =>
    Buffer.concat(
      list.map(([type, length, fill]) => {
        const entry = Buffer.alloc(4 + length, fill);
        entry.writeUInt16LE(type, 0);
        entry.writeUInt16LE(length, 2);
        return entry;
      }),
    ),
  );

const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 400 }),
  fc
    .constantFrom(0, 17, 40, 80, 82, 165, 355)
    .chain((length) => fc.uint8Array({ minLength: length, maxLength: length })),
  // A mint or a token account with extensions: initialized, its type byte, and the entries.
  fc
    .tuple(fc.uint8Array({ minLength: 166, maxLength: 166 }), fc.constantFrom(0, 1, 2, 7), entries)
    .map(([base, type, rest]) => {
      base[45] = 1;
      base[165] = type;
      return Buffer.concat([base, rest]);
    }),
  // The mint of the hook below.
  fc.constant(null).map(() => {
    const data = Buffer.alloc(166 + 4 + 64);
    data.set([6, 1], 44);
    data.set([1, 14, 0, 64, 0], 165);
    data.fill(1, 170 + 32);
    return data;
  }),
  // A list of a hook's accounts.
  fc.array(fc.uint8Array({ minLength: 35, maxLength: 35 }), { maxLength: 17 }).map((list) => {
    const start = Buffer.alloc(16);
    start.set(executeDiscriminator);
    start.writeUInt32LE(list.length, 12);
    return Buffer.concat([start, ...list]);
  }),
  // Rent that is no number, or too large a one.
  fc
    .tuple(u64, fc.oneof(fc.double(), fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, 1e308, -1)))
    .map(([perByte, years]) => {
      const data = Buffer.alloc(17);
      data.writeBigUInt64LE(perByte, 0);
      data.writeDoubleLE(years, 8);
      return data;
    }),
);

const owners = [systemProgram, tokenProgram, token2022Program, hookProgram, rentSysvar] as const;
const account = fc.record({ owner: fc.constantFrom(...owners), lamports: u64, data: bytes, executable: fc.boolean() });
const maybeAccount = fc.option(account, { freq: 10 });

function encode(value: Account | null): object | null {
  if (!value) return null;
  const data = [Buffer.from(value.data).toString('base64'), 'base64'];
  return { ...value, data, space: value.data.length };
}

test('Accounts of arbitrary bytes are decided upon, or are faults of the upstream, and never an exception', () => {
  const outcomes = new Map<string, number>();
  const count = (outcome: string): void => void outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
  const names = [
    'mint',
    'sender',
    'recipient',
    'senderTokenAccount',
    'recipientTokenAccount',
    'rent',
    'clock',
  ] as const;
  const changes = fc.uniqueArray(fc.tuple(fc.constantFrom(...names), maybeAccount), {
    selector: ([name]) => name,
    minLength: 1,
    maxLength: 3,
  });
  const options = fc.record({
    mintProgram: fc.constantFrom(tokenProgram, token2022Program),
    hasNonce: fc.boolean(),
    checks: fc.constantFrom('full' as const, 'none' as const),
    priorityFee: fc.constantFrom(undefined, { level: 'high' } as const),
    prices: fc.array(u64, { maxLength: 5 }),
  });
  fc.assert(
    fc.property(
      changes,
      options,
      fc.array(maybeAccount, { minLength: 12, maxLength: 12 }),
      (changed, chosen, others) => {
        const request = {
          ...sampleRequest,
          nonceAccount: chosen.hasNonce ? nonceAccount : undefined,
          checks: chosen.checks,
          priorityFee: chosen.priorityFee,
        };
        const pair = tokenAccountsOf(request, chosen.mintProgram);
        const addressOf: Record<(typeof names)[number], Address> = {
          mint: request.mint,
          sender: request.from,
          recipient: request.to,
          senderTokenAccount: pair.sender,
          recipientTokenAccount: pair.recipient,
          rent: rentSysvar,
          clock: clockSysvar,
        };
        const world = new Map<Address, Account | null>();
        for (const address of Object.values(addressOf)) world.set(address, sampleAccount(address, chosen.mintProgram));
        for (const [name, value] of changed) world.set(addressOf[name], value);
        const rest = [...others];
        const read = new Map<Address, Account | null>();
        const readInto = (addresses: readonly Address[]): boolean => {
          const value = addresses.map((address) => {
            if (!world.has(address)) world.set(address, rest.pop() ?? null);
            return encode(world.get(address) ?? null);
          });
          const answer = readOrFault(accountsRequest(addresses, head), { context: { slot: 1 }, value });
          for (const [index, address] of addresses.entries()) read.set(address, answer?.accounts[index] ?? null);
          return answer !== undefined;
        };
        if (!readInto(Object.values(addressOf))) return count('fault');
        const facts = {
          read,
          recentPrices: chosen.prices,
          maxPriorityFee: 1_000_000n,
        };
        for (let round = 0; round < 5; round++) {
          const decision = decideTransfer(request, facts);
          if ('needs' in decision) {
            if (!readInto(decision.needs)) return count('fault');
          } else if ('plan' in decision) {
            const bytesBuilt = buildTransaction(decision.plan, systemProgram);
            const lifetime = { blockhash: systemProgram, lastValidBlockHeight: 1n, slot: 1n, askedAt: 0 };
            summarizeTransfer({ ...decision, bytes: bytesBuilt, lifetime, unitsConsumed: undefined });
            return count('plan');
          } else return count('refusal');
        }
        count('too many rounds');
      },
    ),
    { numRuns: 300 },
  );
  // The cases reach every way out.
  for (const outcome of ['fault', 'plan', 'refusal']) assert.ok(outcomes.has(outcome), JSON.stringify([...outcomes]));
});
