import { isTransferRefused } from '../../build/transfer-refused.ts';
import type { Deadline } from '../../chain/chain-reader.ts';
import { hashBody } from '../../idempotency/idempotency-key.ts';
import type { KeyedReply, KeyedRequests } from '../../idempotency/keyed-requests.ts';
import type { AuthenticatedKey } from '../../keys/authenticated-key.ts';
import { dailyLimitOf } from '../../keys/usage/daily-amounts.ts';
import type { LinkView } from '../../links/link-view.ts';
import type { NewPaymentLink } from '../../links/make-link.ts';
import type { PaymentLinks } from '../../links/payment-links.ts';
import { wordLinkFinding } from '../../wire/links/link-finding.ts';
import { linkText } from '../../wire/links/link-json.ts';
import { refusalOf } from '../../wire/refusal.ts';
import { routes } from '../../wire/routes.ts';
import { assertKeyAllowsLink } from './link-permission.ts';

/** What makes links. */
export interface LinkMakerOptions {
  links: PaymentLinks;
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

async function makeLink({ asked, apiKey, deadline }: AskedLink, { links }: LinkMakerOptions): Promise<LinkView> {
  const { id: keyId, rootId: ownerId, restrictions } = apiKey;
  const owner = { ownerId, keyId, dailyLimit: dailyLimitOf(restrictions, asked.mint) };
  return links.create(asked, owner, deadline).catch((error: unknown) => {
    if (!isTransferRefused(error)) throw error;
    const [first, ...others] = error.findings;
    throw refusalOf([wordLinkFinding(first), ...others.map(wordLinkFinding)]);
  });
}
