import { createSocket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { isIPv4 } from 'node:net';
import type { Cleanup } from './service.ts';

/** Returns the IPv4 and IPv6 addresses of a name; `undefined` leaves the question without an answer. */
export type Names = (name: string) => readonly string[] | undefined;

/** Starts a name server on loopback, and returns a resolver that asks it alone. */
export async function startNameServer(t: Cleanup, addressesOf: Names): Promise<Resolver> {
  const server = createSocket('udp4', (query, { port, address }) => {
    const { name, end } = readName(query);
    const isOfIpv4 = query.readUInt16BE(end) === 1;
    const found = addressesOf(name)?.filter((each) => isIPv4(each) === isOfIpv4);
    if (!found) return;
    // The same question, and an answer for each address: the name as in the question, the type, the class IN, a life of 0 s.
    const header = Buffer.from([...query.subarray(0, 2), 0x81, 0x80, 0, 1, 0, found.length, 0, 0, 0, 0]);
    const answers = found.map((each) => {
      const bytes = bytesOf(each);
      return Buffer.from([0xc0, 12, ...query.subarray(end, end + 4), 0, 0, 0, 0, 0, bytes.length, ...bytes]);
    });
    server.send(Buffer.concat([header, query.subarray(12, end + 4), ...answers]), port, address);
  });
  server.bind(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(async () => void server.close());
  const resolver = new Resolver({ timeout: 200, tries: 2 });
  resolver.setServers([`127.0.0.1:${server.address().port}`]);
  return resolver;
}

function readName(query: Buffer): { name: string; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), end: at + 1 };
}

function bytesOf(address: string): readonly number[] {
  if (isIPv4(address)) return address.split('.').map(Number);
  const [head = '', tail = ''] = address.split('::');
  const groups = (text: string): string[] => (text === '' ? [] : text.split(':'));
  const missing = 8 - groups(head).length - groups(tail).length;
  const all = [...groups(head), ...Array.from({ length: missing }, () => '0'), ...groups(tail)];
  return all.flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 0xff]);
}
