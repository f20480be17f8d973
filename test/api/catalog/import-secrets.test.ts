import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createLockerClient } from '../../../adapters/locker/locker-client.ts';
import { bootstrapIdentity } from '../../../api/identity/bootstrap.ts';
import type { LegacyVault, LockerSource } from '../../../domain/config/secret-import.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { createServiceTokens } from '../../../sdk/auth/service-tokens.ts';
import { createTokenVerifier, type TokenVerifier } from '../../../sdk/index.ts';
import { dyingAtWrite } from '../../support/dying-at.ts';
import { createInMemoryBuilderParts } from '../../support/in-memory/builder-parts.ts';
import { assertNotLogged } from '../../support/not-logged.ts';
import { type Answer, startApi, type TestApi } from '../../support/start-api.ts';
import { KEY as IDP_KEY, startIdp, type TestIdp } from '../../support/start-idp.ts';
import { startLocker, type TestLocker } from '../../support/start-locker.ts';

const CANARY = 'canary-1mported-never-shown';
const SECRET = 'builder-secret-of-this-test-0123456789';
const OWNER = { 'x-test-user': 'acme/member' };

/** Aliases that the legacy vault of this test has; it tells whom it was asked for. */
const asked: string[] = [];
const legacyVault: LegacyVault = {
  async resolve(alias, { org, service }) {
    asked.push(`${org}/${service} ${alias}`);
    if (alias === 'VAULT.key') return `${CANARY}-of-the-vault`;
    throw new FairleadError('VAULT_ALIAS_NOT_FOUND', `The legacy vault has no alias ${alias}`);
  },
};

let idp: TestIdp;
let verifier: TokenVerifier;
let locker: TestLocker;
let source: LockerSource;
let api: TestApi;
const parts = createInMemoryBuilderParts();

const item = (name: string, org = 'acme') => `/api/orgs/${org}/vaults/main/items/${name}`;
const admin = (org = 'acme') => ({ 'x-test-user': `${org}/admin` });
async function put(name: string, body: object, { bound = 'svc_shop', org = 'acme' } = {}): Promise<void> {
  const stored = await locker.call('PATCH', item(name, org), body, admin(org));
  assert.equal(stored.status, 200, stored.text);
  if (bound !== '') await locker.call('PUT', `${item(name, org)}/bindings/${bound}`, { service: 'shop' }, admin(org));
}

before(async () => {
  idp = await startIdp();
  const settings = { ...idp.deps.settings, clientSecrets: { builder: SECRET } };
  await bootstrapIdentity({ ...idp.deps, settings }, { onFirstAdminLink: async () => undefined });
  verifier = createTokenVerifier({ idpUrl: idp.issuer, audience: 'locker', revocations: { internalKey: IDP_KEY } });
  locker = await startLocker({}, { verifier, issuer: idp.issuer });
  const client = { idpUrl: idp.issuer, clientId: 'builder', clientSecret: SECRET };
  const tokens = createServiceTokens({ ...client, scope: 'locker-resolve', audience: 'locker' });
  source = createLockerClient({ url: locker.address, tokens });
  api = await startApi(null, null, parts, { locker: source, vault: legacyVault });
  await parts.services.upsert({ id: 'svc_shop', name: 'shop', org: 'acme' }, {});
  await parts.services.upsert({ id: 'svc_rival', name: 'rivals', org: 'rival' }, {});
  await parts.authorize('svc_shop', ['partner']);
  const fields = [{ name: 'key', value: CANARY }];
  await put('stripe', { fields });
  await put('aliased', { fields, legacyAlias: 'OLD.key' });
  await put('two', { fields: [...fields, { name: 'other', value: CANARY }] });
  await put('sealed', { fields, legacyAlias: 'OLD.sealed' });
  await put('unbound', { fields, legacyAlias: 'OLD.unbound' }, { bound: '' });
  await put('of-another-service', { fields }, { bound: 'svc_other' });
  await put('theirs', { fields, legacyAlias: 'OLD.theirs' }, { org: 'rival' });
  await locker.call('POST', `${item('sealed')}/seal`, {}, admin());
});
after(async () => {
  await api.stop();
  await locker.stop();
  verifier.close();
  await idp.stop();
});

