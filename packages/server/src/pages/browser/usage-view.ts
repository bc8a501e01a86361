import type { KeyJson } from '../../keys/key-schema.ts';
import { make, makeTerms, type Term } from './dom.ts';
import { counted, decimalsOf, fullName, tokens, unitOf } from './names.ts';
import { asJson, askOrShowRefusal, showReply } from './reply-view.ts';
import { hasApiKey, onOtherApiKey } from './service.ts';

/** Shows the usage of the API key when the page is opened, and of each other key that is typed. */
export function followKey(path: string): void {
  if (hasApiKey()) showUsage(path);
  onOtherApiKey(() => showUsage(path));
}

/** Asks what the API key is limited to and has used today, and shows it. */
export async function showUsage(path: string): Promise<void> {
  const reply = await askOrShowRefusal<{ data: KeyJson }>('GET', path);
  if (!reply) return;
  const key = reply.body.data;
  showReply(() => [
    make('p', { class: 'sentence' }, make('bdi', {}, key.name)),
    makeTerms([['Rate', rateOf(key, reply.headers)], ...usageTerms(key), ...limitTerms(key)]),
    asJson(reply.body),
  ]);
}

function rateOf({ rate_limit_per_minute: limit }: KeyJson, headers: Headers): string {
  if (limit === null) return 'unlimited';
  const [, left = '', seconds = ''] = /;r=(\d+);t=(\d+)/.exec(headers.get('ratelimit') ?? '') ?? [];
  const rate = counted(String(limit), 'requests per minute');
  return left === '' ? rate : `${rate}: ${counted(left, 'left')} for the next ${seconds} s`;
}

function usageTerms({ day, usage_today: usage }: KeyJson): readonly Term[] {
  if (!usage) return [['Today', 'Requests with the sandbox key are not counted.']];
  const { requests, built, replayed, answered, refused, refusals } = usage;
  const reasons = Object.entries(refusals).map(([code, count]) => `${count} ${code}`);
  return [
    ['Today', `${requests === 1 ? '1 request' : `${requests} requests`} (${day}, UTC)`],
    ['Built', String(built)],
    ['Replayed', String(replayed)],
    ['Answered', String(answered)],
    ['Refused', reasons.length > 0 ? `${refused}: ${reasons.join(', ')}` : String(refused)],
    ['Counted', 'up to 3 seconds ago; newer requests may be missing'],
  ];
}

function limitTerms(key: KeyJson): readonly Term[] {
  const { allowed_operations: operations, allowed_mints: mints, amount_limits: amounts } = key;
  const wallets = (count: number | null) =>
    count === null ? 'any wallet' : count === 1 ? '1 wallet' : `${count} wallets`;
  return [
    ['Operations', operations ? operations.join(', ') || 'none' : 'all'],
    ['Tokens', mints ? lines(mints.map(fullName)) : amounts ? 'only those with a limit below' : 'all'],
    ['Senders', wallets(key.allowed_sender_count)],
    ['Recipients', wallets(key.allowed_recipient_count)],
    ...(amounts ?? []).map(amountTerm),
  ];
}

function amountTerm(limit: NonNullable<KeyJson['amount_limits']>[number]): Term {
  const { token_mint_address: mint, per_transfer: each, per_day: day } = limit;
  const left = limit.left_today ?? '0';
  const decimals = decimalsOf(mint);
  const unit = decimals === undefined ? 'base units' : unitOf(mint);
  const shown = (units: string) => (decimals === undefined ? units : tokens(units, decimals));
  const parts: HTMLElement[] = [fullName(mint)];
  if (each !== null) parts.push(make('span', {}, `${shown(each)} ${unit} in one transfer`));
  if (day !== null) {
    const value = String((100n * BigInt(left)) / BigInt(day));
    parts.push(
      make('span', {}, `${shown(left)} of ${shown(day)} ${unit} left today`),
      make('progress', { max: '100', value, 'aria-label': `Left today, ${unit}` }),
    );
  }
  return ['Amount', lines(parts)];
}

function lines(nodes: readonly Node[]): HTMLElement {
  return make('span', { class: 'lines' }, ...nodes);
}
