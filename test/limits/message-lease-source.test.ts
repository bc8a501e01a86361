import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answerLeaseQuestion, type LeaseQuestion, MessageLeaseSource } from '../../src/limits/message-lease-source.ts';
import { WindowCounter } from '../../src/limits/window-counter.ts';

test('Workers take from the budgets of one counter, by messages that are answered in their order', async () => {
  const counter = new WindowCounter(() => 0);
  const questions: LeaseQuestion[] = [];
  const source = new MessageLeaseSource((question) => questions.push(question));
  const first = source.lease([
    { id: 'a', limit: 5, wanted: 2 },
    { id: 'b', limit: 9, wanted: 1 },
  ]);
  const second = source.lease([{ id: 'a', limit: 5, wanted: 9 }]);
  // As they arrive: as JSON.
  for (const question of questions) source.receive(JSON.parse(JSON.stringify(answerLeaseQuestion(question, counter))));
  const millisecondsLeft = 60_000;
  assert.deepEqual(await first, [
    { granted: 2, remaining: 3, millisecondsLeft },
    { granted: 1, remaining: 8, millisecondsLeft },
  ]);
  assert.deepEqual(await second, [{ granted: 3, remaining: 0, millisecondsLeft }]);
});
