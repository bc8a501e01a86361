import { decodeBase58 } from 'splwright-core/base58';
import { summarizeTransaction, type TransactionSummary } from 'splwright-core/inspect';
import { renderBytes } from './bytes-view.ts';
import { make } from './dom.ts';
import { counted, shortName, sol, tokens, unitOf } from './names.ts';
import { showFaults } from './refusals.ts';
import { clearReply, showReply } from './reply-view.ts';
import { fromBase64 } from './transaction-bytes.ts';

/** Shows what pasted bytes do, an array of integers, base64 or base58. They do not leave the browser. */
export function inspect(transaction: unknown): void {
  const bytes = readBytes(transaction);
  if (!bytes) {
    clearReply();
    const detail = 'transaction must be base64, base58 or an array of integers from 0 to 255.';
    showFaults('Not a transaction', [{ pointer: '/transaction', detail }]);
    return;
  }
  const place = make('div', {});
  renderBytes(place, bytes);
  showReply(() => [make('p', { class: 'sentence' }, sentenceOf(bytes)), place]);
}

/** Says what a transaction pays and who has signed it; nothing of bytes that are no transaction. */
function sentenceOf(bytes: Uint8Array): string {
  let summary: TransactionSummary;
  try {
    summary = summarizeTransaction(bytes);
  } catch {
    return '';
  }
  const payments = paymentsIn(summary);
  const unknown = summary.instructions.filter(({ kind }) => kind === 'unknown').length;
  const { signatureCount, signers } = summary;
  return [
    payments.length > 0 ? `${payments.join(', ')}.` : 'It has no payment that this page recognizes.',
    ...(unknown > 0 ? [`${unknown} of its ${summary.instructions.length} instructions are not recognized.`] : []),
    signatureCount === 0 ? 'Not signed yet.' : `Signed by ${signatureCount} of ${signers.length}.`,
  ].join(' ');
}

function paymentsIn({ instructions }: TransactionSummary): readonly string[] {
  const owners = new Map(
    instructions.flatMap((each) =>
      each.kind === 'create_associated_token_account_idempotent' ? [[each.tokenAccount, each.owner] as const] : [],
    ),
  );
  return instructions.flatMap((each) => {
    if (each.kind === 'transfer_sol')
      return [`${shortName(each.source)} pays ${shortName(each.destination)} ${sol(each.lamports)}`];
    if (each.kind !== 'transfer_checked') return [];
    const { authority, destination, mint, amount, decimals } = each;
    const owner = owners.get(destination);
    const recipient = owner ? shortName(owner) : `the token account ${shortName(destination)}`;
    return [`${shortName(authority)} pays ${recipient} ${counted(tokens(amount, decimals), unitOf(mint))}`];
  });
}

function readBytes(value: unknown): Uint8Array | undefined {
  if (Array.isArray(value)) {
    const isBytes = value.every((each) => Number.isInteger(each) && each >= 0 && each <= 255);
    return isBytes ? Uint8Array.from(value) : undefined;
  }
  const text = String(value ?? '').replaceAll(/\s/g, '');
  if (text === '') return undefined;
  // A text of base58 alone may be base64 too: no transaction is, because it has signatures of zeros or of random bytes.
  const decoded = decodeBase58(text);
  if ('bytes' in decoded) return decoded.bytes;
  try {
    return fromBase64(text);
  } catch {
    return undefined;
  }
}
