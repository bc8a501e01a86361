import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, test } from 'node:test';
import { repository, runCommand } from '../../setup/process.ts';
import { startLinkService } from './link-service.ts';

const document = readFileSync(join(repository, 'docs/payment-links.md'), 'utf8');
const { client, service, alice, land } = await startLinkService(test);

/** The commands of the document in their order: three that make a link, and after two of them one about that link. */
const commands = [...document.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, body = '']) => body.trim());
const [shop = '', read = '', counter = '', chat = '', cancel = ''] = commands;

/** Runs a command of the document here, about this link: the status, and `data` of the answer. */
async function run(command: string, id = ''): Promise<{ status: string; data: Record<string, string> }> {
  const here = command.replaceAll('http://127.0.0.1:3000', service.url).replaceAll('LINK_ID', id);
  const { stdout } = await runCommand(`${here} --silent --write-out '\\n%{http_code}'`);
  const [body = '', status = ''] = stdout.split('\n');
  return { status, data: Object(JSON.parse(body)).data };
}

/** Makes the link of a command, and lets Alice pay it: its id. */
async function makeAndPay(command: string, query = ''): Promise<string> {
  const { status, data } = await run(command);
  assert.equal(status, '201');
  const id = data.id ?? '';
  await land((await client.pay(id, alice.address, query)).transaction, alice);
  return id;
}

describe('docs/payment-links.md', () => {
  it('has no other commands', () => assert.equal(commands.length, 5));

  it('takes a payment on a web page, once also where the command is repeated', async () => {
    const id = await makeAndPay(shop);
    assert.equal((await run(shop)).data.id, id);
    await client.readUntil(id, ({ is_final }) => is_final);
    const { status, data } = await run(read, id);
    assert.deepEqual([status, data.state, data.is_final], ['200', 'paid', true]);
    assert.deepEqual([data.payer, data.received_amount], [alice.address, '25000000']);
  });

  it('takes a payment at a counter, by a QR code that any page can show', async () => {
    const { data } = await run(counter);
    const image = await fetch(data.qr_svg_url ?? '');
    assert.equal(image.headers.get('content-type'), 'image/svg+xml');
    const id = await makeAndPay(counter);
    await client.readUntil(id, ({ state }) => state === 'paid');
  });

  it('takes payments of chosen amounts from a chat until the link is canceled', async () => {
    const id = await makeAndPay(chat, '?amount=12.5');
    const paid = await client.readUntil(id, ({ payments }) => payments.length === 1);
    assert.deepEqual([paid.state, paid.payments[0]?.amount, paid.payments[0]?.counts], ['open', '12500000', true]);
    const { status, data } = await run(cancel, id);
    assert.deepEqual([status, data.state], ['200', 'cancelled']);
  });

  it('says of amounts, bounds and times what the commands ask for', async () => {
    assert.ok(document.replaceAll(/\s+/g, ' ').includes('any number of payments of 1 to 100 tokens'));
    const { data } = await run(chat);
    assert.deepEqual([data.amount_min, data.amount_max, Number(data.decimals)], ['1000000', '100000000', 6]);
  });
});
