import { readFileSync, writeFileSync } from 'node:fs';
import { apiTypes, typesFile } from '../packages/client/types/write-types.ts';
import { errorsDocument } from '../packages/server/src/app/openapi/generated-docs.ts';
import { withOptionsTable } from './api-document.ts';
import { configurationDocument, envExample } from './variable-documents.ts';

writeFileSync(new URL('./errors.md', import.meta.url), errorsDocument());
writeFileSync(new URL('../.env.example', import.meta.url), envExample());
writeFileSync(new URL('./configuration.md', import.meta.url), configurationDocument());

const api = new URL('./api.md', import.meta.url);
writeFileSync(api, withOptionsTable(readFileSync(api, 'utf8')));

writeFileSync(typesFile, apiTypes());
