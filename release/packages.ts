import { fileURLToPath } from 'node:url';

/** The root of the repository. */
export const repository = fileURLToPath(new URL('..', import.meta.url));

/** A package that is published: its folder below `packages/`, and its name in the registry. */
export interface PublishedPackage {
  folder: string;
  name: string;
  /** Modules below `src/` that hold what they import of a package, which is then no dependency of the published one. */
  inlines?: readonly { module: string; dependency: string }[];
}

/** What is published, each after those that it depends on. */
export const packages: readonly PublishedPackage[] = [
  { folder: 'core', name: 'splwright-core' },
  { folder: 'client', name: 'splwright-client' },
  {
    folder: 'sandbox',
    name: 'splwright-sandbox',
    inlines: [{ module: 'ledger/token-2022', dependency: '@solana-program/token-2022' }],
  },
  { folder: 'server', name: 'splwright' },
];
