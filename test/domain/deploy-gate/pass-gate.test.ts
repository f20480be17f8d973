import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { POD_TIERS } from '../../../domain/catalog/pod-tiers.ts';
import { reserveOf } from '../../../domain/deploy-gate/checks/gas-reserve.ts';
import type { GateRequest, GateSettings } from '../../../domain/deploy-gate/gate.ts';
import { passGate } from '../../../domain/deploy-gate/pass-gate.ts';
import { FairleadError } from '../../../domain/errors.ts';

const NANO = 10_800;
const SETTINGS: GateSettings = { allowedOrgs: [], skipServices: [], platformOrg: 'platform' };

interface Given extends Partial<Pick<GateRequest, 'service' | 'org' | 'readBalance'>> {
  readonly catalog?: Partial<GateRequest['catalog']>;
  readonly settings?: Partial<GateSettings>;
  readonly balance?: number;
}

/** A deploy of `shop` of the platform's org, which has gas, where nothing else is given. */
async function pass({ balance = NANO, ...given }: Given): Promise<readonly string[]> {
  const lines: string[] = [];
  const request: GateRequest = {
    service: 'shop',
    org: 'platform',
    readBalance: async () => balance,
    ...given,
    catalog: { owner: given.org ?? 'platform', podTier: 'nano', storage: [], ...given.catalog },
    settings: { ...SETTINGS, ...given.settings },
  };
  await passGate(request, (line) => lines.push(line));
  return lines;
}

const OPEN: Partial<GateSettings> = { allowedOrgs: ['*'] };
const away = () => Promise.reject(new FairleadError('UNAVAILABLE', 'away', { system: 'wallet', retryable: true }));

