import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { assertGuide } from '../../test/e2e/webhooks/guide.ts';

const python = fileURLToPath(new URL('../python/.venv/bin/python', import.meta.url));

test('docs/webhooks.md has an endpoint in Python that takes what its commands send, and nothing that is forged', (t) =>
  assertGuide(t, 'python', python));
