import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startStoreProcess } from '../child-process.ts';
import { keyDatabases, openPatiently } from '../databases.ts';
import { claimBy, leaseMs, replyWith, requestOf, retentionMs, start } from './idempotent-requests.ts';

const processes = 8;
const requests = 200;
const requestsModule = new URL('./idempotent-requests.ts', import.meta.url).href;
const imports = `const { claimBy, leaseMs, replyWith, requestOf, retentionMs, start } = await import('${requestsModule}');`;

/** The name of the attempt of a process at a request. */
const attemptOf = `const attemptOf = (index) => process.pid + ' ' + index;`;

for (const { name, newUrl } of keyDatabases) {
  describe(`processes that share the requests in ${name}`, { timeout: 240_000 }, () => {
    /** Lets processes run a script at once; resolves to the JSON that each printed. */
    async function race(url: string, script: string): Promise<readonly string[][]> {
      // Not as services, which give up after a second: on a slow disk one of so many may have to wait longer for the lock.
      const children = Array.from({ length: processes }, () =>
        startStoreProcess(url, `${imports} ${attemptOf} await go(); ${script}`),
      );
      await Promise.all(children.map(({ ready }) => ready));
      for (const child of children) child.go();
      const ends = await Promise.all(children.map(({ ended }) => ended));
      return ends.map(({ status, output }) => {
        assert.equal(status, 0, output);
        return JSON.parse(output);
      });
    }

    it('win each request once, when all claim it at the same time', async (t) => {
      const url = await newUrl(t);
      const script = `
        const won = [];
        for (let index = 0; index < ${requests}; index += 1) {
          const id = requestOf('order ' + index);
          const { kind } = await store.idempotency.claim(id, claimBy(attemptOf(index)));
          if (kind === 'claimed') won.push(index + '');
          if (kind !== 'claimed' && kind !== 'building') throw new Error(kind);
        }
        console.log(JSON.stringify(won));`;
      const won = (await race(url, script)).flat();
      assert.equal(won.length, requests);
      assert.equal(new Set(won).size, requests);
    });

    it('take over each attempt that was left behind, once, and its late reply is refused', async (t) => {
      const url = await newUrl(t);
      const store = await openPatiently(url, t);
      for (let index = 0; index < requests; index += 1) {
        await store.idempotency.claim(requestOf(`order ${index}`), claimBy('left behind'));
      }
      const script = `
        const won = [];
        for (let index = 0; index < ${requests}; index += 1) {
          const [id, attempt] = [requestOf('order ' + index), attemptOf(index)];
          const { kind } = await store.idempotency.claim(id, claimBy(attempt, { now: start + leaseMs }));
          if (kind !== 'claimed') continue;
          if (await store.idempotency.complete(id, attempt, replyWith({ reply: attempt }), start + leaseMs, retentionMs))
            won.push(index + '=' + attempt);
        }
        console.log(JSON.stringify(won));`;
      const won = new Map((await race(url, script)).flat().map((entry) => [entry.split('=')[0], entry.split('=')[1]]));
      assert.equal(won.size, requests);
      for (let index = 0; index < requests; index += 1) {
        const id = requestOf(`order ${index}`);
        assert.equal(await store.idempotency.complete(id, 'left behind', replyWith(), start, retentionMs), false);
        const found = await store.idempotency.claim(id, claimBy('later', { now: start + leaseMs }));
        assert.equal(found.kind === 'built' && found.record.reply, won.get(String(index)));
      }
    });

    it('lose nothing when one is killed: a claim ends with its lease, a reply that was stored stays', async (t) => {
      const url = await newUrl(t);
      const store = await openPatiently(url, t);
      const killed = startStoreProcess(
        url,
        `${imports}
        await store.idempotency.claim(requestOf('claimed'), claimBy('killed'));
        for (let index = 0; ; index += 1) {
          const id = requestOf('order ' + index);
          await store.idempotency.claim(id, claimBy('killed'));
          await store.idempotency.complete(id, 'killed', replyWith(), start, retentionMs);
          console.log('stored ' + index);
        }`,
        'service',
      );
      // Killed in the middle of its work, at no moment that anybody chose.
      await killed.printed('stored 20\n');
      killed.kill();
      const { output } = await killed.ended;
      const stored = [...output.matchAll(/stored (\d+)\n/g)].map(([, index]) => Number(index));
      for (const index of stored) {
        const { kind } = await store.idempotency.claim(requestOf(`order ${index}`), claimBy('later'));
        assert.equal(kind, 'built', `order ${index}`);
      }
      const id = requestOf('claimed');
      const early = claimBy('later', { now: start + leaseMs - 1 });
      assert.deepEqual(await store.idempotency.claim(id, early), { kind: 'building', startedAt: start });
      const late = claimBy('later', { now: start + leaseMs });
      assert.deepEqual(await store.idempotency.claim(id, late), { kind: 'claimed', landed: [] });
      assert.equal(await store.idempotency.complete(id, 'later', replyWith(), start + leaseMs, retentionMs), true);
    });
  });
}
