import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { address, lamports, some } from '@solana/kit';
import { token2022Program, tokenProgram } from '../../../packages/core/src/addresses/programs.ts';
import { faucet } from '../../../packages/sandbox/src/ledger/faucet.ts';
import { keypairFromName } from '../../../packages/sandbox/src/ledger/keypair.ts';
import type { ProblemCode } from '../../../packages/server/src/problems.ts';
import { readProblem } from '../../../packages/server/test/app/problem.ts';
import { startTestService } from '../../setup/service.ts';
import { freeze, makeConfidential, requireMemo } from '../../setup/token-account-states.ts';
import { hookPlans, hookProgramOf } from '../../setup/token-hook-plans.ts';
import { type TokenMintKind, tokenMintKinds } from '../../setup/token-mint-kinds.ts';
import { createSomebodysTokenAccount } from '../../setup/token-recipients.ts';
import type { UncheckedOptions } from '../../setup/token-unchecked-transfer.ts';
import { makeNonceAccount } from '../../setup/token-wallets.ts';
import { requestTransfer, sendAnyway } from '../../token-support/observe.ts';
import { arrange, type Operation, type SituationPlan } from '../../token-support/situation.ts';

const service = await startTestService({ after });
const { ledger } = service.sandbox;
const classic = tokenMintKinds['classic-6'];
const there = { recipientHasTokenAccount: true } as const;

// Initialized, of the type of a mint, and no extension.
const largeMintData = Buffer.alloc(600_000);
largeMintData[45] = 1;
largeMintData[165] = 1;

function putAccount(name: string, owner: string, data: Buffer): string {
  const account = keypairFromName(name).address;
  ledger.setAccount({
    address: account,
    programAddress: address(owner),
    data,
    executable: false,
    lamports: lamports(100_000_000_000n),
    space: BigInt(data.length),
  });
  return account;
}

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

const vaults = keypairFromName('nonce account of a vault').address;
// A token account: no key signs for it.
const vault = address('8wPxMKaK8Vq4GCxYnkD44BcGSh2gxB3c9rj2WDEjpf6t');

interface Case {
  operation: Operation;
  plan: SituationPlan;
  options?: object;
  unchecked?: UncheckedOptions;
  /** Whether the same transfer lands when nothing is checked. */
  lands?: true;
  findings: readonly (readonly [pointer: string, code: ProblemCode])[];
}

// That each code is the right one of each state, and that its transaction fails on chain: test/judge and test/token-support.
const cases: Readonly<Record<string, Case>> = {
  'a recipient that is a token account, which could be paid': {
    operation: 'create',
    plan: { kind: classic, recipient: createSomebodysTokenAccount },
    lands: true,
    findings: [['/to_address', 'recipient_is_token_account']],
  },
  'a nonce account for which no key signs': {
    operation: 'memo',
    plan: { kind: classic },
    options: { nonce_account: vaults },
    unchecked: { nonceAccount: vaults },
    findings: [['/nonce_account', 'nonce_authority_not_a_signer']],
  },
  'a transaction that is too large': {
    operation: 'yid',
    plan: { kind: tokenMintKinds['2022-hook-2'], memo: 'a'.repeat(785) },
    findings: [['/yid', 'transaction_too_large']],
  },
  'everything that can be wrong at once, in one order': {
    operation: 'create',
    plan: {
      kind: worstMint,
      senderTokens: 1n,
      senderLamports: () => 0n,
      changeSender: freeze,
      ...there,
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
};

describe('a transfer that the chain would not take, or should not, is refused for', () => {
  makeNonceAccount(ledger, vaults, vault);

  for (const [name, { operation, plan, options, unchecked, lands, findings }] of Object.entries(cases)) {
    it(name, async () => {
      const situation = await arrange(ledger, plan, operation, name);
      const { status, errors, ...said } = await readProblem(
        await requestTransfer(service, situation, operation, options),
      );
      assert.equal(status, 422);
      assert.deepEqual(
        errors?.map(({ pointer, code }) => [pointer, code]),
        findings,
      );
      const [first] = errors ?? [];
      const more = findings.length > 1 ? ` (and ${findings.length - 1} more, in errors)` : '';
      assert.deepEqual([said.code, said.detail], [first?.code, `${first?.detail}${more}`]);
      const error = await sendAnyway(service, situation, operation, unchecked);
      assert.equal(error === null, lands === true, JSON.stringify(error));
    });
  }

  it('a mint of which it reads only the beginning, and no account of a token program that is larger than any', async () => {
    const planned = await arrange(ledger, { kind: classic }, 'memo', 'large mints');
    for (const [mint, code] of [
      [putAccount('large mint', token2022Program, largeMintData), 'mint_too_large'],
      [putAccount('megabytes', tokenProgram, Buffer.alloc(9_000_000)), 'not_a_mint'],
    ] as const) {
      const response = await requestTransfer(service, planned, 'memo', { token_mint_address: mint });
      assert.equal((await readProblem(response)).code, code);
    }
  });

  it('what a simulation finds, with what the programs said', async () => {
    const hook = hookPlans.refuses;
    const extensions = tokenMintKinds['2022-hook-0'].extensions;
    const programId = hookProgramOf(hook);
    const kind: TokenMintKind = {
      ...tokenMintKinds['2022-hook-0'],
      hook,
      extensions: (mint) => (extensions?.(mint) ?? []).map((each) => ({ ...each, programId })),
    };
    const situation = await arrange(ledger, { kind }, 'memo', 'simulation_failed');
    const { code, detail, logs } = await readProblem(
      await requestTransfer(service, situation, 'memo', { simulate: true }),
    );
    assert.deepEqual(
      [code, detail],
      [
        'simulation_failed',
        `The simulation failed at instruction 2, the transfer by the program ${programId}: custom error 0x1092.`,
      ],
    );
    assert.ok(logs?.includes(`Program ${programId} failed: custom program error: 0x1092`), logs?.join('\n'));
    assert.deepEqual(await sendAnyway(service, situation, 'memo'), { InstructionError: [1, { Custom: 4242 }] });
    // Only running it shows what a hook says: this is the one answer that is known not to land.
    assert.equal((await requestTransfer(service, situation, 'memo')).status, 200);
  });
});
