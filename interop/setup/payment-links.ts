import assert from 'node:assert/strict';
import { openSecureFront } from './secure-front.ts';
import { type Service, startService } from './service.ts';

export const alice = 'FeX3j8c1hrxQACQ97tbVaQWFbJ6Gz87wCoTXkp6jjvDn';
export const bob = '7Py7JWKDDJfk9u78BBRYCdNXbdS5sMpZfp1GMveQriFu';
export const usdc = 'Gr6zXNs3LaVMRGKwTUrWgFFQSggMvnPiWiQikW2a2tD1';
export const pyusd = '2g5J2Nf4Ho8uCNHmByG154bwnHFTAGKEobYxyM7aTwyD';

/** A payment link, as the service says. */
export interface PaymentLink {
  id: string;
  url: string;
  solana_pay_url: string;
  action_url: string;
  reference: string;
  state: string;
  is_final: boolean;
  signature?: string;
  payer?: string;
  received_amount?: string;
}

/** A service whose links are reached with TLS. */
export interface LinkService extends Service {
  /** The address with TLS. */
  publicUrl: string;
  /** Makes a link to pay bob. */
  createLink(body: object): Promise<PaymentLink>;
  /** Reads a link until it is paid. Throws when it is not in time. */
  untilPaid(id: string): Promise<PaymentLink>;
}

/** Starts a service on its sandbox, with TLS in front. */
export async function startLinkService(): Promise<LinkService> {
  const front = await openSecureFront();
  const service = await startService({ PUBLIC_URL: front.url });
  front.target = service.url;
  const call = async (method: string, path: string, body?: object): Promise<PaymentLink> => {
    const reply = await fetch(`${service.url}/v1/payment-links${path}`, {
      method,
      headers: { authorization: `Bearer ${service.apiKey}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await reply.text();
    assert.ok(reply.ok, text);
    return JSON.parse(text).data;
  };
  return {
    ...service,
    publicUrl: front.url,
    createLink: (body) => call('POST', '', { to_address: bob, token_mint_address: usdc, label: 'Tea house', ...body }),
    async untilPaid(id) {
      const giveUpAt = performance.now() + 60_000;
      for (;;) {
        const link = await call('GET', `/${id}`);
        if (link.state === 'paid') return link;
        assert.ok(performance.now() < giveUpAt, JSON.stringify(link));
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    },
    async stop() {
      front.close();
      await service.stop();
    },
  };
}
