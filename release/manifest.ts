import { packages } from './packages.ts';

/** What a manifest holds, as far as publishing changes it; other members are passed on as they are. */
export interface Manifest {
  version: string;
  bin?: Readonly<Record<string, string>>;
  dependencies?: Readonly<Record<string, string>>;
  optionalDependencies?: Readonly<Record<string, string>>;
  [member: string]: unknown;
}

const published: ReadonlySet<string> = new Set(packages.map(({ name }) => name));

/** Reads the text of a `package.json`. Throws a `TypeError` when it has no version. */
export function readManifest(text: string): Manifest {
  const manifest: unknown = JSON.parse(text);
  if (!isManifest(manifest)) throw new TypeError('a package.json has no version');
  return manifest;
}

/**
 * The manifest that is published of the one in the repository: built files in the place of sources, the version of the release,
 * and that version of the packages that are released together. What is inlined is no dependency.
 */
export function publishedManifest(manifest: Manifest, version: string, inlined: readonly string[] = []): Manifest {
  const { private: _, exports: source, ...rest } = manifest;
  const dependencies = (member: 'dependencies' | 'optionalDependencies'): object => {
    const entries = Object.entries(manifest[member] ?? {}).filter(([name]) => !inlined.includes(name));
    if (entries.length === 0) return {};
    return {
      [member]: Object.fromEntries(entries.map(([name, range]) => [name, published.has(name) ? version : range])),
    };
  };
  return {
    ...rest,
    version,
    files: [...(manifest.bin ? ['bin'] : []), 'dist'],
    ...(source === undefined ? {} : { exports: builtExports(source) }),
    ...dependencies('dependencies'),
    ...dependencies('optionalDependencies'),
  };
}

/** The built files in the place of the sources that a package exports: `./src/index.ts`, or several by their subpaths. */
function builtExports(source: unknown): object {
  const sources = typeof source === 'string' ? { '.': source } : Object(source);
  const built = Object.entries(sources).map(([subpath, file]) => {
    const stem = String(file)
      .replace(/^\.\/src\//, './dist/')
      .replace(/\.ts$/, '');
    // `types` comes first: the first condition that fits is taken.
    return [subpath, { types: `${stem}.d.ts`, default: `${stem}.js` }];
  });
  return { ...Object.fromEntries(built), './package.json': './package.json' };
}

function isManifest(value: unknown): value is Manifest {
  return typeof value === 'object' && value !== null && 'version' in value && typeof value.version === 'string';
}
