import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createKeyPairSignerFromBytes, createSolanaRpc, devnet } from '@solana/kit';
import { x402Facilitator } from '@x402/core/facilitator';
import { x402HTTPResourceServer, x402ResourceServer } from '@x402/core/server';
import { toFacilitatorSvmSigner } from '@x402/svm';
import { ExactSvmScheme as FacilitatorScheme } from '@x402/svm/exact/facilitator';
import { ExactSvmScheme as ServerScheme } from '@x402/svm/exact/server';

/** What a shop sells for how much, and who settles. */
interface Sale {
  network: `solana:${string}`;
  rpcUrl: string;
  facilitatorKey: Uint8Array;
  price: { asset: string; amount: string };
  payTo: string;
}

/** A shop and its facilitator, both of the packages of x402: `/report` answers 402 until it is paid. Returns its origin. */
export async function startShop(
  t: { after(finish: () => void): void },
  { network, rpcUrl, facilitatorKey, price, payTo }: Sale,
): Promise<string> {
  const signer = toFacilitatorSvmSigner(await createKeyPairSignerFromBytes(facilitatorKey), {
    [network]: createSolanaRpc(devnet(rpcUrl)),
  });
  const facilitator = new x402Facilitator().register(network, new FacilitatorScheme(signer));
  const inProcess = {
    verify: facilitator.verify.bind(facilitator),
    settle: facilitator.settle.bind(facilitator),
    // Its networks are typed as any text, and as names of networks where they are read.
    getSupported: async () => Object(facilitator.getSupported()),
  };
  const resources = new x402ResourceServer(inProcess).register(network, new ServerScheme());
  const accepts = { scheme: 'exact', network, payTo, price, maxTimeoutSeconds: 60 };
  const shop = new x402HTTPResourceServer(resources, { 'GET /report': { accepts, description: 'A report' } });
  await shop.initialize();

  const answer = async (request: IncomingMessage) => {
    const header = (name: string): string | undefined => request.headers[name.toLowerCase()]?.toString();
    const url = `http://${request.headers.host}${request.url}`;
    const adapter = {
      getHeader: header,
      getMethod: () => 'GET',
      getPath: () => '/report',
      getUrl: () => url,
      getAcceptHeader: () => 'application/json',
      getUserAgent: () => '',
    };
    const found = await shop.processHTTPRequest({ adapter, path: '/report', method: 'GET' });
    if (found.type === 'payment-error') return found.response;
    if (found.type === 'no-payment-required') throw new Error('the report is not for free');
    const settled = await shop.processSettlement(found.paymentPayload, found.paymentRequirements);
    if (!settled.success) return settled.response;
    return { status: 200, headers: settled.headers, body: { report: 'All is well.' } };
  };
  const server = createServer((request, response) => {
    answer(request)
      .catch((error: unknown) => ({ status: 500, headers: {}, body: String(error) }))
      .then(({ status, headers, body }) => response.writeHead(status, headers).end(JSON.stringify(body ?? {})));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