const set = (body: object, headers: Readonly<Record<string, string>> = OWNER, service = 'shop'): Promise<Answer> =>
  api.call('PATCH', `/services/${service}/config`, body, headers);
const handle = (rest: string, owner = 'acme') => ({ lockerHandle: `lk://${owner}/main/${rest}` });
const stateOf = async () => JSON.stringify(await parts.services.find('svc_shop'));
const storedValue = async (name: string): Promise<string> =>
  (await api.call('GET', '/services/shop/config/values', undefined, OWNER)).body.data.variables[name];
const rowOf = async (name: string) =>
  (await api.call('GET', '/services/shop/config', undefined, OWNER)).body.data.variables.find(
    (row: { name: string }) => row.name === name,
  );

describe('config set from the locker', () => {
  it('copies a value with the builder’s own token, seals it, and says where it is from', async () => {
    const answer = await set({ secrets: { API_KEY: handle('stripe') } });
    assert.equal(answer.status, 200, answer.text);
    assert.deepEqual([answer.body.data.set, answer.body.data.warnings], [['API_KEY'], []]);
    assert.equal(await storedValue('API_KEY'), CANARY);
    const { secret, value, origin } = await rowOf('API_KEY');
    assert.deepEqual(
      { secret, value, origin },
      {
        ...{ secret: true, value: '********' },
        origin: { kind: 'locker', name: 'lk://acme/main/stripe' },
      },
    );
    const event = locker.told().at(-1);
    assert.deepEqual(
      [event?.eventType, event?.metadata.actor, event?.data.serviceId],
      ['locker.item_resolved', 'builder', 'svc_shop'],
    );
    assert.ok(!(answer.text + (await stateOf())).includes(CANARY));
  });

  it('is a one-time copy: what the item has later, and its removal, change nothing', async () => {
    await put('copied', { fields: [{ name: 'key', value: 'first value' }] });
    await set({ secrets: { COPIED: handle('copied') } });
    await put('copied', { fields: [{ name: 'key', value: 'second value' }] });
    assert.equal(await storedValue('COPIED'), 'first value');
    await set({ secrets: { COPIED: handle('copied') } });
    assert.equal(await storedValue('COPIED'), 'second value');
    await locker.call('DELETE', item('copied'), undefined, admin());
    assert.equal((await set({ secrets: { COPIED: handle('copied') } })).body.error.code, 'LOCKER_HANDLE_NOT_FOUND');
    assert.equal(await storedValue('COPIED'), 'second value');
  });

  it('shows no origin any more once the value is typed', async () => {
    await set({ secrets: { TYPED: handle('stripe') } });
    await set({ secrets: { TYPED: 'typed by hand' } });
    assert.equal((await rowOf('TYPED')).origin, null);
  });

  it('takes several handles, beside typed values, for one environment alone', async () => {
    const secrets = { ONE: handle('two/key'), TWO: handle('two/other'), THREE: 'typed' };
    const answer = await set({ environment: 'uat', set: { PLAIN: '1' }, secrets });
    assert.deepEqual(answer.body.data.set, ['PLAIN', 'ONE', 'TWO', 'THREE']);
    const values = await api.call('GET', '/services/shop/config/values?environment=uat', undefined, OWNER);
    const { ONE, TWO, THREE } = values.body.data.variables;
    assert.deepEqual([ONE, TWO, THREE], [CANARY, CANARY, 'typed']);
  });

  const refusals: readonly [string, object, string, RegExp?][] = [
    ['an item that is not there', handle('none'), 'LOCKER_HANDLE_NOT_FOUND'],
    ['a field that is not there', handle('stripe/none'), 'LOCKER_HANDLE_NOT_FOUND'],
    [
      'an item that is not bound',
      handle('unbound'),
      'LOCKER_RESOLVE_FORBIDDEN',
      /^NOT_BOUND: .* not bound to shop; .*`fairlead locker bind lk:\S+unbound --service shop`/,
    ],
    ['an item of another service', handle('of-another-service'), 'LOCKER_RESOLVE_FORBIDDEN', /^NOT_BOUND: /],
    ["another org's handle", handle('theirs', 'rival'), 'LOCKER_RESOLVE_FORBIDDEN', /^ORG_MISMATCH: /],
    ['a personal handle', handle('stripe', 'me'), 'LOCKER_RESOLVE_FORBIDDEN', /^PERSONAL_NOT_RESOLVABLE: /],
    ['a sealed item', handle('sealed'), 'LOCKER_RESOLVE_FORBIDDEN', /^ITEM_SEALED: /],
    ['an item of two secret fields', handle('two'), 'LOCKER_RESOLVE_FORBIDDEN', /^FIELD_AMBIGUOUS: /],
    ['an alias of an unbound item', { vaultAlias: 'OLD.unbound' }, 'LOCKER_RESOLVE_FORBIDDEN', /^NOT_BOUND: /],
    ['an alias of a sealed item', { vaultAlias: 'OLD.sealed' }, 'LOCKER_RESOLVE_FORBIDDEN', /^ITEM_SEALED: /],
    ['an alias that nobody has', { vaultAlias: 'NOBODY' }, 'VAULT_ALIAS_NOT_FOUND'],
    ["another org's alias", { vaultAlias: 'OLD.theirs' }, 'VAULT_ALIAS_NOT_FOUND'],
  ];
  for (const [what, refused, code, message] of refusals) {
    it(`refuses ${what} with ${code}, and stores nothing of the request`, async () => {
      const before = await stateOf();
      const answer = await set({ set: { BESIDE: '1' }, secrets: { GOOD: handle('stripe'), BAD: refused } });
      assert.equal(answer.body.error?.code, code, answer.text);
      if (message !== undefined) assert.match(answer.body.error.message, message);
      assert.ok(!answer.text.includes(CANARY));
      assert.equal(await stateOf(), before);
    });
  }

  it('refuses what is neither value nor handle, by its form, without repeating it or asking the locker', async () => {
    const told = locker.told().length;
    const refused: object[] = [
      { secrets: { KEY: { lockerHandle: 'lk://acme/main/stripe', value: CANARY } } },
      { secrets: { KEY: { lockerHandle: 'lk://acme/main/stripe', vaultAlias: 'OLD.key' } } },
      { secrets: { KEY: { lockerHandle: CANARY } } },
      { secrets: { KEY: { lockerHandle: `lk://acme/main/${CANARY}%2Fkey` } } },
      { secrets: { KEY: { lockerHandle: `lk://acme/../${CANARY.toLowerCase()}/key` } } },
      { secrets: { KEY: { lockerHandle: 'lk://acme/main/ｓtripe' } } },
      { secrets: { KEY: { lockerHandle: `lk://acme/main/${'a'.repeat(5_000)}` } } },
      { secrets: { KEY: { lockerHandle: ['lk://acme/main/stripe'] } } },
      { secrets: { KEY: { vaultAlias: `../${CANARY}` } } },
      { secrets: { KEY: { [CANARY]: 1 } } },
      { secrets: { KEY: null } },
      { set: { KEY: handle('stripe') } },
      { secrets: { ONE: handle('stripe'), TWO: handle('stripe') } },
      { secrets: Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`K${index}`, handle(`i${index}`)])) },
      { secrets: { PORT: handle('stripe') } },
      { set: { KEY: '1' }, secrets: { KEY: handle('stripe') } },
      { secrets: { KEY: handle('stripe') }, unset: ['KEY'] },
    ];
    for (const body of refused) {
      const answer = await set(body);
      assert.equal(answer.status, 400, JSON.stringify(body).slice(0, 100));
      assert.ok(!answer.text.toLowerCase().includes(CANARY.toLowerCase()), answer.text);
    }
    assert.equal(locker.told().length, told);
  });
});

