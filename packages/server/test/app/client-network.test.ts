import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { clientNetworkOf } from '../../src/app/client-network.ts';

describe('clientNetworkOf', () => {
  it('gives every spelling of one address the same text', () => {
    const spellings: Record<string, readonly string[]> = {
      '192.0.2.1': [
        '192.0.2.1',
        '192.0.2.1:443',
        '192.0.2.1:',
        ' 192.0.2.1 ',
        '::ffff:192.0.2.1',
        '::FFFF:192.0.2.1%eth0',
        '[::ffff:c000:201]:443',
        '0:0:0:0:0:ffff:C000:0201',
      ],
      '2001:db8:0:a::/64': [
        '2001:db8:0:a::1',
        '2001:DB8:0:A::1',
        '2001:0db8:0000:000a:0000:0000:0000:0001',
        '2001:db8:0:a:ffff:ffff:ffff:ffff',
        '2001:db8::a:0:0:0:7',
        '2001:db8:0:a::',
        '[2001:db8:0:a::1]',
        '[2001:db8:0:a::1]:443',
        '2001:db8:0:a::1%eth0',
        '[2001:db8:0:a::1%25eth0]:443',
      ],
      '0:0:0:0::/64': ['::', '::1', '[::1]:80'],
    };
    for (const [network, addresses] of Object.entries(spellings)) {
      for (const address of addresses) assert.equal(clientNetworkOf(address), network, address);
    }
  });

  it('keeps apart what is not one network', () => {
    const addresses = ['192.0.2.1', '192.0.2.2', '::1', '2001:db8::1', '2001:db8:0:1::1', '::ffff:192.0.2.3', '1::'];
    assert.equal(new Set(addresses.map(clientNetworkOf)).size, addresses.length);
  });

  it('takes a text that is no address as it is, and no more than 64 characters of it', () => {
    for (const text of ['', 'unknown', '_hidden', '1.2.3', '[', '[]:1', '::1::'])
      assert.equal(clientNetworkOf(text), text);
    assert.equal(clientNetworkOf('x'.repeat(10_000)).length, 64);
  });
});
