import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createContext, runInContext } from 'node:vm';
import { build } from 'esbuild';
import { allRules, openCourt } from '../../../../test/judge/court.ts';
import { creating, plainWorld } from '../../../../test/judge/world.ts';
import { answerWorld } from './worlds.ts';

test('Verification needs nothing of its runtime but the language, atob and btoa', async () => {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('../../src/verify/index.ts', import.meta.url))],
    bundle: true,
    minify: true,
    format: 'iife',
    globalName: 'verify',
    target: 'es2022',
    write: false,
  });
  const [rules] = allRules;
  const answered = rules && (await answerWorld(openCourt(rules), { ...plainWorld, ...creating, seed: 79 }));
  if (!answered) throw new Error('the service refuses');
  const { request, reply, path } = answered;
  const context = createContext({ atob, btoa, text: JSON.stringify({ request, reply, path }) });
  runInContext(outputFiles[0]?.text ?? '', context);
  const program = `
    const { request, reply, path } = JSON.parse(text);
    verify.verifyTransfer(request, reply, { operation: path }).then(async ({ sentence }) => {
      const other = { ...request, to_address: request.from_address };
      const refusal = await verify.verifyTransfer(other, reply, { operation: path }).catch((error) => error.code);
      return sentence + ' / ' + refusal;
    })`;
  assert.match(
    await runInContext(program, context),
    / sends 0\.001 to .*, in tokens of the mint .* \/ invalid_request$/,
  );
});
