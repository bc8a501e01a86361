import { finish } from 'splwright-core';
import type { Static } from 'typebox';
import { compileShape, type Shape } from '../../src/app/read-shape.ts';
import { linkBody } from '../../src/links/link-body.ts';
import { readLinkRequest } from '../../src/links/link-requests.ts';
import type { NewPaymentLink } from '../../src/links/make-link.ts';
import { outcomeBody } from '../../src/outcomes/outcome-schema.ts';
import { readOutcomeBody } from '../../src/outcomes/read-outcome-body.ts';
import { readBatchRequest } from '../../src/transfers/read-batch-request.ts';
import {
  type ReadTransferRequest,
  readTransferRequest,
  type SinglePath,
} from '../../src/transfers/read-transfer-request.ts';
import {
  batchBody,
  createTransferBody,
  paths,
  type TransferFields,
  tokenTransferBody,
  transferBody,
} from '../../src/transfers/transfer-schema.ts';

// Bodies read as their routes read them, by the schema of the route and what comes after it.

const shapes: Readonly<Record<SinglePath, (body: unknown) => Shape<TransferFields>>> = {
  [paths.memoTransfer]: compileShape(tokenTransferBody),
  [paths.createTransfer]: compileShape(createTransferBody),
  [paths.transfers]: compileShape(transferBody),
};
const batchShape = compileShape(batchBody);
const linkShape = compileShape(linkBody);

/** Reads the shape of a body that asks for outcomes. */
export const outcomeShape: (body: unknown) => Shape<Static<typeof outcomeBody>> = compileShape(outcomeBody);

/** Reads a body that pays one recipient. */
export function readTransfer(path: SinglePath, body: unknown): ReadTransferRequest {
  return readTransferRequest(path, shapes[path](body), body);
}

/** Reads the body of a batch. */
export function readBatch(body: unknown) {
  return finish(readBatchRequest(batchShape(body)));
}

/** Reads a body that makes a link. */
export function readLink(body: unknown, isOnSandbox = true): NewPaymentLink {
  return readLinkRequest(linkShape(body), body, isOnSandbox);
}

/** Reads a body that asks for outcomes. */
export function readOutcome(body: unknown) {
  return finish(readOutcomeBody(outcomeShape(body)));
}