describe('the deploy gate', () => {
  const PASSED: readonly [what: string, given: Given][] = [
    ['the org of the platform, where no list is set', {}],
    ['an org on the list', { org: 'acme', settings: { allowedOrgs: ['beta', 'acme'] } }],
    ['each org, where the list says so', { org: 'acme', settings: OPEN }],
    ['a catalog without an owner', { org: 'acme', catalog: { owner: null }, settings: OPEN }],
    ['a balance of exactly the reserve', { balance: NANO }],
    [
      'a service of the platform, whatever its catalog and its gas',
      { service: 'wallet', catalog: { owner: 'acme' }, balance: 0 },
    ],
    [
      'a service that the operator named, whatever its org',
      { service: 'metrics', org: 'acme', balance: 0, settings: { skipServices: ['other', 'metrics'] } },
    ],
  ];
  for (const [what, given] of PASSED) it(`lets through ${what}`, async () => void (await pass(given)));

  const REFUSED: readonly [what: string, given: Given, code: string, message: RegExp, details: object][] = [
    [
      'an org that is not the platform’s, where no list is set',
      { org: 'acme' },
      'ORG_NOT_ALLOWED',
      /^Deploy gate: org not allowed: acme .*ALLOWED_DEPLOY_ORGS/,
      { org: 'acme' },
    ],
    [
      'an org that the list does not name, though it names the platform’s',
      { org: 'acme', settings: { allowedOrgs: ['platform', 'acme2'] } },
      'ORG_NOT_ALLOWED',
      /acme may not deploy/,
      { org: 'acme' },
    ],
    [
      'a catalog that names another org, though that one may deploy and has gas',
      { org: 'acme', catalog: { owner: 'rival' }, settings: OPEN },
      'SERVICE_OWNER_MISMATCH',
      /^Deploy gate: owner mismatch: spec\.owner is rival, and shop belongs to acme/,
      { field: 'spec.owner', owner: 'rival', org: 'acme' },
    ],
    [
      'a service of an org that took the name of one of the platform’s',
      { service: 'wallet', org: 'acme', balance: 0, settings: OPEN },
      'INSUFFICIENT_GAS',
      /acme/,
      { balance: 0, required: NANO, shortfall: NANO },
    ],
    [
      'one token too little',
      { balance: NANO - 1 },
      'INSUFFICIENT_GAS',
      /^Deploy gate: insufficient gas reserve: the wallet of platform has 10799 tokens, and 10800 are required: 1 are missing\. A platform admin adds them: `fairlead wallet credit 1 --org platform --reason <text>`\.$/,
      { balance: NANO - 1, required: NANO, shortfall: 1 },
    ],
    [
      'gas for the hosting, and not for the storage',
      { catalog: { storage: [{ name: 'files', tier: 's3-sm' }] } },
      'INSUFFICIENT_GAS',
      /600 are missing/,
      { balance: NANO, required: NANO + 600, shortfall: 600 },
    ],
  ];
  for (const [what, given, code, message, details] of REFUSED) {
    it(`refuses ${what}`, async () => {
      await assert.rejects(pass(given), { code, message, details, retryable: false });
    });
  }

  it('looks at org, owner and gas in this order', async () => {
    const all = { org: 'acme', catalog: { owner: 'rival' }, balance: 0 } as const;
    await assert.rejects(pass(all), { code: 'ORG_NOT_ALLOWED' });
    await assert.rejects(pass({ ...all, settings: OPEN }), { code: 'SERVICE_OWNER_MISMATCH' });
    await assert.rejects(pass({ ...all, settings: OPEN, catalog: {} }), { code: 'INSUFFICIENT_GAS' });
    assert.deepEqual(await pass({ ...all, settings: OPEN, catalog: {}, balance: 99_999 }), [
      'The org acme may deploy',
      'shop belongs to acme, as spec.owner says',
      'The wallet of acme holds 99999 tokens, and the reserve is 10800',
    ]);
  });

  it('judges org and owner also while the wallet is away, which it reports as the wallet’s failure', async () => {
    const all = { org: 'acme', catalog: { owner: 'rival' }, readBalance: away } as const;
    await assert.rejects(pass(all), { code: 'ORG_NOT_ALLOWED' });
    await assert.rejects(pass({ ...all, settings: OPEN }), { code: 'SERVICE_OWNER_MISMATCH' });
    await assert.rejects(pass({ ...all, settings: OPEN, catalog: {} }), { code: 'UNAVAILABLE', system: 'wallet' });
  });

  it('reads the wallet of the owner', async () => {
    const asked: string[] = [];
    const readBalance = async (org: string) => {
      asked.push(org);
      return NANO;
    };
    await pass({ org: 'acme', settings: OPEN, readBalance });
    await pass({ org: 'beta', settings: OPEN, catalog: { owner: null }, readBalance });
    assert.deepEqual(asked, ['acme', 'beta']);
  });

  it('says why it does not apply', async () => {
    assert.deepEqual(await pass({ service: 'registry' }), [
      'The gate does not apply: registry is a service of the platform',
    ]);
    assert.deepEqual(await pass({ service: 'jobs', settings: { skipServices: ['jobs'] } }), [
      'The gate does not apply: DEPLOY_GATE_SKIP_SERVICES names jobs',
    ]);
  });

  /** Literal: gas an hour of the contract × 24 × 30 × 3. */
  const RESERVES: Readonly<Record<keyof typeof POD_TIERS, number>> = {
    nano: 10_800,
    small: 21_600,
    medium: 49_680,
    large: 90_720,
    xlarge: 179_280,
  };
  for (const [tier, reserve] of Object.entries(RESERVES) as [keyof typeof POD_TIERS, number][]) {
    it(`keeps ${reserve} tokens in reserve for ${tier}`, () => {
      assert.equal(reserveOf({ podTier: tier, storage: [] }), reserve);
      assert.equal(reserve, POD_TIERS[tier].gasPerMonth * 3);
    });
  }

  it('adds three months of each storage', () => {
    const tiers = ['s3-sm', 's3-md', 's3-lg', 's3-xl'] as const;
    const storage = tiers.map((tier) => ({ name: tier, tier }));
    assert.equal(reserveOf({ podTier: 'nano', storage }), NANO + 3 * (200 + 800 + 3_000 + 10_000));
  });
});
