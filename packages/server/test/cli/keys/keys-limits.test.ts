import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toAddress } from '../../../../core/src/addresses/address.ts';
import { findAssociatedTokenAddress } from '../../../../core/src/addresses/derived-addresses.ts';
import { tokenProgram } from '../../../../core/src/addresses/programs.ts';
import { memoBody } from '../../app/sample-bodies.ts';
import { commandLine, onlyJson } from './command-line.ts';

const mint = memoBody.token_mint_address;
const [alice, bob] = [memoBody.from_address, memoBody.to_address];
const seeds = { owner: toAddress(alice), mint: toAddress(mint), tokenProgram };
const { address: offCurve } = findAssociatedTokenAddress(seeds);

describe(`the limits of a key`, () => {
  it('are set when it is made, and shown with it', async (test) => {
    const { keys } = commandLine(test);
    const limits = ['--rate-limit', '60', '--allow-operation', 'memo_transfer,create_transfer', '--allow-mint', mint];
    const args = ['create', '--name', 'app', ...limits, '--allow-from', alice, '--allow-from', bob];
    const created = onlyJson(await keys(...args, '--json'));
    const expected = {
      rate_limit_per_minute: 60,
      allowed_operations: ['create_transfer', 'memo_transfer'],
      allowed_mints: [mint],
      allowed_from_addresses: [alice, bob].sort(),
    };
    const { id, name, key, prefix, created_at, expires_at } = created;
    assert.deepEqual(created, { id, name, key, prefix, created_at, expires_at, ...expected });

    const shown = onlyJson(await keys('show', 'app', '--json'));
    assert.deepEqual(shown, {
      id,
      name,
      prefix,
      created_at,
      expires_at,
      revoked_at: null,
      ...expected,
      status: 'active',
    });

    const { stdout } = await keys(...args);
    for (const text of [
      'requests per minute: 60',
      `mints: ${mint}`,
      `from addresses: ${[alice, bob].sort().join(', ')}`,
    ]) {
      assert.ok(stdout.includes(text), text);
    }
  });

  it('are changed one by one, and taken away', async (test) => {
    const { keys } = commandLine(test);
    onlyJson(await keys('create', '--name', 'app', '--rate-limit', '60', '--allow-mint', mint, '--json'));
    const changed = onlyJson(await keys('update', 'app', '--allow-from', alice, '--rate-limit', '5', '--json'));
    assert.deepEqual(
      [changed.rate_limit_per_minute, changed.allowed_mints, changed.allowed_from_addresses],
      [5, [mint], [alice]],
    );
    const unlimited = onlyJson(await keys('update', 'app', '--rate-limit', 'none', '--json'));
    assert.equal(unlimited.rate_limit_per_minute, 0);
    assert.match((await keys('show', 'app')).stdout, /requests per minute +unlimited/);
    const any = ['--rate-limit', 'default', '--allow-mint', 'any', '--allow-from', 'any'];
    const freed = onlyJson(await keys('update', 'app', ...any, '--json'));
    const limits = Object.keys(freed).filter((member) => /allowed|rate/.test(member));
    assert.deepEqual(limits, []);
  });
});

describe('an invalid limit', () => {
  it('is refused with the valid form, and nothing is stored', async (test) => {
    const { keys } = commandLine(test);
    const many = Array.from(
      { length: 101 },
      (_, index) => `${mint.slice(0, -3)}${String(index + 111).replaceAll('0', 'z')}`,
    );
    const expectations: [string[], RegExp][] = [
      [
        ['--rate-limit', '0'],
        /--rate-limit <number>' argument '0' is invalid\. It is from 1 to 1000000, or none, or default/,
      ],
      [['--rate-limit', '1000001'], /from 1 to 1000000/],
      [['--rate-limit', '1.5'], /from 1 to 1000000/],
      [
        ['--allow-operation', 'payment'],
        /"payment" is not one of memo_transfer, yid_transfer, create_transfer, transfer, batch, payment_link, webhook\./,
      ],
      [['--allow-mint', 'USDC'], /--allow-mint.*"USDC" is not a Solana address.*base58 text of 32 bytes/],
      [['--allow-mint', ''], /--allow-mint.*"" is not a Solana address/],
      [['--allow-mint', `${mint},`], /--allow-mint.*"" is not a Solana address/],
      [['--allow-mint', `any,${mint}`], /--allow-mint.*"any" is not a Solana address/],
      [['--allow-mint', many.join(',')], /at most 100, not 101/],
      [['--allow-from', offCurve], /No key can sign for/],
    ];
    for (const [args, message] of expectations) {
      const { status, stdout, stderr } = await keys('create', '--name', 'app', ...args);
      assert.deepEqual([status, stdout], [2, ''], args.join(' '));
      assert.match(stderr, message);
    }
    assert.deepEqual(onlyJson(await keys('list', '--json')), []);
  });
});
