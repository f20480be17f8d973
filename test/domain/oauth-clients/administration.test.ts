import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  type Administrator,
  type ClientField,
  type ClientPatch,
  decideClientPatch,
  FIELD_RULES,
  type FieldRule,
  valueAt,
} from '../../../domain/oauth-clients/administration.ts';
import { type ClientRecord, GRANT_TYPES } from '../../../domain/oauth-clients/client.ts';
import { clientRecord } from './client-record.ts';

const FIELDS = Object.keys(FIELD_RULES) as ClientField[];
const ADMINISTRATORS: readonly Administrator[] = ['owner', 'super_admin', 'super_admin_session'];
const withRule = (rule: FieldRule): ClientField[] => FIELDS.filter((field) => FIELD_RULES[field] === rule);

/** A patch or record part of one field. */
function only(field: ClientField, value: unknown): Record<string, unknown> {
  const [name = '', part] = field.split('.');
  return { [name]: part === undefined ? value : { [part]: value } };
}

/** The record with a field set, its other parts kept. */
function having(field: ClientField, value: unknown): ClientRecord {
  const base = clientRecord();
  const [name = '', part] = field.split('.');
  if (part === undefined) return { ...base, ...only(field, value) };
  const group: unknown = Object.getOwnPropertyDescriptor(base, name)?.value;
  return { ...base, [name]: { ...(group as object), [part]: value } };
}

const decide = (record: ClientRecord, patch: object, by: Administrator) =>
  decideClientPatch(record, patch as ClientPatch, by);

describe('who may change what on a client', () => {
  /** Row: rule, before, after; then the verdict for owner, super admin, super admin's own session. */
  const TOGGLES: readonly (readonly [FieldRule, boolean, boolean, readonly boolean[]])[] = [
    ['switch', false, true, [false, true, true]],
    ['switch', true, false, [true, true, true]],
    ['own_session', false, true, [false, false, true]],
    ['own_session', true, false, [false, false, true]],
  ];

  for (const [rule, before, after, verdicts] of TOGGLES) {
    for (const field of withRule(rule)) {
      it(`${field} from ${before} to ${after}: ${verdicts.map((may) => (may ? 'yes' : 'no')).join(', ')}`, () => {
        for (const [index, by] of ADMINISTRATORS.entries()) {
          const { changes, fields, refused } = decide(having(field, before), only(field, after), by);
          if (verdicts[index] === true) {
            assert.deepEqual([changes, fields, refused], [only(field, after), [field], []], by);
          } else assert.deepEqual([changes, fields, refused], [{}, [], [field]], by);
        }
      });
    }
  }

  it('the switches are the ones of the spec', () => {
    assert.deepEqual(withRule('switch').sort(), [
      'headlessEnabled',
      'passportConfig.headless',
      'passportConfig.includeBranding',
      'passportConfig.includeEntityHash',
      'selfServiceEmail',
    ]);
    assert.deepEqual(withRule('own_session'), ['trustedInviteSignup']);
  });

  it('scopes, grant types and trust need a super admin even to narrow', () => {
    const record = clientRecord({
      allowedScopes: ['openid', 'mailer:send'],
      trustedClient: true,
      autoApproveScopes: true,
    });
    const narrower = {
      allowedScopes: ['openid'],
      allowedGrantTypes: [],
      trustedClient: false,
      autoApproveScopes: false,
    };
    const { changes, refused } = decide(record, narrower, 'owner');
    assert.deepEqual(changes, {});
    assert.deepEqual([...refused].sort(), ['allowedGrantTypes', 'allowedScopes', 'autoApproveScopes', 'trustedClient']);
    assert.deepEqual(decide(record, narrower, 'super_admin').refused, []);
  });

  it('an owner edits names, texts, URIs, lifetimes, looks, embed origins and domains', () => {
    const patch = {
      name: 'New',
      description: 'x',
      redirectUris: ['https://a.example/cb'],
      accessTokenTtlSeconds: 60,
      refreshTokenTtlSeconds: 3_600,
      whiteLabel: { primaryColor: '#112233' },
      passportConfig: { allowedEmbedOrigins: ['https://a.example'] },
      customDomains: ['a.example'],
    };
    const { changes, refused } = decide(clientRecord(), patch, 'owner');
    assert.deepEqual(refused, []);
    assert.deepEqual(changes, patch, 'parts stay parts, so that a flag switched off meanwhile stays off');
  });

  it('drops what is outside the allowlist, for everyone', () => {
    const patch = {
      clientId: 'other',
      orgSlug: 'thief',
      clientType: 'public',
      secrets: [],
      llmAccessEnabled: true,
      service: 'x',
      createdBy: 'me',
      passportConfig: { owner: true },
      colour: 'red',
    };
    for (const by of ADMINISTRATORS) {
      assert.deepEqual(decide(clientRecord(), patch, by), { changes: {}, fields: [], refused: [] });
    }
  });

  it('a client read and sent back whole changes nothing and is refused to nobody, in whatever order its lists are', () => {
    const record = clientRecord({ allowedScopes: ['openid', 'email', 'mailer:send'], headlessEnabled: true });
    const sentBack = { ...record, allowedScopes: record.allowedScopes.toReversed() };
    for (const by of ADMINISTRATORS) {
      assert.deepEqual(decide(record, sentBack, by), { changes: {}, fields: [], refused: [] });
    }
  });

  it('one refused field is named beside the allowed ones, so that the caller refuses the whole', () => {
    const { refused } = decide(clientRecord(), { name: 'New', trustedClient: true }, 'owner');
    assert.deepEqual(refused, ['trustedClient']);
  });
});

