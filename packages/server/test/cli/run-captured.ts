import type { CommandContext } from '../../src/cli/command.ts';
import { runCommandLine } from '../../src/cli/program.ts';

/** Runs a command line in this process; returns its exit status and what it wrote. */
export async function runCaptured(args: readonly string[], given: Partial<CommandContext> = {}) {
  const output = { stdout: '', stderr: '' };
  const status = await runCommandLine(args, {
    environment: {},
    inherited: new Set(),
    version: '1.2.3',
    author: { user: 'root', sudoUser: null, host: 'ops-1' },
    input: { isTerminal: true, read: async () => '' },
    now: () => new Date(),
    serve: async () => 0,
    ...given,
    stdout: (text) => {
      output.stdout += text;
    },
    stderr: (text) => {
      output.stderr += text;
    },
  });
  return { status, ...output };
}
