import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { type Problem, problems, uncheckedOf } from '../../../packages/server/src/errors.ts';
import type { Json } from '../../setup/json.ts';
import { startTestService } from '../../setup/service.ts';
import { readTokenAccount } from '../../setup/token-account-data.ts';
import { forgetImmutableOwner, giveAway } from '../../setup/token-account-states.ts';
import { tokenMintKinds } from '../../setup/token-mint-kinds.ts';
import { requestTransfer, sendAnyway } from '../../token-support/observe.ts';
import { arrange, operations, type SituationPlan } from '../../token-support/situation.ts';
import { mintRefusals } from './refusals-mint.ts';
import { optionRefusals } from './refusals-options.ts';
import { recipientRefusals } from './refusals-recipient.ts';
import { senderRefusals } from './refusals-sender.ts';

const service = await startTestService({ after });
const { ledger } = service.sandbox;
const unchecked = { checks: 'none' } as const;

const classic = { kind: tokenMintKinds['classic-6'] };
const token2022 = { kind: tokenMintKinds['2022-plain'] };
const there = { recipientHasTokenAccount: true } as const;

/** Gives a token account away under either program: Token-2022 allows it for its first associated accounts only. */
const giveAwayAnyhow: NonNullable<SituationPlan['changeRecipient']> = (account, stranger) => {
  if (account.mint.tokenProgram === tokenMintKinds['2022-plain'].tokenProgram) forgetImmutableOwner(account);
  giveAway(account, stranger);
};

describe('without checks, a token account that now belongs to another owner', () => {
  for (const [program, plan] of Object.entries({ 'SPL Token': classic, 'Token-2022': token2022 })) {
    for (const operation of operations) {
      it(`is not paid under ${program} by ${operation}`, async () => {
        const name = `stolen ${program} ${operation}`;
        const stolen = { ...plan, ...there, changeRecipient: giveAwayAnyhow };
        const situation = await arrange(ledger, stolen, operation, name);
        const response = await requestTransfer(service, situation, operation, unchecked);
        const body: Json = await response.json();
        assert.deepEqual([response.status, body.code], [422, 'recipient_token_account_not_owned']);

        // What it is refused for: but for the creation, which looks at the owner, it lands, and pays the other owner.
        const before = readTokenAccount(ledger, situation.recipientTokenAccount);
        assert.notEqual(before?.owner, situation.recipient);
        const error = await sendAnyway(service, situation, operation);
        const paid = (readTokenAccount(ledger, situation.recipientTokenAccount)?.amount ?? 0n) - (before?.amount ?? 0n);
        assert.deepEqual([error === null, paid], operation === 'create' ? [false, 0n] : [true, situation.amount]);
      });

      it(`does not pay under ${program} by ${operation}`, async () => {
        const given = { ...plan, changeSender: giveAwayAnyhow };
        const situation = await arrange(ledger, given, operation, `given ${program} ${operation}`);
        const response = await requestTransfer(service, situation, operation, unchecked);
        const body: Json = await response.json();
        assert.deepEqual([response.status, body.code], [422, 'sender_token_account_not_owned']);
        assert.notEqual(await sendAnyway(service, situation, operation), null);
      });
    }
  }
});

describe('without checks, each refusal of the chain’s state is kept or left out as the table of problems says', () => {
  for (const refusal of [...mintRefusals, ...senderRefusals, ...recipientRefusals, ...optionRefusals]) {
    const { code, because, operation, plan, alter, options, prepare } = refusal;
    const isRefused = uncheckedOf(code) === 'refused';
    it(`${code}${because === undefined ? '' : ` (${because})`} is ${isRefused ? 'refused' : 'built'}`, async () => {
      prepare?.(ledger);
      const planned = await arrange(ledger, plan, operation, `unchecked ${code} ${because}`);
      const situation = alter?.(planned) ?? planned;
      const response = await requestTransfer(service, situation, operation, { ...options, ...unchecked });
      const body: Json = await response.json();
      assert.deepEqual([response.status, body.code], isRefused ? [422, code] : [200, undefined]);
    });
  }

  it('which has a decision for every 422, and for nothing else', () => {
    for (const [code, { status }] of Object.entries<Problem>(problems)) {
      assert.equal(uncheckedOf(code) !== undefined, status === 422, code);
    }
  });
});