describe('who may import', () => {
  it('members of the owner, and of an org that it authorized: always from the owner’s locker', async () => {
    const partner = { 'x-test-user': 'partner/member' };
    assert.equal((await set({ secrets: { PARTNERS: handle('stripe') } }, partner)).status, 200);
    await put('own', { fields: [{ name: 'key', value: CANARY }] }, { org: 'partner' });
    const own = await set({ secrets: { PARTNERS: handle('own', 'partner') } }, partner);
    assert.match(own.body.error.message, /^ORG_MISMATCH: /);
    const unbound = await set({ secrets: { PARTNERS: handle('unbound') } }, partner);
    assert.match(unbound.body.error.message, /^NOT_BOUND: /);
  });

  it('nobody of another org, no viewer, and nobody for a service of their own', async () => {
    const told = locker.told().length;
    assert.equal((await set({ secrets: { K: handle('stripe') } }, { 'x-test-user': 'rival/admin' })).status, 404);
    assert.equal((await set({ secrets: { K: handle('stripe') } }, { 'x-test-user': 'acme/viewer' })).status, 403);
    assert.equal(locker.told().length, told, 'the locker is not asked');
    const theirs = await set({ secrets: { K: handle('stripe') } }, { 'x-test-user': 'rival/admin' }, 'rivals');
    assert.match(theirs.body.error.message, /^ORG_MISMATCH: /);
  });

  it('no service that was registered later under the name of one that was bound, by the same org or another', async () => {
    await parts.services.upsert({ id: 'svc_first', name: 'reborn', org: 'acme' }, {});
    await put('for-reborn', { fields: [{ name: 'key', value: CANARY }] }, { bound: 'svc_first' });
    assert.equal((await set({ secrets: { K: handle('for-reborn') } }, OWNER, 'reborn')).status, 200);
    await parts.services.remove('svc_first');
    await parts.services.upsert({ id: 'svc_second', name: 'reborn', org: 'acme' }, {});
    const later = await set({ secrets: { K: handle('for-reborn') } }, OWNER, 'reborn');
    assert.match(later.body.error.message, /^NOT_BOUND: /);
    await parts.services.remove('svc_second');
    await parts.services.upsert({ id: 'svc_third', name: 'reborn', org: 'rival' }, {});
    const taken = await set({ secrets: { K: handle('for-reborn') } }, { 'x-test-user': 'rival/admin' }, 'reborn');
    assert.match(taken.body.error.message, /^ORG_MISMATCH: /);
  });
});

