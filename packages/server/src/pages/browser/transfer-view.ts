import type { Summary } from 'splwright-client';
import { make, makeTerms, type Term } from './dom.ts';
import { counted, fullName, shortName, sol, unitOf } from './names.ts';

type TokenAmount = Summary['amount'];
type Warning = Summary['warnings'][number];

/** A transfer in a sentence. */
export function describeTransfer(summary: Summary, unit: string): HTMLElement {
  const { sender, recipient, splits } = summary;
  const [amount, received] = [summary.amount.decimal, summary.received_amount.decimal];
  const less = received === amount ? '' : `, of which ${counted(received, unit)} arrive`;
  const also = splits.map((split) => ` and ${counted(split.amount.decimal, unit)} to ${shortName(split.recipient)}`);
  const text = `${shortName(sender)} pays ${shortName(recipient)} ${counted(amount, unit)}${less}${also.join('')}.`;
  return make('p', { class: 'sentence' }, text);
}

/** A transfer as a table: who pays what, what arrives, what it costs and who signs. */
export function transferTerms(summary: Summary, mint: string, unit: string): HTMLElement {
  const { memo, splits, signers, fee_payer: feePayer, nonce, transfer_hook: hook, references } = summary;
  return makeTerms([
    ['Sender', fullName(summary.sender)],
    ['Recipient', fullName(summary.recipient)],
    ['Token', mint === unit ? unit : make('span', {}, summary.token_name ?? '', ' ', fullName(mint))],
    ...amountTerms(summary, unit),
    ...splits.map(({ recipient, amount }): Term => ['Split', `${amountOf(amount, unit)} to ${shortName(recipient)}`]),
    ...costTerms(summary),
    ...lamportTerms(summary),
    feePayer === summary.sender ? undefined : ['Fee payer', fullName(feePayer)],
    sponsorTerm(summary),
    ['Signers', signers.map(shortName).join(', ')],
    memo === null ? undefined : ['Memo', make('bdi', {}, memo)],
    references.length > 0 ? ['References', references.join(' ')] : undefined,
    nonce ? ['Nonce account', fullName(nonce.account)] : undefined,
    hook ? ['Transfer hook', fullName(hook.program)] : undefined,
    ['Size', `${summary.size} of ${summary.size_limit} bytes`],
  ]);
}

/** The amount that is sent, that which the mint withholds, and that which arrives. */
export function amountTerms(
  summary: { amount: TokenAmount; transfer_fee: TokenAmount; received_amount: TokenAmount },
  unit: string,
): (Term | undefined)[] {
  const { amount, transfer_fee: fee, received_amount: received } = summary;
  return [
    ['Amount', amountOf(amount, unit)],
    fee.base_units === '0' ? undefined : ['Transfer fee', amountOf(fee, unit)],
    ['Arrives', amountOf(received, unit)],
  ];
}

export function sponsorTerm({ sponsor_fee: fee }: Pick<Summary, 'sponsor_fee'>): Term | undefined {
  if (!fee) return undefined;
  const { amount, token_mint_address: mint, recipient } = fee;
  return ["Sponsor's fee", `${amountOf(amount, unitOf(mint))} to ${shortName(recipient)}`];
}

export function costTerms(costs: { network_fee: string; priority_fee: string; rent: string }): (Term | undefined)[] {
  return [
    ['Network fee', sol(costs.network_fee)],
    costs.priority_fee === '0' ? undefined : ['Priority fee', sol(costs.priority_fee)],
    costs.rent === '0' ? undefined : ['Rent for new accounts', sol(costs.rent)],
  ];
}

/** The SOL that moves beside the costs. */
function lamportTerms({ tip, wrap, unwrap }: Summary): (Term | undefined)[] {
  return [
    tip ? ['Tip', `${sol(tip.lamports)} to ${shortName(tip.account)}`] : undefined,
    wrap ? ['Wrapped first', sol(wrap.lamports)] : undefined,
    unwrap ? ['Unwrapped afterwards', sol(unwrap.lamports)] : undefined,
  ];
}

/** The nodes of a transfer with its warnings above them, and below them, in small print, its notes. */
export function warningsAround(shown: readonly Node[], warnings: readonly Warning[]): Node[] {
  const { notes = [], others = [] } = Object.groupBy(warnings, ({ level }) => (level === 'note' ? 'notes' : 'others'));
  return [listOf('warnings', 'Warnings', others), ...shown, listOf('notes', 'Notes', notes)];
}

function listOf(name: string, label: string, warnings: readonly Warning[]): HTMLElement {
  // Tokens sent to a wrong address are lost: that is louder than the others.
  const items = warnings.map(({ code, detail }) => {
    return make('li', { class: code === 'recipient_never_used' ? 'alert' : undefined }, detail);
  });
  return make('ul', { class: name, 'aria-label': label }, ...items);
}

function amountOf(amount: TokenAmount, unit: string): string {
  const shown = amount.ui_amount === undefined ? '' : `, in wallets ${amount.ui_amount}`;
  return `${counted(amount.decimal, unit)} (${counted(amount.base_units, 'base units')}${shown})`;
}
