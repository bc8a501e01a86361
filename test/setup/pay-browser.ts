import assert from 'node:assert/strict';
import axe from 'axe-core';
import type { Browser, BrowserContext, BrowserContextOptions, Locator, Page, Request } from 'playwright-core';
import { readQrPicture } from '../../packages/server/test/pages/qr-reader.ts';
import { addTestWallets, type TestWallet } from './test-wallet.ts';

/** A page under test, with what broke in it. */
export interface OpenedPage {
  page: Page;
  context: BrowserContext;
  /** Breaches of the Content-Security-Policy, errors of scripts and failed loads, so far. */
  faults: readonly string[];
}

const opened: { page: Page; faults: readonly string[]; unanswered: ReadonlySet<Request> }[] = [];
// Why a page does not show what a test waits for.
process.once('exit', (status) => {
  for (const { page, faults, unanswered } of status === 0 ? [] : opened) {
    const waits = Array.from(unanswered, (request) => `No reply to ${request.method()} ${request.url()}`);
    if (faults.length + waits.length > 0) console.error(`${page.url()}:\n  ${[...faults, ...waits].join('\n  ')}`);
  }
});

const patienceMs = 120_000;

/** Opens a page in a context of its own, with these wallets in the browser. */
export async function openPay(
  browser: Browser,
  url: string,
  { wallets = [], ...options }: BrowserContextOptions & { wallets?: readonly TestWallet[] } = {},
): Promise<OpenedPage> {
  const context = await browser.newContext({ timezoneId: 'Europe/Berlin', ...options });
  // A machine that does much else is slow and not at fault: only what never comes is.
  context.setDefaultTimeout(patienceMs);
  const faults: string[] = [];
  await context.exposeFunction('reportFault', (fault: string) => faults.push(fault));
  await context.addInitScript(
    `addEventListener('securitypolicyviolation', (event) => reportFault(event.violatedDirective + ' ' + event.blockedURI), true)`,
  );
  if (wallets.length > 0) await addTestWallets(context, wallets);
  const page = await context.newPage();
  page.on('pageerror', (error) => faults.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') faults.push(message.text());
  });
  const unanswered = new Set<Request>();
  page.on('request', (request) => unanswered.add(request));
  page.on('requestfinished', (request) => unanswered.delete(request));
  page.on('requestfailed', (request) => unanswered.delete(request));
  opened.push({ page, faults, unanswered });
  await page.goto(url);
  return { page, context, faults };
}

/** Waits until the page shows a phase. */
export async function waitForPhase(page: Page, phase: string): Promise<void> {
  await page.waitForSelector(`main[data-phase="${phase}"]`);
}

/** What the QR code of the page says, read from its picture. */
export async function readQrCode(page: Page, selector = '#code'): Promise<string> {
  const code = page.locator(selector);
  // An image that is still to come is blank.
  await code.evaluate((each) => Object(each).decode?.());
  const picture = (await code.screenshot()).toString('base64');
  const blank = await page.context().newPage();
  // Its canvas reads the pixels: an empty page has no policy.
  const { width, height, reds }: { width: number; height: number; reds: string } = await blank.evaluate(`(async () => {
    const image = new Image();
    image.src = 'data:image/png;base64,${picture}';
    await image.decode();
    const canvas = new OffscreenCanvas(image.width, image.height).getContext('2d');
    canvas.drawImage(image, 0, 0);
    const { width, height, data } = canvas.getImageData(0, 0, image.width, image.height);
    return { width, height, reds: btoa(data.filter((_, at) => at % 4 === 0).reduce((text, red) => text + String.fromCharCode(red), '')) };
  })()`);
  await blank.close();
  // Without the popups of its address bar Chromium leaves it hidden, and hidden pages ask for nothing.
  await page.bringToFront();
  return readQrPicture(width, height, Buffer.from(reds, 'base64'));
}

/** Asserts that axe finds nothing in the page, and that nothing is wider than its window. */
export async function assertAccessible(page: Page, what: string): Promise<void> {
  await assertNoViolations(page, what);
  await assertFits(page, what);
}

/** Asserts that axe finds nothing in the page. */
export async function assertNoViolations(page: Page, what: string): Promise<void> {
  if (!(await page.evaluate<boolean>('"axe" in window'))) await page.evaluate(axe.source);
  const found: string[] =
    await page.evaluate(`axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map((node) => id + ': ' + node.html + ' ' + node.failureSummary)))`);
  assert.deepEqual(found, [], what);
}

/** Asserts that nothing in the page is wider than its window. */
export async function assertFits(page: Page, what: string): Promise<void> {
  const tooWide: string[] = await page.evaluate(`[...document.querySelectorAll('body *')]
    .filter((each) => each.getClientRects().length > 0 && each.getBoundingClientRect().right > innerWidth + 0.5)
    .map((each) => each.outerHTML.slice(0, 100))`);
  assert.deepEqual(tooWide, [], `${what}: wider than the window`);
}

const phone = { width: 375, height: 812 };
const smallLaptop = { width: 1280, height: 720 };
const laptops = [smallLaptop, { width: 1366, height: 768 }, { width: 1440, height: 900 }];
const otherSizes = [
  { width: 320, height: 640 },
  { width: 768, height: 1024 },
];

/**
 * Asserts that everyone can use a state of a page, dark and light, and that on a phone and on common laptops nothing is wider than
 * the window and nothing scrolls inside itself.
 *
 * `signs`: the button that signs, which laptops show without scrolling. `SHOTS`: a folder for pictures of every state.
 */
export async function assertLooks(page: Page, what: string, signs?: Locator): Promise<void> {
  for (const viewport of [...otherSizes, ...laptops]) {
    await page.setViewportSize(viewport);
    await assertFits(page, `${what}, ${viewport.width}`);
    await assertScrollsAsAWhole(page, `${what}, ${viewport.width}`);
    if (!signs || !laptops.includes(viewport)) continue;
    await page.evaluate('scrollTo(0, 0)');
    const { y = 0, height = 0 } = (await signs.boundingBox()) ?? {};
    assert.ok(
      height > 0 && y >= 0 && y + height <= viewport.height,
      `${what}, ${viewport.width}: the button that signs`,
    );
  }
  for (const [colorScheme, viewport] of [
    ['light', smallLaptop],
    ['dark', phone],
  ] as const) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize(viewport);
    await assertAccessible(page, `${what}, ${viewport.width}, ${colorScheme}`);
    await assertScrollsAsAWhole(page, `${what}, ${viewport.width}`);
    const { SHOTS: folder } = process.env;
    const path = `${folder}/${what}-${viewport.width}.png`;
    if (folder !== undefined) await page.screenshot({ path, fullPage: viewport === phone });
  }
}

/** Asserts that no part of the page scrolls by itself, text areas aside. */
async function assertScrollsAsAWhole(page: Page, what: string): Promise<void> {
  const scrolled: string[] = await page.evaluate(`[...document.querySelectorAll('body *')]
    .filter((each) => !each.matches('textarea') && /auto|scroll/.test(getComputedStyle(each).overflow))
    .filter((each) => each.scrollWidth > each.clientWidth + 1 || each.scrollHeight > each.clientHeight + 1)
    .map((each) => each.outerHTML.slice(0, 100))`);
  assert.deepEqual(scrolled, [], `${what}: scrolls inside itself`);
}
