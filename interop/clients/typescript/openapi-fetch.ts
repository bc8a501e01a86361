import createClient from 'openapi-fetch';
import type { paths } from '../generated/openapi-typescript.ts';

/** Builds the trial with the types of `openapi-typescript` and `openapi-fetch`; returns the transaction in base64. */
export async function build(baseUrl: string): Promise<string> {
  const client = createClient<paths>({ baseUrl });
  const { data: world } = await client.GET('/sandbox/world');
  const address = (name: string): string => world?.wallets.find((wallet) => wallet.name === name)?.address ?? '';
  const { data, error, response } = await client.POST('/v1/transfers', {
    headers: { authorization: `Bearer ${world?.api_key}` },
    body: {
      from_address: address('alice'),
      to_address: address('bob'),
      token_mint_address: world?.mints[0]?.address ?? '',
      amount_decimal: '1.5',
      memo: 'openapi-fetch',
    },
  });
  if (error) throw new Error(`${error.code satisfies string}: ${error.detail}`);
  if (data.data.summary.received_amount.decimal !== '1.5')
    throw new Error(`received: ${JSON.stringify(data.data.summary)}`);
  if (response.headers.get('solana-blockhash') !== data.data.summary.blockhash) throw new Error('another blockhash');
  return data.data.transaction;
}
