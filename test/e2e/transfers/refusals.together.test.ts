import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { some } from '@solana/kit';
import { faucet } from '../../../packages/sandbox/src/ledger/faucet.ts';
import { keypairFromName } from '../../../packages/sandbox/src/ledger/keypair.ts';
import type { ProblemCode } from '../../../packages/server/src/errors.ts';
import type { Json } from '../../setup/json.ts';
import { startTestService } from '../../setup/service.ts';
import { freeze, giveAway, makeConfidential, requireMemo } from '../../setup/token-account-states.ts';
import { hookPlans, hookProgramOf } from '../../setup/token-hook-plans.ts';
import { type TokenMintKind, tokenMintKinds } from '../../setup/token-mint-kinds.ts';
import { memoProgramAddress } from '../../setup/token-recipients.ts';
import { makeStakeAccount } from '../../setup/token-wallets.ts';
import { requestTransfer, sendAnyway } from '../../token-support/observe.ts';
import { arrange, type Operation, type Situation, type SituationPlan } from '../../token-support/situation.ts';

/** Paused, non-transferable, and with a hook that has no program. */
const worstMint: TokenMintKind = {
  ...tokenMintKinds['2022-paused'],
  hook: hookPlans.missingProgram,
  extensions: () => [
    { __kind: 'PausableConfig', authority: some(faucet.address), paused: false },
    { __kind: 'NonTransferable' },
    { __kind: 'TransferHook', authority: faucet.address, programId: hookProgramOf(hookPlans.missingProgram) },
  ],
};

interface Case {
  title: string;
  operation: Operation;
  plan: SituationPlan;
  alter?: (situation: Situation) => Situation;
  findings: readonly (readonly [pointer: string, code: ProblemCode])[];
}

const classic = tokenMintKinds['classic-6'];

const cases: readonly Case[] = [
  {
    title: 'of everything that can be wrong at once, from the mint to the hook',
    operation: 'create',
    plan: {
      kind: worstMint,
      senderTokens: 1n,
      senderLamports: () => 0n,
      changeSender: freeze,
      recipientHasTokenAccount: true,
      changeRecipient: (account) => {
        requireMemo(account);
        makeConfidential(account, false);
        freeze(account);
      },
    },
    findings: [
      ['/token_mint_address', 'mint_paused'],
      ['/token_mint_address', 'mint_non_transferable'],
      ['/from_address', 'sender_token_account_frozen'],
      ['/amount', 'insufficient_token_balance'],
      ['/from_address', 'insufficient_sol'],
      ['/to_address', 'recipient_token_account_frozen'],
      ['/to_address', 'recipient_refuses_public_credits'],
      ['/to_address', 'recipient_requires_memo'],
      ['/token_mint_address', 'transfer_hook_unresolvable'],
    ],
  },
  {
    title: 'of accounts that were given away, and then frozen',
    operation: 'memo',
    plan: {
      kind: classic,
      senderTokens: 1n,
      changeSender: (account, stranger) => {
        giveAway(account, stranger);
        freeze(account);
      },
      changeRecipient: (account, stranger) => {
        giveAway(account, stranger);
        freeze(account);
      },
    },
    findings: [
      ['/from_address', 'sender_token_account_not_owned'],
      ['/from_address', 'sender_token_account_frozen'],
      ['/amount', 'insufficient_token_balance'],
      ['/to_address', 'recipient_token_account_not_owned'],
      ['/to_address', 'recipient_token_account_frozen'],
    ],
  },
  {
    title: 'of a sender that is no wallet, and a recipient that is none either',
    operation: 'yid',
    plan: {
      kind: classic,
      senderTokens: 'none',
      changeSenderWallet: makeStakeAccount,
      recipient: () => memoProgramAddress,
    },
    findings: [
      ['/from_address', 'sender_not_a_wallet'],
      ['/from_address', 'sender_token_account_not_found'],
      ['/to_address', 'recipient_is_program'],
    ],
  },
  {
    title: 'of what there is neither of: tokens, SOL, an account to pay into that would not be frozen',
    operation: 'create',
    plan: { kind: tokenMintKinds['2022-default-frozen'], senderTokens: 0n, senderLamports: () => 5000n },
    findings: [
      ['/amount', 'insufficient_token_balance'],
      ['/from_address', 'insufficient_sol'],
      ['/to_address', 'new_token_account_would_be_frozen'],
    ],
  },
  {
    title: 'of a mint that does not exist, and a recipient that is a program',
    operation: 'memo',
    plan: { kind: classic, recipient: () => memoProgramAddress },
    alter: (situation) => ({ ...situation, mint: { ...situation.mint, address: keypairFromName('nowhere').address } }),
    findings: [
      ['/token_mint_address', 'mint_not_found'],
      ['/to_address', 'recipient_is_program'],
    ],
  },
  {
    title: 'of a transaction that is too large, and a recipient without a token account',
    operation: 'memo',
    plan: { kind: tokenMintKinds['2022-hook-2'], memo: 'a'.repeat(900), recipientHasTokenAccount: false },
    findings: [
      ['/to_address', 'recipient_token_account_not_found'],
      ['/memo', 'transaction_too_large'],
    ],
  },
];

const service = await startTestService({ after });

describe('a refusal names all its reasons, in one order, the first as its own', () => {
  for (const { title, operation, plan, alter, findings } of cases) {
    it(title, async () => {
      const planned = await arrange(service.sandbox.ledger, plan, operation, title);
      const situation = alter?.(planned) ?? planned;
      const response = await requestTransfer(service, situation, operation);
      assert.equal(response.status, 422);
      const body: Json = await response.json();
      assert.deepEqual(
        body.errors.map(({ pointer, code }: Json) => [pointer, code]),
        findings,
      );
      const [first] = body.errors;
      assert.equal(body.code, first.code);
      assert.equal(body.type, `/problems/${first.code}`);
      assert.equal(body.detail, `${first.detail} (and ${findings.length - 1} more, in errors)`);
      assert.notEqual(await sendAnyway(service, situation, operation), null);
    });
  }
});
