import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkConventions } from '../../../../activities/deploys/steps/check-conventions.ts';
import { checkSdkUpgrades } from '../../../../activities/deploys/steps/check-sdk-upgrades.ts';
import type { Catalog, RouteDeclaration } from '../../../../domain/catalog/catalog.ts';
import { CONVENTION_RULES, conventionViolations } from '../../../../domain/deploys/conventions.ts';
import { createRedactor } from '../../../../domain/logs/redact.ts';
import { NO_PASSPORT } from '../../../../domain/passport-config.ts';
import { catalogRecord } from '../../../ports/records.ts';
import { useDeploy } from '../use-deploy.ts';

const route = (changes: Partial<RouteDeclaration>): RouteDeclaration => ({
  ...{ path: '/pay', methods: ['GET'], auth: 'jwt', gas: 1, charge: 'service', stripPrefix: null },
  ...changes,
});
const entry = (key: string, value: string | null) => ({ key, secret: false, required: false, default: value });
const auth = { mode: 'service-only', passport: NO_PASSPORT } as const;

/** A catalog that violates each rule, and one that just does not. */
const CASES: Readonly<Record<string, readonly [bad: Partial<Catalog>, good: Partial<Catalog>]>> = {
  'no-credential-as-default': [
    { config: [entry('API_TOKEN', 'hunter2')] },
    { config: [entry('API_TOKEN', null), entry('COLOUR', 'blue')] },
  ],
  'no-wildcard-scope': [
    { dependencies: [{ service: 'notes', scopes: ['*'] }] },
    { dependencies: [{ service: 'notes', scopes: ['read'] }] },
  ],
  'payer-is-known': [
    { routes: [route({ charge: 'callerOrg', auth: 'none' })] },
    {
      routes: [
        route({ charge: 'callerOrg' }),
        route({ auth: 'none' }),
        route({ charge: 'callerOrg', auth: null, gas: 0 }),
      ],
    },
  ],
  'charge-is-declared': [{ routes: [route({ charge: null })] }, { routes: [route({ charge: null, gas: 0 })] }],
  'dependency-names-scopes': [
    { auth, dependencies: [{ service: 'notes', scopes: [] }] },
    { auth: null, dependencies: [{ service: 'notes', scopes: [] }] },
  ],
};

async function check(changes: Partial<Catalog>, skipConventionCheck?: string) {
  const build = skipConventionCheck === undefined ? {} : { skipConventionCheck };
  const { parts, attempt } = await useDeploy({ build });
  const step = attempt({ catalog: catalogRecord(changes) });
  const outcome = await checkConventions(parts, step).then(
    () => null,
    (error: { code: string; message: string }) => error,
  );
  return { outcome, warnings: step.warnings, lines: step.lines, told: parts.audit.told() };
}

describe('the convention check', () => {
  it('has a case for every rule', () => {
    assert.deepEqual(
      CONVENTION_RULES.map(({ id }) => id),
      Object.keys(CASES),
    );
  });

  for (const { id, level } of CONVENTION_RULES) {
    it(`${id}: ${level === 'block' ? 'ends the build' : 'warns'}, with place and remedy, and lets pass what is right`, async () => {
      const [bad, good] = CASES[id] ?? [];
      const { outcome, warnings, told } = await check(bad ?? {});
      const said = level === 'block' ? (outcome?.message ?? '') : warnings.join('\n');
      assert.match(said, new RegExp(`spec\\.\\w+ \\S+: .*\\(${id}\\)`));
      assert.equal(outcome?.code, level === 'block' ? 'CONVENTION_CHECK_FAILED' : undefined);
      assert.deepEqual(told, []);
      const right = await check(good ?? {});
      assert.deepEqual([right.outcome, right.warnings], [null, []]);
    });
  }

  it('says nothing about a dependency that gets a scope though it names none', async () => {
    for (const service of ['site-registry', 'webmaster']) {
      const { outcome, warnings } = await check({ auth, dependencies: [{ service, scopes: [] }] });
      assert.deepEqual([outcome, warnings], [null, []], service);
    }
  });

  it('says nothing about a source without a catalog file', async () => {
    const [bad] = CASES['no-credential-as-default'] ?? [];
    assert.deepEqual((await check({ ...bad, declared: false })).outcome, null);
  });

  for (const open of ['None', 'PUBLIC', ' none ', 'False', 'no', 'off']) {
    it(`takes the auth mode ${JSON.stringify(open)} for one that lets in anybody`, async () => {
      const { outcome } = await check({ routes: [route({ charge: 'callerOrg', auth: open })] });
      assert.equal(outcome?.code, 'CONVENTION_CHECK_FAILED');
    });
  }

  it('says what to do in words that redaction leaves as they are', () => {
    const redact = createRedactor({ secrets: [] });
    const [config] = CASES['no-credential-as-default'] ?? [];
    const names = ['API_TOKEN', 'password', 'auth'];
    const catalog = catalogRecord({
      ...{
        config: [...(config?.config ?? []), entry('PASSWORD', 'x')],
        routes: [route({ path: '/token', charge: null })],
      },
      ...{ auth, dependencies: names.flatMap((service) => [{ service, scopes: ['*'] }]) },
    });
    const said = conventionViolations(catalog).map(({ message }) => message);
    assert.ok(said.length >= 6);
    assert.deepEqual(said.map(redact), said);
  });

  it('never repeats the value of a default', async () => {
    const { outcome } = await check({ config: [entry('API_TOKEN', 'hunter2')] });
    assert.ok(!JSON.stringify(outcome).includes('hunter2') && !outcome?.message.includes('hunter2'));
  });

  it('skipped with a reason: the build goes on with warnings, and the ledger is told who and why, even if nothing was wrong', async () => {
    for (const catalog of [CASES['no-wildcard-scope']?.[0] ?? {}, {}]) {
      const { outcome, warnings, told } = await check(catalog, 'incident 4711');
      assert.equal(outcome, null);
      assert.equal(warnings.length, Object.keys(catalog).length);
      assert.deepEqual(
        told.map(({ eventType, orgSlug, data }) => [eventType, orgSlug, data.reason, data.rules]),
        [
          [
            'service.convention_check_skipped',
            'acme',
            'incident 4711',
            Object.keys(catalog).length === 0 ? [] : ['no-wildcard-scope'],
          ],
        ],
      );
    }
  });

  it('skipped: upgrades of the SDK are not checked either', async () => {
    const { parts, attempt } = await useDeploy({ build: { skipConventionCheck: 'incident 4711' } });
    const away = { ...parts, serviceRegistry: null };
    assert.deepEqual(await checkSdkUpgrades(away, attempt({ sdkVersions: { '@fairlead/sdk': '9.0.0' } })), {});
  });
});
