import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import { type Browser, chromium, type LaunchOptions } from 'playwright-core';
import { notInstalled } from './not-installed.ts';
import type { Cleanup } from './service.ts';

// Debian's, and where CHROMIUM_PATH says it is on other machines.
const executablePath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';

// Of two lists Chromium takes the last, so this one repeats that of Playwright. It adds the popups of the address bar, which
// nothing shows, and which took two thirds of the processor time of every context.
const disabledFeatures = [
  ...['AvoidUnnecessaryBeforeUnloadCheckSync', 'DestroyProfileOnBrowserClose', 'HttpsUpgrades', 'LensOverlay'],
  ...['HttpsFirstBalancedModeAutoEnable', 'MediaRouter', 'PaintHolding', 'ThirdPartyStoragePartitioning'],
  ...['AvoidCorsURLLoaderRestartOnRedirect', 'TcpPortRandomizationWin', 'OptimizationHints', 'AimEnabled'],
  ...['NetworkTimeServiceQuerying', 'PreconnectToSearch', 'WebUIOmniboxPopup', 'WebUIOmniboxAimPopup'],
];

/** The variable with the endpoint of the browser that all test files of a run share. */
const sharedEndpointVariable = 'TEST_BROWSER_ENDPOINT';

/** Starts the browser that all test files of a run share. */
export async function startSharedBrowser(t: Cleanup): Promise<void> {
  const server = await chromium.launchServer(launchOptions());
  t.after(() => server.close());
  process.env[sharedEndpointVariable] = server.wsEndpoint();
}

/**
 * A headless Chromium: the one that all test files of a run share, or one of its own where a file runs alone. Its pages are
 * closed with the test. Throws when the machine has none.
 */
export async function startBrowser(t: Cleanup): Promise<Browser> {
  const endpoint = process.env[sharedEndpointVariable];
  const browser = await (endpoint === undefined ? chromium.launch(launchOptions()) : chromium.connect(endpoint));
  t.after(() => browser.close());
  return browser;
}

function launchOptions(): LaunchOptions {
  if (!existsSync(executablePath)) throw notInstalled('Chromium', 'chromium');
  return {
    executablePath,
    // Without them it calls hosts of its maker, and its sandbox refuses to start as root.
    args: [
      ...['--no-sandbox', '--disable-quic', '--disable-background-networking', '--disable-component-update'],
      `--disable-features=${disabledFeatures.join(',')}`,
    ],
  };
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
