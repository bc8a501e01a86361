import type { FastifyRequest } from 'fastify';
import { AppError } from '../../errors.ts';

/** Returns the origin at which wallets reach the service. Throws an `AppError` of status 501 when none is configured. */
export function publicUrlOf(publicUrl: () => string | undefined): string {
  const url = publicUrl();
  if (url !== undefined) return url;
  throw new AppError(
    'payment_links_off',
    'Payment links need an address at which wallets reach this service. Its operator can set PUBLIC_URL.',
  );
}

/** The id in the path of a request; `undefined` for a text that no link has as its id. */
export function linkIdOf(request: FastifyRequest): string | undefined {
  const id = String(Object(request.params).id);
  return /^[1-9A-HJ-NP-Za-km-z]{16}$/.test(id) ? id : undefined;
}

/** The refusal of a request for a link that does not exist, or is another's. */
export function linkNotFound(): AppError {
  return new AppError('payment_link_not_found', 'There is no payment link with this id.');
}

/** The parameters in the URL of a request. */
export function queryOf({ url }: FastifyRequest): URLSearchParams {
  const start = url.indexOf('?');
  return new URLSearchParams(start < 0 ? '' : url.slice(start + 1));
}