describe('nobody below super admin widens a client', () => {
  const scopes = fc.uniqueArray(fc.constantFrom('openid', 'email', 'mailer:send', 'personas:mint'), { maxLength: 4 });
  const fields = {
    name: fc.string(),
    redirectUris: fc.array(fc.webUrl(), { maxLength: 3 }),
    allowedScopes: scopes,
    allowedGrantTypes: fc.uniqueArray(fc.constantFrom(...GRANT_TYPES)),
    trustedClient: fc.boolean(),
    autoApproveScopes: fc.boolean(),
    headlessEnabled: fc.boolean(),
    selfServiceEmail: fc.boolean(),
    trustedInviteSignup: fc.boolean(),
    llmAccessEnabled: fc.boolean(),
    defaultAudience: fc.uniqueArray(fc.constantFrom('builder', 'portal')),
    passportConfig: fc.record(
      { includeBranding: fc.boolean(), includeEntityHash: fc.boolean(), headless: fc.boolean() },
      { requiredKeys: [] },
    ),
  };
  const patches = fc.record(fields, { requiredKeys: [] });
  const records = fc
    .record(fields)
    .map((part) =>
      clientRecord({ ...part, passportConfig: { ...clientRecord().passportConfig, ...part.passportConfig } }),
    );

  it('whatever client and patch', () => {
    const guarded = [...withRule('super_admin'), ...withRule('switch'), ...withRule('own_session')];
    fc.assert(
      fc.property(records, patches, (record, patch) => {
        const { changes } = decide(record, patch, 'owner');
        for (const field of guarded) {
          const value = valueAt(changes, field);
          assert.ok(value === undefined || (FIELD_RULES[field] === 'switch' && value === false), field);
        }
        assert.equal('llmAccessEnabled' in changes, false);
      }),
      { numRuns: 300 },
    );
  });

  it('every field of a patch is either changed, or refused, or the same already', () => {
    fc.assert(
      fc.property(records, patches, fc.constantFrom(...ADMINISTRATORS), (record, patch, by) => {
        const { fields: changed, refused } = decide(record, patch, by);
        assert.deepEqual(
          changed.filter((field) => refused.includes(field)),
          [],
        );
        for (const field of FIELDS) {
          const value = valueAt(patch as ClientPatch, field);
          if (value === undefined || changed.includes(field) || refused.includes(field)) continue;
          const known = valueAt(record, field);
          const sorted = (list: unknown): unknown => (Array.isArray(list) ? list.toSorted() : list);
          assert.deepEqual(sorted(value), sorted(known), field);
        }
      }),
      { numRuns: 300 },
    );
  });
});
