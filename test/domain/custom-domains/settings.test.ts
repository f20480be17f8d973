import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { DomainMode } from '../../../domain/custom-domains/mode.ts';
import { platformNames } from '../../../domain/custom-domains/platform-names.ts';
import { expectedRecord, modeOffers } from '../../../domain/custom-domains/settings.ts';

const SET = {
  ingressTarget: '203.0.113.7',
  customersTarget: 'customers.edge-host.net',
  issuesCertificates: true,
  usesHostnames: false,
};
const NAME = { domain: 'shop.example.com', apex: 'example.com' };
const APEX = { domain: 'example.com', apex: 'example.com' };

const TABLE: readonly (readonly [DomainMode, Partial<typeof SET> | object, object, string])[] = [
  ['direct', {}, NAME, 'A 203.0.113.7'],
  ['direct', {}, APEX, 'A 203.0.113.7'],
  ['direct', { ingressTarget: '2001:DB8::7' }, NAME, 'AAAA 2001:db8::7'],
  ['direct', { ingressTarget: 'in.fairlead.dev' }, NAME, 'DIRECT_MODE_UNAVAILABLE'],
  ['direct', { ingressTarget: null }, NAME, 'DIRECT_MODE_UNAVAILABLE'],
  ['direct', { issuesCertificates: false }, NAME, 'DIRECT_MODE_UNAVAILABLE'],
  ['cloudflare', { ingressTarget: 'In.Fairlead.dev.' }, APEX, 'CNAME in.fairlead.dev'],
  ['cloudflare', {}, NAME, 'A 203.0.113.7'],
  ['cloudflare', { ingressTarget: null }, NAME, 'UNAVAILABLE'],
  ['external', {}, NAME, 'CNAME customers.edge-host.net'],
  ['external', {}, APEX, 'EXTERNAL_APEX_UNSUPPORTED'],
  ['external', { usesHostnames: true }, NAME, 'SAAS_UNAVAILABLE'],
  ['external', { customersTarget: null }, NAME, 'SAAS_UNAVAILABLE'],
];

describe('expectedRecord', () => {
  for (const [mode, changes, name, expected] of TABLE) {
    it(`${mode} ${JSON.stringify(changes)} at ${JSON.stringify(name)}: ${expected}`, () => {
      const settings = { ...SET, ...changes } as typeof SET;
      const ask = () => expectedRecord(mode, name as typeof NAME, settings);
      if (/^[A-Z_]+$/.test(expected)) assert.throws(ask, { code: expected });
      else assert.equal(Object.values(ask()).join(' '), expected);
    });
  }
});

it('hosts of the platform\u2019s services and targets are the platform\u2019s own', () => {
  const urls = ['https://login.fairlead.dev:8443/x', undefined, 'http://127.0.0.1:3001'];
  const { hosts } = platformNames({ platformDomain: 'apps.fairlead.dev', ...SET, urls });
  assert.deepEqual(hosts, ['login.fairlead.dev', '127.0.0.1', '203.0.113.7', 'customers.edge-host.net']);
});

describe('modeOffers', () => {
  const offered = (changes: object): readonly string[] =>
    modeOffers({ ...SET, ...changes }).flatMap(({ mode, target, unavailable }) =>
      unavailable === null ? [`${mode} ${target}`] : [],
    );
  const EXTERNAL = 'external customers.edge-host.net';

  it('has each mode in which names can be added, with where they lead', () => {
    assert.deepEqual(offered({}), ['cloudflare 203.0.113.7', EXTERNAL, 'direct 203.0.113.7']);
    assert.deepEqual(offered({ ingressTarget: 'in.fairlead.dev' }), ['cloudflare in.fairlead.dev', EXTERNAL]);
    assert.deepEqual(offered({ issuesCertificates: false, customersTarget: null }), ['cloudflare 203.0.113.7']);
    assert.deepEqual(offered({ ingressTarget: null, usesHostnames: true }), []);
  });

  it('names what the operator sets for each of the others', () => {
    const refused = modeOffers({ ...SET, ingressTarget: null, customersTarget: null, usesHostnames: false });
    for (const { mode, target, unavailable } of refused) {
      assert.equal(target, null, mode);
      assert.match(unavailable ?? '', /the operator sets [A-Z_]+/, mode);
    }
  });
});
