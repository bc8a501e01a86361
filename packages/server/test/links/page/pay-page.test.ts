import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { propertyRuns } from '../../../../../test/setup/property-runs.ts';
import { visibleText } from '../../../src/app/visible-text.ts';
import type { LinkView } from '../../../src/links/link-view.ts';
import { type PayPageContext, payPage, payProblemPage } from '../../../src/links/page/pay-page.ts';
import type { PaymentLink } from '../../../src/links/records/payment-link.ts';
import { pageWeight } from '../../pages/loaded-assets.ts';
import { sampleLink, samplePayment, viewWith } from '../../pages/pay-views.ts';

const context: PayPageContext = {
  url: 'https://pay.example.com/pay/3yZe7d9KqLmNpRsT',
  publicUrl: 'https://pay.example.com',
  brand: { name: undefined, logo: undefined, color: undefined },
  chain: 'solana:mainnet',
  iconOrigins: ['https://icons.example'],
  now: Date.parse('2026-11-22T09:00:00Z'),
};
const page = (view: LinkView, more: Partial<PayPageContext> = {}): string => payPage(view, { ...context, ...more });

/** The tags of a page without what they hold and without the values of attributes: what texts must not change. */
const skeletonOf = (markup: string): string[] =>
  (markup.match(/<[^>]*>/g) ?? []).map((tag) => tag.replaceAll(/"[^"]*"/g, '""'));

const unescaped: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };

