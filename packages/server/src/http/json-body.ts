import type { FastifyInstance } from 'fastify';
import { AppError } from '../errors.ts';
import { type JsonReading, readJson, readJsonInSteps } from '../wire/read-json.ts';
import { receiveBody } from './connections/receive-body.ts';
import { maxBytesInOneTurn, turnsOf } from './turns-of.ts';

/**
 * Makes a server parse JSON bodies with the project's own reader, and no bodies of other types.
 *
 * Refuses a body that is larger than its route allows (413), one in another charset than UTF-8 (415) and text that is not JSON (400).
 */
export function acceptJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', (request, payload, done) => {
    const answer = (read: JsonReading): void => {
      if ('fault' in read) done(new AppError('invalid_json', read.fault));
      else done(null, read.value);
    };
    receiveBody(payload, request.routeOptions.bodyLimit ?? 0, (body) => {
      if (body instanceof Error) {
        done(body);
      } else if (!isUtf8(request.headers['content-type'])) {
        done(new AppError('unsupported_media_type', 'The body must be UTF-8.'));
      } else if (body.length <= maxBytesInOneTurn) {
        answer(readJson(body));
      } else {
        turnsOf(request).run(readJsonInSteps(body)).then(answer, done);
      }
    });
  });
}

/** Makes the routes of a scope refuse (415) a request without a Content-Type, or with a Content-Encoding. */
export function requireDeclaredJson(scope: FastifyInstance): void {
  scope.addHook('onRequest', ({ headers }, _reply, done) => {
    if (headers['content-type'] === undefined) {
      throw new AppError('unsupported_media_type', 'The body must be sent with Content-Type: application/json.');
    }
    if (!['', 'identity'].includes(headers['content-encoding'] ?? '')) {
      throw new AppError('unsupported_media_type', 'The body must be sent without a Content-Encoding.');
    }
    done();
  });
}

function isUtf8(contentType: string | undefined): boolean {
  if (contentType === undefined || contentType === 'application/json') return true;
  const parameters = contentType.split(';').slice(1).join(';');
  const charset = /charset\s*=\s*"?([^";\s]+)/i.exec(parameters)?.[1];
  return charset === undefined || charset.toLowerCase() === 'utf-8';
}
