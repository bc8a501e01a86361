import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestService } from '../../../../test/setup/service.ts';
import { freshWallet } from '../../../core/test/fixtures.ts';
import { paths } from '../../src/transfers/transfer-schema.ts';
import { readProblem } from './problem.ts';
import { batchBody, createBody, linkBody, linksPath } from './sample-bodies.ts';

const usdcOfMainnet = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';

test('A mint of mainnet is refused on the sandbox with where the mints of the sandbox are, whatever asks for it', async (t) => {
  const service = await startTestService(t);
  for (const [path, body] of [
    [paths.createTransfer, createBody],
    [paths.transfers, createBody],
    [paths.batch, batchBody],
    [linksPath, linkBody],
  ] as const) {
    const { errors = [] } = await readProblem(await service.post(path, { ...body, token_mint_address: usdcOfMainnet }));
    assert.deepEqual(
      errors.map(({ code, detail }) => [code, detail]),
      [
        [
          'mint_not_found',
          `There is no account at ${usdcOfMainnet} on the sandbox, the ledger that this service runs on. Its mints are at ` +
            '/sandbox/world; for a mint of mainnet, start the service with SOLANA_RPC_URLS.',
        ],
      ],
      path,
    );
  }
});

test('A wallet that the sandbox does not know is refused with where the wallets of the sandbox are', async (t) => {
  const service = await startTestService(t);
  const { errors = [] } = await readProblem(
    await service.post(paths.transfers, { ...createBody, from_address: freshWallet() }),
  );
  const { detail = '' } = errors.find(({ code }) => code === 'insufficient_sol') ?? {};
  assert.match(detail, / SOL\), or use a wallet of the sandbox: they are at \/sandbox\/world\.$/);
});
