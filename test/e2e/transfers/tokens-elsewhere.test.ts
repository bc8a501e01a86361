import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type Address, address, createNoopSigner } from '@solana/kit';
import {
  findAssociatedTokenPda,
  getCreateAssociatedTokenIdempotentInstruction,
  getTransferCheckedInstruction,
  TOKEN_PROGRAM_ADDRESS,
} from '@solana-program/token';
import { keypairFromName } from '../../../packages/sandbox/src/ledger/keypair.ts';
import { signedTransaction } from '../../../packages/sandbox/src/ledger/signed-transaction.ts';
import { readProblem } from '../../../packages/server/test/app/problem.ts';
import { linksPath } from '../../../packages/server/test/app/sample-bodies.ts';
import { type Fault, healthy, isJsonObject, startFaultProxy } from '../../setup/fault-proxy.ts';
import { editedValue, freeze, nodeError, onlyFor } from '../../setup/faults.ts';
import { startTestSandbox } from '../../setup/sandbox.ts';
import { holdElsewhere } from '../../setup/token-elsewhere.ts';
import { named, peopleOf } from '../../setup/wallets.ts';
import { readLink } from '../links/link-service.ts';
import { startServiceOn } from '../nodes/upstream-service.ts';

const lookup = 'getTokenAccountsByOwner';

/** A service on one node, and carol, who has SOL and no token account. */
async function startScene(t: TestContext) {
  const sandbox = await startTestSandbox(t, { slotMs: 0 });
  const { ledger, world } = sandbox;
  const node = await startFaultProxy(t, { ledger, name: 'node' });
  const service = await startServiceOn(t, node.url, {
    PUBLIC_URL: 'http://127.0.0.1:1',
    PAY_RATE_LIMIT_PER_MINUTE: '0',
  });
  const [bob, carol] = [peopleOf(world).bob.address, peopleOf(world).carol.address];
  const usdc = named(world.mints, 'USDC').address;
  const [derived] = await findAssociatedTokenPda({ owner: carol, mint: usdc, tokenProgram: TOKEN_PROGRAM_ADDRESS });
  const transfer = { from_address: carol, to_address: bob, token_mint_address: usdc, amount: '1500000' };
  const post = (path: string, body: object) => service.post(path, body);
  const build = () => post('/v1/transfers', transfer);
  /** What a request makes the service ask the node for. */
  const callsOf = async (request: () => Promise<unknown>): Promise<Record<string, number>> => {
    const before = new Map(node.callsByMethod);
    await request();
    const made = [...node.callsByMethod].map(([method, count]) => [method, count - (before.get(method) ?? 0)] as const);
    // What the service asks from time to time is no call of the request.
    const ofService = ['getLatestBlockhash', 'getGenesisHash'];
    return Object.fromEntries(made.filter(([method, count]) => count > 0 && !ofService.includes(method)));
  };
  return { ledger, node, service, bob, carol, usdc, derived, transfer, post, build, callsOf };
}

/** Moves tokens of carol into her derived account, as her wallet does when she sends them to herself. */
function sendToHerself(
  ledger: Awaited<ReturnType<typeof startScene>>['ledger'],
  parts: Record<'source' | 'mint' | 'destination', Address>,
  amount: bigint,
): void {
  const carol = keypairFromName('splwright sandbox wallet carol');
  const signer = createNoopSigner(carol.address);
  const { source, mint, destination } = parts;
  const creation = getCreateAssociatedTokenIdempotentInstruction({
    payer: signer,
    ata: destination,
    owner: carol.address,
    mint,
  });
  const move = getTransferCheckedInstruction({ source, mint, destination, authority: signer, amount, decimals: 6 });
  const { error } = ledger.sendTransaction(signedTransaction([creation, move], [carol], ledger.latestBlockhash()));
  assert.equal(error, null);
}

