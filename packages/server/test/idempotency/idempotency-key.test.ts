import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { generateApiKey } from '../../src/app/api-key.ts';
import { readIdempotencyKey } from '../../src/idempotency/idempotency-key.ts';
import { isAppError } from '../../src/problems.ts';

const uuid = '5a1f0f6e-5f0b-4c53-9a0e-4a3f5f0e9b1d';

function refusalOf(header: string): string {
  try {
    readIdempotencyKey(header);
  } catch (error) {
    if (isAppError(error, 'invalid_idempotency_key')) return error.message;
    throw error;
  }
  throw new Error('it was taken');
}

describe('the header Idempotency-Key', () => {
  it('is the key itself, of 1 to 255 visible ASCII characters', () => {
    for (const key of [uuid, 'a', '!', '~', 'order/7?x=1&y={"z"}', 'x'.repeat(255)]) {
      assert.equal(readIdempotencyKey(key), key);
    }
  });

  it('is the same key with and without the quotes of a structured field', () => {
    assert.equal(readIdempotencyKey(`"${uuid}"`), uuid);
    assert.equal(readIdempotencyKey(`"${'x'.repeat(255)}"`), 'x'.repeat(255));
    for (const key of ['"', '"a', 'a"', 'a"b']) assert.equal(readIdempotencyKey(key), key);
  });

  it('may come as a list of one', () => {
    assert.equal(readIdempotencyKey([uuid]), uuid);
  });

  it('may be absent', () => {
    assert.equal(readIdempotencyKey(undefined), undefined);
  });

  it('is refused when it is empty, too long, sent twice, or has other characters', () => {
    const joined = `${uuid}, ${uuid}`;
    for (const header of ['', '""', ' ', 'a b', joined, 'ü', 'a\u007f', 'a\tb', '\u0000', 'x'.repeat(256)]) {
      assert.match(refusalOf(header), /^Send one Idempotency-Key header of 1 to 255 visible ASCII/, header);
    }
  });

  it('is refused when it holds an API key, which is not repeated', () => {
    const apiKey = generateApiKey();
    const refusal = refusalOf(`order-${apiKey}`);
    assert.match(refusal, /has an API key in it/);
    assert.ok(!refusal.includes(apiKey));
  });
});
