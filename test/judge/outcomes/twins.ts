import { fixedAddress } from '../addresses.ts';
import type { Random } from '../random.ts';
import type { Purpose } from './history-world.ts';
import type { PostedRequest } from './request-body.ts';

/** In what a twin differs from the payment itself. */
type Difference = 'nothing' | 'memo' | 'reference' | 'amount';

/** Draws the requests of all purposes: the payment itself, and twins of it, which are mostly equal payments. */
export function drawTwins(random: Random, posted: PostedRequest): Record<Purpose, PostedRequest> {
  const draw = (): PostedRequest => {
    const difference = random.weighted<Difference>({ nothing: 5, memo: 2, reference: 2, amount: 1 });
    return twinOf(posted, difference, random);
  };
  return { 0: posted, 1: draw(), 2: draw(), plain: draw() };
}

function twinOf({ path, body }: PostedRequest, difference: Difference, random: Random): PostedRequest {
  switch (difference) {
    case 'nothing':
      return { path, body };
    case 'memo': {
      const name = ['memo', 'yid'].find((each) => body[each] !== undefined);
      return { path, body: name === undefined ? body : { ...body, [name]: `${String(body[name])}!` } };
    }
    case 'reference':
      return { path, body: { ...body, references: [fixedAddress(`twin ${random.integer(0, 1e9)}`)] } };
    case 'amount': {
      const { amount } = body;
      return { path, body: typeof amount === 'string' ? { ...body, amount: `${BigInt(amount) + 1n}` } : body };
    }
  }
}
