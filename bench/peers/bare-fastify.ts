/** A Fastify route that does nothing: it reads the JSON body as Fastify does and answers a constant. */
import { readFileSync } from 'node:fs';
import { fastify } from 'fastify';

const answer = readFileSync(process.env.ANSWER_FILE ?? '', 'utf8');
const app = fastify();
app.post('/v1/token-transfer-memo-hash', async (_request, reply) => reply.type('application/json').send(answer));
console.log(`bare Fastify listens on ${await app.listen({ port: 0, host: '127.0.0.1' })}`);
process.once('SIGTERM', () => process.exit());