/** What a reader sees. */
const textOf = (markup: string): string =>
  markup
    .replaceAll(/<(?:title|style|script)\b.*?<\/(?:title|style|script)>|<[^>]*>/gs, ' ')
    .replaceAll(/&(\w+|#39);/g, (_whole, name: string) => unescaped[name] ?? '?')
    .replaceAll(/\s+/g, ' ');

const hostile = fc.oneof(
  fc.string({ unit: 'binary', minLength: 1 }),
  fc.string({
    minLength: 1,
    unit: fc.constantFrom('<', '>', '"', "'", '&', '=', '/', '`', '{', '-', '!', 's', ' ', '\u202e', '\0', '\n'),
  }),
  fc.constantFrom(
    '<script>alert(1)</script>',
    '"><img src=x onerror=alert(1)>',
    "' onfocus='alert(1)",
    '&lt;b&gt;',
    '<!--',
    ']]>',
    '</title><svg onload=alert(1)>',
    '$1$&',
    'javascript:alert(1)',
  ),
);
// A token without any name has no place for one, which is tested below.
const visibleName = hostile.filter((text) => text.trim() !== '');
const texts = ['label', 'message', 'memo', 'tokenName', 'tokenSymbol'] as const;

describe('the page of a payment link', () => {
  it('keeps the texts of strangers in their text nodes', () => {
    const plain = Object.fromEntries(texts.map((name) => [name, 'text'])) as Partial<PaymentLink>;
    const states: Partial<LinkView>[] = [{}, { state: 'paid', payments: [samplePayment] }, { state: 'expired' }];
    fc.assert(
      fc.property(
        fc.record({ label: hostile, message: hostile, memo: hostile, tokenName: visibleName, tokenSymbol: hostile }),
        fc.constantFrom(...states),
        (link, state) => {
          const markup = page(viewWith(link, state));
          assert.deepEqual(skeletonOf(markup), skeletonOf(page(viewWith(plain, state))));
          const seen = textOf(markup);
          for (const name of ['label', 'message', 'memo'] as const) {
            assert.ok(seen.includes(visibleText(link[name]).replaceAll(/\s+/g, ' ')), `${name}: ${seen}`);
          }
          assert.doesNotMatch(markup.replaceAll('\n', ''), /[\p{Cc}\p{Bidi_Control}]/u);
        },
      ),
      { numRuns: propertyRuns(300) },
    );
  });

  it('says who asks for how much of which token, for what, to whom and until when', () => {
    const text = textOf(page(viewWith()));
    for (const part of [
      'Tea house Lotus',
      'Table 7: two cups',
      '25.00',
      'USDC',
      'USD Coin',
      'order-4711',
      '29 Nov 2026, 09:04 UTC',
    ]) {
      assert.ok(text.includes(part), part);
    }
    const joined = text.replaceAll(' ', '');
    for (const address of [sampleLink.recipient, sampleLink.mint]) assert.ok(joined.includes(address), address);
    assert.ok(text.includes('Anyone can give a token this name. Compare its address.'));
  });

  it('says what the seller receives and what wallets show, before the button', () => {
    const fee = { basisPoints: 269, maximumFee: 2n ** 64n - 1n };
    const uiScale = { multiplier: 4, growsWithTime: false };
    const markup = page(viewWith({ transferFees: [fee] }, { uiScale }));
    for (const note of ['the seller receives 24.3275 USDC.', 'Your wallet shows 100.00 USDC for the same payment']) {
      const at = markup.indexOf(note);
      assert.ok(at > markup.indexOf('<h1>') && at < markup.indexOf('Open in a wallet app'), note);
    }
  });

  it('names a token without a name by its address alone', () => {
    for (const nothing of [null, ' ']) {
      const text = textOf(page(viewWith({ tokenName: nothing, tokenSymbol: nothing })));
      assert.match(text, /25\.00 tokens/);
      assert.ok(text.includes('The token has no name of its own. Compare its address.'));
    }
  });

  it('offers to pay only while the link can be paid', () => {
    const closed: Partial<LinkView>[] = [
      { state: 'paid', payments: [samplePayment] },
      { state: 'expired' },
      { state: 'cancelled', isFinal: true },
    ];
    const offer = /id="(?:offer|open|code|wallets)"|solana:https/;
    assert.match(page(viewWith()), offer);
    for (const state of closed) assert.doesNotMatch(page(viewWith({}, state)), offer, state.state);
  });

  it('offers the wallets of the sandbox by their names, and only where there is one', () => {
    const sandboxWorld = {
      rpc_url: 'http://127.0.0.1:8899',
      wallets: [
        { name: 'alice', address: 'FeX3j8c1hrxQACQ97tbVaQWFbJ6Gz87wCoTXkp6jjvDn', secret_key: 'secret of alice' },
        { name: 'bob', address: '7Py7JWKDDJfk9u78BBRYCdNXbdS5sMpZfp1GMveQriFu', secret_key: 'secret of bob' },
      ],
    };
    const onSandbox = page(viewWith(), { sandboxWorld });
    assert.match(textOf(onSandbox), /Pay as alice Sandbox wallet alice bob/);
    assert.match(onSandbox, /data-rpc="http:\/\/127\.0\.0\.1:8899"/);
    assert.doesNotMatch(onSandbox, /secret of/);
    assert.doesNotMatch(page(viewWith()), /Pay as|id="sandbox|data-rpc="[^"]/);
    assert.doesNotMatch(page(viewWith({}, { state: 'expired' }), { sandboxWorld }), /Pay as/);
  });

  it('says what a phone does with its code, and why one cannot open an address of this computer', () => {
    const hint = (url: string): string | undefined =>
      /<figcaption>(.*)<\/figcaption>/.exec(page(viewWith(), { url }))?.[1];
    for (const url of [
      'https://pay.example.com/pay/1',
      'http://192.168.1.5:3000/pay/1',
      'https://127.0.0.1.example/pay/1',
    ])
      assert.equal(hint(url), 'Scan with the wallet on your phone');
    for (const host of ['127.0.0.1', 'localhost', '[::1]'])
      assert.ok(hint(`http://${host}:3000/pay/1`)?.startsWith(`A phone cannot open ${host}, which is this computer. `));
  });

  it('asks again by itself without scripts until nothing can change any more', () => {
    const refresh = /<noscript><meta http-equiv="refresh" content="(\d+)"><\/noscript>/;
    assert.equal(refresh.exec(page(viewWith()))?.[1], '20');
    assert.equal(refresh.exec(page(viewWith({}, { state: 'expired' })))?.[1], '5');
    assert.doesNotMatch(page(viewWith({}, { state: 'expired', isFinal: true })), refresh);
  });

  it('says until when it can be paid, or since when it cannot', () => {
    const { expiresAt } = sampleLink;
    const until = (more: Partial<PayPageContext>, state: Partial<LinkView> = {}): string | undefined =>
      /<div class="until"><dt>([^<]+)</.exec(page(viewWith({}, state), more))?.[1];
    assert.equal(until({ now: expiresAt.getTime() - 1 }), 'Pay until');
    assert.equal(until({ now: expiresAt.getTime() }), 'Expired');
    assert.equal(until({ now: 0 }, { state: 'expired' }), 'Expired');
  });

  it('says that tokens of a test network have no value, and nothing of the kind on mainnet', () => {
    assert.doesNotMatch(page(viewWith()), /with no value/);
    for (const chain of ['solana:devnet', 'solana:testnet', 'solana:localnet'] as const) {
      assert.match(page(viewWith(), { chain }), /test tokens with no value/);
    }
  });

  it("shows the maker's icon only from an origin that the operator allows", () => {
    const withIcon = (icon: string): string => page(viewWith({ icon }));
    assert.match(withIcon('https://icons.example/a.png'), /src="https:\/\/icons\.example\/a\.png"/);
    for (const icon of [
      'https://evil.example/a.png',
      'https://icons.example.evil.example/',
      'http://icons.example/a.png',
      'not a URL',
    ]) {
      assert.match(withIcon(icon), /<img src="\/pay\/icon\/T\.svg"/, icon);
    }
  });

  it('leads back to the shop in every state in which nothing is left to pay, by the name of its host', () => {
    const redirect = 'https://shop.example/thanks?order=1&paid=yes';
    const back =
      'href="https://shop.example/thanks?order=1&amp;paid=yes" rel="noreferrer">Back to the shop <small>shop.example</small>';
    for (const state of [{}, { state: 'paid', payments: [samplePayment] }, { state: 'expired' }] as const) {
      assert.ok(page(viewWith({ redirect }, state)).includes(back));
    }
    assert.doesNotMatch(page(viewWith()), /Back to the shop/);
  });

  it('has the name, logo and color of the shop where the operator names them', () => {
    const brand = {
      name: 'Lotus & Co',
      logo: { mediaType: 'image/png', bytes: Buffer.of() },
      color: '#aa0000',
    } as const;
    const markup = page(viewWith(), { brand });
    assert.match(
      markup,
      /<img src="\/pay\/logo".*<h1><bdi>Tea house Lotus<\/bdi><\/h1><p class="shop"><bdi>Lotus &amp; Co</,
    );
    assert.match(markup, /<link rel="icon" href="\/pay\/logo">/);
    assert.match(markup, /<link rel="stylesheet" href="\/pay\/brand\.css">/);
    assert.match(markup, /og:site_name" content="Lotus &amp; Co">/);
    assert.match(markup, /og:image" content="https:\/\/pay\.example\.com\/pay\/logo">/);
    assert.doesNotMatch(page(viewWith({ label: 'Lotus & Co' }), { brand }), /class="shop"/);
    assert.doesNotMatch(page(viewWith()), /brand\.css|class="shop"|site_name/);
  });

  it('has a preview for chats: who asks for how much, for what, on which network', () => {
    const tags = (view: LinkView, more: Partial<PayPageContext> = {}): Record<string, string> =>
      Object.fromEntries(
        Array.from(page(view, more).matchAll(/<meta property="og:(\w+)" content="([^"]*)">/g), ([, name, text]) => [
          name,
          text,
        ]),
      );
    assert.deepEqual(tags(viewWith(), { chain: 'solana:devnet' }), {
      type: 'website',
      title: 'Pay 25.00 USDC to Tea house Lotus',
      description: 'Devnet: test tokens with no value · Table 7: two cups of Sencha and a matcha cake',
      url: context.url,
      image: 'https://pay.example.com/pay/icon/T.svg',
    });
    const paid = tags(viewWith({ icon: 'https://shop.example/a.png' }, { state: 'paid', payments: [samplePayment] }));
    assert.deepEqual([paid.title, paid.image], ['Paid: Tea house Lotus', 'https://shop.example/a.png']);
  });

  it('takes a chosen amount without scripts, and offers nothing for one that it does not take', () => {
    const open = viewWith({ minAmount: 5_000_000n, maxAmount: 500_000_000n });
    assert.match(textOf(page(open)), /5\.00 to 500\.00 USDC/);
    const code = (typedAmount?: string): string =>
      /id="open" href="([^"]+)"/.exec(page(open, { typedAmount }))?.[1] ?? '';
    assert.equal(code(), `solana:${encodeURIComponent(`${context.url}?amount=5.00`)}`);
    assert.equal(code('12,5'), `solana:${encodeURIComponent(`${context.url}?amount=12.50`)}`);
    assert.match(page(open, { typedAmount: '12,5' }), /id="offer">.*aria-invalid="false" value="12.50"/s);
    assert.doesNotMatch(page(viewWith(), { typedAmount: '1' }), /data-invalid|id="chosen"/);
    const refused = page(open, { typedAmount: '"><b>9999' });
    assert.match(refused, /id="offer" data-invalid>/);
    assert.doesNotMatch(refused, /solana:https/);
    assert.match(refused, /aria-invalid="true" value="&quot;&gt;&lt;b&gt;9999"/);
    assert.ok(textOf(refused).includes('Enter the amount in digits, such as 12.50.'));
  });

  it('takes no amount that can be read in two ways, and then has neither a link nor a code for one', () => {
    const open = viewWith({ minAmount: 1_000_000n, maxAmount: 100_000_000_000n });
    const asked = page(open, { typedAmount: '12,500' });
    assert.ok(textOf(asked).includes('12,500 can mean 12500 or 12.5. Type 12500 or 12.5.'));
    assert.match(asked, /id="open">Open/);
    assert.match(asked, /aria-label="QR code of this payment"><\/div>/);
    assert.doesNotMatch(asked, /solana:https/);
    // What the page itself writes into the field is clear.
    assert.match(
      page(viewWith({ minAmount: 1_234_000n, maxAmount: 9_000_000n })),
      /aria-invalid="false" value="1\.2340"/,
    );
  });

  it('has the terms of the link for its script exactly as they are, also a memo that is shown in another way', () => {
    fc.assert(
      fc.property(fc.option(hostile), (memo) => {
        const [, terms = ''] = / data-terms="([^"]*)"/.exec(page(viewWith({ memo }))) ?? [];
        const { recipient, mint, reference } = sampleLink;
        assert.deepEqual(JSON.parse(decodeURIComponent(terms.replaceAll('&#39;', "'"))), {
          to_address: recipient,
          token_mint_address: mint,
          memo,
          reference,
        });
      }),
    );
  });

  it('weighs less than 21 kB compressed with everything that it loads', () => {
    for (const view of [
      viewWith(),
      viewWith({ minAmount: 1n }),
      viewWith({}, { state: 'paid', payments: [samplePayment] }),
    ]) {
      const bytes = pageWeight(page(view));
      assert.ok(bytes < 21_000, `${bytes} bytes`);
    }
  });

  it('loads nothing from elsewhere, and has no style or script in it', () => {
    const markup = page(viewWith());
    const loaded = [...markup.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, url = '']) => url);
    for (const url of loaded) assert.match(url, /^(?:\/pay-assets\/|\/pay\/|solana:)/);
    assert.doesNotMatch(
      markup,
      /<style|\sstyle=|\son\w+=|<script(?! type="module" src="\/pay-assets\/server\/pages\/browser\/pay\.ts"><\/script>)/,
    );
  });
});

describe('the page in place of a problem', () => {
  it('says what to do, and lets people try again where that helps', () => {
    const unknown = payProblemPage(404, undefined);
    assert.match(
      textOf(unknown),
      /Payment link not found Check that the link is complete.* no longer here, paid or not\./,
    );
    assert.match(textOf(payProblemPage(429, 12)), /Too many requests .* Try again in 12 s\. Try again/);
    assert.match(textOf(payProblemPage(503, 2)), /not available The link may still be valid\. Try again in 2 s/);
    assert.match(textOf(payProblemPage(500, undefined)), /Try again in a moment/);
    assert.match(textOf(payProblemPage(400, undefined)), /Open the payment link again as you received it/);
    for (const status of [429, 500])
      assert.match(payProblemPage(status, 5), /<a class="button" href="">Try again<\/a>/);
    for (const status of [400, 404]) assert.doesNotMatch(payProblemPage(status, undefined), /href=""/);
  });
});
