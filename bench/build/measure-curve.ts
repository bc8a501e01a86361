import { randomBytes } from 'node:crypto';
import { getAddressDecoder, getAddressEncoder, isOffCurveAddress } from '@solana/kit';
import { isOnCurve } from '../../packages/core/src/index.ts';
import { processorMicroseconds, timeInRounds } from '../processor-time.ts';
import { figure, type Section } from '../report/section.ts';
import { judgeRatio } from '../report/targets.ts';
import { median, medianRatio } from '../statistics.ts';

const timing = { rounds: 21, warmUpRounds: 6, microsecondsPerRound: 60_000 };

const ways = ['splwright', 'kit', 'kit base58'] as const;

/** Measures the curve test beside kit's, on the same random inputs. */
export async function measureCurve(): Promise<Section> {
  const encoder = getAddressEncoder();
  const decoder = getAddressDecoder();
  let found = 0;
  const times = await timeInRounds(ways, timing, async (way, count) => {
    const inputs = Array.from({ length: count }, () => Uint8Array.from(randomBytes(32)));
    if (way === 'splwright') {
      return processorMicroseconds(() => {
        for (const bytes of inputs) if (isOnCurve(bytes)) found++;
      });
    }
    const addresses = inputs.map((bytes) => decoder.decode(bytes));
    return processorMicroseconds(() => {
      for (const address of addresses) {
        if (way === 'kit') found += isOffCurveAddress(address) ? 0 : 1;
        else found += encoder.encode(address).length;
      }
    });
  });
  const own = times.get('splwright') ?? [];
  const base58 = times.get('kit base58') ?? [];
  // Kit exports its test for texts only: what it spends on reading the text is measured beside it and taken away.
  const kit = (times.get('kit') ?? []).map((whole, round) => whole - (base58[round] ?? 0));
  if (found === 0) throw new Error('nothing is on the curve');
  return {
    title: 'The curve test',
    method:
      'Whether 32 random bytes are a point of the curve. Kit exports the test for base58 texts only, so reading the text ' +
      `(${figure(median(base58))} µs) is subtracted. Microseconds of processor time, medians.`,
    head: ['test', 'µs'],
    rows: [
      ['splwright', figure(median(own))],
      ['@solana/kit', figure(median(kit))],
    ],
    notes: [],
    results: [judgeRatio('curve.kit', medianRatio(kit, own))],
  };
}