describe('config set from a legacy alias', () => {
  it('takes the locker’s item of that alias, and does not ask the vault', async () => {
    asked.length = 0;
    const answer = await set({ secrets: { ALIASED: { vaultAlias: 'OLD.key' } } });
    assert.deepEqual([answer.status, answer.body.data.warnings, asked], [200, [], []]);
    assert.deepEqual((await rowOf('ALIASED')).origin, { kind: 'locker', name: 'lk://acme/main/aliased/key' });
  });

  it('falls back to the vault when the locker has no such alias, with a warning', async () => {
    asked.length = 0;
    const answer = await set({ secrets: { OLDER: { vaultAlias: 'VAULT.key' } } });
    assert.equal(answer.status, 200, answer.text);
    assert.match(answer.body.data.warnings.join(), /VAULT\.key was copied from the legacy vault/);
    assert.deepEqual(asked, ['acme/shop VAULT.key']);
    assert.deepEqual((await rowOf('OLDER')).origin, { kind: 'vault', name: 'VAULT.key' });
    assert.equal(await storedValue('OLDER'), `${CANARY}-of-the-vault`);
  });

  it('does not fall back on any other answer of the locker', async () => {
    asked.length = 0;
    for (const vaultAlias of ['OLD.unbound', 'OLD.sealed']) await set({ secrets: { K: { vaultAlias } } });
    const away: LockerSource = {
      resolve: () => Promise.reject(new FairleadError('LOCKER_UNREACHABLE', 'away', { retryable: true })),
    };
    const other = await startApi(null, null, parts, { locker: away, vault: legacyVault });
    const body = { secrets: { K: { vaultAlias: 'VAULT.key' } } };
    const answer = await other.call('PATCH', '/services/shop/config', body, OWNER);
    await other.server.stop();
    assert.deepEqual([answer.status, answer.body.error.code, asked], [502, 'LOCKER_UNREACHABLE', []]);
  });
});

