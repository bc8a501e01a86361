import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import Fastify from 'fastify';
import type { KeyedReply } from '../../src/idempotency/keyed-requests.ts';
import { sendKeyed } from '../../src/transfers/transaction-replies.ts';

/** The reply over HTTP, and what the request is noted as. */
async function replyWith(answered: KeyedReply) {
  const app = Fastify();
  let isReplay: boolean | undefined;
  app.decorateRequest('isReplay', false);
  app.get('/', (request, reply) => {
    sendKeyed(request, reply.code(201), answered);
    isReplay = request.isReplay;
    return reply;
  });
  const { headers, body, statusCode } = await app.inject('/');
  await app.close();
  return { headers, body, statusCode, isReplay };
}

describe('the reply to a request with an Idempotency-Key', () => {
  const answered = { reply: '{"data":7}', headers: { 'solana-blockhash': 'b', location: '/x' } };

  it('is sent as it was built, byte for byte, with its headers', async () => {
    for (const isReplay of [false, true]) {
      const { headers, body, statusCode } = await replyWith({ ...answered, isReplay });
      assert.deepEqual([body, statusCode], ['{"data":7}', 201]);
      assert.match(String(headers['content-type']), /^application\/json/);
      assert.deepEqual([headers['solana-blockhash'], headers.location], ['b', '/x']);
    }
  });

  it('says that it was built for an earlier request, where it was', async () => {
    const first = await replyWith({ ...answered, isReplay: false });
    assert.deepEqual([first.headers['idempotency-replayed'], first.isReplay], [undefined, false]);
    const again = await replyWith({ ...answered, isReplay: true });
    assert.deepEqual([again.headers['idempotency-replayed'], again.isReplay], ['true', true]);
  });
});
