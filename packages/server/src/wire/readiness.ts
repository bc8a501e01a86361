import { type Static, Type } from 'typebox';

const outcome = Type.Union([Type.Literal('ok'), Type.Literal('failed')]);

/** The body of `/readyz`, whether the service is ready or not. */
export const readinessSchema = Type.Object(
  {
    status: Type.Union([Type.Literal('ready'), Type.Literal('not_ready'), Type.Literal('stopping')], {
      description:
        '`stopping` from the signal to stop on: nothing is checked any more, and no new connection should be made.',
    }),
    checks: Type.Record(Type.String(), outcome, {
      description: 'What must work: `upstream`, which is ok while enough of the upstreams are, and `keys`.',
    }),
    upstreams: Type.Record(
      Type.String(),
      Type.Object(
        {
          status: outcome,
          reason: Type.Optional(Type.String({ description: 'Why it is not used.' })),
          slot_lag: Type.Optional(
            Type.Integer({
              description: 'How many slots its last answer was behind the newest slot seen on any upstream.',
            }),
          ),
        },
        { additionalProperties: false },
      ),
      { description: 'The upstreams by number, the preferred one first; never by URL.' },
    ),
  },
  { additionalProperties: false },
);

/** How ready the service is. */
export type Readiness = Static<typeof readinessSchema>;
