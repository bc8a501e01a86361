import assert from 'node:assert/strict';
import { once } from 'node:events';
import { it } from 'node:test';
import { WebSocket } from 'ws';
import { sandboxWorldSchema } from '../../../packages/server/src/app/public-schema.ts';
import { startTestService } from '../../setup/service.ts';

it('The sandbox says where its JSON-RPC and its WebSocket are, in a reply with the documented members', async (t) => {
  const service = await startTestService({ after: (finish) => t.after(finish) });
  const reply = await fetch(`${service.url}/sandbox/world`);
  const world: Record<string, unknown> = Object(await reply.json());
  assert.deepEqual(Object.keys(world).sort(), Object.keys(sandboxWorldSchema.properties).sort());
  const call = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'getHealth' });
  const headers = { 'content-type': 'application/json' };
  const health = await fetch(String(world.rpc_url), { method: 'POST', headers, body: call });
  assert.deepEqual(await health.json(), { jsonrpc: '2.0', result: 'ok', id: 1 });
  const socket = new WebSocket(String(world.websocket_url));
  t.after(() => socket.terminate());
  await once(socket, 'open');
  socket.send(JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'slotSubscribe' }));
  const [data] = await once(socket, 'message');
  assert.equal(JSON.parse(String(data)).id, 2);
});
