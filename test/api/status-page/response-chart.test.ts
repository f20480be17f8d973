import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { renderHtml } from '../../../api/http/pages/html.ts';
import { responseChart } from '../../../api/status-page/dashboard/response-chart.ts';
import { FairleadError } from '../../../domain/errors.ts';
import type { RollUp } from '../../../domain/monitors/history.ts';
import { histogramOf } from '../../../domain/monitors/latency-histogram.ts';
import type { DeploySource, ServiceDeploy } from '../../../domain/status-page/ports.ts';
import { startMonitor, type TestMonitor } from '../../support/start-monitor.ts';

const HOUR_MS = 3_600_000;
const NOW = new Date('2026-11-02T10:00:00Z');
const PERIOD = { from: NOW.getTime() - 24 * HOUR_MS, to: NOW.getTime() };

const rollUp = (hoursAgo: number): RollUp => ({
  ...{ monitorId: 'mon_1', length: '5m', startsAt: new Date(NOW.getTime() - hoursAgo * HOUR_MS) },
  ...{
    checks: 10,
    failed: 0,
    upMs: 300_000,
    degradedMs: 0,
    downMs: 0,
    maintenanceMs: 0,
    latency: histogramOf([40, 50]),
  },
});
const deploy = (hoursAgo: number): ServiceDeploy => ({
  ...{ buildId: `bld_${hoursAgo}`, commit: 'c0ffee1234567890c0ffee1234567890c0ffee12' },
  at: new Date(NOW.getTime() - hoursAgo * HOUR_MS),
});

describe('the chart of response times', () => {
  it('has an upright line with a title where a deploy went live, and none without deploys', () => {
    const series = [rollUp(3), rollUp(2)];
    const drawn = renderHtml(responseChart(series, PERIOD, [deploy(12), deploy(0)]));
    // The middle and the end of what is drawn, from 56 to 720.
    assert.deepEqual(
      [...drawn.matchAll(/<line class="deploy" x1="([\d.]+)" x2="([\d.]+)"/g)].map(([, x1, x2]) => [x1, x2]),
      [
        ['388.0', '388.0'],
        ['720.0', '720.0'],
      ],
    );
    assert.match(drawn, /<title>Deploy of c0ffee1 at 2026-11-01 22:00 UTC<\/title>/);
    assert.match(drawn, /Upright: a deploy\./);
    assert.doesNotMatch(renderHtml(responseChart(series, PERIOD)), /deploy/i);
  });
});

describe('the page of a monitor', () => {
  let api: TestMonitor;
  const asked: unknown[] = [];
  const answer: { deploys: readonly ServiceDeploy[] | null } = { deploys: [] };
  const deploys: DeploySource = {
    async list({ serviceName, org, environment }, since) {
      asked.push([serviceName, org, environment, since]);
      if (answer.deploys === null) throw new FairleadError('UNAVAILABLE', 'away', { retryable: true });
      return answer.deploys;
    },
  };
  before(async () => {
    api = await startMonitor({ now: () => NOW, changes: { deploys } });
  });
  after(() => api.stop());

  const page = async (id: string): Promise<string> => {
    const { status, text } = await api.call('GET', `/dashboard/monitors/${id}`, undefined, {
      'x-test-caller': 'user/acme/viewer',
    });
    assert.equal(status, 200);
    return text;
  };

  it('lists the deploys that the chart marks in words; one that a person added has none; without the registry it says so', async () => {
    const url = 'https://shop.example.com/health';
    const registered = await api.call('POST', '/api/pulse/register', {
      ...{ serviceName: 'shop', org: 'acme', environment: 'prod', url },
    });
    const { id } = registered.body.data;
    answer.deploys = Array.from({ length: 12 }, (_, index) => deploy(12 - index));
    const shown = await page(id);
    assert.deepEqual(asked, [['shop', 'acme', 'prod', new Date(PERIOD.from)]]);
    assert.equal([...shown.matchAll(/<li>Deploy of c0ffee1 at/g)].length, 10);
    assert.match(shown, /<li>Deploy of c0ffee1 at 2026-11-02 09:00 UTC<\/li>/);
    assert.match(shown, /and 2 earlier ones/);
    answer.deploys = null;
    assert.match(await page(id), /The service registry does not answer, so no deploys are marked/);
    const added = await api.call(
      'POST',
      '/api/monitors',
      { name: 'db', check: { kind: 'tcp', host: 'db.example.com', port: 5432 } },
      { 'x-test-caller': 'user/acme/member' },
    );
    assert.doesNotMatch(await page(added.body.data.id), /service registry|Deploy of/);
  });
});
