import type { ResolveFnOutput, ResolveHookSync } from 'node:module';

/** Where the files of this package are, whose imports of a package all mean the same. */
const ownFiles = new URL('.', import.meta.url).href;
const known = new Map<string, ResolveFnOutput>();

/**
 * Resolves an `import` as Node does, mostly without looking at the disk.
 *
 * A relative path names its file in full, and a package's name means the same to all files of this package. Node asks the disk
 * each time for the file, every folder above it and the nearest `package.json`: a fifth of the time of a start. All else is
 * left to it: packages for the first time and to other packages, and `require`, which also finds files without their extension.
 */
export const resolveImport: ResolveHookSync = (specifier, context, nextResolve) => {
  if (!context.conditions.includes('import')) return nextResolve(specifier, context);
  if (specifier.startsWith('.')) {
    const url = new URL(specifier, context.parentURL).href;
    return { url, format: url.endsWith('.ts') ? 'module-typescript' : undefined, shortCircuit: true };
  }
  if (!context.parentURL?.startsWith(ownFiles)) return nextResolve(specifier, context);
  const found = known.get(specifier) ?? { ...nextResolve(specifier, context), shortCircuit: true };
  known.set(specifier, found);
  return found;
};
