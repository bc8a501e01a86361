import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { address, createNoopSigner, lamports } from '@solana/kit';
import { getTransferSolInstruction, SYSTEM_PROGRAM_ADDRESS } from '@solana-program/system';
import { TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import { keypairFromName } from '../../src/ledger/keypair.ts';
import { makeTokenAccount } from '../conformance/scene.ts';
import { base64, memo, signed, startTestSandbox, type TestSandbox, wallet } from '../fixtures.ts';

describe('the commitments of the sandbox with 32 slots to finality', () => {
  const alice = wallet('alice');
  let sandbox: TestSandbox;
  before(async () => {
    sandbox = await startTestSandbox({ slotsToFinalize: 32 });
  });
  after(() => sandbox.close());

  const result = async (method: string, ...parameters: unknown[]) => {
    const { json } = await sandbox.call(method, parameters);
    assert.equal(json.error, undefined, `${method}: ${JSON.stringify(json.error)}`);
    return json.result;
  };
  const balanceAt = async (account: string, commitment: string) =>
    (await result('getBalance', account, { commitment })).value;
  const pay = (to: string, amount: bigint) => {
    const destination = keypairFromName(to).address;
    const transfer = { source: createNoopSigner(alice.address), destination, amount };
    const bytes = signed(sandbox, [getTransferSolInstruction(transfer)], alice);
    assert.equal(sandbox.ledger.sendTransaction(bytes).error, null);
    return destination;
  };

  it('read a balance at finalized as it was 32 slots ago', async () => {
    const recipient = pay('paid twice', 1_000_000n);
    sandbox.ledger.advanceSlots(10);
    pay('paid twice', 2_000_000n);
    assert.equal(await balanceAt(recipient, 'confirmed'), 3_000_000);
    assert.equal(await balanceAt(recipient, 'finalized'), 0);
    assert.equal((await result('getAccountInfo', recipient)).value, null);
    sandbox.ledger.advanceSlots(22);
    assert.equal(await balanceAt(recipient, 'finalized'), 1_000_000);
    sandbox.ledger.advanceSlots(10);
    assert.equal(await balanceAt(recipient, 'finalized'), 3_000_000);
  });

  it('read an account that was written by hand at every commitment', async () => {
    const recipient = pay('written by hand', 1_000_000n);
    const account = { address: recipient, lamports: lamports(7_000_000n), data: new Uint8Array(), space: 0n };
    sandbox.ledger.setAccount({ ...account, executable: false, programAddress: SYSTEM_PROGRAM_ADDRESS });
    assert.equal(await balanceAt(recipient, 'confirmed'), 7_000_000);
    assert.equal(await balanceAt(recipient, 'finalized'), 7_000_000);
  });

  it("list an owner's token accounts as they were at that commitment", async () => {
    const mint = sandbox.mint('USDC');
    const owner = keypairFromName('a new holder').address;
    sandbox.ledger.advanceSlots(32);
    const account = await makeTokenAccount(sandbox, alice, owner, mint, TOKEN_PROGRAM_ADDRESS, 0n);
    const listed = async (commitment: string) =>
      (await result('getTokenAccountsByOwner', owner, { mint }, { commitment, encoding: 'base64' })).value.map(
        ({ pubkey }: { pubkey: string }) => pubkey,
      );
    assert.deepEqual(await listed('confirmed'), [account]);
    assert.deepEqual(await listed('finalized'), []);
    sandbox.ledger.advanceSlots(32);
    assert.deepEqual(await listed('finalized'), [account]);
  });

  it('refuse a new blockhash in a strict preflight that names no commitment', async () => {
    const strict = await startTestSandbox({ strictPreflight: true });
    const send = async (text: string, config: object) => {
      const bytes = base64(signed(strict, [memo(text)], alice));
      return (await strict.call('sendTransaction', [bytes, { encoding: 'base64', ...config }])).json;
    };
    assert.match((await send('no commitment', {})).error.message, /Blockhash not found$/);
    assert.equal((await send('at confirmed', { preflightCommitment: 'confirmed' })).error, undefined);
    assert.equal((await send('not checked', { skipPreflight: true })).error, undefined);
    const simulated = await strict.call('simulateTransaction', [
      base64(signed(strict, [memo('simulated')], alice)),
      { encoding: 'base64' },
    ]);
    assert.equal(simulated.json.result.value.err, 'BlockhashNotFound');
    await strict.close();
  });

  it('recognize a sent transaction when it is simulated unsigned', async () => {
    const bytes = signed(sandbox, [memo('sent, then simulated')], alice);
    assert.equal(sandbox.ledger.sendTransaction(bytes).error, null);
    const unsigned = base64(Uint8Array.from(bytes).fill(0, 1, 65));
    const config = { encoding: 'base64', commitment: 'confirmed' };
    const { value } = await result('simulateTransaction', unsigned, config);
    assert.equal(value.err, 'AlreadyProcessed');
    const replaced = await result('simulateTransaction', unsigned, { ...config, replaceRecentBlockhash: true });
    assert.equal(replaced.value.err, null);
  });
});

describe('the sandbox, whose slots are final at once', () => {
  let sandbox: TestSandbox;
  before(async () => {
    sandbox = await startTestSandbox();
  });
  after(() => sandbox.close());
  const result = async (method: string, ...parameters: unknown[]) =>
    (await sandbox.call(method, parameters)).json.result;

  it('is at one slot at every commitment, and has the newest blockhash there', async () => {
    sandbox.ledger.advanceSlots(3);
    for (const commitment of ['processed', 'confirmed', 'finalized']) {
      assert.equal(await result('getSlot', { commitment }), Number(sandbox.ledger.slot()));
      const { value } = await result('getLatestBlockhash', { commitment });
      assert.equal(value.blockhash, sandbox.ledger.latestBlockhash().blockhash);
    }
  });

  it('says finalized of what has just landed, and shows it where no commitment is named', async () => {
    const bytes = base64(signed(sandbox, [memo('final at once')], wallet('alice')));
    const signature = await result('sendTransaction', bytes, { encoding: 'base64' });
    const [status] = (await result('getSignatureStatuses', [signature])).value;
    assert.equal(status.confirmationStatus, 'finalized');
    assert.equal(status.confirmations, null);
    assert.equal((await result('getTransaction', signature)).slot, status.slot);
    const [listed] = await result('getSignaturesForAddress', wallet('alice').address, { limit: 1 });
    assert.deepEqual([listed.signature, listed.confirmationStatus], [signature, 'finalized']);
  });

  it('has the account of a cluster that has migrated to Alpenglow; with 32 slots to finality it has not', async () => {
    const tower = await startTestSandbox({ slotsToFinalize: 32 });
    const certificate = address('42Ym56TQ7AKFThRv5nyoSABq5ZPgE2TLKo8BALZEtoU1');
    assert.notEqual(sandbox.ledger.getAccount(certificate), undefined);
    assert.equal(tower.ledger.getAccount(certificate), undefined);
    await tower.close();
  });
});
