import {
  type Finding,
  type FindingCode,
  findTokensElsewhere,
  type InstructionSummary,
  isEmptySender,
  withTokensElsewhere,
} from 'splwright-core';
import type { ChainReader, Deadline } from '../chain/chain-reader.ts';
import { UpstreamFault } from '../chain/upstream-faults.ts';

/** A transfer that would not land, with every reason as a finding; the HTTP service words them. */
export class TransferRefused extends Error {
  override readonly name = 'TransferRefused';
  readonly findings: readonly [Finding, ...Finding[]];

  constructor(findings: readonly [Finding, ...Finding[]]) {
    super(findings.map(({ code }) => code).join(', '));
    this.findings = findings;
  }
}

/** Returns whether a caught value is the refusal of a transfer; with `code`, whether its first reason has that code. */
export function isTransferRefused(error: unknown, code?: FindingCode): error is TransferRefused {
  return error instanceof TransferRefused && (code === undefined || error.findings[0].code === code);
}

/** A transaction that failed when the node ran it, as data; the HTTP service words it. */
export class SimulationFailed extends Error {
  override readonly name = 'SimulationFailed';
  /** The node's own JSON of the transaction error. */
  readonly error: unknown;
  readonly logs: readonly string[];
  /** Those of the transaction, in their order. */
  readonly instructions: readonly InstructionSummary[];

  constructor(failure: Pick<SimulationFailed, 'error' | 'logs' | 'instructions'>) {
    super('the simulation of a transaction failed');
    this.error = failure.error;
    this.logs = failure.logs;
    this.instructions = failure.instructions;
  }
}

/** Every reason for which a transfer is refused. */
export type Findings = readonly [Finding, ...Finding[]];

/**
 * Returns the findings of a refusal; the finding about an empty sender also names another of its token accounts that has tokens.
 *
 * Makes one call, and only when the sender's associated token account is empty. When the upstream fails, the findings are unchanged.
 */
export async function findOtherTokens(
  findings: Findings,
  reader: Pick<ChainReader, 'readTokenAccounts'>,
  deadline: Deadline,
): Promise<Findings> {
  const empty = findings.find(isEmptySender);
  if (!empty) return findings;
  const { wallet, mint } = empty.context;
  const accounts = await reader.readTokenAccounts(wallet, mint, deadline).catch((error: unknown) => {
    if (error instanceof UpstreamFault) return undefined;
    throw error;
  });
  const elsewhere = accounts && findTokensElsewhere(empty.context, accounts);
  if (!elsewhere) return findings;
  const named = (finding: Finding): Finding => (finding === empty ? withTokensElsewhere(empty, elsewhere) : finding);
  const [first, ...others] = findings;
  return [named(first), ...others.map(named)];
}
