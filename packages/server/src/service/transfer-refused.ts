import type { Finding, FindingCode } from 'splwright-core';

/** A transfer that would not land, with every reason: it has no words yet. */
export class TransferRefused extends Error {
  override readonly name = 'TransferRefused';
  readonly findings: readonly [Finding, ...Finding[]];

  constructor(findings: readonly [Finding, ...Finding[]]) {
    super(findings.map(({ code }) => code).join(', '));
    this.findings = findings;
  }
}

/** Says whether a caught value is the refusal of a transfer, for this reason first of all if one is given. */
export function isTransferRefused(error: unknown, code?: FindingCode): error is TransferRefused {
  return error instanceof TransferRefused && (code === undefined || error.findings[0].code === code);
}
