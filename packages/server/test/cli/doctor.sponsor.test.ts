import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestSandbox } from '../../../../test/setup/sandbox.ts';
import { examineSponsor } from '../../src/cli/doctor/examine-sponsor.ts';
import { startKoraDouble } from '../setup/kora-double.ts';

test('The doctor says who the sponsor is, what it has, and what to do where it has little or does not answer', async (t) => {
  const kora = await startKoraDouble(t);
  const { rpcUrl } = await startTestSandbox(t);
  const sponsor = { url: kora.url, apiKey: undefined, hmacSecret: undefined };
  const config = { sponsor, rpcTimeoutMs: 2_000, solanaRpcUrls: [rpcUrl], proxy: undefined };
  assert.deepEqual(await examineSponsor({ ...config, sponsor: undefined }), []);
  const [poor] = await examineSponsor(config);
  assert.deepEqual([poor?.level, poor?.remedy], ['warning', `Send SOL to ${kora.address}.`]);
  assert.match(poor?.finding ?? '', / signs for free\. It has 0 lamports\.$/);
  const [known] = await examineSponsor({ ...config, solanaRpcUrls: [] });
  assert.equal(known?.level, 'ok');
  kora.status = 500;
  const [away] = await examineSponsor(config);
  assert.match(`${away?.level} ${away?.finding}`, /^warning The sponsor answered with HTTP 500/);
});
