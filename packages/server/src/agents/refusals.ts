const doNotRepeat = 'Tell the person. Do not build it again, neither under this order nor under another.';

/** Of refusals whose sentences are for programs, the advice to a model: those name the `Idempotency-Key`. */
const adviceByCode: Readonly<Record<string, string>> = {
  idempotency_key_reused: `This order was asked for before with other terms, and nothing was built now. ${doNotRepeat}`,
  already_landed: `This order is paid: landed has the signature. Nothing was built. ${doNotRepeat}`,
  previous_may_land:
    'What was built for this order may still land, so nothing was built. Repeat this call unchanged after retry_after_seconds.',
  idempotency_in_progress: 'The same call is being answered. Repeat it unchanged in a second.',
  identical_transaction:
    'An equal payment of another order has the same transaction. Repeat this call unchanged in a second.',
};

/** Returns a problem of a route as a model is told it. */
export function describeRefusal(problem: object): object {
  const advice = 'code' in problem ? adviceByCode[String(problem.code)] : undefined;
  return advice === undefined ? problem : { ...problem, detail: advice };
}
