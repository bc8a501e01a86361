import { writeFileSync } from 'node:fs';
import { apiTypes, typesFile } from '../packages/client/types/write-types.ts';
import { readApiDocument } from '../test/setup/api-document.ts';
import { errorsDocument } from './errors-document.ts';
import { configurationDocument, envExample } from './variable-documents.ts';

writeFileSync(new URL('./errors.md', import.meta.url), errorsDocument());
writeFileSync(new URL('../.env.example', import.meta.url), envExample());
writeFileSync(new URL('./configuration.md', import.meta.url), configurationDocument());

writeFileSync(typesFile, apiTypes(await readApiDocument()));
