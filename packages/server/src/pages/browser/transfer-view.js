import { sol } from './amounts.js';
import { make, makeTerms } from './make.js';
import { counted, fullName, shortName } from './names.js';

/** @import { Summary } from 'splwright-client' */
/** @typedef {Summary['amount']} TokenAmount */
/** @typedef {Summary['warnings'][number]} Warning */

/**
 * A transfer in a sentence and as a table: who pays what, what arrives, what it costs and who signs.
 * @param {Summary} summary
 * @param {string} unit what amounts of the mint are called
 * @returns {Node[]}
 */
export function describeTransfer(summary, unit) {
  const { sender, recipient, splits } = summary;
  const received = summary.received_amount.decimal;
  const also = splits
    .map((split) => ` and ${counted(split.amount.decimal, unit)} to ${shortName(split.recipient)}`)
    .join('');
  const less = received === summary.amount.decimal ? '' : `, of which ${counted(received, unit)} arrive`;
  const text = `${shortName(sender)} pays ${shortName(recipient)} ${counted(summary.amount.decimal, unit)}${less}${also}.`;
  return [make('p', { class: 'sentence' }, text), ...warningsAround(table(summary, unit), summary.warnings)];
}

/**
 * @param {Summary} summary
 * @param {string} unit
 */
function table(summary, unit) {
  const { memo, splits, signers, fee_payer: feePayer, nonce, transfer_hook: hook } = summary;
  return makeTerms([
    ['Sender', fullName(summary.sender)],
    ['Recipient', fullName(summary.recipient)],
    ['Amount', amountOf(summary.amount, unit)],
    isNothing(summary.transfer_fee) ? undefined : ['Fee of the mint', amountOf(summary.transfer_fee, unit)],
    ['Received', amountOf(summary.received_amount, unit)],
    ...splits.map((split) => splitRow(split.recipient, split.amount, unit)),
    ...costRows(summary),
    feePayer === summary.sender ? undefined : ['Fee payer', fullName(feePayer)],
    ['Signs', make('span', {}, ...signers.flatMap((signer, index) => [index > 0 ? ', ' : '', shortName(signer)]))],
    memo === null ? undefined : ['Memo', make('bdi', {}, memo)],
    summary.references.length > 0 ? ['References', summary.references.join(' ')] : undefined,
    nonce ? ['Nonce of', fullName(nonce.account)] : undefined,
    hook ? ['Calls', fullName(hook.program)] : undefined,
    ['Size', `${summary.size} of ${summary.size_limit} bytes`],
  ]);
}

/**
 * @param {string} recipient
 * @param {TokenAmount} amount
 * @param {string} unit
 * @returns {[string, string]}
 */
function splitRow(recipient, amount, unit) {
  return ['Split', `${amountOf(amount, unit)} to ${shortName(recipient)}`];
}

/**
 * What it costs in SOL.
 * @param {{ network_fee: string, priority_fee: string, rent: string }} summary
 * @returns {[string, string][]}
 */
export function costRows({ network_fee: networkFee, priority_fee: priorityFee, rent }) {
  /** @type {[string, string][]} */
  const rows = [['Network fee', sol(networkFee)]];
  if (priorityFee !== '0') rows.push(['Priority fee', sol(priorityFee)]);
  if (rent !== '0') rows.push(['Rent of new accounts', sol(rent)]);
  return rows;
}

/**
 * What is shown of a transfer with its warnings above it, and below it, in small print, its notes.
 * @param {Node} shown
 * @param {readonly Warning[]} warnings
 * @returns {Node[]}
 */
export function warningsAround(shown, warnings) {
  const isNote = (/** @type {Warning} */ { level }) => level === 'note';
  return [
    listOf(
      'warnings',
      'Warnings',
      warnings.filter((each) => !isNote(each)),
    ),
    shown,
    listOf('notes', 'Notes', warnings.filter(isNote)),
  ];
}

/**
 * @param {string} name
 * @param {string} label
 * @param {readonly Warning[]} warnings
 */
function listOf(name, label, warnings) {
  // Tokens sent to a wrong address are lost: that is louder than the others.
  const items = warnings.map(({ code, detail }) => {
    return make('li', code === 'recipient_never_used' ? { class: 'alert' } : {}, detail);
  });
  return make('ul', { class: name, 'aria-label': label }, ...items);
}

/**
 * @param {TokenAmount} amount
 * @param {string} unit
 */
export function amountOf(amount, unit) {
  const shown = amount.ui_amount === undefined ? '' : `, in wallets ${amount.ui_amount}`;
  const baseUnits = counted(amount.base_units, 'base units');
  return `${counted(amount.decimal, unit)} (${baseUnits}${shown})`;
}

/** @param {TokenAmount} amount */
function isNothing(amount) {
  return amount.base_units === '0';
}
