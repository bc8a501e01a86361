import type { Finding, FindingCode, InstructionSummary } from 'splwright-core';

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
