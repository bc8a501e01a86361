import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { address } from '@solana/kit';
import { startPlayedKora } from '../../setup/kora.ts';
import { repository, runCommand } from '../../setup/process.ts';
import { startTestService } from '../../setup/service.ts';
import { peopleOf } from '../../setup/wallets.ts';

const document = readFileSync(join(repository, 'docs/sponsor-fees.md'), 'utf8');
const [, command = ''] = /^```sh\n(.*)\n```$/m.exec(document) ?? [];
const configuration = readFileSync(join(repository, 'examples/kora.toml'), 'utf8');

/** A service and a Kora that is played with a configuration, and what it costs the sender and the sponsor to run the program. */
async function start(t: TestContext, kora = configuration) {
  const service = await startTestService(t);
  const { world, ledger, rpcUrl } = service.sandbox;
  const { alice, bob: sponsor } = peopleOf(world);
  const url = await startPlayedKora(t, { signer: sponsor, rpcUrl, configuration: kora });
  const lamportsOf = (wallet: { address: string }): bigint =>
    ledger.getAccount(address(wallet.address))?.lamports ?? 0n;
  const run = async (recipient: string) => {
    const before = [lamportsOf(alice), lamportsOf(sponsor)];
    const ended = await runCommand(command.replace(' bob ', ` ${recipient} `), {
      SPLWRIGHT_URL: service.url,
      KORA_URL: url,
    });
    const [paidByAlice = 0n, paidBySponsor = 0n] = [lamportsOf(alice), lamportsOf(sponsor)].map(
      (after, index) => (before[index] ?? 0n) - after,
    );
    return { ...ended, paidByAlice, paidBySponsor };
  };
  return { run };
}

describe('docs/sponsor-fees.md', () => {
  it('has a command whose fees and rents the sponsor pays, to recipients with and without a token account', async (t) => {
    const { run } = await start(t);
    const existing = await run('bob');
    assert.equal(existing.status, 0, existing.stderr);
    assert.match(existing.stdout, /^landed \w{80,} 10000 lamports paid by \w+\n$/);
    assert.deepEqual([existing.paidByAlice, existing.paidBySponsor], [0n, 10_000n]);
    const created = await run('carol');
    assert.equal(created.status, 0, created.stderr);
    assert.deepEqual([created.paidByAlice, created.paidBySponsor], [0n, 10_000n + 1_488_440n]);
  });

  it('needs each line that it says it needs', async (t) => {
    const without: readonly [change: (text: string) => string, recipient: string, refusal: RegExp][] = [
      [
        (text) => text.replace(/^ {2}"Memo.*\n/m, ''),
        'bob',
        /Kora refused: Program Memo\w+ is not in the allowed list/,
      ],
      [(text) => text.replace('2000000', '1000000'), 'carol', /Kora refused: exceeds maximum allowed/],
      [
        (text) => text.replace('allow_create_account = true', ''),
        'carol',
        /Kora refused: the fee payer may not create/,
      ],
    ];
    for (const [change, recipient, refusal] of without) {
      const { run } = await start(t, change(configuration));
      const { status, stderr, paidByAlice, paidBySponsor } = await run(recipient);
      assert.notEqual(status, 0);
      assert.match(stderr, refusal);
      assert.deepEqual([paidByAlice, paidBySponsor], [0n, 0n]);
    }
  });
});
