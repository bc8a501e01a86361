import { figure, type Section } from '../report/section.ts';
import { judgeRatio } from '../report/targets.ts';
import { readPool } from '../service/pool.ts';
import type { Stage } from '../service/services.ts';
import { median, medianRatio } from '../statistics.ts';
import { recipientCount } from './batch-work.ts';
import { type BatchCost, measureCore } from './measure-core.ts';
import { measureService } from './measure-service.ts';

/** Measures a batch of a thousand recipients, over HTTP and in the core alone, beside loops of the peers. */
export async function measureBatches(stage: Stage): Promise<Section[]> {
  const pool = readPool(stage.poolPath);
  const { kit, web3js, bitgo, unseen, seen } = await measureCore(pool);
  const service = await measureService(stage, pool);
  const overHttp = median(service.cost.milliseconds);
  const row = (cost: BatchCost, calls: string): string[] => [
    cost.name,
    figure(median(cost.milliseconds)),
    `${figure(median(cost.milliseconds) / overHttp)}×`,
    String(cost.transactions),
    cost.bytes.toLocaleString('en'),
    calls,
  ];
  return [
    {
      title: `A batch of ${recipientCount.toLocaleString('en')} recipients`,
      method:
        'Each recipient is paid once, and its token account created if it is missing. Over HTTP: the processor time of the server, ' +
        'log on, every account read and checked. A loop makes a transaction for each recipient, decides nothing and reads only one ' +
        'blockhash. The core alone parses, derives, decides, packs, encodes, reads back and sums up. Medians.',
      head: ['way', 'processor ms', 'against HTTP', 'transactions', 'bytes', 'upstream calls'],
      rows: [
        row(service.cost, figure(service.calls)),
        row(unseen, 'none'),
        row(seen, 'none'),
        row(kit, '1'),
        row(web3js, '1'),
        row(bitgo, '1'),
      ],
      notes: [],
      results: [
        judgeRatio('batch.http.kit', median(kit.milliseconds) / overHttp),
        judgeRatio('batch.core.unseen', median(unseen.milliseconds)),
        judgeRatio('batch.core.seen', median(seen.milliseconds)),
      ],
    },
    {
      title: 'Batches and others',
      method:
        'One process. Memory: resident after a thousand batches against before them, the same recipients, after five hundred ' +
        'batches of warm-up. Single transfers: four connections, their 99th percentile alone and next to ten batches of a ' +
        'thousand in flight all the time, in interleaved rounds.',
      head: ['what', 'figure'],
      rows: [
        ['resident MiB after a thousand batches', figure(service.residentBytes / 2 ** 20)],
        ['the same against before', figure(service.memoryRatio)],
        ['p99 of single transfers alone, ms', figure(median(service.alone))],
        ['p99 beside ten batches, ms', figure(median(service.beside))],
      ],
      notes: [],
      results: [
        judgeRatio('batch.memory', service.memoryRatio),
        judgeRatio('batch.others.p99', medianRatio(service.beside, service.alone)),
      ],
    },
  ];
}
