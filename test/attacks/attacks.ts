import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTransferCheckedInstruction } from '@solana/spl-token';
import { PublicKey, Transaction } from '@solana/web3.js';
import { encodeBase58 } from '../../packages/core/src/index.ts';
import { linksPath } from '../../packages/server/src/links/link-route-schemas.ts';
import { outcomePath } from '../../packages/server/src/outcomes/outcome-routes.ts';
import { paths } from '../../packages/server/src/transfers/transfer-schema.ts';
import { alice, bob, createBody, usdc } from '../../packages/server/test/app/sample-bodies.ts';
import { busyWallets, usdcAccountOf, veryBusyWallets } from './busy-wallets.ts';

/** Whom an attack is against, and with what. */
export interface Target {
  urls: readonly string[];
  /** A key within its limits. */
  key: string;
  /** Links of another key. */
  links: readonly string[];
}

/** How many replies had each status, and how many connections were opened. */
export const answered: Record<string, number> = {};

const networks = 30;
const limit = 600;
const oneByteChunks = '1\r\n \r\n'.repeat(10_000);

/** What each attack does, until its process ends. One with a key stays within the key's limit of a minute. */
export const attacks: Readonly<Record<string, (target: Target) => void>> = {
  'connections that send what is not HTTP': (target) => hold(target, 400, `GARBAGE\r\n\r\n${'x'.repeat(65_000)}`),
  'connections that send blank lines': (target) => hold(target, 400, '\r\n'.repeat(32_000)),
  'connections that send heads without an end': (target) =>
    hold(target, 400, `POST / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(12_000)}`),
  'chunks of one byte without a key': (target) => hold(target, 200, chunkedPost('') + oneByteChunks),
  'chunks of one byte with a key': (target) => hold(target, 60, chunkedPost(target.key) + oneByteChunks),
  'outcomes of one busy sender': (target) => repeat(target, 4, outcomes(Array(100).fill(busyWallets[0])), 10),
  'outcomes of 100 very busy senders': (target) => repeat(target, 2, outcomes(veryBusyWallets.slice(0, 100)), 222),
  'payers of 250 links': ({ urls, links }) => {
    for (let index = 0; index < 25; index += 1) void payFrom(urls, links, index);
  },
  'looks at 250 links': ({ urls, links }) => {
    for (let index = 0; index < 25; index += 1) void lookFrom(urls, links, index);
  },
  'batches of 1,000 with long memos': (target) =>
    repeat(target, 28, { path: paths.batch, body: batchOf(1_000, 300) }, 100),
  'batches of 1,000 that cannot be built': (target) =>
    repeat(target, 28, { path: paths.batch, body: { ...batchOf(1_000, 0), from_address: busyWallets[0] } }, 100),
  'large bodies that come byte by byte': (target) => announceLargeBodies(target, 32),
  'keyed batches with long memos': (target) =>
    repeat(target, 8, { path: paths.batch, body: batchOf(50, 400), isKeyed: true }, 5),
  'single transfers': (target) => repeat(target, 64, { path: paths.createTransfer, body: createBody }, 1),
  'documents without a key': ({ urls }) => {
    for (let index = 0; index < 64; index += 1) void getForever(`${urls[index % urls.length]}/openapi.json`);
  },
  'requests without a key': ({ urls }) => {
    for (let index = 0; index < 64; index += 1) void getForever(`${urls[index % urls.length]}${linksPath}`);
  },
};

function tally(what: string): void {
  answered[what] = (answered[what] ?? 0) + 1;
}

async function note(response: Response): Promise<void> {
  await response.arrayBuffer();
  tally(String(response.status));
}

/** Opens connections that send these bytes, read nothing and stay; each that is closed is opened again. */
function hold({ urls }: Target, count: number, bytes: string): void {
  const open = (url: string): void => {
    const { hostname, port } = new URL(url);
    const peer = connect({ host: hostname, port: Number(port), allowHalfOpen: true }).pause();
    peer.on('error', () => undefined).on('close', () => open(url));
    peer.write(bytes);
    tally('opened');
  };
  for (let index = 0; index < count; index += 1) open(urls[index % urls.length] ?? '');
}

