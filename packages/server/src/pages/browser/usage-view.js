import { tokens } from './amounts.js';
import { make, makeTerms } from './make.js';
import { decimalsOf, fullName, unitOf } from './names.js';
import { showRefusal } from './refusals.js';
import { asJson, clearReply, showReply } from './reply-view.js';
import { ask } from './service.js';

/** @import { KeyJson } from '../../keys/key-schema.ts' */
/** @typedef {[string, string | Node]} Term */

const path = '/v1/key';

/** Shows the usage of the API key when the page is opened, and of each other key that is typed. */
export function followKey() {
  const input = document.getElementById('api-key');
  if (input instanceof HTMLInputElement && input.value.trim() !== '') showUsage();
  input?.addEventListener('change', showUsage);
}

/** Asks what the API key is limited to and has used today, and shows it. */
export async function showUsage() {
  const reply = await ask('GET', path);
  if (!reply.ok) {
    clearReply();
    return showRefusal(reply);
  }
  /** @type {KeyJson} */
  const key = reply.body.data;
  showReply(() => [
    make('p', { class: 'sentence' }, make('bdi', {}, key.name)),
    makeTerms([['Rate', rateOf(key, reply.headers)], ...todayOf(key), ...limitsOf(key)]),
    asJson(reply.body),
  ]);
}

/**
 * @param {KeyJson} key
 * @param {Headers} headers
 */
function rateOf({ rate_limit_per_minute: limit }, headers) {
  if (limit === null) return 'any number of requests';
  const [, left = '', seconds = ''] = /;r=(\d+);t=(\d+)/.exec(headers.get('ratelimit') ?? '') ?? [];
  const rate = `${limit} requests per minute`;
  return left === '' ? rate : `${rate}: ${left} left for the next ${seconds} s`;
}

/**
 * @param {KeyJson} key
 * @returns {Term[]}
 */
function todayOf({ day, usage_today: usage }) {
  if (!usage) return [['Today', 'Requests with the key of the sandbox are not counted.']];
  const { requests, built, replayed, answered, refused, refusals } = usage;
  const reasons = Object.entries(refusals).map(([code, count]) => `${count} ${code}`);
  return [
    [`Today (${day}, UTC)`, requests === 1 ? '1 request' : `${requests} requests`],
    ['Built', String(built)],
    ['Replayed', String(replayed)],
    ['Answered', String(answered)],
    ['Refused', reasons.length > 0 ? `${refused}: ${reasons.join(', ')}` : String(refused)],
  ];
}

/**
 * @param {KeyJson} key
 * @returns {Term[]}
 */
function limitsOf(key) {
  const { allowed_operations: operations, allowed_mints: mints, amount_limits: amounts } = key;
  const { allowed_sender_count: senders, allowed_recipient_count: recipients } = key;
  return [
    ['Operations', operations ? operations.join(', ') || 'none' : 'all'],
    ['Tokens', mints ? list(mints.map(fullName)) : amounts ? 'those with an amount' : 'all'],
    ['Senders', senders === null ? 'any wallet' : wallets(senders)],
    ['Recipients', recipients === null ? 'any wallet' : wallets(recipients)],
    ...(amounts ?? []).map(amountTerm),
  ];
}

/**
 * @param {NonNullable<KeyJson['amount_limits']>[number]} limit
 * @returns {Term}
 */
function amountTerm({ token_mint_address: mint, per_transfer: each, per_day: day, left_today: left }) {
  const decimals = decimalsOf(mint);
  const unit = decimals === undefined ? 'base units' : unitOf(mint);
  const shown = (/** @type {string} */ units) => (decimals === undefined ? units : tokens(units, decimals));
  const meter =
    day === null
      ? undefined
      : make('progress', { max: '100', value: percentOf(left ?? '0', day), 'aria-label': `Left today, ${unit}` });
  return [
    'Amount',
    make(
      'span',
      { class: 'limit' },
      fullName(mint),
      ...(each === null ? [] : [make('span', {}, `${shown(each)} ${unit} in one transfer`)]),
      ...(day === null ? [] : [make('span', {}, `${shown(left ?? '0')} of ${shown(day)} ${unit} left today`)]),
      meter,
    ),
  ];
}

/**
 * @param {string} part
 * @param {string} whole
 */
function percentOf(part, whole) {
  return String((100n * BigInt(part)) / BigInt(whole));
}

/** @param {number} count */
function wallets(count) {
  return count === 1 ? '1 wallet' : `${count} wallets`;
}

/** @param {readonly Node[]} nodes */
function list(nodes) {
  return make('span', { class: 'limit' }, ...nodes);
}
