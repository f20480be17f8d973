import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { registerMonitor } from '../../../../activities/deploys/steps/register-monitor.ts';
import type { Release } from '../../../../domain/deploys/release.ts';
import type { Environment } from '../../../../domain/environment.ts';
import { FairleadError } from '../../../../domain/errors.ts';
import { releaseRecord } from '../../../ports/records.ts';
import { useDeploy } from '../use-deploy.ts';

async function useRelease(changes: Partial<Release> = {}, environment: Environment = 'prod') {
  const deploy = await useDeploy({ opened: true, build: { environment } });
  const { parts } = deploy;
  const release = { id: 'rel_1', service: 'hello', serviceId: 'svc_hello', environment } as const;
  await parts.releases.put(releaseRecord({ ...release, healthEndpoint: '/up', healthRule: 'declared', ...changes }));
  const ids = async () => (await parts.services.find('hello'))?.pulseMonitorIds;
  return { ...deploy, ids, watched: () => [...parts.monitor.monitors.values()], facts: { releaseId: 'rel_1' } };
}

describe('monitor', () => {
  for (const [environment, interval] of [
    ['prod', 30],
    ['sandbox', 60],
    ['uat', 60],
  ] as const) {
    it(`has the health address of ${environment} checked every ${interval} s, and keeps its id`, async () => {
      const { parts, attempt, watched, ids, facts } = await useRelease({}, environment);
      const step = attempt(facts);
      assert.deepEqual(await registerMonitor(parts, step), {});
      assert.deepEqual(watched(), [
        {
          ...{ serviceName: 'hello', org: 'acme', namespace: `hello-${environment}`, environment },
          ...{ url: `${parts.edge.url('hello', environment)}/up`, healthEndpoint: '/up', interval },
        },
      ]);
      assert.deepEqual(await ids(), { [environment]: `mon_hello-${environment}` });
      assert.match(step.lines.join(), /any 2xx counts as up/);
    });
  }

  it('has each custom domain checked every 60 s, and www of one for its redirect', async () => {
    const { parts, attempt, watched, ids, facts } = await useRelease();
    const verified = async () => ['shop.com', 'www.shop.com', 'www.alone.com'];
    await registerMonitor({ ...parts, customDomains: { ...parts.customDomains, verified } }, attempt(facts));
    assert.deepEqual(
      watched().map(({ url, interval, expectStatus }) => [url, interval, expectStatus]),
      [
        [`${parts.edge.url('hello', 'prod')}/up`, 30, undefined],
        ['https://shop.com/up', 60, undefined],
        ['https://www.shop.com/up', 60, 308],
        ['https://www.alone.com/up', 60, undefined],
      ],
    );
    assert.deepEqual(await ids(), { prod: 'mon_hello-prod' });
  });

  it('a second attempt changes nothing', async () => {
    const { parts, attempt, watched, ids, facts } = await useRelease();
    await registerMonitor(parts, attempt(facts));
    const first = [watched(), await ids()];
    await registerMonitor(parts, attempt(facts));
    assert.deepEqual([watched(), await ids()], first);
  });

  /** What an endpoint that nobody declared answers, and what the monitor is to expect of it. */
  const ANSWERS: readonly [status: number | null, expected: number | undefined][] = [
    [200, undefined],
    [204, undefined],
    [302, undefined],
    [401, 401],
    [403, 403],
    [404, 404],
    [500, undefined],
    [503, undefined],
    [null, undefined],
  ];
  for (const [status, expected] of ANSWERS) {
    it(`of an endpoint that nobody declared and that answers ${status}, ${expected ?? 'any 2xx'} is up`, async () => {
      const { parts, attempt, watched, facts } = await useRelease({ healthEndpoint: '/', healthRule: 'alive' });
      const ok = status !== null && status < 300;
      const edge = { ...parts.edge, probe: async () => ({ ok, status, summary: '', commit: null }) };
      await registerMonitor({ ...parts, edge }, attempt(facts));
      assert.equal(watched()[0]?.expectStatus, expected);
    });
  }

  it('keeps the id that it has when the monitor says none', async () => {
    const { parts, attempt, ids, facts } = await useRelease();
    await registerMonitor(parts, attempt(facts));
    const monitor = { ...parts.monitor, register: async () => ({ monitorId: null }) };
    await registerMonitor({ ...parts, monitor }, attempt(facts));
    assert.deepEqual(await ids(), { prod: 'mon_hello-prod' });
  });

  it('a monitor that is away, or that none is configured, is told as the system monitor; the next attempt does it', async () => {
    const { parts, attempt, watched, facts } = await useRelease();
    const away = new FairleadError('UNAVAILABLE', 'away', { system: 'monitor', retryable: true });
    const monitor = { ...parts.monitor, register: () => Promise.reject(away) };
    await assert.rejects(registerMonitor({ ...parts, monitor }, attempt(facts)), (error) => error === away);
    const none = registerMonitor({ ...parts, monitor: null }, attempt(facts));
    await assert.rejects(none, { code: 'UNAVAILABLE', system: 'monitor' });
    assert.deepEqual(watched(), []);
    await registerMonitor(parts, attempt(facts));
    assert.equal(watched().length, 1);
  });
});
