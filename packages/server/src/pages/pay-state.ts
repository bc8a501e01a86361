import type { PayState } from '../wire/schemas/pay-state-schema.ts';
import { visibleText } from '../wire/words/visible-text.ts';
import type { PayView } from './pay-view.ts';
import { payNotes, payWords } from './pay-words.ts';
import { groupedAmount, tokens } from './tokens.ts';

/** The state of a link for its page; with a signature, in terms of the payment that it belongs to. */
export function payState(view: PayView, signature?: string): PayState {
  const { phase, title, message, payment } = payWords(view, signature);
  // A link that can be paid again goes on, but this payment does not.
  const isFinal = view.isFinal || (payment !== undefined && payment.commitment === 'finalized');
  return {
    state: view.state,
    is_final: isFinal,
    phase,
    title: visibleText(title),
    message: visibleText(message),
    notes: payNotes(view, payment).map(visibleText),
    receipt: payment
      ? {
          amount: groupedAmount(payment.amount, view.link.decimals),
          received: visibleText(tokens(payment.received, view.link)),
          payer: payment.payer,
          signature: payment.signature,
          commitment: payment.commitment,
        }
      : null,
  };
}
