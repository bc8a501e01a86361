import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { type TestContext, test } from 'node:test';
import { readProblem } from '../../../packages/server/test/app/problem.ts';
import { createBody, createPath } from '../../../packages/server/test/app/sample-bodies.ts';
import { type Behaviour, startFakeUpstream } from '../../setup/fake-upstream.ts';
import { healthyNode } from '../nodes/upstream-node.ts';
import { startServiceOn } from '../nodes/upstream-service.ts';

/** A service with room for two requests, both of them waiting for the node. */
async function startFullService(t: TestContext) {
  const held: (() => void)[] = [];
  const isHeld = Promise.withResolvers<void>();
  const hold: Behaviour = (call, response) => {
    if (call.method !== 'getMultipleAccounts') return healthyNode(call, response);
    held.push(() => healthyNode(call, response));
    isHeld.resolve();
  };
  const upstream = await startFakeUpstream(t, hold);
  const service = await startServiceOn(t, upstream.url, {}, { maxRequestsInFlight: 2 });
  const first = service.post(createPath, createBody);
  await isHeld.promise;
  const second = service.post(createPath, createBody);
  while (held.length < 2) await new Promise((resolve) => setTimeout(resolve, 1));
  return {
    service,
    taken: [first, second],
    release: () => {
      upstream.behaviour = healthyNode;
      for (const answer of held) answer();
    },
  };
}

test('A service that is full', async (t) => {
  const { service, taken, release } = await startFullService(t);

  await t.test('turns more away at once, with the time to come back', async () => {
    const response = await service.post(createPath, createBody);
    assert.equal(response.headers.get('retry-after'), '1');
    assert.equal((await readProblem(response)).code, 'overloaded');
  });

  await t.test('does so before the key is looked at or the body is there', async () => {
    const { hostname, port } = new URL(service.url);
    const socket = connect(Number(port), hostname);
    t.after(() => socket.destroy());
    socket.write(`POST ${createPath} HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{`);
    const [reply] = await new Promise<Buffer[]>((resolve) => socket.once('data', (data) => resolve([data])));
    assert.match(String(reply), /^HTTP\/1\.1 503 /);
    socket.destroy();
  });

  await t.test('still says that it lives', async () => {
    assert.equal((await fetch(`${service.url}/livez`)).status, 200);
  });

  await t.test('writes no error for it in the log', () => {
    assert.deepEqual(
      service.log.filter((line) => JSON.parse(line).level >= 50),
      [],
    );
  });

  await t.test('serves those it took, and takes others again', async () => {
    release();
    for (const response of await Promise.all(taken)) assert.equal(response.status, 200);
    assert.equal((await service.post(createPath, createBody)).status, 200);
  });
});
