import { writeFile } from 'node:fs/promises';
import { compileToSource, target } from './compile.ts';

await writeFile(target, await compileToSource());
