import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { type Problem, problems } from '../../../packages/server/src/errors.ts';
import type { Json } from '../../setup/json.ts';
import { startTestService } from '../../setup/service.ts';
import { hookPlans, hookProgramOf } from '../../setup/token-hook-plans.ts';
import { type TokenMintKind, tokenMintKinds } from '../../setup/token-mint-kinds.ts';
import { requestTransfer, sendAnyway } from '../../token-support/observe.ts';
import { arrange, type Situation } from '../../token-support/situation.ts';
import { mintRefusals } from './refusals-mint.ts';
import { optionRefusals } from './refusals-options.ts';
import { recipientRefusals } from './refusals-recipient.ts';
import { senderRefusals } from './refusals-sender.ts';

const service = await startTestService({ after });
const { ledger } = service.sandbox;
const refusalCases = [...mintRefusals, ...senderRefusals, ...recipientRefusals, ...optionRefusals];
const table: Readonly<Record<string, Problem>> = problems;

function arrangeLongMemo(length: number): Promise<Situation> {
  const plan = { kind: tokenMintKinds['2022-hook-2'], memo: 'a'.repeat(length) };
  return arrange(ledger, plan, 'memo', `memo of ${length} ${situationCount++}`);
}

let situationCount = 0;

// What lands all the same when nothing is checked, and is refused because it should not: each of these, and no other case.
const landingAnyway: ReadonlySet<string> = new Set([
  'transfer_hook_unresolvable (no account list)',
  'transfer_hook_names_signer',
  'recipient_token_account_not_owned',
  'recipient_is_token_account',
  'recipient_is_mint',
  'recipient_is_program',
  'recipient_multisig_of_other_program',
  'recipient_not_a_wallet',
  'recipient_off_curve',
  'priority_fee_too_high',
]);

describe('a transfer that the chain would not take, or should not', () => {
  it('names only cases that there are among those that land all the same', () => {
    const names = refusalCases.map(({ code, because }) => (because === undefined ? code : `${code} (${because})`));
    assert.deepEqual(
      [...landingAnyway].filter((name) => !names.includes(name)),
      [],
    );
    const withoutReason = [...landingAnyway].filter((name) => table[name.split(' ')[0] ?? '']?.safety === undefined);
    assert.deepEqual(withoutReason, []);
  });

  for (const refusal of refusalCases) {
    const { code, because, operation, plan, alter, options, unchecked, prepare, pointer, detail } = refusal;
    const name = because === undefined ? code : `${code} (${because})`;

    it(`is refused as ${name}`, async () => {
      prepare?.(ledger);
      const planned = await arrange(ledger, plan, operation, name);
      const situation = alter?.(planned) ?? planned;
      const response = await requestTransfer(service, situation, operation, options);
      const said = await detail(situation, ledger, async (other) =>
        (await requestTransfer(service, situation, operation, other)).json(),
      );
      assert.deepEqual(await response.json(), {
        type: `/problems/${code}`,
        title: problems[code].title,
        status: 422,
        detail: said,
        code,
        request_id: response.headers.get('x-request-id'),
        errors: [{ pointer, code, detail: said }],
      });
      assert.equal(response.status, 422);
      assert.match(response.headers.get('content-type') ?? '', /^application\/problem\+json\b/);

      const error = await sendAnyway(service, situation, operation, unchecked);
      assert.equal(error === null, landingAnyway.has(name), `the same transfer, unchecked: ${JSON.stringify(error)}`);
    });
  }

  for (const code of new Set([...refusalCases.map((refusal) => refusal.code), 'simulation_failed' as const])) {
    it(`has a page for ${code}`, async () => {
      const response = await fetch(`${service.url}/problems/${code}`);
      assert.equal(response.status, 200);
      assert.match(response.headers.get('content-type') ?? '', /^text\/html/);
      const page = (await response.text()).replaceAll('&#39;', "'");
      assert.ok(page.includes(`<title>${code}: ${problems[code].title}</title>`), page);
    });
  }

  it('is too large by just as many bytes of memo as the refusal says', async () => {
    for (const [length, status] of [
      [785, 422],
      [784, 200],
    ] as const) {
      const situation = await arrangeLongMemo(length);
      assert.equal((await requestTransfer(service, situation, 'memo')).status, status);
    }
  });

  it('is too large only where it would not land', async () => {
    assert.notEqual(await sendAnyway(service, await arrangeLongMemo(785), 'memo'), null);
  });

  it('is refused as simulation_failed, with what the programs said', async () => {
    const hook = hookPlans.refuses;
    const extensions = tokenMintKinds['2022-hook-0'].extensions;
    const programId = hookProgramOf(hook);
    const kind: TokenMintKind = {
      ...tokenMintKinds['2022-hook-0'],
      hook,
      extensions: (mint) => (extensions?.(mint) ?? []).map((each) => ({ ...each, programId })),
    };
    const situation = await arrange(ledger, { kind }, 'memo', 'simulation_failed');
    const response = await requestTransfer(service, situation, 'memo', { simulate: true });
    const { logs, ...body }: Json = await response.json();
    assert.deepEqual(body, {
      type: '/problems/simulation_failed',
      title: problems.simulation_failed.title,
      status: 422,
      detail: `The simulation failed at instruction 2, the transfer by the program ${programId}: custom error 0x1092.`,
      code: 'simulation_failed',
      request_id: response.headers.get('x-request-id'),
    });
    assert.ok(logs.includes(`Program ${programId} failed: custom program error: 0x1092`), logs.join('\n'));
    assert.deepEqual(await sendAnyway(service, situation, 'memo'), { InstructionError: [1, { Custom: 4242 }] });
    // Only running it shows what a hook says: this is the one answer that is known not to land.
    assert.equal((await requestTransfer(service, situation, 'memo')).status, 200);
  });

  it('is refused by a code, and each of these is tested here', () => {
    const codes = Object.entries<Problem>(problems).filter(([, { status }]) => status === 422);
    const elsewhere = [
      'simulation_failed',
      'idempotency_key_reused',
      'layout_not_possible',
      'nonce_for_several_transactions',
      'nothing_received',
      'blockhash_not_valid',
      'amount_not_representable',
      'transaction_too_costly',
    ];
    const tested = new Set<string>([...refusalCases.map(({ code }) => code), ...elsewhere]);
    assert.deepEqual([...tested].sort(), codes.map(([code]) => code).sort());
  });
});
