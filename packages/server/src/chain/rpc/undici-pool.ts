import { createRequire } from 'node:module';
import type { errors as Errors, Pool as UndiciPool } from 'undici';

const require = createRequire(import.meta.url);

/** The pool of connections of undici, loaded without the rest: its `fetch`, caches and mocks are ninety modules more. */
// biome-ignore lint/style/useNamingConvention: a class
export const Pool: typeof UndiciPool = require('undici/lib/dispatcher/pool.js');
export type Pool = UndiciPool;

/** The errors of undici. */
export const errors: typeof Errors = require('undici/lib/core/errors.js');
