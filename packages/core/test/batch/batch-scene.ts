import type { Account } from '../../src/accounts/account.ts';
import { clockSysvar, rentSysvar } from '../../src/accounts/sysvars.ts';
import type { Address } from '../../src/addresses/address.ts';
import { token2022Program, tokenProgram } from '../../src/addresses/programs.ts';
import { type BatchDecision, decideBatch } from '../../src/batch/decide-batch.ts';
import type { TransferFacts } from '../../src/decide/decide-transfer.ts';
import type { Finding } from '../../src/findings/finding.ts';
import { finish } from '../../src/plan/steps.ts';
import { deriveTokenAccounts } from '../../src/plan/transfer-facts.ts';
import type { BatchPayment, BatchRequest } from '../../src/request/transfer-request.ts';
import { clockAccount, freshWallet, mintAccount, rentAccount, tokenAccount, walletAccount } from '../fixtures.ts';

/** A batch of 100 base units to a fresh wallet for each of these transfers, as far as they say nothing else. */
export function batchRequestOf(
  transfers: readonly Partial<BatchPayment>[],
  parts: Partial<BatchRequest> = {},
): BatchRequest {
  const from = freshWallet();
  return {
    layout: 'default',
    from,
    mint: freshWallet(),
    feePayer: from,
    version: 'legacy',
    createTokenAccount: 'if_missing',
    priorityFee: undefined,
    nonceAccount: undefined,
    allowsOffCurveRecipient: false,
    checks: 'full',
    transfers: transfers.map((each) => ({
      to: freshWallet(),
      amount: 100n,
      memo: undefined,
      references: [],
      ...each,
    })),
    ...parts,
  };
}

/** What the chain holds where a batch looks. What is left out is as it must be for the batch to land. */
export interface BatchScene {
  mint?: Account | null;
  /** Whatever else was read, or is not as it must be. */
  others?: readonly (readonly [Address, Account | null])[];
  unread?: readonly Address[];
  facts?: Partial<TransferFacts>;
}

/** Decides a batch in a scene. */
export function decideBatchIn(request: BatchRequest, scene: BatchScene = {}): BatchDecision {
  return finish(decideBatch(request, factsIn(request, scene)));
}

/** What is known of a batch in a scene. */
export function factsIn(request: BatchRequest, scene: BatchScene = {}): TransferFacts {
  const mint = scene.mint === undefined ? mintAccount() : scene.mint;
  const program = mint?.owner === token2022Program ? token2022Program : tokenProgram;
  const { sender, recipients } = deriveTokenAccounts(request, program);
  const read = new Map<Address, Account | null>([
    [rentSysvar, rentAccount],
    [clockSysvar, clockAccount],
    [request.mint, mint],
    [request.from, walletAccount(1_000_000_000n)],
    [request.feePayer, walletAccount(1_000_000_000n)],
    [sender.address, tokenAccount(request.mint, request.from, {}, program)],
  ]);
  for (const [index, { to }] of request.transfers.entries()) {
    read.set(to, walletAccount(1_000_000_000n));
    const account = recipients[index];
    if (account) read.set(account.address, tokenAccount(request.mint, to, {}, program));
  }
  for (const [address, account] of scene.others ?? []) read.set(address, account);
  for (const address of scene.unread ?? []) read.delete(address);
  return {
    read,
    recentPrices: undefined,
    maxPriorityFee: 1_000_000n,
    ...scene.facts,
  };
}

/** What was found, with its contexts. Throws when more must be read. */
export function findingsIn(request: BatchRequest, scene: BatchScene = {}): readonly Finding[] {
  const decision = decideBatchIn(request, scene);
  if ('transactions' in decision) return [];
  if ('findings' in decision) return decision.findings;
  throw new Error('more must be read');
}

/** The codes and fields of what was found; none where the batch lands. */
export function foundIn(request: BatchRequest, scene: BatchScene = {}): [string, Finding['field']][] {
  return findingsIn(request, scene).map(({ code, field }) => [code, field]);
}
