import type { FastifyInstance, FastifyRequest } from 'fastify';
import { bodyOf, requireDeclaredJson } from '../app/json-body.ts';
import { describeRefusal } from './refusals.ts';
import type { AskRoute } from './tools.ts';

/**
 * Registers `POST /mcp`: the Model Context Protocol over Streamable HTTP, by which agents use the service with their API key.
 *
 * Each tool sends one more request, which counts for the limits of the key as any other. It is not part of the API: the OpenAPI
 * document leaves it out. The SDK is loaded with the first message.
 */
export function registerMcpRoute(app: FastifyInstance, { version }: { version: string }): void {
  requireDeclaredJson(app);
  const options = { bodyLimit: bodyLimitBytes, config: { usage: 'answered', place: 'large' } } as const;
  app.post('/mcp', options, async (request, reply) => {
    // Node keeps a module that was loaded, and no failure to load it, such as one for want of file descriptors.
    const { createMessageHandler } = await import('./mcp-handler.ts');
    const answerMessage = createMessageHandler(version);
    const answer = await answerMessage(bodyOf(request), headersOf(request), askAs(app, request));
    const contentType = answer.headers.get('content-type');
    if (contentType !== null) reply.type(contentType);
    return reply.code(answer.status).send(await answer.text());
  });
}

// A batch of 1,000 transfers.
const bodyLimitBytes = 2_097_152;

/** Sends requests to the routes of the app as the caller of a request: with its API key, from its address. */
function askAs(app: FastifyInstance, { headers, ip }: FastifyRequest): AskRoute {
  return async ({ method, url, body, idempotencyKey }) => {
    const { statusCode, payload } = await app.inject({
      method,
      url,
      remoteAddress: ip,
      headers: { authorization: headers.authorization, ...(idempotencyKey && { 'idempotency-key': idempotencyKey }) },
      ...(body && { payload: body }),
    });
    const value: object = JSON.parse(payload);
    return statusCode < 400 ? { isError: false, value } : { isError: true, value: describeRefusal(value) };
  };
}

// The transport decides by these which revision of the protocol a message is of.
function headersOf({ headers }: FastifyRequest): Headers {
  const told = Object.entries(headers).filter(([name]) => /^(?:accept|content-type|mcp-.*)$/.test(name));
  return new Headers(told.map(([name, value]): [string, string] => [name, String(value)]));
}
