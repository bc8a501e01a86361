import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freshWallet, nonceOf, planWith } from '../../../core/test/fixtures.ts';
import { unrestricted } from '../../src/keys/authenticated-key.ts';
import { assertKeyAllowsNonce } from '../../src/keys/key-permission.ts';
import { isAppError } from '../../src/problems.ts';

test('A key that is limited to senders builds nothing for another wallet to sign as the authority of a nonce', () => {
  const [sender, authority] = [freshWallet(), freshWallet()];
  const plan = planWith({ sender, nonce: nonceOf(authority) });
  const limitedTo = (...wallets: readonly string[]) => ({ ...unrestricted, fromAddresses: new Set(wallets) });
  assert.throws(
    () => assertKeyAllowsNonce(limitedTo(sender), plan),
    (error) => isAppError(error, 'key_not_allowed') && error.findings[0]?.pointer === '/nonce_account',
  );
  assertKeyAllowsNonce(limitedTo(sender, authority), plan);
  assertKeyAllowsNonce(limitedTo(sender), planWith({ sender, nonce: nonceOf(sender) }));
  assertKeyAllowsNonce(unrestricted, plan);
});
