import { createClient } from '../generated/hey-api/client/index.ts';
import { buildTransfer, showSandboxWorld } from '../generated/hey-api/index.ts';

/** Builds the trial with the client of `@hey-api/openapi-ts`; returns the transaction in base64. */
export async function build(baseUrl: string): Promise<string> {
  const client = createClient({ baseUrl });
  const { data: world } = await showSandboxWorld({ client, throwOnError: true });
  const address = (name: string): string => world.wallets.find((wallet) => wallet.name === name)?.address ?? '';
  const { data } = await buildTransfer({
    client,
    auth: world.api_key,
    body: {
      from_address: address('alice'),
      to_address: address('bob'),
      token_mint_address: world.mints[0]?.address ?? '',
      amount_decimal: '1.5',
      memo: 'hey-api',
    },
    throwOnError: true,
  });
  if (data.data.summary.received_amount.decimal !== '1.5')
    throw new Error(`received: ${JSON.stringify(data.data.summary)}`);
  return data.data.transaction;
}
