import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Account } from '../../../core/src/accounts/account.ts';
import { type Address, addressFromBytes, addressToBytes } from '../../../core/src/addresses/address.ts';
import { systemProgram, token2022Program } from '../../../core/src/addresses/programs.ts';
import { executeDiscriminator, hookValidationAddress } from '../../../core/src/plan/resolve-hook-accounts.ts';
import { isTransferRefused } from '../../src/build/transfer-refused.ts';
import { builderOf, FakeChain } from '../chain/fake-chain.ts';
import { sampleRequest } from '../chain/sample-transfer.ts';

const never = Number.POSITIVE_INFINITY;
const addressOf = (byte: number): Address => addressFromBytes(new Uint8Array(32).fill(byte));
const [hook, otherHook] = [addressOf(1), addressOf(2)];

function account(owner: Address, data: Uint8Array, executable = false): Account {
  return { owner, lamports: 1_000_000_000n, data, executable };
}

/** The mint of the sample request, which calls a program on each transfer. */
function hookedMint(program: Address): Account {
  const data = new Uint8Array(166 + 4 + 64);
  data.set([6, 1], 44);
  data.set([1, 14, 0, 64, 0], 165);
  data.set(addressToBytes(program), 166 + 4 + 32);
  return account(token2022Program, data);
}

/** A list of accounts, the first by its address, every other by the data of the one before. */
function listOf(steps: number): Uint8Array {
  const entries = Array.from({ length: steps + 1 }, (_, step) => {
    const entry = new Uint8Array(35);
    // The accounts of the transfer and the list itself are the first five.
    if (step === 0) entry.set(addressToBytes(addressOf(100)), 1);
    else entry.set([2, 2, 4 + step, 0]);
    return [...entry];
  });
  return Uint8Array.from([...executeDiscriminator, 0, 0, 0, 0, entries.length, 0, 0, 0, ...entries.flat()]);
}

/** A chain whose mint calls `programs[0]`, with a list of so many accounts that are found one through another. */
function chainWithHook(programs: Address[], steps: number): FakeChain {
  const chain = new FakeChain({
    changed: (accounts, addresses) =>
      accounts.map((known, index) => {
        const address = addresses[index];
        const [program = hook] = programs;
        if (address === undefined) return known;
        if (address === sampleRequest.mint) return hookedMint(program);
        if (address === program) return account(systemProgram, new Uint8Array(), true);
        if (address === hookValidationAddress(sampleRequest.mint, program)) return account(program, listOf(steps));
        const [first = 0] = addressToBytes(address);
        const isFound = first >= 100 && address === addressOf(first);
        return isFound ? account(systemProgram, addressToBytes(addressOf(first + 1))) : known;
      }),
  });
  chain.mintProgram = token2022Program;
  return chain;
}

describe('a transfer hook', () => {
  test('whose accounts are found in five decisions is served, and one that needs a sixth is refused', async () => {
    const isRefused = (error: unknown): boolean => isTransferRefused(error, 'transfer_hook_unresolvable');
    // Two reads for a hook that is not known yet, and one for each step.
    const chain = chainWithHook([hook], 3);
    await builderOf(chain).build(sampleRequest, never);
    assert.equal(chain.accountReads.length, 2 + 3);
    await assert.rejects(builderOf(chainWithHook([hook], 4)).build(sampleRequest, never), isRefused);
    await assert.rejects(builderOf(chainWithHook([hook], 20)).build(sampleRequest, never), isRefused);
  });

  test('is known the next time, so that its list needs no read of its own', async () => {
    const chain = chainWithHook([hook], 0);
    const builder = builderOf(chain);
    await builder.build(sampleRequest, never);
    assert.equal(chain.accountReads.length, 2);
    await builder.build(sampleRequest, never);
    assert.equal(chain.accountReads.length, 3);
  });

  test('that the mint replaces is the one that is known from then on', async () => {
    const programs = [hook];
    const chain = chainWithHook(programs, 0);
    const builder = builderOf(chain);
    await builder.build(sampleRequest, never);
    programs[0] = otherHook;
    await builder.build(sampleRequest, never);
    const before = chain.accountReads.length;
    await builder.build(sampleRequest, never);
    assert.equal(chain.accountReads.length, before + 1);
    assert.ok(chain.accountReads.at(-1)?.includes(otherHook));
    assert.ok(!chain.accountReads.at(-1)?.includes(hook));
  });
});
