/** A service whose sandbox runs in another process, so that it can be killed and started again on the same ledger. */
import { parseConfig } from '../../../packages/server/src/config.ts';
import { startService } from '../../../packages/server/src/serve/start-service.ts';

const { PORT, DATABASE_URL, SANDBOX = '' } = process.env;
const parsed = parseConfig({ PORT, DATABASE_URL, RATE_LIMIT_PER_MINUTE: '0', PAY_RATE_LIMIT_PER_MINUTE: '0' });
if ('faults' in parsed) throw new Error(parsed.faults.join('\n'));
const shared = { sandbox: JSON.parse(SANDBOX), counter: undefined, metrics: undefined };
await startService(parsed.config, '0.0.0-test', () => undefined, shared);
