import type { Finding, FindingCode } from 'splwright-core';

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
