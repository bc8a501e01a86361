import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import { type Browser, chromium } from 'playwright-core';
import type { Cleanup } from './service.ts';

// Debian's, and where CHROMIUM_PATH says it is on other machines.
const executablePath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';

/** Starts a headless Chromium, and ends it with the test. Throws when the machine has none. */
export async function startBrowser(t: Cleanup): Promise<Browser> {
  if (!existsSync(executablePath)) {
    throw new Error(`there is no browser at ${executablePath}: install chromium, or set CHROMIUM_PATH`);
  }
  const browser = await chromium.launch({
    executablePath,
    // Without them it calls hosts of its maker, and its sandbox refuses to start as root.
    args: ['--no-sandbox', '--disable-quic', '--disable-background-networking', '--disable-component-update'],
  });
  t.after(() => browser.close());
  return browser;
}

/** Serves an empty page, and returns its origin, which no other server has. */
export async function startPage(t: Cleanup): Promise<string> {
  const server = createServer((_request, response) => response.setHeader('content-type', 'text/html').end('<p>'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(async () => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('the page has no port');
  return `http://127.0.0.1:${address.port}`;
}
