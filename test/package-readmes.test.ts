import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { repository, runCommand } from './setup/process.ts';
import { startTestService } from './setup/service.ts';

describe("a package's README", () => {
  for (const name of ['core', 'sandbox']) {
    it(`has an example that prints what the text after it says: splwright-${name}`, async () => {
      const text = readFileSync(`${repository}packages/${name}/README.md`, 'utf8');
      const example = /```js\n([\s\S]*?)```/.exec(text)?.[1] ?? '';
      const printed = /That prints `([^`]+)`/.exec(text)?.[1];
      const { status, stdout, stderr } = await runCommand('node --input-type=module --eval "$EXAMPLE"', {
        EXAMPLE: example,
      });
      assert.deepEqual([status, stdout], [0, `${printed}\n`], stderr);
    });
  }

  it('has an example that pays on the sandbox: splwright-client', async (t) => {
    const service = await startTestService(t);
    const text = readFileSync(`${repository}packages/client/README.md`, 'utf8');
    const example = /```js\n([\s\S]*?)```/.exec(text)?.[1] ?? '';
    const { status, stdout, stderr } = await runCommand('node --input-type=module --eval "$EXAMPLE"', {
      EXAMPLE: example.replace('http://127.0.0.1:3000', service.url),
    });
    assert.deepEqual([status, stdout], [0, 'landed\n'], stderr);
  });

  it('has a program in the guide to verification', async (t) => {
    const service = await startTestService(t);
    const text = readFileSync(`${repository}docs/verify.md`, 'utf8');
    const program = /```js\n([\s\S]*?)```/.exec(text)?.[1] ?? '';
    const { status, stdout, stderr } = await runCommand('node --input-type=module --eval "$EXAMPLE"', {
      EXAMPLE: program.replace('http://127.0.0.1:3000', service.url),
    });
    assert.equal(status, 0, stderr);
    assert.match(
      stdout,
      /sends 1\.5 to \w+ with the memo "order 1001", in .*\n1500000 base units, \d+ bytes to sign\nwrong_account /,
    );
  });

  it('has a command that shows the commands: splwright', async () => {
    const text = readFileSync(`${repository}packages/server/README.md`, 'utf8');
    const [command = ''] = /^\S+ --help$/m.exec(text) ?? [];
    const { status, stdout } = await runCommand(command);
    assert.equal(status, 0);
    assert.match(stdout, /^usage: splwright <command>$/m);
  });
});
