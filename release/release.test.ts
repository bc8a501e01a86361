import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { componentsOf, stableBillOfMaterials, withoutAllowedLicence } from './bill-of-materials.ts';
import { notesOf, releaseChangelog } from './changelog.ts';
import { withImageVersion } from './image-version.ts';
import { publishedManifest } from './manifest.ts';
import { checksumsText, provenanceText } from './provenance.ts';

describe('the changelog of a release', () => {
  const changelog = '# Changelog\n\n## Unreleased\n\n- New.\n\n## 0.1.0 (2026-01-01)\n\n- First.\n';

  it('has what was unreleased under the version, and room for what comes', () => {
    const released = releaseChangelog(changelog, '0.2.0', '2026-11-22');
    assert.equal(
      released,
      '# Changelog\n\n## Unreleased\n\n## 0.2.0 (2026-11-22)\n\n- New.\n\n## 0.1.0 (2026-01-01)\n\n- First.\n',
    );
    assert.equal(notesOf(released, '0.2.0').trim(), '- New.');
    assert.equal(notesOf(released, 'Unreleased').trim(), '');
  });

  it('is refused when there is nothing to release, or the version is there', () => {
    assert.throws(() => releaseChangelog(changelog.replace('- New.\n', ''), '0.2.0', '2026-11-22'), /says nothing/);
    assert.throws(() => releaseChangelog(changelog, '0.1.0', '2026-11-22'), /already has version 0\.1\.0/);
  });
});

it('the image in a manifest is that of the release, and other images stay', () => {
  const manifest = (version: string): string =>
    `image: splwright:${version}-sandbox\nnewName: registry.example/splwright\nnewTag: ${version}\nimage: redis:0.1.0\n`;
  assert.equal(withImageVersion(manifest('0.1.0'), '0.1.0', '0.2.0'), manifest('0.2.0'));
});

describe('a published manifest', () => {
  const manifest = {
    name: 'splwright-sandbox',
    version: '0.1.0',
    private: true,
    files: ['src'],
    exports: './src/index.ts',
    dependencies: { ws: '8.0.0', 'splwright-core': '0.1.0', inlined: '1.0.0' },
  };

  it('names built files, the version of the release for what is released with it, and nothing that is inlined', () => {
    assert.deepEqual(publishedManifest(manifest, '0.2.0', ['inlined']), {
      name: 'splwright-sandbox',
      version: '0.2.0',
      files: ['dist'],
      exports: {
        '.': { types: './dist/index.d.ts', default: './dist/index.js' },
        './package.json': './package.json',
      },
      dependencies: { ws: '8.0.0', 'splwright-core': '0.2.0' },
    });
  });

  it('names a built file for each subpath that the package exports', () => {
    const exports = { '.': './src/index.ts', './payments-file': './src/payments-file.ts' };
    assert.deepEqual(publishedManifest({ ...manifest, exports }, '0.2.0').exports, {
      '.': { types: './dist/index.d.ts', default: './dist/index.js' },
      './payments-file': { types: './dist/payments-file.d.ts', default: './dist/payments-file.js' },
      './package.json': './package.json',
    });
  });

  it('has no exports where the package has none, such as a command line alone', () => {
    const { exports: _, dependencies: __, ...command } = { ...manifest, bin: { splwright: 'bin/splwright.js' } };
    const published = publishedManifest(command, '0.2.0');
    assert.deepEqual([published.exports, published.dependencies], [undefined, undefined]);
    assert.deepEqual(published.files, ['bin', 'dist']);
  });
});

describe('the bill of materials', () => {
  const bill = (serialNumber: string, timestamp: string): string =>
    JSON.stringify({
      serialNumber,
      metadata: { timestamp },
      components: [
        { name: 'good', version: '1.0.0', licenses: [{ license: { id: 'MIT' } }] },
        { name: 'either', version: '1.0.0', licenses: [{ expression: '(MIT OR Apache-2.0)' }] },
        { name: 'bad', version: '2.0.0', licenses: [{ license: { id: 'AGPL-3.0' } }] },
        { name: 'none', version: '3.0.0' },
      ],
    });

  it('is the same in every run of one commit, and another for another', () => {
    const first = stableBillOfMaterials(bill('urn:uuid:1', '2026-01-01T00:00:00Z'), '2026-11-22T00:00:00Z');
    assert.equal(stableBillOfMaterials(bill('urn:uuid:2', '2026-02-02T00:00:00Z'), '2026-11-22T00:00:00Z'), first);
    assert.match(first, /"serialNumber": "urn:uuid:[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-8[\da-f]{3}-[\da-f]{12}"/);
    assert.notEqual(stableBillOfMaterials(bill('urn:uuid:1', ''), '2026-11-23T00:00:00Z'), first);
  });

  it('shows which package has no licence that is allowed', () => {
    const names = withoutAllowedLicence(componentsOf(bill('', ''))).map(({ name }) => name);
    assert.deepEqual(names, ['bad', 'none']);
  });
});

describe('checksums and provenance', () => {
  const files = [{ name: 'splwright-0.2.0.tgz', sha256: 'ab'.repeat(32) }];

  it('name each file by its digest, and the commit', () => {
    assert.equal(checksumsText(files), `${'ab'.repeat(32)}  splwright-0.2.0.tgz\n`);
    const source = { commit: 'c0ffee', committedAt: '', nodeVersion: '24.0.0', npmVersion: '11.0.0', version: '0.2.0' };
    const statement = JSON.parse(provenanceText(files, source));
    assert.deepEqual(statement.subject, [{ name: 'splwright-0.2.0.tgz', digest: { sha256: 'ab'.repeat(32) } }]);
    assert.deepEqual(statement.predicate.buildDefinition.resolvedDependencies[0].digest, { gitCommit: 'c0ffee' });
  });
});
