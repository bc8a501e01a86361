import { createHmac, randomBytes } from 'node:crypto';

const prefix = 'whsec_';

/** Returns a new secret of an endpoint, as Standard Webhooks writes it: 32 random bytes in base64 behind `whsec_`. */
export function newSecret(): string {
  return prefix + randomBytes(32).toString('base64');
}

/** Returns the headers of a delivery, signed with each secret: see standardwebhooks.com. `timestamp`: seconds since the Unix epoch. */
export function signedHeaders(
  { eventId, body }: { eventId: string; body: string },
  timestamp: number,
  secrets: readonly string[],
): Record<string, string> {
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(prefix.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${eventId}.${timestamp}.${body}`).digest('base64')}`;
  });
  return {
    'webhook-id': eventId,
    'webhook-timestamp': timestamp.toString(),
    'webhook-signature': signatures.join(' '),
  };
}
