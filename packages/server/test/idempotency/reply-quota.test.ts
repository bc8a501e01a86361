import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ReplyQuota } from '../../src/idempotency/reply-quota.ts';
import { isAppError, problems } from '../../src/problems.ts';

/** A quota of 10,000 bytes, of which so many are stored; a request with a body of 500 bytes is expected to take 3,000. */
function quotaWith(storedBytes: number, maxStoredBytes = 10_000): ReplyQuota {
  return new ReplyQuota({
    records: { storedBytesOf: async () => storedBytes },
    maxStoredBytes,
    retentionMs: 86_400_000,
  });
}

async function refusal(reserved: Promise<unknown>): Promise<string> {
  try {
    await reserved;
  } catch (error) {
    assert.ok(isAppError(error, 'reply_quota_reached'), String(error));
    assert.equal(problems[error.code].status, 507);
    return error.message;
  }
  assert.fail('there was room');
}

describe('the quota of stored replies', () => {
  it('has room up to its last byte', async () => {
    await quotaWith(7_000).reserve('key_1', 500, 0);
    const message = await refusal(quotaWith(7_001).reserve('key_1', 500, 0));
    assert.match(message, /take 7001 of 10000 bytes.* may need 3000 more.* 24 hours after/);
  });

  it('is shared by requests that arrive at once, until they are answered, and of each key apart', async () => {
    const quota = quotaWith(1_000);
    const reserved = await Promise.all([1, 2, 3].map(() => quota.reserve('key_1', 500, 0)));
    await refusal(quota.reserve('key_1', 500, 0));
    await quota.reserve('key_2', 500, 0);
    reserved[0]?.giveBack();
    const again = await quota.reserve('key_1', 500, 0);
    await refusal(quota.reserve('key_1', 500, 0));
    for (const { giveBack } of [again, ...reserved.slice(1)]) giveBack();
    await quota.reserve('key_1', 3_500, 0);
  });

  it('is none at 0', async () => {
    const quota = quotaWith(Number.MAX_SAFE_INTEGER, 0);
    (await quota.reserve('key_1', 500, 0)).giveBack();
  });
});
