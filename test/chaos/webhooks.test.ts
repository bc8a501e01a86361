import { test } from 'node:test';
import { assertMet } from './assert-met.ts';
import { killWhileTelling } from './webhooks.ts';

for (const database of ['SQLite', 'PostgreSQL'] as const) {
  test(`No event is lost or false while the service on ${database} is killed again and again`, async (t) => {
    assertMet(t, await killWhileTelling(t, { database, kills: 5, isPatient: false }));
  });
}
