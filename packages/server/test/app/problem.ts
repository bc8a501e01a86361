import assert from 'node:assert/strict';
import { Value } from 'typebox/value';
import { type ProblemBody, problemSchema } from '../../src/app/problem-schema.ts';
import { type Problem, type ProblemCode, problems } from '../../src/problems.ts';

/** One expected entry of `errors`: JSON pointer, code, detail. A pattern stands for a detail that it must match. */
export type Fault = readonly [pointer: string, code: ProblemCode, detail: string | RegExp];

const titlesAndStatuses: Readonly<Record<string, Problem>> = problems;

/** Reads a refusal and asserts what holds for every one: media type, members, agreement with the table and the headers. */
export async function readProblem(response: Response): Promise<ProblemBody> {
  assert.equal(response.headers.get('content-type'), 'application/problem+json');
  assert.equal(response.headers.get('cache-control'), 'no-store');
  assert.equal(response.headers.get('x-content-type-options'), 'nosniff');
  const body: unknown = await response.json();
  if (!Value.Check(problemSchema, body)) assert.fail(`not a problem: ${JSON.stringify(body)}`);
  const { code, detail, errors, message, logs, landed } = body;
  const row = titlesAndStatuses[code];
  const requestId = response.headers.get('x-request-id');
  assert.match(requestId ?? '', /^[A-Za-z0-9._:-]{1,128}$/);
  const fixed = { type: `/problems/${code}`, title: row?.title, status: row?.status, detail, code };
  const details = {
    ...(errors && { errors }),
    ...(message !== undefined && { message }),
    ...(logs && { logs }),
    ...(landed && { landed }),
  };
  const expected = { ...fixed, request_id: requestId, ...details };
  assert.equal(JSON.stringify(body), JSON.stringify(expected));
  assert.equal(response.status, body.status);
  assert.ok(detail.length > 0 && errors?.length !== 0);
  return body;
}

/** Asserts that a reply is this refusal, word for word, without `errors`. */
export async function assertProblem(response: Response, code: ProblemCode, detail: string): Promise<void> {
  const body = await readProblem(response);
  assert.deepEqual([body.code, body.detail, body.errors], [code, detail, undefined]);
}

/** Asserts that a reply is a 403 because the key may not do this: JSON pointer, and the words after "may not". */
export async function assertNotAllowed(
  response: Response,
  expected: readonly (readonly [pointer: string, what: string])[],
): Promise<void> {
  const { status, code, errors, detail } = await readProblem(response);
  const details = expected.map(([pointer, what]) => ({
    pointer,
    code: 'key_not_allowed',
    detail: `This API key may not ${what}. Use another key, or ask the operator to allow it.`,
  }));
  assert.deepEqual([status, code, errors], [403, 'key_not_allowed', details]);
  const more = details.length > 1 ? ` (and ${details.length - 1} more, in errors)` : '';
  assert.equal(detail, `${details[0]?.detail}${more}`);
}

/** Asserts that a reply is a 400 `invalid_request` with exactly these faults, in this order. */
export async function assertFaults(response: Response, faults: readonly Fault[]): Promise<void> {
  const body = await readProblem(response);
  const errors = body.errors ?? [];
  assert.equal(body.code, 'invalid_request', JSON.stringify(body));
  assert.deepEqual(
    errors.map(({ pointer, code }) => [pointer, code]),
    faults.map(([pointer, code]) => [pointer, code]),
    JSON.stringify(errors),
  );
  for (const [index, [, , detail]] of faults.entries()) {
    const actual = errors[index]?.detail ?? '';
    if (typeof detail === 'string') assert.equal(actual, detail);
    else assert.match(actual, detail);
  }
  const count = faults.length === 1 ? '' : `The request has ${faults.length} faults, the first: `;
  assert.equal(body.detail, `${count}${errors[0]?.detail}`);
}
