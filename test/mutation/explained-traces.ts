import { type Explanation, explain } from './explanation.ts';

const traces = 'packages/server/src/traces';
const requestSpans = `${traces}/request-spans.ts`;

const sending = `${traces}/traces.ts`;

const savesCalls = 'A span that records nothing, or has ended, takes no attributes and does not end again.';

/** The mutants of traces that no test can or need notice. */
export const explainedInTraces: readonly Explanation[] = [
  ...explain(
    requestSpans,
    'keys: (carrier) => Object.keys(carrier),',
    'drop call',
    'The propagator asks for the headers that it knows, and lists none.',
  ),
  ...explain(
    requestSpans,
    "app.decorateRequest('traced', null);",
    'delete statement',
    'It gives all requests one shape; a member that is missing is as good as `null`.',
  ),
  ...explain(
    requestSpans,
    "if (traced.span.isRecording()) reply.raw.once('close', () => endUnanswered(traced));",
    'drop call',
    'It saves a listener that does nothing.',
    'traced.span.isRecording()',
  ),
  ...explain(
    requestSpans,
    'if (!traced) return done();',
    'delete statement',
    'It narrows a type: the hook before has traced every request.',
  ),
  ...explain(requestSpans, 'if (!span.isRecording()) return;', ['delete statement', 'drop call'], savesCalls),
  ...explain(
    sending,
    'const maxFlushMs = 1_000;',
    'change constant',
    'A stop waits for a second: one millisecond more changes nothing that is promised.',
  ),
  ...explain(
    sending,
    'const maxBatchesUnderWay = 4;',
    'change constant',
    'It bounds the memory that batches under way may take.',
  ),
];
