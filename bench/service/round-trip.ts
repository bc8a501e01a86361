import { median } from '../statistics.ts';
import { LoadConnection } from './load-connection.ts';

// What splwright asks for a mint that it does not know: three wallets and mints, two sysvars, four token accounts.
const addresses = Array.from({ length: 9 }, (_, index) => String(index + 1).repeat(44));

/** The median of so many round trips to an upstream, one after another, in milliseconds. */
export function measureRoundTrips(url: string, count: number): Promise<number> {
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'getMultipleAccounts',
    params: [addresses, { commitment: 'confirmed', encoding: 'base64' }],
  });
  const head = `POST / HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: ${body.length}`;
  const times: number[] = [];
  return new Promise((resolve, reject) => {
    const source = {
      fill: () => times.length < count,
      answered: (milliseconds: number) => void times.push(milliseconds),
      failed: (mistake: string) => reject(new Error(mistake)),
      ended: () => resolve(median(times)),
    };
    new LoadConnection(Number(new URL(url).port), Buffer.from(`${head}\r\n\r\n${body}`), source, 0);
  });
}
