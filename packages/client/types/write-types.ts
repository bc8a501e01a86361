import { fileURLToPath } from 'node:url';
import { openApiDocument } from '../../server/src/app/openapi/document.ts';
import { makeTypes, type Schemas } from './make-types.ts';

/** Where the types are. */
export const typesFile = fileURLToPath(new URL('../src/api-types.ts', import.meta.url));

/** The components that the client names; those that they refer to follow. */
const names = [
  'BatchData',
  'BatchRequest',
  'CreatePaymentLinkRequest',
  'CreateTokenAccountTransferRequest',
  'PaymentLink',
  'Problem',
  'Summary',
  'TokenTransferRequest',
  'TransferData',
  'TransferOutcome',
  'TransferRequest',
] as const;

/** Writes what belongs into `src/api-types.ts`: the types of requests and replies, from the tables of the server. */
export function apiTypes(): string {
  // By way of JSON, as the service sends it.
  const document: { components: { schemas: Schemas } } = JSON.parse(JSON.stringify(openApiDocument('', false)));
  return `// Written by \`npm run docs\` from the tables of the server.\n${makeTypes(document.components.schemas, names)}\n`;
}
