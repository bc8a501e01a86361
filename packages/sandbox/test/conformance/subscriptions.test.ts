import assert from 'node:assert/strict';
import { on } from 'node:events';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { createNoopSigner, lamports } from '@solana/kit';
import { getTransferSolInstruction, SYSTEM_PROGRAM_ADDRESS } from '@solana-program/system';
import { WebSocket } from 'ws';
import { keypairFromName } from '../../src/ledger/keypair.ts';
import { startTestSandbox, type TestSandbox } from '../fixtures.ts';
import { compare, inScene, type Scene } from './compare.ts';
import { run } from './scene.ts';

/** A notification that never comes fails the test. */
const maxTestMs = 60_000;

interface Message {
  method?: string;
  result?: unknown;
  id?: number;
}

const recording: {
  subscriptions: readonly {
    method: string;
    params: readonly unknown[];
    answer: unknown;
  }[];
  notifications: readonly Message[];
  unsubscribeUnknown: unknown;
} = JSON.parse(readFileSync(new URL('./recorded/calls.json', import.meta.url), 'utf8'));

describe('the subscriptions that were recorded at a node', () => {
  let sandbox: TestSandbox;
  let scene: Scene;
  let socket: WebSocket;
  let messages: AsyncIterator<unknown[]>;
  const received: Message[] = [];

  const next = async (): Promise<Message> => JSON.parse(String((await messages.next()).value?.[0]));
  const call = async (method: string, params: readonly unknown[]): Promise<Message> => {
    socket.send(JSON.stringify({ jsonrpc: '2.0', id: 7, method, params }));
    for (;;) {
      const message = await next();
      if (message.id === 7) return message;
      received.push(message);
    }
  };

  before(async () => {
    sandbox = await startTestSandbox();
    const payer = keypairFromName('conformance payer').address;
    const recipient = keypairFromName('conformance recipient').address;
    const empty = { data: new Uint8Array(), space: 0n, executable: false, programAddress: SYSTEM_PROGRAM_ADDRESS };
    sandbox.ledger.setAccount({ ...empty, address: payer, lamports: lamports(2_000_000_000n) });
    const { signature: landed } = sandbox.ledger.airdrop(recipient, 1_000_000n);
    scene = { payer, recipient, landed, account: keypairFromName('conformance account').address };
    socket = new WebSocket(sandbox.webSocketUrl);
    messages = on(socket, 'message', { signal: AbortSignal.timeout(maxTestMs) });
    await new Promise((resolve) => socket.once('open', resolve));
  });
  after(async () => {
    socket.close();
    await sandbox.close();
  });

  for (const { method, params, answer } of recording.subscriptions) {
    it(`answers ${method} ${JSON.stringify(params)}`, async () => {
      const answered = await call(
        method,
        params.map((each) => inScene(scene, each)),
      );
      assert.deepEqual(compare(answer, answered, 'whole'), []);
    });
  }

  it('refuses to end an unknown subscription', async () => {
    assert.deepEqual(compare(recording.unsubscribeUnknown, await call('slotUnsubscribe', [900]), 'whole'), []);
  });

  it('sends every notification with the members and types of a node', async () => {
    const payer = keypairFromName('conformance payer');
    const destination = keypairFromName('conformance recipient').address;
    const transfer = { source: createNoopSigner(payer.address), destination, amount: 1_000_000n };
    run(sandbox, [getTransferSolInstruction(transfer)], payer);
    const isMet = (recorded: Message) =>
      received.some((message) => compare(inScene(scene, recorded), message, 'cut').length === 0);
    while (!recording.notifications.every(isMet)) {
      const message = await next();
      const alike = recording.notifications.filter(({ method }) => method === message.method);
      const differences = alike.map((recorded) => compare(inScene(scene, recorded), message, 'cut'));
      assert.ok(alike.length > 0, `a notification that was not recorded: ${message.method}`);
      assert.ok(
        differences.some((each) => each.every(({ path }) => path.startsWith('params.result'))),
        JSON.stringify(differences),
      );
      received.push(message);
    }
  });
});
