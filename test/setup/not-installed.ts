import { spawnSync } from 'node:child_process';

/** The error of a test that needs a program which is not installed; `packageName` is Debian's package that has it. */
export function notInstalled(program: string, packageName: string): Error {
  return new Error(`${program} is not installed: apt-get install ${packageName}`);
}

/** Throws when a command that a test needs is not installed. */
export function assertInstalled(command: string, packageName: string): void {
  if (spawnSync(command, ['--version'], { stdio: 'ignore' }).error) throw notInstalled(command, packageName);
}

/** Returns the sentence of such an error, or of one that caused another; `undefined` for any other error. */
export function readNotInstalled(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const [sentence] = /\w[\w -]* is not installed: apt-get install [\w-]+/.exec(error.message) ?? [];
  return sentence ?? readNotInstalled(error.cause);
}
