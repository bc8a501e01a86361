import { BlockList } from 'node:net';

/**
 * The addresses that are not on the public internet (the special-purpose registries of IANA, RFC 6890): this machine, private
 * networks, link-local ones, where clouds have their metadata, and all forms of IPv6 that lead to an IPv4 address.
 */
export const privateAddresses = new BlockList();

const ipv4: readonly (readonly [address: string, bits: number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
];

// All of IPv6 but 2000::/3, which is in use, and of that what is special.
const ipv6: readonly (readonly [address: string, bits: number])[] = [
  ['::', 3],
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
  ['4000::', 2],
  ['8000::', 1],
];
for (const [address, bits] of ipv4) privateAddresses.addSubnet(address, bits, 'ipv4');
for (const [address, bits] of ipv6) privateAddresses.addSubnet(address, bits, 'ipv6');
