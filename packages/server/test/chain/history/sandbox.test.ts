import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import {
  appendTransactionMessageInstructions,
  compileTransaction,
  createNoopSigner,
  createTransactionMessage,
  getTransactionEncoder,
  pipe,
  setTransactionMessageComputeUnitLimit,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
  setTransactionMessageLoadedAccountsDataSizeLimit,
} from '@solana/kit';
import { getAddMemoInstruction } from '@solana-program/memo';
import { getNonceDecoder } from '@solana-program/system';
import { findAssociatedTokenPda, getTransferCheckedInstruction } from '@solana-program/token-2022';
import { named, signWith } from '../../../../../test/setup/wallets.ts';
import { toAddress } from '../../../../core/src/addresses/address.ts';
import { memoProgram } from '../../../../core/src/addresses/programs.ts';
import { startSandbox } from '../../../../sandbox/src/index.ts';
import { RpcChainReader } from '../../../src/chain/reader/rpc-chain-reader.ts';
import { changesIn, ownersIn } from './balances.ts';

const never = Number.POSITIVE_INFINITY;
const sandbox = await startSandbox({ rpcPort: 0, slotMs: 0, slotsToFinalize: 32 });
const { world, ledger } = sandbox;
const clock = { ahead: 0 };
const reader = new RpcChainReader({
  urls: [sandbox.rpcUrl],
  timeoutMs: 5_000,
  blockhashMaxAgeMs: 1_000,
  maxSlotLag: 8,
  now: () => performance.now() + clock.ahead,
});
after(async () => {
  await reader.close();
  await sandbox.close();
});
const [node] = reader.history.nodes();
assert.ok(node);
const [alice, bob] = [named(world.wallets, 'alice'), named(world.wallets, 'bob')];
const taxed = named(world.mints, 'TAXED');
const tokenAccountOf = async (owner: typeof alice.address) => {
  const seeds = { owner, mint: taxed.address, tokenProgram: taxed.token_program };
  return (await findAssociatedTokenPda(seeds))[0];
};
const [source, destination] = await Promise.all([tokenAccountOf(alice.address), tokenAccountOf(bob.address)]);

/** Lets a transfer of TAXED from alice to bob land, or fail, and returns its bytes and signature. */
async function land(amount: bigint, memo: string, version: 'legacy' | 1 = 'legacy') {
  const instructions = [
    getAddMemoInstruction({ memo }, { programAddress: memoProgram as string as typeof alice.address }),
    getTransferCheckedInstruction(
      { source, mint: taxed.address, destination, authority: createNoopSigner(alice.address), amount, decimals: 6 },
      { programAddress: taxed.token_program },
    ),
  ];
  const lifetime = ledger.latestBlockhash();
  const transaction =
    version === 1
      ? pipe(
          createTransactionMessage({ version: 1 }),
          (message) => setTransactionMessageFeePayer(alice.address, message),
          (message) => setTransactionMessageLifetimeUsingBlockhash(lifetime, message),
          (message) => appendTransactionMessageInstructions(instructions, message),
          (message) => setTransactionMessageComputeUnitLimit(200_000, message),
          (message) => setTransactionMessageLoadedAccountsDataSizeLimit(2_000_000, message),
          compileTransaction,
        )
      : pipe(
          createTransactionMessage({ version: 'legacy' }),
          (message) => setTransactionMessageFeePayer(alice.address, message),
          (message) => setTransactionMessageLifetimeUsingBlockhash(lifetime, message),
          (message) => appendTransactionMessageInstructions(instructions, message),
          compileTransaction,
        );
  const unsigned = Uint8Array.from(getTransactionEncoder().encode(transaction));
  const bytes = await signWith(unsigned, [alice.secret_key]);
  const { signature, error } = ledger.sendTransaction(Uint8Array.from(bytes));
  ledger.advanceSlots(1);
  clock.ahead += 400;
  return { bytes, signature, error };
}

