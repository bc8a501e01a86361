import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Breaker } from '../../src/chain/breaker.ts';

const down = () => Promise.reject(new Error('down'));

function openBreaker(): Breaker {
  const breaker = new Breaker(2);
  assert.equal(breaker.failed(), false);
  assert.equal(breaker.failed(), true);
  assert.equal(breaker.state, 'open');
  return breaker;
}

test('A breaker opens at the last of its failures in a row, and a success begins the count again', () => {
  const breaker = new Breaker(3);
  assert.deepEqual([breaker.failed(), breaker.failed()], [false, false]);
  breaker.succeeded();
  assert.deepEqual([breaker.failed(), breaker.failed()], [false, false]);
  assert.equal(breaker.state, 'closed');
  assert.equal(breaker.failed(), true);
  assert.equal(breaker.state, 'open');
});

test('An open breaker ignores attempts that end late, and tells of its opening only once', () => {
  const breaker = openBreaker();
  breaker.succeeded();
  assert.equal(breaker.failed(), false);
  assert.equal(breaker.state, 'open');
});

test('A probe that fails leaves the breaker open, and throws what the probe threw', async () => {
  const breaker = openBreaker();
  await assert.rejects(breaker.probe(down), /^Error: down$/);
  assert.equal(breaker.state, 'open');
});

test('While a probe runs the breaker is half open, and attempts that end late do not decide for it', async () => {
  const breaker = openBreaker();
  await breaker.probe(async () => {
    assert.equal(breaker.state, 'half_open');
    breaker.succeeded();
    assert.equal(breaker.failed(), false);
    assert.equal(breaker.state, 'half_open');
  });
  assert.equal(breaker.state, 'closed');
});

test('A breaker that a probe has closed counts failures from zero', async () => {
  const breaker = openBreaker();
  await breaker.probe(() => Promise.resolve());
  assert.equal(breaker.failed(), false);
  assert.equal(breaker.state, 'closed');
});

test('A probe of a closed breaker keeps it closed, also when it fails', async () => {
  const breaker = new Breaker(2);
  await assert.rejects(breaker.probe(down));
  assert.equal(breaker.state, 'closed');
});
