import { after, before, test } from 'node:test';
import { runProgram } from '../setup/program.ts';
import { type Service, startService } from '../setup/service.ts';
import { assertLands, trials } from '../setup/trials.ts';

let service: Service;
before(async () => {
  service = await startService();
});
after(() => service.stop());

test('solana-go lands every trial', async () => {
  await assertLands(service, trials, () => runProgram(service, 'go', 'go', 'run', '.'));
});
