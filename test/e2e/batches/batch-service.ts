import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { Check } from 'typebox/schema';
import { toAddress } from '../../../packages/core/src/addresses/address.ts';
import { findAssociatedTokenAddress } from '../../../packages/core/src/addresses/derived-addresses.ts';
import { tokenProgram } from '../../../packages/core/src/addresses/programs.ts';
import { freshWallet } from '../../../packages/core/test/fixtures.ts';
import type { Sandbox } from '../../../packages/sandbox/src/index.ts';
import { unrestricted } from '../../../packages/server/src/keys/authenticated-key.ts';
import { openKeyStore } from '../../../packages/server/src/serve/store/open-key-store.ts';
import { schemaAt } from '../../../packages/server/test/app/openapi-document.ts';
import { alice, usdc } from '../../../packages/server/test/app/sample-bodies.ts';
import { sqliteFile } from '../../../packages/server/test/store/databases.ts';
import { readApiDocument } from '../../setup/api-document.ts';
import type { Json } from '../../setup/json.ts';
import { startTestSandbox } from '../../setup/sandbox.ts';
import { startTestService } from '../../setup/service.ts';
import { readUntil } from '../../setup/wait-until.ts';
import { tokensOf } from '../idempotency/keyed-client.ts';

const document = await readApiDocument();

/** The path of batches. */
export const path = '/v1/transfers/batch';

/** What the service answered. */
export interface Answer {
  status: number;
  json: Json;
  isReplay: boolean;
}

/** Starts a service with one API key, on a ledger whose time passes only by hand. */
export async function startBatchService(t: TestContext, newUrl = sqliteFile.newUrl) {
  const sandbox = await startTestSandbox(t, { slotMs: 0 });
  const databaseUrl = await newUrl(t);
  const environment = { SOLANA_RPC_URLS: sandbox.rpcUrl, DATABASE_URL: databaseUrl };
  const store = await openKeyStore(databaseUrl);
  t.after(() => store.close());
  const { key, record } = await store.create({ name: 'payroll', expiresAt: null });
  const service = await startTestService(t, environment);
  const post = async (where: string, body: object, idempotencyKey?: string): Promise<Answer> => {
    const headers = { authorization: `Bearer ${key}`, ...(idempotencyKey && { 'idempotency-key': idempotencyKey }) };
    const response = await service.post(where, body, headers);
    const isReplay = response.headers.get('idempotency-replayed') === 'true';
    return { status: response.status, json: await response.json(), isReplay };
  };
  const limitTo = (recipient: string) =>
    store.update(record.id, () => ({
      restrictions: { ...unrestricted, toAddresses: new Set([toAddress(recipient)]) },
    }));
  const limitPerDay = (perDay: bigint) => {
    const amounts = new Map([[toAddress(usdc), { perTransfer: null, perDay }]]);
    return store.update(record.id, () => ({ restrictions: { ...unrestricted, amounts } }));
  };
  const builtToday = async (): Promise<bigint | undefined> =>
    (await store.findDailyAmounts(record.id, new Date().toISOString().slice(0, 10))).get(toAddress(usdc));
  return { sandbox, post, limitTo, limitPerDay, builtToday };
}

/** The body of a batch of these transfers, from alice. */
export const batchOf = (transfers: readonly object[]): object => ({
  from_address: alice,
  token_mint_address: usdc,
  transfers,
});
/** So many transfers to wallets of their own, of 1, 2, 3 … base units. */
export const freshTransfers = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ to_address: freshWallet(), amount: String(index + 1) }));
/** The base64 transactions of a reply. */
export const transactionsOf = ({ json }: Answer): string[] =>
  json.data.transactions.map(({ transaction }: Json) => transaction);

/** The base units that a wallet has. */
export function balanceOf(sandbox: Sandbox, owner: string): bigint {
  const wallet = { owner: toAddress(owner), mint: toAddress(usdc), tokenProgram };
  return tokensOf(sandbox, findAssociatedTokenAddress(wallet).address);
}

/** Asks again until the answer is of this status: what the service knows of the newest slots is a moment old. */
export function untilStatus(status: number, ask: () => Promise<Answer>): Promise<Answer> {
  return readUntil(ask, (answer) => answer.status === status && !answer.isReplay);
}

/** Asks again until so many transactions are named as landed. */
export function untilLanded(count: number, ask: () => Promise<Answer>): Promise<Answer> {
  return readUntil(ask, ({ json }) => json.data?.landed_transactions?.length === count);
}

/** Asserts that an answer is as the OpenAPI document says. */
export function assertContract({ status, json }: Answer, mediaType: string): void {
  const schema = schemaAt(document, 'paths', path, 'post', 'responses', String(status), 'content', mediaType, 'schema');
  assert.ok(Check(schema, json), JSON.stringify(json));
}

/** Asks until the answer is neither the first one again nor that it may still land. */
export function untilDecided(ask: () => Promise<Answer>): Promise<Answer> {
  return readUntil(ask, ({ isReplay, json }) => !isReplay && json.code !== 'previous_may_land');
}