test('A sender whose tokens are not where they belong is told where they are, and can send them from there to itself', async (t) => {
  const { ledger, service, bob, carol, usdc, derived, transfer, post, build } = await startScene(t);
  const refused = await readProblem(await build());
  assert.match(refused.detail, /there is none at \S+\. It must receive some of this token first\.$/);

  const other = holdElsewhere(ledger, carol, usdc, 5_000_000n);
  holdElsewhere(ledger, carol, usdc, 4_999_999n);
  holdElsewhere(ledger, bob, usdc, 9_000_000n);
  const { code, detail } = await readProblem(await build());
  assert.equal(code, 'sender_token_account_not_found');
  assert.equal(
    detail,
    `${carol} has no token account for the mint ${usdc}: there is none at ${derived}. ${carol} has 5000000 base units ` +
      `(5 tokens) in ${other}, another token account of its own, which this service does not send from. Move them to ${derived} first.`,
  );
  const { amount, to_address, ...rest } = transfer;
  const batch = await readProblem(await post('/v1/transfers/batch', { ...rest, transfers: [{ to_address, amount }] }));
  assert.equal(batch.detail, detail);

  const wanted = { to_address: bob, token_mint_address: usdc, amount, label: 'Tea' };
  const made = await readLink(await post(linksPath, wanted), 201, 'created');
  const pay = () =>
    fetch(`${service.url}/pay/${made.id}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ account: carol }),
    });
  const { message, errors } = await readProblem(await pay());
  assert.equal(message, `Your 5.00 USDC is in ${other.slice(0, 4)}…${other.slice(-4)}. Send it to yourself first.`);
  assert.equal(errors?.[0]?.detail, detail);

  // An empty account where they belong is no other case.
  sendToHerself(ledger, { source: other, mint: usdc, destination: derived }, 0n);
  const empty = await readProblem(await build());
  assert.equal(empty.code, 'insufficient_token_balance');
  assert.match(
    empty.detail,
    new RegExp(` has 5000000 base units \\(5 tokens\\) in ${other}, .* Move them to ${derived} first\\.$`),
  );
  sendToHerself(ledger, { source: other, mint: usdc, destination: derived }, 5_000_000n);
  assert.equal((await build()).status, 200);
  assert.equal((await pay()).status, 200);
});

test('A look elsewhere is one more call, of this refusal alone; a link is made with as many calls as before it had a name', async (t) => {
  const { ledger, bob, carol, usdc, transfer, post, build, callsOf } = await startScene(t);
  const alice = keypairFromName('splwright sandbox wallet alice').address;
  const link = { to_address: bob, token_mint_address: usdc, amount: '1', label: 'Tea' };
  assert.deepEqual(await callsOf(() => post(linksPath, link)), { getMultipleAccounts: 1, getSignaturesForAddress: 1 });
  assert.deepEqual(await callsOf(build), { getMultipleAccounts: 1, [lookup]: 1 });
  const lands = () => post('/v1/transfers', { ...transfer, from_address: alice });
  assert.deepEqual(await callsOf(lands), { getMultipleAccounts: 1 });
  const tooMuch = () => post('/v1/transfers', { ...transfer, from_address: alice, amount: `${10n ** 15n}` });
  assert.deepEqual(await callsOf(tooMuch), { getMultipleAccounts: 1 });
  holdElsewhere(ledger, carol, usdc, 5_000_000n);
  assert.deepEqual(await callsOf(build), { getMultipleAccounts: 1, [lookup]: 1 });
});

const change = (edit: (account: Record<string, unknown>) => unknown): Fault =>
  editedValue((value) =>
    Array.isArray(value) ? value.map((each) => (isJsonObject(each) ? edit(each) : each)) : value,
  );

test('A node that cannot look elsewhere, or lies about it, leaves the refusal as it is', async (t) => {
  const { ledger, node, bob, carol, usdc, build, callsOf } = await startScene(t);
  const plain = (await readProblem(await build())).detail;
  holdElsewhere(ledger, carol, usdc, 5_000_000n);
  const ofBob = holdElsewhere(ledger, bob, usdc, 5_000_000n);
  const bobs = {
    lamports: 2_039_280,
    owner: String(TOKEN_PROGRAM_ADDRESS),
    executable: false,
    rentEpoch: 0,
    space: 165,
  };
  const data = Buffer.from(ledger.getAccount(address(ofBob))?.data ?? []).toString('base64');
  const faults: readonly (readonly [string, Fault])[] = [
    ['it does not offer the method', nodeError(-32601, 'Method not found')],
    ["it names another's account", change((each) => ({ ...each, account: { ...bobs, data: [data, 'base64'] } }))],
    ['it never answers', freeze],
  ];
  for (const [name, fault] of faults) {
    node.fault = onlyFor(lookup, fault);
    const { status, code, detail } = await readProblem(await build());
    assert.deepEqual([status, code, detail], [422, 'sender_token_account_not_found', plain], name);
  }
  node.fault = onlyFor(lookup, nodeError(-32601, 'Method not found'));
  assert.deepEqual(await callsOf(build), { getMultipleAccounts: 1, [lookup]: 1 }, 'it is not asked again');
  node.fault = healthy;
  assert.match((await readProblem(await build())).detail, /has 5000000 base units/);
});
