import type { Warning } from '../../packages/core/src/findings/warning.ts';
import type { Ledger } from '../../packages/sandbox/src/index.ts';
import type { PaymentSituation } from './situation.ts';

/** What the warnings of a summary must say: of what the mint withholds, and of recipients that the ledger knows nothing of. */
export interface ExpectedWarnings {
  payments: readonly Pick<PaymentSituation, 'recipient' | 'tokenAccount'>[];
  tokenProgram: string;
  /** Base units. */
  transferFee: bigint;
}

/** Says where warnings are not those that the ledger gives reason for; to be asked before the transfer is sent. */
export function judgeWarnings(
  ledger: Ledger,
  warnings: readonly Warning[],
  { payments, tokenProgram, transferFee }: ExpectedWarnings,
): string[] {
  const neverUsed = payments.filter(({ recipient, tokenAccount }) => {
    return !ledger.getAccount(recipient) && ledger.getAccount(tokenAccount)?.programAddress !== tokenProgram;
  });
  const expected: Record<string, string> = {
    recipient_never_used: [...new Set(neverUsed.map(({ recipient }) => recipient))].toSorted().join(),
    transfer_fee: transferFee > 0n ? `${transferFee}` : '',
  };
  const found: Record<string, string> = { recipient_never_used: '', transfer_fee: '' };
  for (const { code, context } of warnings) {
    if (code === 'recipient_never_used') found[code] = context.recipients.toSorted().join();
    if (code === 'transfer_fee') found[code] = `${context.transferFee}`;
  }
  return Object.entries(expected).flatMap(([code, value]) =>
    found[code] === value ? [] : [`the warning ${code} should be of "${value}" and is of "${found[code]}"`],
  );
}