function chunkedPost(key: string): string {
  const authorization = key === '' ? '' : `Authorization: Bearer ${key}\r\n`;
  const head = `POST ${paths.batch} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${authorization}`;
  return `${head}Transfer-Encoding: chunked\r\n\r\n`;
}

/** Sends a request so many times at once, again and again, at the rate that the limit of a minute allows. */
function repeat(
  { urls, key }: Target,
  parallel: number,
  { path, body, isKeyed = false }: { path: string; body: object; isKeyed?: boolean },
  units: number,
): void {
  // Under another key the same transaction would be refused.
  const text = (): string =>
    JSON.stringify(body).replaceAll('"memo":"', () => `"memo":"${randomBytes(4).toString('hex')} `);
  const plain = JSON.stringify(body);
  let left = Math.floor(limit / units);
  const send = async (index: number): Promise<void> => {
    while (left > 0) {
      left -= 1;
      const headers = {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        ...(isKeyed && { 'idempotency-key': randomBytes(16).toString('hex') }),
      };
      const url = `${urls[index % urls.length]}${path}`;
      await fetch(url, { method: 'POST', headers, body: isKeyed ? text() : plain }).then(note, () => undefined);
    }
  };
  for (let index = 0; index < parallel; index += 1) void send(index);
}

function outcomes(senders: readonly (string | undefined)[]): { path: string; body: object } {
  const transactions = senders.map((sender = '', index) => {
    const authority = new PublicKey(sender);
    const destination = new PublicKey(randomBytes(32));
    const transaction = new Transaction({
      feePayer: authority,
      blockhash: encodeBase58(randomBytes(32)),
      lastValidBlockHeight: 1,
    });
    const source = new PublicKey(usdcAccountOf(sender));
    transaction.add(
      createTransferCheckedInstruction(source, new PublicKey(usdc), destination, authority, index + 1, 6),
    );
    const bytes = transaction.serialize({ requireAllSignatures: false, verifySignatures: false });
    return { transaction: bytes.toString('base64'), last_valid_block_height: '100000000' };
  });
  return { path: outcomePath, body: { transactions } };
}

const batchOf = (count: number, memoLength: number) => ({
  from_address: alice,
  token_mint_address: usdc,
  transfers: Array.from({ length: count }, (_, index) => ({
    to_address: bob,
    amount: String(index + 1),
    memo: `${index} `.padEnd(memoLength - (index % 100), 'x'),
  })),
});

async function payFrom(urls: readonly string[], links: readonly string[], worker: number): Promise<void> {
  for (let count = worker; ; count += 25) {
    await fetch(`${urls[count % urls.length]}/pay/${links[count % links.length]}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': `203.0.113.${count % networks}` },
      body: JSON.stringify({ account: alice }),
    }).then(note, () => undefined);
    await sleep(1_000);
  }
}

async function lookFrom(urls: readonly string[], links: readonly string[], worker: number): Promise<void> {
  for (let count = worker; ; count += 25) {
    const path = ['', '/state', '/qr.svg'][count % 3];
    await fetch(`${urls[count % urls.length]}/pay/${links[count % links.length]}${path}`, {
      headers: { 'x-forwarded-for': `203.0.113.${count % networks}` },
    }).then(note, () => undefined);
    await sleep(80);
  }
}

function announceLargeBodies({ urls, key }: Target, count: number): void {
  for (let index = 0; index < count; index += 1) {
    const { hostname, port } = new URL(urls[index % urls.length] ?? '');
    const peer = connect(Number(port), hostname);
    peer.on('error', () => undefined).on('data', () => undefined);
    peer.write(
      `POST ${paths.batch} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n` +
        'Content-Type: application/json\r\nContent-Length: 2000000\r\n\r\n{',
    );
    tally('opened');
    setInterval(() => peer.writable && peer.write(' '), 1_000);
  }
}

async function getForever(url: string): Promise<void> {
  for (;;) await fetch(url).then(note, () => undefined);
}
