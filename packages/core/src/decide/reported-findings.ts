import type { Finding } from '../findings/finding.ts';
import { findingCodes } from '../findings/finding-codes.ts';
import type { TransferRequest } from '../request/transfer-request.ts';

/** Returns the findings for which a request is refused: without checks, those are left out that funding or time can change. */
export function findingsToReport(
  { checks }: Pick<TransferRequest, 'checks'>,
  findings: readonly (Finding | undefined)[],
): readonly Finding[] {
  const found = findings.filter((finding) => finding !== undefined);
  if (checks !== 'none' || found.length === 0) return found;
  return found.filter(({ code }) => {
    const unchecked = findingCodes[code];
    return unchecked !== 'funding' && unchecked !== 'time';
  });
}