test('A transfer that landed is found by its signature and in the history of both token accounts', async () => {
  const { bytes, signature, error } = await land(1_000_000n, 'invoice 1001');
  assert.equal(error, null);
  const { statuses } = await node.readStatuses([signature], never);
  assert.deepEqual([statuses[0]?.error, statuses[0]?.commitment], [null, 'confirmed']);
  for (const tokenAccount of [source, destination]) {
    const [newest] = await node.readSignatures(toAddress(tokenAccount), {}, never);
    assert.deepEqual([newest?.signature, newest?.memo, newest?.error], [signature, '[12] invoice 1001', null]);
  }
  const landed = await node.readTransaction(signature, never);
  assert.ok(landed);
  assert.deepEqual(Buffer.from(landed.bytes), Buffer.from(bytes));
  assert.deepEqual([landed.fee, landed.error, landed.slot], [5_000n, null, statuses[0]?.slot]);
  // One percent is withheld.
  assert.deepEqual(
    changesIn(landed),
    new Map<string, bigint>([
      [source, -1_000_000n],
      [destination, 990_000n],
    ]),
  );
  assert.deepEqual([ownersIn(landed).get(source), ownersIn(landed).get(destination)], [alice.address, bob.address]);
});

test('A transfer that failed on chain is found with its error, and moved nothing', async () => {
  const { signature, error } = await land(2n ** 63n, 'too much');
  assert.notEqual(error, null);
  const { statuses } = await node.readStatuses([signature], never);
  const landed = await node.readTransaction(signature, never);
  assert.deepEqual(landed?.error, { InstructionError: [1, { Custom: 1 }] });
  assert.deepEqual(statuses[0]?.error, landed?.error);
  assert.deepEqual([...changesIn(landed).values()], [0n, 0n]);
  const [newest, before] = await node.readSignatures(toAddress(source), { limit: 2 }, never);
  assert.deepEqual([newest?.signature, newest?.error], [signature, landed?.error]);
  const rest = await node.readSignatures(toAddress(source), { before: signature }, never);
  assert.deepEqual(rest[0], before);
});

test('A version 1 transfer is read like any other', async () => {
  const { bytes, signature, error } = await land(2_000_000n, 'version 1', 1);
  assert.equal(error, null);
  assert.equal(bytes[0], 0x81);
  const landed = await node.readTransaction(signature, never);
  assert.deepEqual(Buffer.from(landed?.bytes ?? []), Buffer.from(bytes));
  assert.equal(changesIn(landed).get(destination), 1_980_000n);
});

test('The finalized height follows, and what it passed is final', async () => {
  const { signature } = await land(3_000_000n, 'to be final');
  const before = await node.readFinalizedHeight(never);
  ledger.advanceSlots(40);
  clock.ahead += 400;
  const { slot, blockHeight } = await node.readFinalizedHeight(never);
  assert.equal(slot - before.slot, 40n);
  assert.equal(blockHeight - before.blockHeight, 40n);
  assert.ok((await node.readFirstAvailableSlot(never)) <= before.slot);
  assert.equal(await node.readBlockHeight(slot, never), blockHeight);
  assert.equal(await node.readBlockHeight(slot + 1_000n, never), null);
  const read = await node.readStatuses([signature], never);
  assert.equal(read.statuses[0]?.commitment, 'finalized');
  assert.ok(read.slot >= slot);
  const [newest] = await node.readSignatures(toAddress(source), { minContextSlot: slot }, never);
  assert.deepEqual([newest?.signature, newest?.commitment], [signature, 'finalized']);
});

test('A blockhash is alive until 150 finalized blocks have passed', async () => {
  const { blockhash } = ledger.latestBlockhash();
  assert.equal(await node.isBlockhashAlive(blockhash, never), true);
  for (const isAlive of [true, false]) {
    ledger.advanceSlots(160);
    clock.ahead += 400;
    assert.equal(await node.isBlockhashAlive(blockhash, never), isAlive);
  }
});

test('The nonce of a nonce account is read, and of another account none', async () => {
  const [nonceAccount] = world.nonce_accounts;
  assert.ok(nonceAccount);
  const { nonce } = await node.readNonce(toAddress(nonceAccount.address), never);
  const data = ledger.getAccount(nonceAccount.address)?.data ?? new Uint8Array();
  assert.equal(nonce, getNonceDecoder().decode(data).blockhash);
  assert.equal((await node.readNonce(toAddress(alice.address), never)).nonce, undefined);
});
