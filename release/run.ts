/**
 * Makes a release: `npm run release -- 0.2.0` sets the version of every package and dates the changelog, then makes the
 * tarballs, a bill of materials, checksums and provenance in `build/release/`. With `--dry-run` nothing but that folder changes,
 * and the version may be left out: it is the one that the packages have.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { componentsOf, stableBillOfMaterials, withoutAllowedLicence } from './bill-of-materials.ts';
import { notesOf, releaseChangelog } from './changelog.ts';
import { withImageVersion } from './image-version.ts';
import { readManifest } from './manifest.ts';
import { packTarball } from './pack-tarball.ts';
import { packages, repository } from './packages.ts';
import { checksumsText, provenanceText } from './provenance.ts';
import { stagePackage } from './stage-package.ts';

const { values, positionals } = parseArgs({
  options: { 'dry-run': { type: 'boolean', default: false } },
  allowPositionals: true,
});

const build = join(repository, 'build');
const stage = join(build, 'stage');
const out = join(build, 'release');
const rootManifest = join(repository, 'package.json');
const changelogFile = join(repository, 'CHANGELOG.md');
const current = readManifest(readFileSync(rootManifest, 'utf8')).version;
const [version = current] = positionals;
if (!/^\d+\.\d+\.\d+(-[\da-z.-]+)?$/.test(version)) throw new RangeError(`a version is like 0.2.0, not ${version}`);

rmSync(build, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
const [commit = '', committedAt = ''] = run('git', ['log', '-1', '--format=%H %cI']).trim().split(' ');
if (version !== current && !values['dry-run']) setVersion();
writeFileSync(join(out, 'CHANGES.md'), changes());

const tarballs = packages.map((each) => packTarball(stagePackage(each, stage, version), out));
const bill = billOfMaterials();
const notAllowed = withoutAllowedLicence(componentsOf(bill));
if (notAllowed.length > 0)
  throw new Error(`no licence that is allowed: ${notAllowed.map(({ name }) => name).join(', ')}`);
writeFileSync(join(out, 'splwright.cdx.json'), bill);
writeFileSync(join(out, 'licences.txt'), licences());

const files = [...tarballs, 'splwright.cdx.json', 'licences.txt'].map((name) => ({ name, sha256: sha256Of(name) }));
writeFileSync(join(out, 'SHA256SUMS'), checksumsText(files));
const npmVersion = run('npm', ['--version']).trim();
const source = { commit, committedAt, version, nodeVersion: process.versions.node, npmVersion };
writeFileSync(join(out, 'provenance.json'), provenanceText(files, source));
console.log(`${version} of commit ${commit.slice(0, 12)} is in ${out}:`);
for (const { name, sha256 } of files) console.log(`  ${sha256.slice(0, 16)}…  ${name}`);
if (!values['dry-run'])
  console.log('Commit the manifests and the changelog, tag the commit, and publish the tarballs in this order.');

function run(command: string, commandArguments: readonly string[], folder = repository): string {
  const env = { ...process.env, npm_config_update_notifier: 'false' };
  return execFileSync(command, commandArguments, {
    cwd: folder,
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

// One version for all: the manifests, what they name of each other, and the lock file.
function setVersion(): void {
  for (const file of [
    rootManifest,
    ...packages.map(({ folder }) => join(repository, 'packages', folder, 'package.json')),
  ]) {
    const text = readFileSync(file, 'utf8');
    const names = packages.map(({ name }) => name).join('|');
    const own = text.replace(`"version": "${current}"`, `"version": "${version}"`);
    writeFileSync(file, own.replaceAll(new RegExp(`("(?:${names})": )"${current}"`, 'g'), `$1"${version}"`));
  }
  // Manifests of the cluster and files of compose name the image by the version.
  const deploy = join(repository, 'deploy');
  for (const name of readdirSync(deploy, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.yaml')) continue;
    const text = readFileSync(join(deploy, name), 'utf8');
    writeFileSync(join(deploy, name), withImageVersion(text, current, version));
  }
  const page = join(repository, 'docs/operate/deploy.md');
  writeFileSync(page, withImageVersion(readFileSync(page, 'utf8'), current, version));
  const changelog = readFileSync(changelogFile, 'utf8');
  writeFileSync(changelogFile, releaseChangelog(changelog, version, committedAt.slice(0, 10)));
  run('npm', ['install', '--package-lock-only', '--ignore-scripts']);
}

function changes(): string {
  const changelog = readFileSync(changelogFile, 'utf8');
  return `# ${version}\n${notesOf(changelog, version) || notesOf(changelog, 'Unreleased')}`;
}

// Of what somebody gets who installs the server with its sandbox: not of what this repository needs besides.
function billOfMaterials(): string {
  const folder = join(build, 'splwright');
  mkdirSync(folder);
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({ name: 'splwright-release', version, license: 'Apache-2.0', type: 'module' }),
  );
  run(
    'npm',
    ['install', '--ignore-scripts', '--no-audit', '--no-fund', ...tarballs.map((name) => join(out, name))],
    folder,
  );
  return stableBillOfMaterials(
    run('npm', ['sbom', '--sbom-format', 'cyclonedx', '--sbom-type', 'application'], folder),
    committedAt,
  );
}

function licences(): string {
  return componentsOf(bill)
    .map(({ name, version: ofPackage, licences: names }) => `${name} ${ofPackage}: ${names.join(', ')}\n`)
    .toSorted()
    .join('');
}

function sha256Of(name: string): string {
  return createHash('sha256')
    .update(readFileSync(join(out, name)))
    .digest('hex');
}
