import type { FastifyInstance, FastifyRequest, FastifySchemaCompiler } from 'fastify';
import type { TSchema } from 'typebox';
import { AppError, type DescribedFinding, type ProblemCode } from '../problems.ts';
import { compileShape, type RequestPart, type Shape } from './read-shape.ts';
import { describeHidden } from './visible-text.ts';

// By the refusal that a validator made of each.
const shapes: Readonly<Record<RequestPart, WeakMap<object, Shape<unknown>>>> = {
  body: new WeakMap(),
  query: new WeakMap(),
};

/** Makes TypeBox check what is sent to the routes of an app, by their schemas. Replies are written as theirs say, which tests check. */
export function checkBySchemas(app: FastifyInstance): void {
  app.setValidatorCompiler(compileValidator);
  app.setSerializerCompiler(() => JSON.stringify);
}

// Headers and parameters in paths are texts of any kind, of which their readers say what is wrong.
const compileValidator: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  if (httpPart === 'headers' || httpPart === 'params') return (value: unknown) => ({ value });
  const part = httpPart === 'querystring' ? 'query' : 'body';
  const read = compileShape(schema, part);
  return (sent: unknown) => {
    const shape = read(sent);
    const faults = allFaults(shape);
    if (faults.length === 0) return { value: shape.values };
    const error = invalidRequest(faults, sent);
    shapes[part].set(error, shape);
    return { error };
  };
};

/**
 * Returns the shape of the body of a route with `attachValidation`, which finds more faults than those of the schema and refuses
 * all of them at once.
 */
export function shapeOf<Body>({ body, validationError }: Validated & { body: Body }): Shape<Body> {
  return attachedShape('body', body, validationError);
}

/** Returns the shape of the query of such a route. */
export function queryShapeOf<Query>({ query, validationError }: Validated & { query: Query }): Shape<Query> {
  return attachedShape('query', query, validationError);
}

type Validated = Pick<FastifyRequest, 'validationError'>;

function attachedShape<Value>(part: RequestPart, value: Value, error: Validated['validationError']): Shape<Value> {
  const shape = error && shapes[part].get(error);
  // The validator of the route's own schema made it, and otherwise found the value to be right.
  return (shape ?? { values: value, findings: [], constraints: [] }) as Shape<Value>;
}

/** How many findings one refusal lists. */
const maxFindings = 100;

/** The refusal that has the code and the detail of the first of its findings, and lists 100 of them at most. */
export function refusalOf(findings: readonly [DescribedFinding, ...DescribedFinding[]]): AppError {
  const [first, ...others] = findings;
  const unlistedCount = Math.max(0, findings.length - maxFindings);
  const where = unlistedCount > 0 ? `${maxFindings - 1} of them in errors` : 'in errors';
  const more = others.length > 0 ? ` (and ${others.length} more, ${where})` : '';
  return new AppError(first.code, `${first.detail}${more}`, { findings: findings.slice(0, maxFindings) });
}

/**
 * The refusal of a request with faults of its own, of which it lists 100 at most.
 *
 * `body`: as it was parsed, in which the pointers of the findings lead to values.
 */
export function invalidRequest(all: readonly DescribedFinding[], body: unknown): AppError {
  const listed = all.length > maxFindings ? knownFieldsFirst(all).slice(0, maxFindings) : all;
  const findings = listed.map((finding) => nameHidden(finding, body));
  const first = findings[0]?.detail ?? '';
  const count = all.length > maxFindings ? `more than ${maxFindings} faults` : `${all.length} faults`;
  const detail = all.length === 1 ? first : `The request has ${count}, the first: ${first}`;
  return new AppError('invalid_request', detail, { findings });
}

/**
 * Every fault of a request: those of its shape, of fields that exclude each other, and what was found in its values.
 *
 * A value that breaks a rule of the schema is reported by that only where nothing was found in it: who reads the value says more.
 */
export function allFaults(
  { findings, constraints }: Pick<Shape<unknown>, 'findings' | 'constraints'>,
  exclusions: readonly DescribedFinding[] = [],
  found: readonly DescribedFinding[] = [],
): readonly DescribedFinding[] {
  // A body that is no object has no fields to miss.
  const isObject = findings.every(({ pointer }) => pointer !== '');
  const described = new Set(constraints.length === 0 ? [] : found.flatMap(({ pointer }) => withParents(pointer)));
  const undescribed = constraints.filter(({ pointer }) => !described.has(pointer));
  return [...findings, ...(isObject ? exclusions : []), ...found, ...undescribed];
}

// `/a/0/b`, `/a/0` and `/a` of `/a/0/b`.
function withParents(pointer: string): readonly string[] {
  const names = pointer.split('/');
  return names.slice(1).map((_, index) => names.slice(0, index + 2).join('/'));
}

// A value with a hidden character looks right: whatever is wrong with it otherwise, that character is what to remove.
const ofValues: readonly ProblemCode[] = [
  'invalid_address',
  'invalid_amount',
  'invalid_block_height',
  'invalid_transaction',
  'invalid_value',
];

/** Returns a finding about a value that has hidden characters as one that names them; every other finding as it is. */
export function nameHidden(finding: DescribedFinding, body: unknown): DescribedFinding {
  const { code, pointer } = finding;
  // People read these, in any script.
  if (!ofValues.includes(code) || pointer === '/label' || pointer === '/message') return finding;
  const names = pointer.split('/').slice(1);
  const value = names.reduce<unknown>((parent, name) => Object(parent)[name], body);
  const fault = typeof value === 'string' ? describeHidden(value) : undefined;
  return fault === undefined ? finding : { ...finding, detail: `${names.join('/')} ${fault}.` };
}

// There may be thousands of unknown fields: findings about known fields come first.
function knownFieldsFirst(findings: readonly DescribedFinding[]): readonly DescribedFinding[] {
  const isUnknown = ({ code }: DescribedFinding): boolean => code === 'unknown_field';
  return [...findings.filter((finding) => !isUnknown(finding)), ...findings.filter(isUnknown)];
}
