import { type Fault, isJsonObject } from './fault-proxy.ts';
import { edited } from './faults.ts';

/** What a node says instead of what an account holds. */
interface Lie {
  data: Buffer;
  owner?: string;
  lamports?: number;
}

/** Lies about the account at one address, and tells the truth of the rest. */
export function lieAbout(address: string, lie: (data: Buffer) => Lie | null): Fault {
  const change = (account: unknown): unknown => {
    if (!isJsonObject(account) || !Array.isArray(account.data)) return account;
    const lied = lie(Buffer.from(String(account.data[0]), 'base64'));
    if (lied === null) return null;
    const { data, ...others } = lied;
    return { ...account, ...others, data: [data.toString('base64'), 'base64'], space: data.length };
  };
  return edited((reply, { params }) => {
    const addresses: readonly unknown[] = Array.isArray(params[0]) ? params[0] : [];
    const { result } = reply;
    if (!isJsonObject(result) || !Array.isArray(result.value)) return reply;
    const value = result.value.map((account: unknown, index) =>
      addresses[index] === address ? change(account) : account,
    );
    return { ...reply, result: { ...result, value } };
  });
}
