import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Static } from 'typebox';
import type { sandboxWorldSchema } from '../../src/app/public-schema.ts';
import { operations } from '../../src/operation.ts';
import { fieldTexts } from '../../src/pages/console-labels.ts';
import { bodies, consoleForms, consolePage, consolePolicy, formCalled } from '../../src/pages/console-page.ts';
import { pageWeight } from './loaded-assets.ts';

const [alice, bob] = ['FeX3j8c1hrxQACQ97tbVaQWFbJ6Gz87wCoTXkp6jjvDn', '7Py7JWKDDJfk9u78BBRYCdNXbdS5sMpZfp1GMveQriFu'];
const world: Static<typeof sandboxWorldSchema> = {
  api_key: 'swk_of_the_sandbox',
  rpc_url: 'http://127.0.0.1:8899',
  websocket_url: 'ws://127.0.0.1:8900',
  wallets: [
    { name: 'alice', address: alice, secret_key: 'secret of alice' },
    { name: '"><b>bob', address: bob, secret_key: 'secret of bob' },
  ],
  nonce_accounts: [{ address: bob, authority: alice }],
  mints: [{ name: 'USDC', address: bob, decimals: 6, token_program: alice }],
};
const onSandbox = { chain: 'solana:localnet', world } as const;
const onMainnet = { chain: 'solana:mainnet', world: undefined } as const;

// It is typed in whole tokens alone, as `amount_received_decimal`.
const inCode = ['amount_received'];

describe('the console', () => {
  it('has a form for every operation, with every field that it takes and one amount', () => {
    for (const operation of operations) {
      const page = consolePage(formCalled(operation), onMainnet);
      const shown = [...page.matchAll(/ id="([a-z_]+)"(?: name="[a-z_]+")? data-kind="/g)].map(([, name]) => name);
      const { properties } = bodies[operation];
      const left = { memo_transfer: 'yid', yid_transfer: 'memo', create_transfer: '' };
      const out = operation in left ? Object(left)[operation] : operation === 'batch' ? '' : 'amount';
      assert.deepEqual(
        [...shown].sort(),
        Object.keys(properties)
          .filter((name) => name !== out && !inCode.includes(name))
          .sort(),
        operation,
      );
    }
    assert.equal(formCalled('no such form').id, 'transfer');
  });

  it('has texts for the fields of the operations, and for no others', () => {
    const fields = operations.flatMap((operation) => Object.keys(bodies[operation].properties));
    const inForms = fields.filter((name) => !inCode.includes(name));
    assert.deepEqual(Object.keys(fieldTexts).sort(), [...new Set(inForms)].sort());
    assert.equal(formCalled(undefined).id, 'transfer');
  });

  it('is filled in on the sandbox alone, and never has a secret key in it', () => {
    for (const form of consoleForms) {
      const [filled, empty] = [consolePage(form, onSandbox), consolePage(form, onMainnet)];
      assert.ok(filled.includes('value="swk_of_the_sandbox"'));
      assert.doesNotMatch(filled, /secret of|<b>/);
      assert.ok(!empty.includes('swk_') && !/class="pick"|data-units/.test(empty), form.id);
    }
    assert.ok(consolePage(formCalled('transfer'), onSandbox).includes(`value="${alice}"`));
    assert.ok(!consolePage(formCalled('transfer'), onMainnet).includes(alice));
  });

  it('weighs less than 46 kB compressed with everything that it loads at first', () => {
    for (const form of consoleForms) {
      const bytes = pageWeight(consolePage(form, onSandbox));
      assert.ok(bytes < 46_000, `${form.id}: ${bytes} bytes`);
    }
  });

  it('has a form without fields for the usage of the key, and the names of the sandbox where no field offers them', () => {
    const usage = consolePage(formCalled('usage'), onSandbox);
    assert.ok(usage.includes('<code>GET /v1/key</code>') && usage.includes('href="/docs#tag/service/GET/v1/key"'));
    assert.doesNotMatch(usage, /data-kind=/);
    assert.ok(usage.includes(`<option value="${bob}" data-decimals="6">USDC</option>`));
    assert.ok(!consolePage(formCalled('usage'), onMainnet).includes('<datalist'));
  });

  it('loads nothing from elsewhere, and connects to the sandbox alone in addition to its own origin', () => {
    for (const form of consoleForms) {
      const page = consolePage(form, onSandbox);
      for (const [, url = ''] of page.matchAll(/(?:src|href)="([^"]+)"/g)) assert.match(url, /^[/#]/);
      assert.doesNotMatch(page, /<style|\sstyle=|\son\w+=|<script(?! (?:type="module" )?src="\/pay-assets\/)/);
    }
    assert.match(consolePolicy(world), /default-src 'none'; .*connect-src 'self' http:\/\/127\.0\.0\.1:8899; /);
    assert.match(consolePolicy(undefined), /connect-src 'self'; /);
    assert.doesNotMatch(consolePolicy(world), /unsafe|\*/);
  });
});
