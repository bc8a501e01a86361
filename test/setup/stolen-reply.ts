import { steal, thefts } from '../../packages/client/test/verify/thefts.ts';

/** The reply of a service that was broken into: each transaction of an honest reply after a theft; undefined where it changes none. */
export function stolenReply(reply: unknown, theft: string): unknown {
  const change = thefts[theft];
  if (!change) throw new Error(`there is no theft that ${theft}`);
  let count = 0;
  const stolen: unknown = JSON.parse(JSON.stringify(reply), (name, value) => {
    const isPlain = Array.isArray(value) && (name === 'data' || name === 'transaction');
    if (!isPlain && (name !== 'transaction' || typeof value !== 'string')) return value;
    const honest = isPlain ? Uint8Array.from(value) : Uint8Array.from(Buffer.from(String(value), 'base64'));
    const bytes = steal(honest, change);
    if (!bytes) return value;
    count += 1;
    return isPlain ? [...bytes] : Buffer.from(bytes).toString('base64');
  });
  return count > 0 ? stolen : undefined;
}
