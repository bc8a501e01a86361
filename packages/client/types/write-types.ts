import { fileURLToPath } from 'node:url';
import { makeTypes, type Schemas } from './make-types.ts';

/** Where the types are. */
export const typesFile = fileURLToPath(new URL('../src/api-types.ts', import.meta.url));

/** The components that the client names; those that they refer to follow. */
const names = [
  'BatchData',
  'BatchRequest',
  'CreatePaymentLinkRequest',
  'CreateTokenAccountTransferRequest',
  'Event',
  'PaymentLink',
  'Problem',
  'Summary',
  'TokenTransferRequest',
  'TransferData',
  'TransferOutcome',
  'TransferRequest',
  'WebhookEndpoint',
] as const;

/** Writes what belongs into `src/api-types.ts`: the types of requests and replies in the OpenAPI document of a service. */
export function apiTypes(openApiDocument: unknown): string {
  const document: { components: { schemas: Schemas } } = Object(openApiDocument);
  return `// Written by \`npm run docs\` from the schemas of the server.\n${makeTypes(document.components.schemas, names)}\n`;
}