it('says what is not configured, before anything is asked', async () => {
  const cases = [
    [{ locker: null, vault: legacyVault }, handle('stripe'), 'LOCKER_NOT_CONFIGURED'],
    [{ locker: null, vault: null }, { vaultAlias: 'OLD.key' }, 'VAULT_NOT_CONFIGURED'],
    [{ locker: source, vault: null }, { vaultAlias: 'VAULT.key' }, 'VAULT_NOT_CONFIGURED'],
  ] as const;
  for (const [sources, from, code] of cases) {
    const other = await startApi(null, null, parts, sources);
    const answer = await other.call('PATCH', '/services/shop/config', { secrets: { K: from } }, OWNER);
    await other.server.stop();
    assert.deepEqual([answer.status, answer.body.error.code], [503, code]);
  }
});

it('imports at once, and changes at once, lose nothing', async () => {
  const names = Array.from({ length: 6 }, (_, index) => `AT_ONCE_${index}`);
  const answers = await Promise.all(names.map((name) => set({ secrets: { [name]: handle('stripe') } })));
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
  for (const name of names) assert.equal(await storedValue(name), CANARY);
});

it('a service that is removed while its value is on the way gets nothing, nor does the one after it', async () => {
  await parts.services.upsert({ id: 'svc_brief', name: 'brief', org: 'acme' }, {});
  const racing: LockerSource = {
    async resolve(...request) {
      const resolved = await source.resolve(...request);
      await parts.services.remove('svc_brief');
      await parts.services.upsert({ id: 'svc_next', name: 'brief', org: 'acme' }, {});
      return resolved;
    },
  };
  await put('for-brief', { fields: [{ name: 'key', value: CANARY }] }, { bound: 'svc_brief' });
  const other = await startApi(null, null, parts, { locker: racing });
  const answer = await other.call('PATCH', '/services/brief/config', { secrets: { K: handle('for-brief') } }, OWNER);
  await other.server.stop();
  assert.equal(answer.body.error.code, 'SERVICE_NOT_FOUND');
  assert.deepEqual((await parts.services.find('brief'))?.secrets, {});
});

it('killed at any write, an import is stored whole or not at all, and can be repeated', async () => {
  await parts.services.upsert({ id: 'svc_dying', name: 'dying', org: 'acme' }, {});
  await put(
    'for-dying',
    {
      fields: [
        { name: 'a', value: CANARY },
        { name: 'b', value: CANARY },
      ],
    },
    { bound: 'svc_dying' },
  );
  const body = { set: { PLAIN: '1' }, secrets: { A: handle('for-dying/a'), B: handle('for-dying/b') } };
  const names = async () => {
    const { config = {}, secrets = {}, marks = {} } = (await parts.services.find('svc_dying')) ?? {};
    return [config, secrets, marks].map((group) => Object.keys(group).sort().join());
  };
  for (const moment of ['before', 'after'] as const) {
    let wasKilled = true;
    for (let write = 1; wasKilled; write += 1) {
      await set({ unset: ['PLAIN', 'A', 'B'] }, OWNER, 'dying');
      const { services, history } = parts;
      const { ports, died } = dyingAtWrite({ write, moment }, { services, history });
      const dying = await startApi(null, null, { ...parts, ...ports }, { locker: source });
      const answer = await dying.call('PATCH', '/services/dying/config', body, OWNER);
      await dying.server.stop();
      wasKilled = died();
      assert.equal(answer.status, wasKilled ? 500 : 200, answer.text);
      assert.ok(!answer.text.includes(CANARY));
      const stored = (await names()).join(' ');
      assert.ok(['  ', 'PLAIN A,B A,B,PLAIN'].includes(stored), `write ${write}: ${stored}`);
      assert.equal((await set(body, OWNER, 'dying')).status, 200);
      assert.equal((await names()).join(' '), 'PLAIN A,B A,B,PLAIN');
    }
  }
});

it('the value is in no log, event or history, of the builder or of the locker', async () => {
  assertNotLogged(api.logged, '/services/shop/config', [CANARY, SECRET]);
  assertNotLogged(locker.logged, '/api/resolve', [CANARY]);
  const { items } = await parts.history.list('svc_shop', { cursor: null, limit: 200 });
  const kept = JSON.stringify([api.audit.told(), locker.told(), items]);
  assert.ok(kept.includes('(locker: lk://acme/main/stripe)'), 'the events tell of the import');
  assert.ok(!kept.includes(CANARY));
});
