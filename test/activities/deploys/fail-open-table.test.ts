import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { DeploysDeps } from '../../../activities/deploys/deps.ts';
import type { StepWork } from '../../../activities/deploys/step.ts';
import { applyDeployGate } from '../../../activities/deploys/steps/apply-deploy-gate.ts';
import { bindQueues } from '../../../activities/deploys/steps/bind-queues.ts';
import { checkConventions } from '../../../activities/deploys/steps/check-conventions.ts';
import { checkSdkUpgrades } from '../../../activities/deploys/steps/check-sdk-upgrades.ts';
import { createScopeGrants } from '../../../activities/deploys/steps/create-scope-grants.ts';
import { preflightConfig } from '../../../activities/deploys/steps/preflight-config.ts';
import { prepareContainerFile } from '../../../activities/deploys/steps/prepare-container-file.ts';
import { publishChangelog } from '../../../activities/deploys/steps/publish-changelog.ts';
import { registerMonitor } from '../../../activities/deploys/steps/register-monitor.ts';
import { registerNamespace } from '../../../activities/deploys/steps/register-namespace.ts';
import { registerRoutes } from '../../../activities/deploys/steps/register-routes.ts';
import { resolveDependencies } from '../../../activities/deploys/steps/resolve-dependencies.ts';
import { runGatedTests } from '../../../activities/deploys/steps/run-gated-tests.ts';
import { storeSnapshot } from '../../../activities/deploys/steps/store-snapshot.ts';
import { tellSiteRegistry } from '../../../activities/deploys/steps/tell-site-registry.ts';
import { upsertSiteProperty } from '../../../activities/deploys/steps/upsert-site-property.ts';
import { createClientAdministration } from '../../../adapters/idp/client-administration.ts';
import { createUptimeMonitor } from '../../../adapters/monitor/uptime-monitor.ts';
import { createServiceRegistry } from '../../../adapters/registry/service-registry.ts';
import { createSiteRegistry } from '../../../adapters/site-registry/site-registry.ts';
import { createHttpTestRunner } from '../../../adapters/test-runner/http-test-runner.ts';
import { createWalletReader } from '../../../adapters/wallet/wallet-reader.ts';
import type { Catalog } from '../../../domain/catalog/catalog.ts';
import type { BuildFacts } from '../../../domain/deploys/facts.ts';
import { ACTING_STEPS, type StepKey } from '../../../domain/deploys/steps.ts';
import { type ErrorCode, FairleadError } from '../../../domain/errors.ts';
import { NO_PASSPORT } from '../../../domain/passport-config.ts';
import { failsOpen } from '../../../workflows/deploys/failure.ts';
import { catalogRecord, grantRecord, releaseRecord, testRecord } from '../../ports/records.ts';
import { createInMemoryGrantCommands } from '../../support/in-memory/grant-commands.ts';
import {
  answering,
  PATIENCE_MS,
  refusedAddress,
  serveUpstream,
  UPSTREAM_FAULTS,
} from '../../support/upstream-faults.ts';
import { useDeploy } from './use-deploy.ts';
import { useInstalled } from './use-installed.ts';

/**
 * The table of spec 2, "Fail-open versus hard-fail": each row with the real client of its system, asked at an address where
 * the system refuses the connection, is not found, is slow, answers garbage or dies half-way. Rows that no step of ours has:
 *
 * - Webhook provider: the contract names it and shows neither its interface nor what registers a secret with it.
 * - Secrets manager, model access and vendor: no step of this version asks them.
 * - Post-deploy diagnostics: they are read from the runtime and the build's own record, by the step that fails anyway.
 * - DNS: this version has no client of a provider; what its port may do stands in steps/configure-dns.test.ts.
 */
type Deploy = Awaited<ReturnType<typeof useDeploy>>;
type Outcome = 'proceeds' | 'fails';

interface AwayRow {
  readonly system: string;
  readonly scenario: string;
  readonly step: StepKey;
  readonly outcome: Outcome;
  /** Of the failure; UNAVAILABLE of the system when it says nothing. */
  readonly code?: ErrorCode;
  /** Runs the last attempt of the step, with the system at the address. */
  run(url: string): Promise<unknown>;
}

const connection = (url: string) => ({ url, internalKey: 'key-of-this-test-0123456789', timeoutMs: PATIENCE_MS });
const tokens = { token: async () => 'token', forget: () => undefined };
const sso = { mode: 'sso', passport: NO_PASSPORT } as const;

/** A release that was just installed. */
async function installed(catalog: Partial<Catalog> = {}): Promise<Deploy & { readonly facts: BuildFacts }> {
  const deploy = await useDeploy({ opened: true });
  await deploy.parts.releases.put(releaseRecord({ id: 'rel_1', service: 'hello', serviceId: 'svc_hello' }));
  const versions = { releaseNotes: { notes: '- new', version: null }, sdkVersions: { 'plain-sdk': '2.0.0' } };
  return { ...deploy, facts: { releaseId: 'rel_1', catalog: catalogRecord(catalog), ...versions } };
}

