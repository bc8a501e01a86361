import { type Static, Type } from 'typebox';

const outcome = Type.Union([Type.Literal('ok'), Type.Literal('failed')]);

/** The body of `/readyz`, whether the service is ready or not. */
export const readinessSchema = Type.Object(
  {
    status: Type.Union([Type.Literal('ready'), Type.Literal('not_ready')]),
    checks: Type.Record(Type.String(), outcome, {
      description: 'What must work: `upstream`, which is ok while one of the upstreams is, and `keys`.',
    }),
    upstreams: Type.Record(
      Type.String(),
      Type.Object(
        {
          status: outcome,
          reason: Type.Optional(Type.String({ description: 'Why requests cannot be answered with its help.' })),
          slot_lag: Type.Optional(
            Type.Integer({ description: 'Slots by which its last answer was behind the newest slot seen on any.' }),
          ),
        },
        { additionalProperties: false },
      ),
      { description: 'Each upstream by number, the preferred one first; never by its URL.' },
    ),
  },
  { additionalProperties: false },
);

/** How ready the service is. */
export type Readiness = Static<typeof readinessSchema>;
