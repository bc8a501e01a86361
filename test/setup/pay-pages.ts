import type { TestContext } from 'node:test';
import type { PayView } from '../../packages/server/src/pages/pay-state.ts';
import { type FakePay, fakePayApp } from '../../packages/server/test/pages/fake-pay-app.ts';
import { samplePayment, viewWith } from '../../packages/server/test/pages/pay-views.ts';
import type { AskedOfWallet, TestWallet } from './test-wallet.ts';

/** The account of the wallets, which has made the sample payment. */
export const payer = samplePayment.payer;
/** What the wallets return when they have sent. */
export const signatureBytes = Uint8Array.from({ length: 64 }, (_byte, index) => index + 1);
/** The same in base58. */
export const signature = '2Ana1pUpv2ZbMVkwF5FXapYeBEjdxDatLn7nvJkhgTSXbs59SyZSx866bXirPgj8QQVB57uxHJBG1YFvkRbFj4T';
/** The payment of that signature. */
export const paid = { ...samplePayment, signature };

/** Serves pages of links that the test decides. */
export async function startPayPages(t: TestContext) {
  const fake: FakePay = {
    views: new Map([['open', viewWith()]]),
    pay: () => ({ status: 200, body: { transaction: Buffer.from([1, 2, 3]).toString('base64') } }),
    requests: [],
  };
  const app = fakePayApp(fake, () => 'https://pay.example.com');
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  t.after(() => app.close());
  const show = (state: Partial<PayView>): void => {
    fake.views.set('open', { ...viewWith(), ...state });
  };
  return { fake, show, urlOf: (id = 'open') => `${url}/pay/${id}` };
}

/** A wallet that sends when it is told to. */
export function walletThat(
  act: (asked: AskedOfWallet) => Promise<Uint8Array>,
  more: Partial<TestWallet> = {},
): TestWallet {
  return { name: 'Test Wallet', accounts: [payer], send: act, ...more };
}
/** A wallet that sends. */
export const sends = walletThat(async () => signatureBytes);
/** A wallet that never answers. */
export const waits = walletThat(() => new Promise(() => {}));
