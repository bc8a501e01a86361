/** Where a command of the command line writes. */
interface CapturedContext {
  stdout: (text: string) => void;
  stderr: (text: string) => void;
}

/** Runs a command in this process; returns its exit status and what it wrote. */
export async function runCaptured(command: (context: CapturedContext) => number | Promise<number>) {
  const output = { stdout: '', stderr: '' };
  const status = await command({
    stdout: (text) => {
      output.stdout += text;
    },
    stderr: (text) => {
      output.stderr += text;
    },
  });
  return { status, ...output };
}
