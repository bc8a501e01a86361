import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { sandboxApiKey } from '../../../packages/server/src/keys/authenticated-key.ts';
import type { Json } from '../../setup/json.ts';
import { landInWorld } from '../../setup/land.ts';
import { startTestService, type TestService } from '../../setup/service.ts';
import { named, peopleOf } from '../../setup/wallets.ts';

const headers = {
  authorization: `Bearer ${sandboxApiKey}`,
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
};

let service: TestService;
let stop = async (): Promise<void> => {};
before(async () => {
  service = await startTestService({
    after: (close) => {
      stop = close;
    },
  });
});
after(() => stop());

/** Sends one message of the protocol; the reply is one event, or one JSON text. */
async function send(method: string, params: object, signal?: AbortSignal): Promise<Json> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const response = await fetch(`${service.url}/mcp`, { method: 'POST', headers, body, ...(signal && { signal }) });
  assert.equal(response.status, 200, service.log.slice(-3).join('\n'));
  const text = await response.text();
  return JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text).result;
}

/** Calls a tool. */
async function call(name: string, given: object, signal?: AbortSignal): Promise<{ isError: boolean; value: Json }> {
  const { content, isError } = await send('tools/call', { name, arguments: given }, signal);
  return { isError, value: JSON.parse(content[0].text) };
}

describe('an agent', () => {
  it('needs an API key before anything is read', async () => {
    const { authorization: _, ...others } = headers;
    const response = await fetch(`${service.url}/mcp`, { method: 'POST', headers: others, body: '{' });
    assert.equal(response.status, 401);
  });

  it('has two large bodies read at a time, under each key', async (t) => {
    const { url } = await startTestService(t, { REQUEST_DEADLINE_MS: '1000' });
    const sent = { host: 'x', ...headers, 'content-length': '2000000', expect: '100-continue' };
    const head = ['POST /mcp HTTP/1.1', ...Object.entries(sent).map(([name, value]) => `${name}: ${value}`)].join(
      '\r\n',
    );
    const ask = async (): Promise<string> => {
      const socket = connect(Number(new URL(url).port), '127.0.0.1');
      t.after(() => socket.destroy());
      socket.write(`${head}\r\n\r\n`);
      return `${await once(socket, 'data')}`.slice(9, 12);
    };
    assert.deepEqual([await ask(), await ask(), await ask()], ['100', '100', '429']);
  });

  it('says hello, and finds eight tools with words and schemas', async () => {
    const clientInfo = { name: 'test', version: '1' };
    const hello = await send('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
    assert.match(hello.instructions, /holds no key/);
    const { tools } = await send('tools/list', {});
    assert.equal(tools.length, 8);
    assert.doesNotMatch(JSON.stringify(tools), /"(?:synonyms|component|expected)"/);
  });

  it('builds, verifies, inspects and follows a payment, and makes and reads a link', async () => {
    const { alice, bob } = peopleOf(service.sandbox.world);
    const mint = named(service.sandbox.world.mints, 'USDC').address;
    const terms = { token_mint_address: mint, to_address: bob.address, amount_decimal: '1.5' };
    const { value: built } = await call('build_transfer', { order: 'walk', from_address: alice.address, ...terms });
    const [{ transaction }] = built.reply.data.transactions;
    const verified = await call('verify_transaction', built);
    assert.match(verified.value.sentence, /1\.5/);
    const other = { ...built.request, transfers: [{ ...built.request.transfers[0], amount_decimal: '2' }] };
    assert.equal((await call('verify_transaction', { ...built, request: other })).isError, true);
    assert.match((await call('inspect_transaction', { transaction })).value.lines.join('\n'), /1500000/);
    const { last_valid_block_height } = built.reply.data.lifetime;
    const outcome = await call('transfer_outcome', { transaction, last_valid_block_height });
    assert.equal(outcome.value.data.outcome, 'pending');
    const link = await call('create_payment_link', { order: 'walk', ...terms, label: 'Tea' });
    const again = await call('create_payment_link', { order: 'Walk', ...terms, label: 'Tea' });
    assert.equal(again.value.data.id, link.value.data.id);
    assert.equal((await call('payment_link', { id: link.value.data.id })).value.data.state, 'open');
    assert.deepEqual((await call('incoming', { limit: '5' })).value.data, []);
    assert.match(
      (await call('build_transfer', { order: 'n', ...terms, amount_decimal: 1 })).value.detail,
      /send a JSON string/,
    );
  });

  it('never gets two payable transactions for one order, in 30 conversations', async () => {
    const { sandbox } = service;
    const { alice, bob, carol } = peopleOf(sandbox.world);
    const mint = named(sandbox.world.mints, 'USDC').address;
    const step = fc.record({
      order: fc.constantFrom('one', 'Two', ' three '),
      tool: fc.constantFrom('build_transfer', 'build_batch'),
      to_address: fc.constantFrom(bob.address, bob.address, carol.address),
      amount_decimal: fc.constantFrom('1', '1', '1.0', '2'),
      end: fc.constantFrom('read', 'read', 'interrupted', 'twice at once', 'landed'),
    });
    let conversation = 0;
    let payable = 0;
    let landedCount = 0;
    const refusals = new Set<string>();
    const steps = fc.array(step, { minLength: 6, maxLength: 14 });
    await fc.assert(
      fc.asyncProperty(steps, async (all) => {
        const seen = new Map<string, Set<string>>();
        const landed = new Set<string>();
        conversation += 1;
        for (const { order, tool, end, ...transfer } of all) {
          const common = { order: `${conversation} ${order}`, from_address: alice.address, token_mint_address: mint };
          const given = tool === 'build_batch' ? { ...common, transfers: [transfer] } : { ...common, ...transfer };
          const signal = end === 'interrupted' ? AbortSignal.timeout(1) : undefined;
          const calls = Array.from({ length: end === 'twice at once' ? 2 : 1 }, () =>
            call(tool, given, signal).catch((error: unknown) => {
              if (signal === undefined) throw error;
            }),
          );
          for (const answer of await Promise.all(calls)) {
            if (answer === undefined) continue;
            if (answer.isError) {
              refusals.add(answer.value.code);
              continue;
            }
            const bytes = seen.get(order) ?? new Set();
            seen.set(order, bytes);
            for (const { transaction } of answer.value.reply.data.transactions) bytes.add(transaction);
            assert.equal(bytes.size, 1, `${order} has two payable transactions`);
          }
          const [transaction] = seen.get(order) ?? [];
          if (end !== 'landed' || transaction === undefined || landed.has(order)) continue;
          landed.add(order);
          await landInWorld(sandbox, transaction);
          sandbox.ledger.advanceSlots(40);
        }
        // What has landed and is built again would be a second transaction of its order in a later step.
        payable += seen.size;
        landedCount += landed.size;
      }),
      { numRuns: 30 },
    );
    assert.ok(payable > 30 && landedCount > 10, `${payable} and ${landedCount}`);
    assert.ok(refusals.has('idempotency_key_reused'));
  });
});
