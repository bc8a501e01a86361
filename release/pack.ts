/** `npm run pack`: builds the packages, each as a tarball in `build/`, from which `npm install ./build/splwright-client-….tgz` works. */
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { readManifest } from './manifest.ts';
import { packTarball } from './pack-tarball.ts';
import { packages, repository } from './packages.ts';
import { stagePackage } from './stage-package.ts';

const out = join(repository, 'build');
const stage = join(out, 'stage');
const { version } = readManifest(readFileSync(join(repository, 'package.json'), 'utf8'));
rmSync(stage, { recursive: true, force: true });
mkdirSync(stage, { recursive: true });
for (const each of packages) {
  const folder = stagePackage(each, stage, version, { noCheck: true });
  console.log(`build/${packTarball(folder, out)}`);
}