const withRegistry = (work: StepWork) => async (url: string) => {
  const { parts, attempt, facts } = await installed();
  return work({ ...parts, serviceRegistry: createServiceRegistry(connection(url)) }, attempt(facts));
};

const withSites = (work: StepWork) => async (url: string) => {
  const { parts, attempt, facts } = await installed({
    seo: { enabled: true, entity: null, topic: null },
  });
  const siteRegistry = createSiteRegistry({ url, tokens, timeoutMs: PATIENCE_MS });
  const customDomains = {
    verified: async () => ['hello.example'],
    release: async () => undefined,
  };
  return work({ ...parts, siteRegistry, customDomains }, attempt(facts));
};

async function gate(url: string): Promise<unknown> {
  const { parts, attempt } = await useDeploy();
  const wallet = createWalletReader(connection(url));
  return applyDeployGate({ ...parts, wallet }, { ...attempt({ catalog: catalogRecord() }), attempt: 3 });
}

/** The check of a grant that another org approved: the client is given its scopes at the identity provider. */
const grantCheck = (status: 'approved' | 'pending') => async (url: string) => {
  const { parts, attempt } = await useDeploy();
  await parts.services.upsert({ id: 'svc_mailer', name: 'mailer', org: 'other' }, {});
  const holder = { serviceId: 'svc_hello', name: 'hello', org: 'acme' };
  const target = { serviceId: 'svc_mailer', name: 'mailer', org: 'other' };
  const given = status === 'approved' ? { granted: ['mailer:send'], wasApproved: true } : {};
  await parts.grants.insert(
    grantRecord({ holder, target, environment: 'prod', scopes: ['mailer:send'], status, ...given }),
  );
  const clients = createClientAdministration(connection(url));
  const grantCommands = createInMemoryGrantCommands({ ...parts, clients });
  const catalog = catalogRecord({ auth: sso, dependencies: [{ service: 'mailer', scopes: ['send'] }] });
  return createScopeGrants({ ...parts, grantCommands }, attempt({ catalog }));
};

async function gatedTests(url: string): Promise<unknown> {
  const { parts, attempt, facts, serving, workload, releaseId } = await useInstalled([testRecord()]);
  const testRunner = createHttpTestRunner(connection(url));
  try {
    return await runGatedTests({ ...parts, testRunner }, { ...attempt(facts), attempt: 3 });
  } finally {
    const { active, routed, running } = await serving();
    assert.deepEqual([active, routed], [releaseId, workload.id], 'the new release stays');
    assert.ok(running.includes(workload.id));
  }
}

async function monitor(url: string): Promise<unknown> {
  const { parts, attempt, facts } = await installed();
  return registerMonitor({ ...parts, monitor: createUptimeMonitor(connection(url)) }, attempt(facts));
}

const AWAY: readonly AwayRow[] = [
  { system: 'wallet', scenario: 'is away', step: 'deploy-gate', outcome: 'proceeds', run: gate },
  {
    ...{ system: 'identity-provider', scenario: 'is away during the check of an approved grant', step: 'scope-grants' },
    ...{ outcome: 'proceeds', run: grantCheck('approved') },
  },
  {
    ...{ system: 'identity-provider', scenario: 'is away, and a grant waits', step: 'scope-grants' },
    ...{ outcome: 'fails', code: 'SCOPE_GRANT_BLOCKED', run: grantCheck('pending') },
  },
  {
    ...{ system: 'registry', scenario: 'is away at the check of changelogs', step: 'sdk-upgrade-gate' },
    ...{ outcome: 'proceeds', run: withRegistry(checkSdkUpgrades) },
  },
  {
    ...{ system: 'registry', scenario: 'is away when notes are published', step: 'changelog' },
    ...{ outcome: 'proceeds', run: withRegistry(publishChangelog) },
  },
  {
    ...{ system: 'registry', scenario: 'is away at the snapshot', step: 'snapshot' },
    ...{ outcome: 'proceeds', run: withRegistry(storeSnapshot) },
  },
  { system: 'monitor', scenario: 'is away', step: 'monitor', outcome: 'proceeds', run: monitor },
  {
    ...{ system: 'test-runner', scenario: 'is away', step: 'gated-tests' },
    ...{ outcome: 'fails', code: 'TESTS_FAILED', run: gatedTests },
  },
  // Rows of ours: the contract names the steps, and not what becomes of them.
  {
    ...{ system: 'registry', scenario: 'is away at the namespace', step: 'namespace' },
    ...{ outcome: 'proceeds', run: withRegistry(registerNamespace) },
  },
  {
    ...{ system: 'registry', scenario: 'is away when routes are registered', step: 'route-registration' },
    ...{ outcome: 'proceeds', run: withRegistry(registerRoutes) },
  },
  {
    ...{ system: 'registry', scenario: 'is away at the bindings', step: 'bindings' },
    ...{ outcome: 'proceeds', run: withRegistry(bindQueues) },
  },
  {
    ...{ system: 'site-registry', scenario: 'is away before the install', step: 'site-property' },
    ...{ outcome: 'proceeds', run: withSites(upsertSiteProperty) },
  },
  {
    ...{ system: 'site-registry', scenario: 'is away after the install', step: 'site-registry' },
    ...{ outcome: 'proceeds', run: withSites(tellSiteRegistry) },
  },
];

