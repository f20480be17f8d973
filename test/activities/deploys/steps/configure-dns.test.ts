import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { configureDns } from '../../../../activities/deploys/steps/configure-dns.ts';
import type { DnsRecords } from '../../../../domain/deploys/dns-records.ts';
import { ACTING_STEPS } from '../../../../domain/deploys/steps.ts';
import type { Environment } from '../../../../domain/environment.ts';
import { type ErrorCode, FairleadError } from '../../../../domain/errors.ts';
import { failsOpen } from '../../../../workflows/deploys/failure.ts';
import { createInMemoryDnsRecords } from '../../../support/in-memory/dns-records.ts';
import { createInMemoryEdgeRouter } from '../../../support/in-memory/edge-router.ts';
import { useDeploy } from '../use-deploy.ts';

const TARGET = '192.0.2.7';

/** A build of `hello` on a platform with a domain of its own. */
async function useDns({ environment = 'prod', domain }: { environment?: Environment; domain?: string } = {}) {
  const { parts, attempt } = await useDeploy({ build: { environment } });
  const records = createInMemoryDnsRecords();
  const edge = createInMemoryEdgeRouter({ network: parts.network, domain: domain ?? 'fairlead.example' });
  const zone = () => [...records.zone].map(([host, all]) => `${host} ${all.map(({ content }) => content).join()}`);
  const deps = { ...parts, edge, dns: { records, target: TARGET } };
  const withRecords = (other: Pick<DnsRecords, 'ensure'>) => ({ ...deps, dns: { records: other, target: TARGET } });
  return { deps, withRecords, records, attempt, zone };
}

describe('dns', () => {
  const HOSTS: readonly (readonly [Environment, readonly string[]])[] = [
    ['prod', ['hello.prod.fairlead.example', 'hello.fairlead.example']],
    ['sandbox', ['hello.sandbox.fairlead.example']],
    ['uat', ['hello.uat.fairlead.example']],
  ];
  for (const [environment, hosts] of HOSTS) {
    it(`${environment}: every host of the service leads to the platform, once, however often it is done`, async () => {
      const { deps, attempt, zone } = await useDns({ environment });
      for (let again = 1; again <= 3; again += 1) {
        const step = attempt();
        assert.deepEqual(await configureDns(deps, step), {});
        assert.deepEqual(step.warnings, []);
        assert.match(step.lines[0] ?? '', again === 1 ? /A 192\.0\.2\.7 \(created\)/ : /\(kept\)/);
      }
      assert.deepEqual(
        zone(),
        hosts.map((host) => `${host} ${TARGET}`),
      );
    });
  }

  it('a host of somebody else is left, with a warning that says what to do, and the other one is set', async () => {
    const { deps, attempt, records, zone } = await useDns();
    const [first, second] = ['hello.prod.fairlead.example', 'hello.fairlead.example'];
    records.zone.set(first, [{ type: 'A', content: '198.51.100.9', own: false }]);
    const step = attempt();
    assert.deepEqual(await configureDns(deps, step), {});
    assert.deepEqual(zone(), [`${first} 198.51.100.9`, `${second} ${TARGET}`]);
    assert.deepEqual(step.warnings, [
      `${first} leads elsewhere already: A 198.51.100.9. Remove that record, or give the service another name.`,
    ]);
  });

  it('on one machine there is nothing to set', async () => {
    const { deps, attempt, zone } = await useDns({ domain: 'localhost' });
    const step = attempt();
    await configureDns(deps, step);
    assert.deepEqual([zone(), step.lines], [[], ['The address leads to this machine: it needs no record']]);
  });

  it('a build that is cancelled sets nothing', async () => {
    const { deps, attempt, zone } = await useDns();
    const reason = new Error('cancelled');
    await assert.rejects(configureDns(deps, attempt({}, AbortSignal.abort(reason))), (error) => error === reason);
    assert.deepEqual(zone(), []);
  });

  /** What a provider may do, and what is tried again. */
  const FAULTS: readonly (readonly [what: string, code: ErrorCode, system: string | undefined])[] = [
    ['cannot be reached', 'UNAVAILABLE', 'dns'],
    ['takes no key of ours', 'FORBIDDEN', 'dns'],
    ['refuses the record', 'VALIDATION_FAILED', undefined],
    ['answers what is no answer', 'INTERNAL', undefined],
  ];
  for (const [what, code, system] of FAULTS) {
    it(`a provider that ${what} is told, at either host; the build goes on, and a repeat makes it whole`, async () => {
      for (const failing of [1, 2]) {
        const { deps, withRecords, records, attempt, zone } = await useDns();
        const fault = new FairleadError(code, what, { ...(system === undefined ? {} : { system }) });
        let calls = 0;
        const ensure: DnsRecords['ensure'] = (...asked) => {
          calls += 1;
          return calls === failing ? Promise.reject(fault) : records.ensure(...asked);
        };
        await assert.rejects(configureDns(withRecords({ ensure }), attempt()), (error) => error === fault);
        assert.ok(goesOn(code, system));
        await configureDns(deps, attempt());
        assert.equal(zone().length, 2);
      }
    });
  }

  it('a worker without a provider, or a deadline, ends no build that another worker planned', async () => {
    const { deps, attempt } = await useDns();
    await assert.rejects(configureDns({ ...deps, dns: null }, attempt()), { code: 'UNAVAILABLE', system: 'dns' });
    assert.ok(goesOn('STEP_DEADLINE_EXCEEDED', undefined));
    assert.ok(!goesOn('UNAVAILABLE', 'wallet'), 'the failure of another system is no failure of DNS');
  });
});

/** What the workflow decides by the row of the step. */
function goesOn(code: string, system: string | undefined): boolean {
  const failure = { code, message: '', step: 'dns', ...(system === undefined ? {} : { system }) };
  return failsOpen(failure, ACTING_STEPS.find(({ key }) => key === 'dns')?.failOpen ?? []);
}
