import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import fc from 'fast-check';
import type { Page } from 'playwright-core';
import { toMessage } from '../../../packages/core/src/plan/plan-message.ts';
import { encodeTransaction } from '../../../packages/core/src/transaction/encode-transaction.ts';
import { anyBlockhash, anyOptionPlan } from '../../../packages/core/test/random-plans.ts';
import { assetPath } from '../../../packages/server/src/app/pages/assets.ts';
import { describeBytes } from '../../../packages/server/src/outcomes/transaction-words.ts';
import { createBody } from '../../../packages/server/test/app/sample-bodies.ts';
import { startBrowser } from '../../setup/browser.ts';
import { openPay } from '../../setup/pay-browser.ts';
import { startTestService } from '../../setup/service.ts';

const browser = await startBrowser(test);
const service = await startTestService(test);

const reply = await service.post('/v1/transfers', { ...createBody, memo: 'invoice "1001" 😀', priority_fee: '1000' });
const { data } = (await reply.json()) as { data: { transaction: string } };
const built = Uint8Array.from(Buffer.from(data.transaction, 'base64'));

/** Shows bytes in a page of the console, under its own policy. */
async function show(page: Page, bytes: Uint8Array): Promise<void> {
  await page.evaluate(`(async () => {
    const { renderBytes } = await import('${assetPath('bytes-view.ts')}');
    const place = document.createElement('section');
    place.id = 'shown';
    document.querySelector('#shown')?.remove();
    document.querySelector('main').append(place);
    renderBytes(place, Uint8Array.from(${JSON.stringify([...bytes])}));
  })()`);
}

/** What the page says of each byte when the pointer is over it. */
function saidOfEach(page: Page): Promise<readonly (readonly string[])[]> {
  return page.evaluate(`[...document.querySelectorAll('#shown [data-at]')].map((cell) => {
    cell.dispatchEvent(new PointerEvent('pointerover', { bubbles: true }));
    const said = ['where', 'title', 'name'].map((part) => document.querySelector('#shown .bytes-' + part).textContent);
    return [cell.textContent, ...said, document.querySelector('#shown [aria-selected="true"]').textContent];
  })`);
}

/** What the core and the words of `inspect` say of each byte. */
function expectedOfEach(bytes: Uint8Array): string[][] {
  return describeBytes(bytes).flatMap(({ offset, length, title, name }) =>
    Array.from({ length }, (_, index) => {
      const at = offset + index;
      const digits = Buffer.from(bytes.subarray(at, at + 1)).toString('hex');
      const range = length === 1 ? `byte ${offset}` : `bytes ${offset} to ${offset + length - 1}`;
      return [digits, `Byte ${at}: ${digits}${length === 1 ? '' : ` (${range})`}`, title, name, `${range}, ${name}`];
    }),
  );
}

const _name = (page: Page) => page.locator('#shown .bytes-name');

describe('the bytes of a transaction in a page', () => {
  it('are named as the command line names them, every one, in any version and with any option', async () => {
    const { page, faults } = await openPay(browser, `${service.url}/`);
    const plans = fc.tuple(anyOptionPlan('legacy', 0, 1), anyBlockhash);
    const random = fc
      .sample(plans, 3)
      .map(([plan, hash]) => encodeTransaction(toMessage(plan, plan.nonce?.nonce ?? hash)));
    const signed = Uint8Array.from(built, (byte, at) => (at > 0 && at <= 64 ? (at * 37) % 256 : byte));
    for (const bytes of [built, signed, ...random]) {
      await show(page, bytes);
      assert.deepEqual(await saidOfEach(page), expectedOfEach(bytes), Buffer.from(bytes).toString('base64'));
    }
    // The policy has no exception for compiled code.
    assert.deepEqual(faults, []);
  });

  it('can be walked through by keyboard: by bytes, by parts, to both ends', async () => {
    const { page } = await openPay(browser, `${service.url}/`);
    await show(page, built);
    const parts = describeBytes(built);
    const where = page.locator('#shown .bytes-where');
    await page.getByRole('listbox').focus();
    for (const [key, at] of [
      ['ArrowRight', 1],
      ['ArrowRight', 2],
      ['ArrowUp', 1],
      ['ArrowDown', 65],
      ['ArrowLeft', 64],
      ['ArrowUp', 1],
      ['ArrowUp', 0],
      ['ArrowLeft', 0],
      ['End', built.length - 1],
      ['ArrowDown', built.length - 1],
      ['Home', 0],
    ] as const) {
      await page.keyboard.press(key);
      await where.getByText(`Byte ${at}: `).waitFor();
      const selected = page.locator('#shown [role="option"][aria-selected="true"]');
      const part = parts.find(({ offset, length }) => at < offset + length);
      assert.ok((await selected.textContent())?.endsWith(`, ${part?.name}`));
      const active = await page.getByRole('listbox').getAttribute('aria-activedescendant');
      assert.equal(active, await selected.getAttribute('id'));
    }
  });
});
