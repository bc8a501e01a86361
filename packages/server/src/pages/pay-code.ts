import { payerAmount } from '../wire/words/amount-words.ts';
import { qrSvg } from './qr-code.ts';

/** What the QR code of a payment holds, and its image. */
interface PayCode {
  text: string;
  svg: string;
}

/**
 * The QR code of a payment: a Solana Pay transaction request.
 *
 * A link that leaves the amount open has it in the query, and its URL is then percent-encoded, as Solana Pay wants.
 */
export function payCode(
  url: string,
  link: { minAmount: bigint; maxAmount: bigint; decimals: number },
  amount: bigint,
): PayCode {
  const isFixed = link.minAmount === link.maxAmount;
  const text = isFixed
    ? `solana:${url}`
    : `solana:${encodeURIComponent(`${url}?amount=${payerAmount(amount, link.decimals)}`)}`;
  return { text, svg: qrSvg(text) };
}