const FAULTS: readonly (readonly [what: string, serve: (t: TestContext) => Promise<string>])[] = [
  ['a refused connection', refusedAddress],
  ['a name that nobody knows', async () => 'http://upstream.invalid'],
  ...UPSTREAM_FAULTS.map(([what, listener]) => [what, (t: TestContext) => serveUpstream(t, listener)] as const),
];

/** What the workflow decides by the row of the step. */
function outcomeOf(key: StepKey, { code, system }: FairleadError): Outcome {
  const failure = { code, message: '', step: key, ...(system === undefined ? {} : { system }) };
  return failsOpen(failure, ACTING_STEPS.find((step) => step.key === key)?.failOpen ?? []) ? 'proceeds' : 'fails';
}

async function failureOf(run: Promise<unknown>): Promise<FairleadError> {
  const error = await run.then(
    () => assert.fail('the step succeeded'),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof FairleadError, String(error));
  return error;
}

for (const { system, scenario, step, outcome, code, run } of AWAY) {
  describe(`${step}: the ${system} ${scenario}, and the build ${outcome}`, { concurrency: 4 }, () => {
    for (const [what, serve] of FAULTS) {
      it(what, async (t) => {
        const failure = await failureOf(run(await serve(t)));
        assert.equal(outcomeOf(step, failure), outcome, `${failure.code} ${failure.message}`);
        assert.equal(failure.code, code ?? 'UNAVAILABLE');
        if (code === undefined) assert.equal(failure.system, system);
      });
    }
  });
}

it('dependencies: the registry is away, and what the builder knows by itself is given', async () => {
  const { parts, attempt } = await useDeploy({ settings: { hasPlatformProxy: true } });
  await parts.services.upsert({ id: 'svc_shop', name: 'shop', org: 'acme' }, {});
  await parts.releases.put(releaseRecord({ id: 'rel_shop', serviceId: 'svc_shop', service: 'shop' }));
  await parts.releases.activate('rel_shop', { at: parts.now(), epoch: 1, buildId: 'bld_1' });
  const serviceRegistry = createServiceRegistry(connection(await refusedAddress()));
  const catalog = catalogRecord({ dependencies: [{ service: 'shop', scopes: [] }] });
  const step = attempt({ catalog, port: 3000 });
  const { dependencies } = await resolveDependencies({ ...parts, serviceRegistry } as DeploysDeps, step);
  assert.deepEqual([dependencies?.map(({ service }) => service), step.warnings], [['shop'], []]);
  const failOpen = ACTING_STEPS.find(({ key }) => key === 'dependencies')?.failOpen;
  assert.deepEqual(failOpen, [], 'nothing of the registry is asked, so that nothing of it is passed over');
});

/** What is violated, the step that ends the build for it, and its code. */
const VIOLATIONS: readonly (readonly [string, StepKey, string, (t: TestContext) => Promise<unknown>])[] = [
  [
    'too little gas',
    'deploy-gate',
    'INSUFFICIENT_GAS',
    async (t) => gate(await serveUpstream(t, answering(200, '{"success":true,"data":{"org":"acme","balance":5}}'))),
  ],
  [
    'another owner than the service has',
    'deploy-gate',
    'SERVICE_OWNER_MISMATCH',
    async () => {
      const { parts, attempt } = await useDeploy();
      return applyDeployGate(parts, attempt({ catalog: catalogRecord({ owner: 'rival' }) }));
    },
  ],
  [
    'a container file that runs as root',
    'container-file',
    'CONTAINER_ROOT_USER',
    async () => {
      const { parts, attempt, plant } = await useDeploy();
      plant('Dockerfile', 'FROM alpine\nUSER 0\nCMD ["./run"]\n');
      const facts = { catalog: catalogRecord(), contextPath: '', dockerfile: 'Dockerfile', commitSha: 'c'.repeat(40) };
      return prepareContainerFile(parts, attempt(facts));
    },
  ],
  [
    'a required variable without a value',
    'config-preflight',
    'CONFIG_PREFLIGHT_FAILED',
    async () => {
      const { parts, attempt } = await useDeploy();
      const config = [{ key: 'A', secret: false, required: true, default: null }];
      return preflightConfig(parts, attempt({ catalog: catalogRecord({ config }) }));
    },
  ],
  [
    'a convention that blocks',
    'convention-check',
    'CONVENTION_CHECK_FAILED',
    async () => {
      const { parts, attempt } = await useDeploy();
      const dependencies = [{ service: 'notes', scopes: ['*'] }];
      return checkConventions(parts, attempt({ catalog: catalogRecord({ dependencies }) }));
    },
  ],
];

describe('a violation ends the build', () => {
  for (const [what, step, code, run] of VIOLATIONS) {
    it(`${step}: ${what}`, async (t) => {
      const failure = await failureOf(run(t));
      assert.deepEqual([failure.code, outcomeOf(step, failure)], [code, 'fails']);
    });
  }
});
