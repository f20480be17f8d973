import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { renderHtml } from '../../../api/http/pages/html.ts';
import { type RuntimeState, runtimeStateSchema } from '../../../domain/deploys/workload-state-schema.ts';
import { runtimeLine } from '../../../web/services/runtime-line.ts';
import { releaseRecord } from '../../ports/records.ts';
import { workloadState } from '../../ports/workload-states.ts';
import { type ConsoleOnBuilder, startConsoleOnBuilder } from '../../support/console-on-builder.ts';

const NOW = new Date('2026-01-01T02:00:00Z');
const textOf = (page: string) =>
  page
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();

const STATE: RuntimeState = runtimeStateSchema.parse({
  ...{ status: 'running', since: '2026-01-01T00:00:00Z', restarts: 0, outOfMemory: false },
  health: { ok: true, status: 200, path: '/health' },
  ...{ memoryBytes: 61 * 1024 ** 2, memoryLimitBytes: 256 * 1024 ** 2, cpuMillis: 12, cpuLimitMillis: 250 },
  measuredAt: '2026-01-01T01:59:30Z',
});

describe('how a service is, on its page', () => {
  const silent = { ok: false, status: null, path: '/health' };
  const nothing = { memoryBytes: null, memoryLimitBytes: null, cpuMillis: null, cpuLimitMillis: null, health: null };
  const rows: readonly [changes: Partial<RuntimeState> | null, text: RegExp][] = [
    [{}, /^Healthy up since 2 ?h.* · 61 of 256 MiB · 0\.012 of 0\.25 CPU$/],
    [{ restarts: 1 }, /· 1 restart ·/],
    [{ health: silent, restarts: 4 }, /^Does not answer .* · 4 restarts ·/],
    [{ health: { ...silent, status: 503 } }, /^Unhealthy: \/health answered 503 /],
    [{ health: null }, /^Running /],
    [{ ...nothing, status: 'restarting', outOfMemory: true }, /^Restarts: out of memory down since/],
    [{ ...nothing, status: 'stopped', since: null }, /^Stopped$/],
    [{ cpuMillis: null, memoryLimitBytes: null }, /· 61 MiB$/],
    [{ measuredAt: '2026-01-01T01:50:00Z' }, /CPU · measured 10 ?m/],
    [null, /will be known in a minute/],
  ];
  for (const [changes, text] of rows) {
    it(String(text), () => {
      const state = changes === null ? null : { ...STATE, ...changes };
      assert.match(textOf(renderHtml(runtimeLine(state, NOW))), text);
    });
  }

  describe('from the builder', () => {
    let on: ConsoleOnBuilder;
    before(async () => {
      on = await startConsoleOnBuilder();
      await on.builder.services.upsert({ id: 'svc_shop', name: 'shop', org: 'acme' }, {});
      const release = releaseRecord({ id: 'rel_1', buildId: 'bld_1', service: 'shop', serviceId: 'svc_shop' });
      await on.builder.releases.put(release);
      await on.builder.releases.activate('rel_1', { at: new Date(), epoch: 1, buildId: 'bld_1' });
    });
    after(() => on.stop());

    it('is shown to a viewer once it was measured', async () => {
      const browser = await on.browseAs({ sub: 'usr_ann', orgSlug: 'acme', orgRoles: ['viewer'] });
      assert.match(textOf((await browser.get('/services/shop')).text), /will be known in a minute/);
      await on.builder.workloadStates.put(workloadState({ buildId: 'bld_1' }));
      assert.match(textOf((await browser.get('/services/shop')).text), /Healthy .* 1 restart · 64 of 256 MiB/);
    });
  });
});
