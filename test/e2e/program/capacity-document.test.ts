import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { it } from 'node:test';
import { addressFromBytes, isOnCurve } from '../../../packages/core/src/index.ts';
import { repository } from '../../setup/process.ts';
import { startTestService } from '../../setup/service.ts';
import { temporaryFolder } from '../../setup/temporary-folder.ts';
import { named } from '../../setup/wallets.ts';

const document = readFileSync(join(repository, 'docs/operate/capacity.md'), 'utf8').replaceAll(/\s+/g, ' ');

it('docs/operate/capacity.md says how much a reply takes on the disk', async (t) => {
  const path = join(temporaryFolder(t), 'keys.db');
  const service = await startTestService(t, { DATABASE_URL: `sqlite:${path}` });
  const { wallets, mints } = service.sandbox.world;
  const common = {
    from_address: named(wallets, 'alice').address,
    token_mint_address: named(mints, 'USDC').address,
  };
  /** Bytes that the file has grown by for each of so many requests. */
  const bytesOf = async (url: string, count: number, body: () => object): Promise<number> => {
    const sizeBefore = sizeOf(path);
    for (let made = 0; made < count; made += 1) {
      const reply = await service.post(url, { ...common, ...body() }, { 'idempotency-key': randomUUID() });
      assert.equal(reply.status, 200, await reply.text());
    }
    return (sizeOf(path) - sizeBefore) / count;
  };
  const transfer = await bytesOf('/v1/transfers', 200, () => payment());
  const batch = await bytesOf('/v1/transfers/batch', 10, () => ({ transfers: Array.from({ length: 100 }, payment) }));

  const [, transferKb, batchKb] =
    /about ([\d.]+) kB for a transfer, and about (\d+) kB for a batch of 100/.exec(document) ?? [];
  near(transfer, Number(transferKb) * 1_000);
  near(batch, Number(batchKb) * 1_000);
  const [, perSecond, gigabytes] =
    /So (\d+) such transfers a second are (\d+) GB at the default of 24 hours/.exec(document) ?? [];
  near(Number(perSecond) * 86_400 * Number(transferKb) * 1_000, Number(gigabytes) * 1e9);
});

const payment = (): object => ({ to_address: newWallet(), amount: '1' });

function newWallet(): string {
  const bytes = randomBytes(32);
  return isOnCurve(bytes) ? addressFromBytes(bytes) : newWallet();
}

function sizeOf(path: string): number {
  const database = new DatabaseSync(path, { readOnly: true });
  const [row] = database
    .prepare('select page_count * page_size as bytes from pragma_page_count, pragma_page_size')
    .all();
  database.close();
  return Number(row?.bytes);
}

function near(measured: number, said: number): void {
  assert.ok(Math.abs(measured - said) <= said / 5, `measured ${Math.round(measured)}, the document says ${said}`);
}
