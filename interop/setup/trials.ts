import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { callRpc, type Service } from './service.ts';

/** A request to the service, and who signs what it answers. Programs in other languages read the same file. */
export interface Trial {
  name: string;
  path: string;
  /** The names of the wallets that sign. */
  signers: readonly string[];
  body: { from_address: string; to_address: string; token_mint_address: string; amount: string; encoding?: string };
}

/** All trials. */
export const trials: readonly Trial[] = JSON.parse(
  readFileSync(new URL('../trials.json', import.meta.url), { encoding: 'utf8' }),
);

/** What the service built. */
export interface Built {
  /** The transaction, in the encoding that was asked for. */
  transaction: readonly number[] | string;
  blockhash: string;
  lastValidBlockHeight: bigint;
}

/** Asks the service for a transfer. Throws with its words when it refuses. */
export async function build(service: Service, { path, body }: Trial): Promise<Built> {
  const reply = await fetch(service.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${service.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await reply.text();
  assert.equal(reply.status, 200, text);
  const { data } = JSON.parse(text);
  return {
    transaction: data.transaction ?? data,
    blockhash: reply.headers.get('solana-blockhash') ?? '',
    lastValidBlockHeight: BigInt(reply.headers.get('solana-last-valid-block-height') ?? ''),
  };
}

/** Runs what should land trials, and asserts that each signature is confirmed and that exactly their amounts moved. */
export async function assertLands(
  service: Service,
  landed: readonly Trial[],
  run: () => Promise<readonly string[]>,
): Promise<void> {
  const expected = await balances(service);
  for (const { body } of landed) {
    move(expected, body.from_address, body.token_mint_address, -BigInt(body.amount));
    move(expected, body.to_address, body.token_mint_address, BigInt(body.amount));
  }
  const signatures = await run();
  assert.equal(new Set(signatures).size, landed.length, `signatures: ${signatures.join(', ')}`);
  const { value: statuses } = await callRpc<{ value: readonly (Status | null)[] }>(service, 'getSignatureStatuses', [
    signatures,
  ]);
  for (const status of statuses) {
    assert.equal(status?.err, null);
    assert.ok(status.confirmationStatus === 'confirmed' || status.confirmationStatus === 'finalized');
  }
  assert.deepEqual(await balances(service), expected);
}

interface Status {
  err: unknown;
  confirmationStatus: string;
}

function move(expected: Map<string, bigint>, owner: string, mint: string, amount: bigint): void {
  const key = `${owner} ${mint}`;
  expected.set(key, (expected.get(key) ?? 0n) + amount);
}

/** The tokens of every wallet and mint of the trials, in base units. */
async function balances(service: Service): Promise<Map<string, bigint>> {
  const owned = trials.flatMap(({ body }) =>
    [body.from_address, body.to_address].map((owner) => [owner, body.token_mint_address] as const),
  );
  const pairs = new Map(owned.map((pair) => [pair.join(' '), pair]));
  return new Map(
    await Promise.all(
      [...pairs].map(async ([key, [owner, mint]]) => [key, await balanceOf(service, owner, mint)] as const),
    ),
  );
}

async function balanceOf(service: Service, owner: string, mint: string): Promise<bigint> {
  const { value } = await callRpc<{ value: readonly { account: { data: readonly [string] } }[] }>(
    service,
    'getTokenAccountsByOwner',
    [owner, { mint }, { encoding: 'base64', commitment: 'confirmed' }],
  );
  // In the layout of token accounts, the amount is the 64-bit number after the mint and the owner.
  const amounts = value.map(({ account }) => Buffer.from(account.data[0], 'base64').readBigUInt64LE(64));
  return amounts.reduce((sum, amount) => sum + amount, 0n);
}
