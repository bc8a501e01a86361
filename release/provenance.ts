/** A file of the release and its SHA-256 in hex. */
export interface ReleasedFile {
  name: string;
  sha256: string;
}

/** From what the files were made. */
export interface ReleaseSource {
  /** The commit, in hex. */
  commit: string;
  /** ISO 8601, of the commit. */
  committedAt: string;
  nodeVersion: string;
  npmVersion: string;
  version: string;
}

/** The text of `SHA256SUMS`, which `sha256sum --check` reads. */
export function checksumsText(files: readonly ReleasedFile[]): string {
  return files.map(({ name, sha256 }) => `${sha256}  ${name}\n`).join('');
}

/**
 * An in-toto statement (v1) with SLSA provenance (v1) of the files: from which commit, by which versions of the tools.
 *
 * It is not signed: a signature needs the identity of whoever publishes.
 */
export function provenanceText(files: readonly ReleasedFile[], source: ReleaseSource): string {
  const statement = {
    _type: 'https://in-toto.io/Statement/v1',
    subject: files.map(({ name, sha256 }) => ({ name, digest: { sha256 } })),
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: 'npm run release',
        externalParameters: { version: source.version },
        internalParameters: { node: source.nodeVersion, npm: source.npmVersion },
        resolvedDependencies: [{ name: 'splwright', digest: { gitCommit: source.commit } }],
      },
      runDetails: { builder: { id: 'npm run release' }, metadata: { startedOn: source.committedAt } },
    },
  };
  return `${JSON.stringify(statement, null, 2)}\n`;
}
