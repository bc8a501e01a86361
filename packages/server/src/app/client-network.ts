import { isIP, SocketAddress } from 'node:net';

/** Longer than any spelling of an address, `[…%zone]:port` included. */
const maxTextLength = 64;

/**
 * Returns the network of a client: its IPv4 address, or the /64 of its IPv6 address, since one host can have all of a /64.
 *
 * Every spelling of an address gives the same text: upper case, zeros, a port, brackets, a zone, IPv4 written as IPv6. A text
 * that is not an address, which only a proxy can send, is returned as it is, cut to 64 characters.
 */
export function clientNetworkOf(address: string): string {
  const host = withoutPortAndZone(address);
  switch (isIP(host)) {
    case 4:
      return host;
    case 6:
      return networkOf(new SocketAddress({ address: host, family: 'ipv6' }).address);
    default:
      return address.slice(0, maxTextLength);
  }
}

function withoutPortAndZone(address: string): string {
  const text = address.slice(0, maxTextLength).trim();
  const [, host = text] = /^\[([^\]]*)\](?::\d*)?$/.exec(text) ?? /^([\d.]+):\d*$/.exec(text) ?? [];
  return host.replace(/%.*$/, '');
}

/** `canonical` is in lower case, with the longest run of zeros left out. */
function networkOf(canonical: string): string {
  const mapped = /^::ffff:([\d.]+)$/.exec(canonical)?.[1];
  if (mapped !== undefined) return mapped;
  const [head = '', tail] = canonical.split('::');
  const groups = head === '' ? [] : head.split(':');
  // The groups left out are zeros; those past the fourth group do not matter.
  const rest = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = Array<string>(Math.max(0, 8 - groups.length - rest.length)).fill('0');
  return `${[...groups, ...zeros, ...rest].slice(0, 4).join(':')}::/64`;
}
