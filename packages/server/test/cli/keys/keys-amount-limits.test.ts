import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openKeyStore } from '../../../src/serve/store/open-key-store.ts';
import { alice, bob, usdc } from '../../app/sample-bodies.ts';
import { commandLine, onlyJson } from './command-line.ts';

const other = '2CPAqpbRiZqJYh4ZSviojsaYkD49aUktc8tk29QkybtC';
const maximum = '18446744073709551615';

describe(`recipients and amounts of a key`, () => {
  it('are set when it is made, shown with it and in the list, and go with it when it is replaced', async (test) => {
    const { keys } = commandLine(test);
    const limits = ['--transfer-limit', `${usdc}=100`, '--daily-limit', `${usdc}=${maximum},${other}=5`];
    const args = ['create', '--name', 'app', '--allow-to', `${bob},${alice}`, ...limits];
    const expected = {
      allowed_to_addresses: [bob, alice].sort(),
      amount_limits: { [other]: { per_day: '5' }, [usdc]: { per_transfer: '100', per_day: maximum } },
    };
    const created = onlyJson(await keys(...args, '--json'));
    const shown = onlyJson(await keys('show', 'app', '--json'));
    const [listed] = onlyJson(await keys('list', '--json'));
    const rotated = onlyJson(await keys('rotate', 'app', '--json'));
    for (const { allowed_to_addresses, amount_limits } of [created, shown, listed, rotated]) {
      assert.deepEqual({ allowed_to_addresses, amount_limits }, expected);
    }
    const lines = [
      /^to addresses +[^ ]+, [^ ]+$/m,
      new RegExp(`^amount per transfer +${usdc}=100$`, 'm'),
      new RegExp(`^amount per day \\(UTC\\) +${other}=5, ${usdc}=${maximum}$`, 'm'),
    ];
    for (const line of lines) assert.match((await keys('show', 'app')).stdout, line);
  });

  it('are changed mint by mint, and taken away one by one or all at once', async (test) => {
    const { keys } = commandLine(test);
    const limitsAfter = async (...args: string[]) => onlyJson(await keys(...args, '--json')).amount_limits;
    const both = ['--transfer-limit', `${usdc}=1`, '--transfer-limit', `${other}=2`, '--daily-limit', `${usdc}=3`];
    await keys('create', '--name', 'app', '--allow-to', bob, ...both);
    assert.deepEqual(await limitsAfter('update', 'app', '--transfer-limit', `${usdc}=9`), {
      [usdc]: { per_transfer: '9', per_day: '3' },
      [other]: { per_transfer: '2' },
    });
    assert.deepEqual(await limitsAfter('update', 'app', '--transfer-limit', `${usdc}=any,${other}=any`), {
      [usdc]: { per_day: '3' },
    });
    assert.deepEqual(await limitsAfter('update', 'app', '--rate-limit', '5'), { [usdc]: { per_day: '3' } });
    assert.equal(await limitsAfter('update', 'app', '--daily-limit', 'any'), undefined);
    const freed = onlyJson(await keys('update', 'app', '--allow-to', 'any', '--json'));
    assert.equal('allowed_to_addresses' in freed, false);
  });

  it('are also what a sponsor pays: the lamports of a day, and rent', async (test) => {
    const { keys } = commandLine(test);
    const limitsAfter = async (...args: string[]) => {
      const { sponsored_lamports_per_day: perDay, sponsor_rent: rent } = onlyJson(await keys(...args, '--json'));
      return [perDay, rent];
    };
    const limits = ['--sponsored-lamports-per-day', '5000000', '--sponsor-rent'];
    assert.deepEqual(await limitsAfter('create', '--name', 'app', ...limits), ['5000000', true]);
    const { stdout } = await keys('show', 'app');
    assert.match(stdout, /^sponsored lamports per day \(UTC\) +5000000\nrent by sponsors +allowed$/m);
    assert.deepEqual(await limitsAfter('update', 'app', '--rate-limit', '5'), ['5000000', true]);
    assert.deepEqual(await limitsAfter('update', 'app', '--no-sponsor-rent'), ['5000000', undefined]);
    assert.deepEqual(await limitsAfter('update', 'app', '--sponsored-lamports-per-day', 'any'), [undefined, undefined]);
    const { status, stderr } = await keys('update', 'app', '--sponsored-lamports-per-day', '0');
    assert.equal(status, 2);
    assert.match(stderr, /--sponsored-lamports-per-day.*base units, or lamports, from 1 to/);
  });

  it('come with what was built today', async (test) => {
    const { keys, databaseUrl } = commandLine(test);
    const { id } = onlyJson(await keys('create', '--name', 'app', '--daily-limit', `${usdc}=${maximum}`, '--json'));
    const store = await openKeyStore(await databaseUrl);
    const amount = 2n ** 64n - 2n;
    for (const day of ['2026-11-20', '2026-11-21']) {
      await store.addDailyAmounts([
        { added: { keyId: id, day, mint: usdc, amount: day === '2026-11-21' ? amount : 1n }, limit: amount },
      ]);
    }
    await store.close();
    assert.deepEqual(onlyJson(await keys('show', 'app', '--json')).built_today, { [usdc]: amount.toString() });
    assert.match((await keys('show', 'app')).stdout, new RegExp(`^built today \\(UTC\\) +${usdc}=${amount}$`, 'm'));
  });
});

