import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext, test } from 'node:test';
import { verifyLink } from '../../../packages/client/src/verify/index.ts';
import { startSponsoredService } from '../../../packages/server/test/setup/sponsored-service.ts';
import { startBrowser } from '../../setup/browser.ts';
import { openPay, waitForPhase } from '../../setup/pay-browser.ts';
import { repository, runCommand } from '../../setup/process.ts';

const document = readFileSync(join(repository, 'docs/sponsor-fees.md'), 'utf8');
const [, command = ''] = /^ *```sh\n *(npx .*)\n *```$/m.exec(document) ?? [];
const [, keyCommand = ''] = /^ *```sh\n *export KORA_PRIVATE_KEY=\$\((.*)\)\n *```$/m.exec(document) ?? [];
const configuration = readFileSync(join(repository, 'examples/kora.toml'), 'utf8');

/** The rules of a `kora.toml`, as `getConfig` answers them. */
function rulesOf(toml: string): Record<string, unknown> {
  const numberOf = (name: string): number => Number(new RegExp(`^${name} = (\\d+)$`, 'm').exec(toml)?.[1]);
  const [, list = ''] = /^allowed_programs = \[([^\]]*)\]/m.exec(toml) ?? [];
  const creates = /^\[validation\.fee_payer_policy\.system\]\nallow_create_account = true$/m.test(toml);
  return {
    max_allowed_lamports: numberOf('max_allowed_lamports'),
    max_signatures: numberOf('max_signatures'),
    allowed_programs: [...list.matchAll(/"(\w+)"/g)].map(([, program]) => program),
    allowed_spl_paid_tokens: [],
    disallowed_accounts: [],
    fee_payer_policy: { system: { allow_create_account: creates } },
    price: { type: /^\[validation\.price\]\ntype = "(\w+)"$/m.exec(toml)?.[1] },
  };
}

/** A service whose sponsor has a configuration, and what it costs the sender and the sponsor to run the program. */
async function start(t: TestContext, toml = configuration) {
  const { kora, service, people, solOf } = await startSponsoredService(t);
  kora.rules = rulesOf(toml);
  const run = async (recipient: string) => {
    const before = [solOf(people.alice.address), solOf(kora.address)];
    const ended = await runCommand(command.replace(' bob ', ` ${recipient} `), { SPLWRIGHT_URL: service.url });
    const [paidByAlice = 0n, paidBySponsor = 0n] = [solOf(people.alice.address), solOf(kora.address)].map(
      (after, index) => (before[index] ?? 0n) - after,
    );
    return { ...ended, paidByAlice, paidBySponsor };
  };
  return { run, service, people };
}

describe('a sponsored payment link', () => {
  it('is paid over HTTP by who has no SOL, with the fee that the page, the wallet and the client name', async (t) => {
    const { kora, service, people, mintOf, land, solOf } = await startSponsoredService(t);
    kora.rules.price = { type: 'margin', margin: 0 };
    const { carol, alice } = people;
    const link = {
      to_address: carol.address,
      ...{ token_mint_address: mintOf('USDC'), amount: '1500000', label: 'Tea house' },
    };
    const refused = await service.post('/v1/payment-links', { ...link, sponsored: true });
    const { code, errors } = Object(await refused.json());
    assert.deepEqual([code, errors?.[0]?.pointer], ['sponsor_fee_too_high', '/max_sponsor_fee']);
    const made = await service.post('/v1/payment-links', { ...link, sponsored: true, max_sponsor_fee: '9000000' });
    const {
      url,
      reference,
      sponsored,
      max_sponsor_fee: bound,
      transfer_request_url: bare,
    } = Object(await made.json()).data;
    assert.deepEqual([made.status, sponsored, bound, bare], [201, true, '9000000', undefined]);
    const said = 'You need no SOL: a sponsor pays the network fee and charges you at most 9.00 USDC on top.';
    const shown = await fetch(url);
    assert.ok(String(Object(await shown.json()).description).includes(said));
    const page = await (await fetch(url, { headers: { accept: 'text/html' } })).text();
    assert.ok(page.includes(said) && page.includes(encodeURIComponent('"fee_payer":"sponsor"')));
    const post = async () => {
      const headers = { 'content-type': 'application/json' };
      const reply = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ account: alice.address }) });
      return { status: reply.status, body: Object(await reply.json()) };
    };
    kora.status = 503;
    const away = await post();
    assert.deepEqual([away.status, away.body.errors], [503, undefined]);
    assert.match(away.body.message, /^The network fee cannot be paid for you now/);
    kora.status = 200;
    const { status, body } = await post();
    assert.equal(status, 200, JSON.stringify(body));
    const fee = String(body.sponsor_fee.amount.decimal);
    assert.match(
      body.message,
      new RegExp(`pays the network fee, and takes ${fee} USDC more from you. Approve within about`),
    );
    const { label: _, ...payment } = link;
    const terms = { ...payment, account: alice.address, reference, fee_payer: 'sponsor', max_sponsor_fee: bound };
    const { sponsorFee } = await verifyLink(terms, body);
    assert.equal(`${sponsorFee?.amount}`, body.sponsor_fee.amount.base_units);
    const sol = solOf(alice.address);
    await land(body.transaction);
    assert.equal(solOf(alice.address), sol);
  });
});

