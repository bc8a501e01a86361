import type { Deadline } from '../../chain/chain-reader.ts';
import { hashBody } from '../../idempotency/body-hash.ts';
import type { KeyedReply, KeyedRequests } from '../../idempotency/keyed-requests.ts';
import type { AuthenticatedKey } from '../../keys/authenticated-key.ts';
import type { DailyAmounts } from '../../keys/usage/daily-amounts.ts';
import type { LinkView } from '../../payments/link-view.ts';
import type { NewPaymentLink } from '../../payments/make-link.ts';
import type { PaymentLinks } from '../../payments/payment-links.ts';
import { isTransferRefused } from '../../service/transfer-refused.ts';
import { wordLinkFinding } from '../../wire/links/link-finding.ts';
import { linkText } from '../../wire/links/link-json.ts';
import { refusalOf } from '../../wire/refusal.ts';
import { routes } from '../../wire/routes.ts';
import { countDailyAmount } from '../transfer-requests/daily-limit.ts';
import { assertKeyAllowsLink } from './link-permission.ts';

/** What makes links and counts them. */
export interface LinkMakerOptions {
  links: PaymentLinks;
  dailyAmounts: DailyAmounts;
  keyedRequests: KeyedRequests;
}

/** A link to make, which the API key allows. */
export interface AskedLink {
  asked: NewPaymentLink;
  /** As it was parsed. */
  body: unknown;
  apiKey: AuthenticatedKey;
  publicUrl: string;
  deadline: Deadline;
}

/** Makes a link: the first time under its `Idempotency-Key`, of which each retry gets the same reply; or without one. */
export async function answerLink(
  request: AskedLink,
  idempotencyKey: string | undefined,
  options: LinkMakerOptions,
): Promise<KeyedReply> {
  const { asked, body, apiKey, publicUrl, deadline } = request;
  const build = async () => {
    const view = await makeLink(request, options);
    const headers = { location: routes.readPaymentLink.path.replace('{id}', view.link.id) };
    return { reply: linkText('created', view, publicUrl), headers, transactions: [] };
  };
  if (idempotencyKey === undefined) return { ...(await build()), isReplay: false };
  const id = { scope: apiKey.rootId, path: routes.createPaymentLink.path, key: idempotencyKey };
  const assertAllowed = (): void => assertKeyAllowsLink(apiKey.restrictions, asked);
  return options.keyedRequests.answer({ id, ...hashBody(body), build, assertAllowed }, deadline);
}

async function makeLink(
  { asked, apiKey, deadline }: AskedLink,
  { links, dailyAmounts }: LinkMakerOptions,
): Promise<LinkView> {
  const owner = { ownerId: apiKey.rootId, keyId: apiKey.id };
  const view = await links.create(asked, owner, deadline).catch((error: unknown) => {
    if (!isTransferRefused(error)) throw error;
    const [first, ...others] = error.findings;
    throw refusalOf([wordLinkFinding(first), ...others.map(wordLinkFinding)]);
  });
  const dailyLimit = apiKey.restrictions.amounts?.get(asked.mint)?.perDay ?? undefined;
  if (dailyLimit === undefined) return view;
  try {
    await countDailyAmount(dailyAmounts, apiKey, { mint: asked.mint, amount: asked.maxAmount }, dailyLimit);
  } catch (error) {
    // Nobody was told its id; canceled, it is no open link in the list of the key either.
    await links.cancel(view.link.id, deadline).catch(() => undefined);
    throw error;
  }
  return view;
}
