import type { TestContext } from 'node:test';
import { toAddress } from '../../packages/core/src/addresses/address.ts';
import { findAssociatedTokenAddress } from '../../packages/core/src/addresses/derived-addresses.ts';
import { tokenProgram } from '../../packages/core/src/addresses/programs.ts';
import { toMessage } from '../../packages/core/src/plan/plan-message.ts';
import { parseMemo } from '../../packages/core/src/request/memo.ts';
import { encodeTransaction } from '../../packages/core/src/transaction/encode-transaction.ts';
import type { Brand } from '../../packages/server/src/config/brand.ts';
import { readPayAmount } from '../../packages/server/src/links/link-requests.ts';
import type { LinkView } from '../../packages/server/src/links/link-view.ts';
import type { PayChain } from '../../packages/server/src/links/pay-chain.ts';
import type { PaymentLink } from '../../packages/server/src/links/records/payment-link.ts';
import { type FakePay, fakePayApp } from '../../packages/server/test/pages/fake-pay-app.ts';
import { sampleLink, samplePayment, viewWith } from '../../packages/server/test/pages/pay-views.ts';
import type { AskedOfWallet, TestWallet } from './test-wallet.ts';

/** The account of the wallets, which has made the sample payment. */
export const payer = samplePayment.payer;
/** What the wallets return when they have sent. */
export const signatureBytes = Uint8Array.from({ length: 64 }, (_byte, index) => index + 1);
/** The same in base58. */
export const signature = '2Ana1pUpv2ZbMVkwF5FXapYeBEjdxDatLn7nvJkhgTSXbs59SyZSx866bXirPgj8QQVB57uxHJBG1YFvkRbFj4T';
/** The payment of that signature. */
export const paid = { ...samplePayment, signature };

/** The blockhash of the transactions that pay links here. */
export const blockhash = 'H4VxZtDLTAsUA7dheoThThPrQuskbv2JQLRhXxFGyrte';

/** The transaction by which a wallet pays a link, as the service builds it where the recipient has no token account. */
export function paymentOf(link: PaymentLink, account: string = payer, amount: bigint = link.minAmount): Uint8Array {
  const { recipient, mint, decimals, reference, memo } = link;
  const sender = toAddress(account);
  const tokenAccountOf = (owner: typeof sender) => findAssociatedTokenAddress({ owner, tokenProgram, mint }).address;
  const parsed = parseMemo(memo ?? '');
  const plan = {
    layout: 'default',
    version: 'legacy',
    feePayer: sender,
    sender,
    senderTokenAccount: tokenAccountOf(sender),
    mint,
    tokenProgram,
    decimals,
    payments: [
      {
        recipient,
        recipientTokenAccount: tokenAccountOf(recipient),
        createsRecipientTokenAccount: true,
        amount,
        memo: 'memo' in parsed ? parsed.memo : undefined,
        references: [reference],
        hookAccounts: [],
      },
    ],
    nonce: undefined,
    computeUnitLimit: 60_000,
    computeUnitPrice: 0n,
    priorityFee: 0n,
  } as const;
  return Uint8Array.from(encodeTransaction(toMessage(plan, blockhash)));
}

/** Answers a payer as the service does, with these bytes. */
export function payReply(bytes: Uint8Array): ReturnType<FakePay['pay']> {
  const transaction = Buffer.from(bytes).toString('base64');
  const body = { transaction, message: '25.00 USDC to Tea house Lotus' };
  return { status: 200, body, headers: { 'solana-blockhash': blockhash } };
}

/** Serves pages of links that the test decides. Payers get what pays the link, until the test answers something else. */
export async function startPayPages(t: TestContext, brand?: Brand, chain?: PayChain) {
  const fake: FakePay = {
    views: new Map([['open', viewWith()]]),
    pay: (id, body, amount) => {
      const { link = sampleLink } = fake.views.get(id) ?? {};
      const chosen = readPayAmount(new URLSearchParams(amount === undefined ? {} : { amount }), link);
      const paid = 'value' in chosen ? chosen.value : undefined;
      return payReply(paymentOf(link, String(Object(body).account), paid));
    },
    requests: [],
    refusals: new Map(),
  };
  const app = fakePayApp(fake, () => 'https://pay.example.com', { brand, chain });
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  t.after(() => app.close());
  const show = (state: Partial<LinkView>): void => {
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
