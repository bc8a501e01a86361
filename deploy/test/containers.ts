import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import type { Cleanup } from '../../test/setup/service.ts';

const execute = promisify(execFile);

const manifest: { version: string } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));

/** The version of this repository. */
export const { version } = manifest;
/** The images that `.ci/image` has built. */
export const images = { service: `splwright:${version}`, sandbox: `splwright:${version}-sandbox` } as const;

/** How a container is run. */
export interface ContainerOptions {
  image: string;
  environment?: Readonly<Record<string, string>>;
  /** Other options of `podman run`. */
  options?: readonly string[];
  command?: readonly string[];
}

/** A container that runs. */
export interface Container {
  id: string;
  /** Runs a command in it, and returns its output. Throws when it fails. */
  execute(...command: readonly string[]): Promise<string>;
  /** Its output so far. */
  logs(): Promise<string>;
  /** Sends it the signal to stop, kills it after the seconds, and resolves with its exit status. */
  stop(graceSeconds: number): Promise<number>;
}

/** Runs `podman`, and resolves with what it printed. Rejects with its error output when it fails. */
export async function podman(...values: readonly string[]): Promise<string> {
  if (!process.env.CONTAINERS_STORAGE_CONF)
    throw new Error('run .ci/image, which builds the images and runs the tests');
  const { stdout } = await execute('podman', values, { maxBuffer: 64 * 1024 * 1024 });
  return stdout.trim();
}

/** What every container of the tests is limited to: nothing that it need not have. */
const limits = ['--read-only', '--read-only-tmpfs=false', '--cap-drop=all', '--security-opt=no-new-privileges'];

/** Runs a container to its end, on the host's network, and returns its exit status and output. */
export async function runContainer(
  container: ContainerOptions,
): Promise<{ status: number; stdout: string; stderr: string }> {
  try {
    const { stdout, stderr } = await execute('podman', ['run', '--rm', ...argumentsOf(container)]);
    return { status: 0, stdout, stderr };
  } catch (error) {
    if (!isEnded(error)) throw error;
    return { status: error.code, stdout: error.stdout, stderr: error.stderr };
  }
}

/** Starts a container on the host's network, and removes it with its volumes at the end of the test. */
export async function startContainer(t: Cleanup, container: ContainerOptions): Promise<Container> {
  const id = await podman('run', '--detach', ...argumentsOf(container));
  t.after(async () => void (await podman('rm', '--force', '--volumes', '--time', '1', '--ignore', id)));
  return {
    id,
    execute: (...command) => podman('exec', id, ...command),
    logs: async () => {
      const { stdout, stderr } = await execute('podman', ['logs', id]);
      return stdout + stderr;
    },
    async stop(graceSeconds) {
      await podman('stop', '--time', String(graceSeconds), id);
      return Number(await podman('inspect', '--format', '{{.State.ExitCode}}', id));
    },
  };
}

function argumentsOf({ image, environment = {}, options = [], command = [] }: ContainerOptions): string[] {
  const variables = Object.entries(environment).flatMap(([name, value]) => ['--env', `${name}=${value}`]);
  // The timer of health checks is systemd's, which a machine of the CI need not have: the tests run the command themselves.
  return ['--no-healthcheck', ...limits, ...variables, ...options, image, ...command];
}

/** Asks for a URL until it answers 200. Throws, with the output of the container, when it has not after some time. */
export async function untilReady(url: string, container: Pick<Container, 'logs'>): Promise<void> {
  const giveUpAt = performance.now() + 30_000;
  for (;;) {
    const response = await fetch(url).catch(() => undefined);
    await response?.arrayBuffer();
    if (response?.status === 200) return;
    if (performance.now() > giveUpAt) throw new Error(`${url} is not ready:\n${await container.logs()}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function isEnded(error: unknown): error is Error & { code: number; stdout: string; stderr: string } {
  return error instanceof Error && 'code' in error && typeof error.code === 'number' && 'stdout' in error;
}