describe('a limit of amounts', () => {
  it('that is invalid is refused with the valid form, and nothing is stored', async (test) => {
    const { keys } = commandLine(test);
    const amount = /The amount is base units, or lamports, from 1 to 18446744073709551615/;
    const expectations: [string[], RegExp][] = [
      [
        ['--allow-to', 'bob'],
        /--allow-to <addresses>' argument 'bob' is invalid\. "bob" is not a Solana address.*base58 text of 32 bytes/,
      ],
      [['--allow-to', `any,${bob}`], /--allow-to.*"any" is not a Solana address/],
      [['--transfer-limit', '100'], /--transfer-limit.*"100" is not <mint>=<amount>, or any/],
      [['--transfer-limit', ''], /"" is not <mint>=<amount>/],
      [['--transfer-limit', `any,${usdc}=1`], /"any" is not <mint>=<amount>/],
      [['--transfer-limit', 'USDC=1'], /"USDC" is not a Solana address/],
      [['--transfer-limit', 'any=1'], /"any" is not a Solana address/],
      [['--transfer-limit', `${usdc}=1=2`], /is not <mint>=<amount>/],
      [['--daily-limit', `${usdc}=`], amount],
      [['--daily-limit', `${usdc}=0`], amount],
      [['--daily-limit', `${usdc}=01`], amount],
      [['--daily-limit', `${usdc}=-1`], amount],
      [['--daily-limit', `${usdc}=1.5`], amount],
      [['--daily-limit', `${usdc}=1e6`], amount],
      [['--daily-limit', `${usdc}=18446744073709551616`], amount],
      [['--daily-limit', `${usdc}=1,${usdc}=2`], /--daily-limit.*has two limits/],
    ];
    for (const [args, message] of expectations) {
      const { status, stdout, stderr } = await keys('create', '--name', 'app', ...args);
      assert.deepEqual([status, stdout], [2, ''], args.join(' '));
      assert.match(stderr, message);
    }
    assert.deepEqual(onlyJson(await keys('list', '--json')), []);
  });

  it('that does nothing, or closes a mint that is allowed, is warned of', async (test) => {
    const { keys } = commandLine(test);
    const warningsOf = async (...args: string[]) => (await keys(...args, '--expires', '1d')).stderr;
    const create = (name: string) => ['create', '--name', name];
    assert.equal(await warningsOf(...create('one'), '--transfer-limit', `${usdc}=1`, '--daily-limit', `${usdc}=1`), '');
    assert.match(
      await warningsOf(...create('two'), '--transfer-limit', `${usdc}=2`, '--daily-limit', `${usdc}=1`),
      new RegExp(`^Warning: the --transfer-limit of ${usdc}, 2, is above its --daily-limit, 1\n$`),
    );
    assert.match(
      await warningsOf(...create('three'), '--transfer-limit', `${usdc}=2`, '--allow-mint', other),
      new RegExp(`^Warning: ${usdc} has a limit, but .*\nWarning: ${other} cannot be moved: .*${other}=${maximum}\n$`),
    );
    const { id } = onlyJson(await keys('create', '--name', 'later', '--allow-mint', `${usdc},${other}`, '--json'));
    assert.match(await warningsOf('update', id, '--daily-limit', `${usdc}=1`), new RegExp(`${other} cannot be moved`));
  });
});
