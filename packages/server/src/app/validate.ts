import type { FastifyInstance, FastifyRequest, FastifySchemaCompiler } from 'fastify';
import type { TSchema } from 'typebox';
import { compileShape, type RequestPart, type Shape } from './read-shape.ts';
import { allFaults, invalidRequest } from './refusal.ts';

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
