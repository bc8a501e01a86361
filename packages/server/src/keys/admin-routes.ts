import { hash, timingSafeEqual } from 'node:crypto';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyInstance } from 'fastify';
import { acceptEmptyBodies, requireDeclaredJson } from '../app/json-body.ts';
import { invalidRequest } from '../app/validate.ts';
import { AppError, isAppError } from '../problems.ts';
import { storeFaultOf, storeRetrySeconds } from '../store/store-faults.ts';
import { createKeyBody, readKeyBody, revokeKeyBody, rotateKeyBody, updateKeyBody } from './admin-body.ts';
import type { ApiKeyRecord } from './api-key-record.ts';
import { unrestricted } from './authenticated-key.ts';
import type { Authenticator } from './authentication/authenticator.ts';
import { describeCreated, describeRecord, describeRevoked, describeRotated } from './describe-key.ts';
import { readDuration } from './key-options.ts';
import type { KeyRecords } from './records/key-records.ts';
import { keyRefusalOf } from './require-api-key.ts';

export interface AdminRouteOptions {
  admin: {
    /** The secret of those who may. */
    key: string;
    records: Pick<KeyRecords, 'create' | 'list' | 'update' | 'revoke' | 'rotate'>;
  };
  /** Counts wrong admin keys with unknown API keys. */
  authenticator: Pick<Authenticator, 'refuseUnknown'>;
}

const keysPath = '/v1/admin/keys';
const keyPath = `${keysPath}/:id`;
// Four lists of 100 values.
const bodyLimit = 65_536;

/**
 * Registers the paths that manage API keys as the command does: by id alone, since several keys may share a name.
 *
 * They are for the operator, and not in the OpenAPI document.
 */
export function registerAdminRoutes(app: FastifyInstance, { admin, authenticator }: AdminRouteOptions): void {
  requireAdminKey(app, admin.key, authenticator);
  const { records } = admin;
  app.get(keysPath, async () => {
    const now = new Date();
    const all = await reached(records.list());
    return { data: all.map((record) => describeRecord(record, now)), status: 'api keys listed successfully' };
  });
  app.register(async (scope) => {
    requireDeclaredJson(scope);
    const typed = scope.withTypeProvider<TypeBoxTypeProvider>();
    typed.post(keysPath, { bodyLimit, schema: { body: createKeyBody } }, async ({ body }, reply) => {
      const settings = readKeyBody(body, unrestricted, new Date());
      const created = await reached(records.create({ expiresAt: null, ...settings, name: body.name }));
      reply.code(201);
      return { data: describeCreated(created), status: 'api key created successfully' };
    });
    typed.patch(keyPath, { bodyLimit, schema: { body: updateKeyBody } }, async (request) => {
      const change = ({ restrictions }: ApiKeyRecord) => readKeyBody(request.body, restrictions, new Date());
      const updated = (await reached(records.update(idOf(request), change))) ?? notFound();
      return { data: describeRecord(updated, new Date()), status: 'api key updated successfully' };
    });
  });
  app.register(async (scope) => {
    acceptEmptyBodies(scope);
    scope.addHook('preValidation', async (request) => {
      request.body ??= {};
    });
    const typed = scope.withTypeProvider<TypeBoxTypeProvider>();
    typed.post(`${keyPath}/rotate`, { schema: { body: rotateKeyBody } }, async (request) => {
      const { overlap, close_links: closesLinks = false } = request.body;
      if (overlap !== undefined && closesLinks) throw linksOfOverlap(request.body);
      const overlapMs = overlap === undefined ? 0 : readDuration(overlap);
      const rotated = (await reached(records.rotate(idOf(request), overlapMs, { closesLinks }))) ?? notFound();
      return { data: describeRotated(rotated, closesLinks), status: 'api key rotated successfully' };
    });
    typed.post(`${keyPath}/revoke`, { schema: { body: revokeKeyBody } }, async (request) => {
      const { close_links: closesLinks = false } = request.body;
      const revoked = (await reached(records.revoke(idOf(request), { closesLinks }))) ?? notFound();
      return { data: describeRevoked(revoked, closesLinks, new Date()), status: 'api key revoked successfully' };
    });
  });
}

/** Refuses each request without the admin key, before its body is read. */
function requireAdminKey(scope: FastifyInstance, adminKey: string, authenticator: AdminRouteOptions['authenticator']) {
  // Of equal length, whatever is sent.
  const digestOf = (text: string): Buffer => hash('sha256', text, 'buffer');
  const wanted = digestOf(adminKey);
  scope.addHook('onRequest', (request, _reply, done) => {
    const sent = request.headers['x-api-key'];
    if (sent === undefined) throw new AppError('api_key_missing', 'Send the admin key in the header x-api-key.');
    if (!timingSafeEqual(digestOf(String(sent)), wanted)) throw keyRefusalOf(authenticator.refuseUnknown(request.ip));
    done();
  });
}

// A text that is no id, such as one with U+0000, which PostgreSQL does not take, is looked for as the empty one.
function idOf({ params }: { params: unknown }): string {
  return /^key_[0-9a-f]+$/.exec(String(Object(params).id))?.[0] ?? '';
}

function notFound(): never {
  throw new AppError('api_key_not_found', 'No API key with this id can be changed: it is unknown, revoked or expired.');
}

function linksOfOverlap(body: object): AppError {
  const detail = 'close_links and overlap exclude each other: meanwhile the old key could make links again.';
  return invalidRequest([{ code: 'invalid_value', pointer: '/close_links', detail }], body);
}

async function reached<Answer>(answer: Promise<Answer>): Promise<Answer> {
  try {
    return await answer;
  } catch (error) {
    if (isAppError(error)) throw error;
    throw new AppError('key_store_unavailable', 'The store of API keys does not answer now. Try again soon.', {
      retryAfterSeconds: storeRetrySeconds,
      cause: storeFaultOf(error),
    });
  }
}
