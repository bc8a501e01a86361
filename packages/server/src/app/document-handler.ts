import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** A document that stays the same while the service runs. */
export interface StaticDocument {
  text: string;
  headers: Readonly<Record<string, string>>;
}

/**
 * Returns the handler of a document: compressed for clients that take gzip, and 304 for those that have it already.
 *
 * The document is made once, at the first request: those that come meanwhile wait for it, and all replies share its bytes.
 */
export function documentHandler(
  make: () => Promise<StaticDocument>,
): (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply> {
  let made: ReturnType<typeof pack> | undefined;
  return async (request, reply) => {
    made ??= make().then(pack);
    const { plain, packed, headers } = await made.catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    // Another part of the service may have named a header of its own.
    const vary = [reply.getHeader('vary') ?? [], 'Accept-Encoding'].flat().join(', ');
    reply.headers({ ...headers, vary });
    if (hasEtag(request.headers['if-none-match'], headers.etag)) return reply.code(304).send();
    const isPacked = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i.test(request.headers['accept-encoding'] ?? '');
    if (isPacked) reply.header('content-encoding', 'gzip');
    return reply.send(isPacked ? packed : plain);
  };
}

async function pack({ text, headers }: StaticDocument) {
  const plain = Buffer.from(text);
  const hash = createHash('sha256').update(plain).digest('base64url').slice(0, 22);
  // Weak: the compressed form has the same one. Without `no-cache` a cache would answer for the next version, too.
  return {
    plain,
    packed: await promisify(gzip)(plain),
    headers: { ...headers, etag: `W/"${hash}"`, 'cache-control': 'no-cache' },
  };
}

function hasEtag(ifNoneMatch: string | undefined, etag: string): boolean {
  const opaque = etag.replace('W/', '');
  return (ifNoneMatch ?? '').split(',').some((each) => ['*', opaque].includes(each.trim().replace(/^W\//, '')));
}
