import type { LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { BlockList, createConnection, isIP, type LookupFunction, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';

/** Which addresses may be connected to, whether without TLS, and how names are looked up; by default all, as the system does it. */
export interface Network {
  requiresTls?: boolean;
  blockList?: BlockList;
  lookup?: LookupFunction;
}

// The special-purpose registries of IANA (RFC 6890): this machine, private networks and link-local ones, where clouds have their metadata.
const special4 =
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.88.99.0/24 ' +
  '192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4';
// The same of IPv6, and what is above 3fff::, which is not in use.
const special6 = '2001::/23 2001:db8::/32 2002::/16 3fff::/20 4000::/2 8000::/1';

const specialAddresses = new BlockList();
for (const [family, blocks] of [
  ['ipv4', special4],
  ['ipv6', special6],
] as const) {
  for (const block of blocks.split(' ')) {
    const [address = '', bits] = block.split('/');
    specialAddresses.addSubnet(address, Number(bits), family);
  }
}
// What is below 2000::, but for ::ffff:0:0/96: Node compares every IPv4 address as one of those, and those by the blocks of IPv4.
specialAddresses.addRange('::', '::fffe:ffff:ffff', 'ipv6');
specialAddresses.addRange('::1:0:0:0', '1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', 'ipv6');

/** The public internet. Addresses are checked at the moment of connecting. */
export const publicInternet: Network = {
  requiresTls: true,
  blockList: specialAddresses,
  // Asks name servers itself: of the system's look-ups a few that hang hold back all others of the process, those of its nodes too.
  // A resolver reads once which name servers the system has, and these may change.
  lookup: (...asked) => lookUpBy(new Resolver({ timeout: 2_000, tries: 2 }))(...asked),
};

/** What a resolver of Node does: rejects for a name without addresses of the family. */
interface NameResolver {
  resolve4(host: string): Promise<string[]>;
  resolve6(host: string): Promise<string[]>;
}

// Some name servers know the addresses of one family, and are silent about the other: an attempt would end before they are given up.
const otherFamilyMs = 300;

/** Returns a look-up that has a resolver ask its name servers. */
export function lookUpBy(names: NameResolver): LookupFunction {
  return async (host, _options, callback) => {
    const found: LookupAddress[] = [];
    const asked = [names.resolve4(host), names.resolve6(host)].map(async (answer, index) => {
      for (const address of await answer) found.push({ address, family: index === 0 ? 4 : 6 });
    });
    const all = Promise.allSettled(asked);
    await Promise.any(asked).catch(() => undefined);
    await Promise.race([all, setTimeout(otherFamilyMs, undefined, { ref: false })]);
    const [ipv4] = found.length === 0 ? await all : [];
    const byFamily = found.toSorted((a, b) => a.family - b.family);
    callback(ipv4?.status === 'rejected' ? ipv4.reason : null, byFamily);
  };
}

/** Connects to the host of a URL, with TLS where it is of `https:`. Rejects when the signal aborts, with `ERR_IP_BLOCKED` or `ERR_NO_TLS`. */
export async function connect(
  { protocol, hostname, port }: URL,
  { requiresTls, ...network }: Network,
  signal: AbortSignal,
): Promise<Socket> {
  const host = hostname.replace(/^\[|\]$/g, '');
  const isEncrypted = protocol === 'https:';
  // An endpoint of the sandbox that had the database before.
  if (requiresTls && !isEncrypted) throw Object.assign(new Error('no TLS'), { code: 'ERR_NO_TLS' });
  // Node checks the addresses of plain connections alone: TLS is spoken on one of those.
  const plain = createConnection({
    ...network,
    host,
    port: Number(port) || (isEncrypted ? 443 : 80),
    autoSelectFamily: true,
  });
  // Without a listener an error would end the process; whoever uses the socket sees it.
  plain.on('error', () => undefined);
  try {
    await once(plain, 'connect', { signal });
    if (!isEncrypted) return plain;
    const encrypted = connectTls({ socket: plain, host, ...(isIP(host) === 0 && { servername: host }) });
    encrypted.on('error', () => undefined);
    await once(encrypted, 'secureConnect', { signal });
    return encrypted;
  } catch (error) {
    plain.destroy();
    throw error;
  }
}
