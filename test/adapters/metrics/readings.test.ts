import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Registry } from 'prom-client';
import { createReadings, type ReadValue } from '../../../adapters/metrics/readings.ts';
import { parseExposition, samplesOf, sampleValue } from '../../support/parse-exposition.ts';

describe('values that somebody has to be asked for', () => {
  function startReadings() {
    const registry = new Registry();
    let at = 0;
    const readings = createReadings(registry, { elapsedMs: () => at, limitMs: 50 });
    const told = async () => {
      await readings.refresh();
      return parseExposition(await registry.metrics());
    };
    const advance = (ms: number): void => {
      at += ms;
    };
    return { readings, told, advance };
  }
  const gauge = { gauge: 'things', help: 'Things that wait.', labelNames: ['kind'] } as const;
  const row = (kind: string, value: number): ReadValue<'kind'> => ({ labels: { kind }, value });

  it('are asked for no more often than every ten seconds, however many scrapers there are', async () => {
    const { readings, told, advance } = startReadings();
    let asked = 0;
    const read = async () => {
      asked += 1;
      return [row('a', asked)];
    };
    readings.add({ ...gauge, name: 'a', read });
    await Promise.all([told(), told(), told()]);
    assert.equal(sampleValue(await told(), 'things', { kind: 'a' }), 1);
    advance(10_000);
    assert.equal(sampleValue(await told(), 'things', { kind: 'a' }), 2);
  });

  it('are not told when nobody answers, so that no old value stands for a new one, and are told again afterwards', async () => {
    const { readings, told, advance } = startReadings();
    let answer: () => Promise<readonly ReadValue<'kind'>[]> = async () => [row('a', 1)];
    readings.add({ ...gauge, name: 'a', read: () => answer() });
    readings.add({ ...gauge, name: 'b', read: async () => [row('b', 7)] });
    const seen = async () => {
      const families = await told();
      advance(10_000);
      const values = samplesOf(families, 'things').map(({ labels, value }) => [labels.kind, value]);
      return [values, sampleValue(families, 'fairlead_metrics_reading_up', { reading: 'a' })];
    };
    const known = [['a', 1] as const, ['b', 7] as const];
    assert.deepEqual(await seen(), [known, 1]);
    answer = () => Promise.reject(new Error('away'));
    assert.deepEqual(await seen(), [[['b', 7]], 0]);
    const hanging = Promise.withResolvers<readonly ReadValue<'kind'>[]>();
    let asked = 0;
    answer = () => {
      asked += 1;
      return hanging.promise;
    };
    assert.deepEqual(await seen(), [[['b', 7]], 0]);
    assert.deepEqual(await seen(), [[['b', 7]], 0]);
    assert.equal(asked, 1, 'who hangs is not asked again meanwhile');
    hanging.resolve([]);
    answer = async () => [row('a', 1)];
    await hanging.promise;
    await seen();
    assert.deepEqual(await seen(), [known, 1]);
  });

  it('add up where several have the same labels, and are not told where one of these is not known', async () => {
    const { readings, told, advance } = startReadings();
    let isAway = false;
    readings.add({ ...gauge, name: 'a', read: async () => [row('a', 2)] });
    readings.add({
      ...{ ...gauge, name: 'a' },
      read: async () => (isAway ? Promise.reject(new Error('away')) : [row('a', 3)]),
    });
    assert.equal(sampleValue(await told(), 'things', { kind: 'a' }), 5);
    isAway = true;
    advance(10_000);
    assert.deepEqual(samplesOf(await told(), 'things'), []);
  });
});
