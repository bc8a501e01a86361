import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { getBase58Decoder, lamports } from '@solana/kit';
import { SYSTEM_PROGRAM_ADDRESS } from '@solana-program/system';
import { findAssociatedTokenPda, TOKEN_2022_PROGRAM_ADDRESS } from '@solana-program/token-2022';
import { decodeTransaction } from '../../src/ledger/transaction-decoding.ts';
import { base64, memo, signed, startTestSandbox, type TestSandbox, wallet } from '../fixtures.ts';

const confirmedConfig = { commitment: 'confirmed' };
const base64Config = { encoding: 'base64', preflightCommitment: 'confirmed' };

describe("the sandbox's JSON-RPC", () => {
  const alice = wallet('alice');
  const bob = wallet('bob');
  let sandbox: TestSandbox;
  before(async () => {
    sandbox = await startTestSandbox();
  });
  after(() => sandbox.close());

  const result = async (method: string, ...parameters: unknown[]) => {
    const { json } = await sandbox.call(method, parameters);
    assert.equal(json.error, undefined, `${method}: ${JSON.stringify(json.error)}`);
    return json.result;
  };
  const error = async (method: string, ...parameters: unknown[]) => (await sandbox.call(method, parameters)).json.error;
  const tokenAccount = async (owner: typeof alice, mint: string) => {
    const { token_program: tokenProgram } = sandbox.world.mints.find(({ name }) => name === mint) ?? assert.fail();
    return (await findAssociatedTokenPda({ owner: owner.address, mint: sandbox.mint(mint), tokenProgram }))[0];
  };

  it('answers about slots, blocks and the cluster', async () => {
    const slot = Number(sandbox.ledger.slot());
    assert.equal(await result('getSlot'), slot);
    assert.equal(await result('getSlot', confirmedConfig), slot);
    assert.equal(await result('getBlockHeight', confirmedConfig), Number(sandbox.ledger.latestBlockhash().blockHeight));
    assert.match(await result('getGenesisHash'), /^[1-9A-HJ-NP-Za-km-z]{43,44}$/);
    const epoch = await result('getEpochInfo', confirmedConfig);
    assert.equal(epoch.absoluteSlot, slot);
    assert.equal(epoch.epoch * epoch.slotsInEpoch + epoch.slotIndex, slot);
    const fees = await result('getRecentPrioritizationFees', [alice.address]);
    assert.equal(fees.length, 150);
    assert.deepEqual(fees.at(-1), { slot, prioritizationFee: 0 });
  });

  it('answers about blockhashes and fees', async () => {
    const { context, value } = await result('getLatestBlockhash', confirmedConfig);
    assert.equal(context.slot, Number(sandbox.ledger.slot()));
    assert.equal(value.blockhash, sandbox.ledger.latestBlockhash().blockhash);
    assert.equal((await result('isBlockhashValid', value.blockhash, confirmedConfig)).value, true);
    assert.equal((await result('isBlockhashValid', value.blockhash)).value, true);
    const { messageBytes } = decodeTransaction(signed(sandbox, [memo('fee')], alice));
    assert.equal((await result('getFeeForMessage', base64(messageBytes), confirmedConfig)).value, 5000);
    sandbox.ledger.advanceSlots(151);
    assert.equal((await result('getFeeForMessage', base64(messageBytes), confirmedConfig)).value, null);
  });

  it('answers about accounts in every encoding', async () => {
    const mint = sandbox.mint('USDC');
    const data = Buffer.from(sandbox.ledger.getAccount(mint)?.data ?? []);
    const dataIn = async (config: object) => (await result('getAccountInfo', mint, config)).value.data;
    assert.deepEqual(await dataIn({ encoding: 'base64' }), [data.toString('base64'), 'base64']);
    const parsed = await dataIn({ encoding: 'jsonParsed' });
    assert.deepEqual([parsed.program, parsed.parsed.type, parsed.parsed.info.decimals], ['spl-token', 'mint', 6]);
    assert.deepEqual(await dataIn({ encoding: 'base58' }), [getBase58Decoder().decode(data), 'base58']);
    assert.equal(await dataIn({}), getBase58Decoder().decode(data));
    const slice = { encoding: 'base64', dataSlice: { offset: 44, length: 1 } };
    assert.deepEqual(await dataIn(slice), [Buffer.from([6]).toString('base64'), 'base64']);
    assert.equal((await result('getAccountInfo', mint, slice)).value.space, 82);
    assert.equal((await result('getAccountInfo', wallet('dave').address)).value, null);
    const { value } = await result('getMultipleAccounts', [mint, wallet('dave').address, alice.address]);
    assert.deepEqual(value[0].data, [data.toString('base64'), 'base64']);
    assert.equal(value[1], null);
    assert.equal(value[2].owner, SYSTEM_PROGRAM_ADDRESS);
    assert.equal(await result('getMinimumBalanceForRentExemption', 165), (128 + 165) * 5_080);
    const { code, message } = await error('getAccountInfo', await tokenAccount(alice, 'USDC'), { encoding: 'base58' });
    assert.equal(code, -32600);
    assert.match(message, /should be less than 128 bytes/);
  });

  it('answers about token accounts', async () => {
    const owned = (filter: object) => result('getTokenAccountsByOwner', bob.address, filter, { encoding: 'base64' });
    const byMint = await owned({ mint: sandbox.mint('VOTE') });
    assert.equal(byMint.value.length, 1);
    assert.equal(byMint.value[0].pubkey, await tokenAccount(bob, 'VOTE'));
    assert.equal((await owned({ programId: TOKEN_2022_PROGRAM_ADDRESS })).value.length, 4);
  });

  it('takes no account of another program, length or state for a token account', async () => {
    const good = sandbox.ledger.getAccount(await tokenAccount(bob, 'USDC')) ?? assert.fail();
    const uninitialized = good.data.map((byte, index) => (index === 108 ? 0 : byte));
    const address = wallet('nobody').address;
    for (const change of [
      { programAddress: SYSTEM_PROGRAM_ADDRESS },
      { data: good.data.slice(0, -1) },
      { data: uninitialized },
    ]) {
      sandbox.ledger.setAccount({ ...good, ...change, address });
      assert.match((await error('getTokenAccountBalance', address)).message, /not a Token account/);
    }
    const notMint = await error('getTokenAccountsByOwner', bob.address, { mint: address });
    assert.equal(notMint.message, 'Invalid param: not a Token mint');
  });

  it('writes integers past 2^53 exactly', async () => {
    const amount = 9_007_199_254_740_993n;
    const address = wallet('rich').address;
    sandbox.ledger.setAccount({
      address,
      lamports: lamports(amount),
      data: new Uint8Array(),
      space: 0n,
      executable: false,
      programAddress: SYSTEM_PROGRAM_ADDRESS,
    });
    assert.match((await sandbox.call('getBalance', [address])).text, /"value":9007199254740993[,}]/);
    const { text } = await sandbox.call('getAccountInfo', [address]);
    assert.match(text, /"lamports":9007199254740993[,}]/);
    assert.match(text, /"rentEpoch":18446744073709551615[,}]/);
    const body = `{"jsonrpc":"2.0","id":1,"method":"requestAirdrop","params":["${address}",9007199254740993]}`;
    assert.equal((await sandbox.post(body)).json.error, undefined);
    assert.equal(sandbox.ledger.getAccount(address)?.lamports, 2n * amount);
  });

  it('refuses wrong parameters with -32602 and a reason', async () => {
    const message = async (method: string, ...parameters: unknown[]) => {
      const fault = await error(method, ...parameters);
      assert.equal(fault?.code, -32602, `${method} ${JSON.stringify(parameters)}: ${JSON.stringify(fault)}`);
      return fault.message;
    };
    await message('getBalance', alice.address, 'confirmed');
    const unknownPreflight = await message('sendTransaction', '', { preflightCommitment: 'soon' });
    assert.match(unknownPreflight, /unknown variant `soon`, expected one of `processed`, `confirmed`, `finalized`/);
    await message('getTransaction', getBase58Decoder().decode(new Uint8Array(64).fill(1)), { commitment: 'processed' });
    await message('requestAirdrop', alice.address, -1);
    await message('sendTransaction', '!', { encoding: 'base64' });
    const trailing = Uint8Array.from([...signed(sandbox, [memo('junk')], alice), 0]);
    assert.match(await message('sendTransaction', base64(trailing), base64Config), /failed to deserialize/);
  });

  it('refuses a minimum context slot only when it is ahead', async () => {
    const slot = Number(sandbox.ledger.slot());
    const reached = await result('getLatestBlockhash', { minContextSlot: slot });
    assert.equal(reached.context.slot, slot);
    assert.equal((await error('getLatestBlockhash', { minContextSlot: slot + 1 })).data.contextSlot, slot);
  });
});