const browser = await startBrowser(test);

describe('the page of a sponsored payment link', () => {
  it('names the fee of the sponsor, verifies its signature, and pays without SOL of the payer', async (t) => {
    const { kora, service, people, mintOf, solOf } = await startSponsoredService(t);
    kora.rules.price = { type: 'margin', margin: 0 };
    const made = await service.post('/v1/payment-links', {
      ...{ to_address: people.bob.address, token_mint_address: mintOf('USDC'), amount: '1500000', label: 'Tea house' },
      ...{ sponsored: true, max_sponsor_fee: '9000000' },
    });
    const { url } = Object(await made.json()).data;
    const { page, faults } = await openPay(browser, url);
    await page.getByText('charges you at most 9.00 USDC on top').waitFor();
    const sol = solOf(people.alice.address);
    await page.getByRole('button', { name: 'Pay as alice' }).click();
    await waitForPhase(page, 'final');
    assert.deepEqual([solOf(people.alice.address), faults], [sol, []]);
  });
});

describe('docs/sponsor-fees.md', () => {
  it('has a command whose fees and rents the sponsor pays, to recipients with and without a token account', async (t) => {
    const { run } = await start(t);
    const existing = await run('bob');
    assert.equal(existing.status, 0, existing.stderr);
    assert.match(existing.stdout, /pays the network fee.*\nlanded \w{80,} 10000 lamports paid by \w+\n$/);
    assert.deepEqual([existing.paidByAlice, existing.paidBySponsor], [0n, 10_000n]);
    const created = await run('carol');
    assert.equal(created.status, 0, created.stderr);
    assert.deepEqual([created.paidByAlice, created.paidBySponsor], [0n, 10_000n + 1_488_440n]);
  });

  it('has a command that gives Kora the key of a wallet of the sandbox', async (t) => {
    const { service, people } = await start(t);
    const { stdout } = await runCommand(keyCommand.replace('http://127.0.0.1:3000', service.url), {});
    assert.equal(stdout.trim(), people.carol.secret_key);
  });

  it('needs each line that it says it needs', async (t) => {
    const without: readonly [change: (text: string) => string, recipient: string, rule: RegExp][] = [
      [(text) => text.replace(/^ {2}"Memo.*\n/m, ''), 'bob', /calls the program Memo\w+, by its rule allowed_programs/],
      [(text) => text.replace('2000000', '1000000'), 'carol', /by its rule max_allowed_lamports/],
      [(text) => text.replace('allow_create_account = true', ''), 'carol', /allow_create_account/],
    ];
    for (const [change, recipient, rule] of without) {
      const { run } = await start(t, change(configuration));
      const { status, stderr, paidByAlice, paidBySponsor } = await run(recipient);
      assert.notEqual(status, 0);
      assert.match(stderr, rule);
      assert.deepEqual([paidByAlice, paidBySponsor], [0n, 0n]);
    }
  });
});
