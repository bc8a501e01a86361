import { writeFileSync } from 'node:fs';
import { errorsDocument } from '../src/wire/errors-document.ts';

writeFileSync(new URL('errors.md', import.meta.url), errorsDocument());
