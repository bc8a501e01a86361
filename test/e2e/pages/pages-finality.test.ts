import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import type { Page } from 'playwright-core';
import { startBrowser } from '../../setup/browser.ts';
import { openPay } from '../../setup/pay-browser.ts';
import { towerEnvironment } from '../../setup/sandbox.ts';
import { startLinkService, unhurried } from '../links/link-service.ts';

const browser = await startBrowser(test);
const tower = await startLinkService(test, { ...towerEnvironment, ...unhurried });

/** Notes whatever an expression of the page has been, each time that the page changes; returns what reads the notes. */
async function note(page: Page, expression: string): Promise<() => Promise<readonly string[]>> {
  await page.evaluate(`{
    globalThis.notes = [];
    const look = () => {
      const now = ${expression};
      if (now !== undefined && now !== globalThis.notes.at(-1)) globalThis.notes.push(now);
    };
    new MutationObserver(look).observe(document.documentElement, { subtree: true, childList: true, attributes: true });
    look();
  }`);
  return () => page.evaluate('globalThis.notes');
}

/** The steps that are listed, those that are done in brackets. */
const listed = `document.querySelector('.steps') &&
  [...document.querySelectorAll('.steps li')]
    .map((step) => (step.hasAttribute('data-done') ? '[' + step.textContent + ']' : step.textContent)).join(' ')`;

async function sendFromConsole({ service }: typeof tower) {
  const { page } = await openPay(browser, service.url);
  await page.getByRole('button', { name: /^Build the/ }).click();
  await page.getByText('alice pays bob 1.5 USDC.').waitFor();
  const steps = await note(page, listed);
  await page.getByRole('button', { name: 'Sign as alice and send' }).click();
  return { page, steps };
}

describe('the pages where blocks are final 32 slots later', () => {
  it('show in the console that the transfer is confirmed, and then that it is final', async () => {
    const { page, steps } = await sendFromConsole(tower);
    await page.getByText(/^It landed in slot [0-9]+\. Final in a few seconds\.$/).waitFor();
    tower.ledger.advanceSlots(32);
    await page.getByText(/^It landed in slot [0-9]+ and is final\.$/).waitFor();
    assert.deepEqual(await steps(), [
      '[Built] Sent Final',
      '[Built] [Sent] Final',
      '[Built] [Sent] [Confirmed] Final',
      '[Built] [Sent] [Confirmed] [Final]',
    ]);
  });

  it('count in the console which transactions of a batch have landed, and which are final', async () => {
    const { page } = await openPay(browser, `${tower.service.url}/?form=batch`);
    await page.getByRole('button', { name: 'Build the transactions' }).click();
    await page.getByRole('button', { name: 'Sign as alice and send' }).click();
    await page.getByText('1 of 1 landed, 0 final.').waitFor();
    tower.ledger.advanceSlots(32);
    await page.getByText('All recipients are paid. This is final.').waitFor();
  });
});
