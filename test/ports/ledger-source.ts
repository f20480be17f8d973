import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { LedgerSource } from '../../domain/audit/ports.ts';

export interface SourceUnderTest {
  readonly source: LedgerSource;
  /** Puts an event into the source, after all others. @returns its key */
  add(name: string): Promise<string>;
  /** The same source as the next process has it. Not called where nothing outlives the process. */
  reopen(): Promise<LedgerSource>;
  /** What was kept aside: key and code. */
  refused(): Promise<readonly (readonly [string, string])[]>;
}

const REFUSAL = { code: 'EVENT_INVALID', message: 'entityId: too short' };

/** What every {@link LedgerSource} guarantees; `durable` ones also over the end of the process. */
export function ledgerSourceSuite(create: () => Promise<SourceUnderTest>, { durable }: { durable: boolean }): void {
  const keysOf = async (source: LedgerSource, limit = 50) => (await source.readNext(limit)).map(({ key }) => key);
  async function filled(count: number) {
    const under = await create();
    const keys: string[] = [];
    for (let number = 0; number < count; number += 1) keys.push(await under.add(`event-${number}`));
    return { ...under, keys };
  }

  describe('LedgerSource', () => {
    it('gives the oldest first, at most so many, and again until they are marked', async () => {
      const { source, keys } = await filled(5);
      assert.deepEqual(await keysOf(source, 3), keys.slice(0, 3));
      assert.deepEqual(await keysOf(source), keys);
      for (const event of await source.readNext(2)) await source.markDelivered(event);
      assert.deepEqual(await keysOf(source), keys.slice(2));
    });

    it('gives each event with what it says', async () => {
      const { source, keys } = await filled(1);
      const [event] = await source.readNext(1);
      assert.equal(event?.key, keys[0]);
      assert.match(JSON.parse(event?.body ?? '').entityId, /event-0/);
    });

    it('is empty once all is marked, and takes what comes after', async () => {
      const { source, add } = await filled(2);
      for (const event of await source.readNext(2)) await source.markDelivered(event);
      assert.deepEqual(await source.readNext(2), []);
      const key = await add('later');
      assert.deepEqual(await keysOf(source), [key]);
    });

    it('marks once what is marked twice, in either way', async () => {
      const { source, keys, refused } = await filled(3);
      const [first, second] = await source.readNext(2);
      assert.ok(first !== undefined && second !== undefined);
      await source.markDelivered(first);
      await source.markDelivered(first);
      await source.markRefused(first, REFUSAL);
      await source.markRefused(second, REFUSAL);
      await source.markRefused(second, REFUSAL);
      await source.markDelivered(second);
      assert.deepEqual(await keysOf(source), keys.slice(2));
      assert.deepEqual(await refused(), durable ? [[second.key, REFUSAL.code]] : []);
    });

    if (!durable) return;

    it('the next process finds what waits, in its order, and nothing that was marked', async () => {
      const { source, keys, refused, reopen } = await filled(5);
      const [delivered, rejected] = await source.readNext(2);
      assert.ok(delivered !== undefined && rejected !== undefined);
      await source.markDelivered(delivered);
      await source.markRefused(rejected, REFUSAL);
      assert.deepEqual(await keysOf(await reopen()), keys.slice(2));
      assert.deepEqual(await refused(), [[rejected.key, REFUSAL.code]]);
    });
  });
}
