import { execFileSync } from 'node:child_process';

/** Packs a staged package into a tarball in `out`, and returns the name of the file. */
export function packTarball(folder: string, out: string): string {
  const words = ['pack', '--json', '--ignore-scripts', '--pack-destination', out];
  const env = { ...process.env, npm_config_update_notifier: 'false' };
  const text = execFileSync('npm', words, { cwd: folder, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
  const [packed]: { filename: string }[] = JSON.parse(text);
  if (!packed) throw new Error(`npm packed nothing of ${folder}`);
  return packed.filename;
}
