import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { connectionConfig, type PostgresTimeouts } from './postgres-connection.ts';

const waitMs = 1000;

/** Whether a listening connection gets the notifications of another one; behind a pooler in transaction mode it does not. */
export async function hearsNotifications(databaseUrl: string, timeouts: PostgresTimeouts): Promise<boolean> {
  const channel = `splwright_doctor_${randomUUID().replaceAll('-', '')}`;
  const config = connectionConfig(databaseUrl, timeouts);
  const [listener, speaker] = [new Client(config), new Client(config)];
  for (const client of [listener, speaker]) client.on('error', () => undefined);
  const heard = Promise.withResolvers<boolean>();
  listener.on('notification', () => heard.resolve(true));
  try {
    await Promise.all([listener.connect(), speaker.connect()]);
    await listener.query(`listen ${channel}`);
    await speaker.query('select pg_notify($1, $2)', [channel, '']);
    const timer = setTimeout(() => heard.resolve(false), waitMs);
    return await heard.promise.finally(() => clearTimeout(timer));
  } finally {
    await Promise.all([listener.end(), speaker.end()]);
  }
}
