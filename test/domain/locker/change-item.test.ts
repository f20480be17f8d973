import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createSecretCipher } from '../../../adapters/crypto/secret-cipher.ts';
import {
  bindService,
  changeItem,
  type ItemChange,
  sealItem,
  unbindService,
} from '../../../domain/locker/change-item.ts';
import { type LockerItem, MAX_BINDINGS, MAX_FIELDS } from '../../../domain/locker/item.ts';
import { openField } from '../../../domain/locker/item-values.ts';

const cipher = createSecretCipher([Buffer.alloc(32, 1)]);
const place = { owner: { kind: 'org', id: 'acme' }, vault: 'main', name: 'stripe' } as const;
const by = { cipher, newItemId: () => 'itm_1', at: new Date(1_700_000_000_000), by: 'usr_ada' };
const secret = (name: string, value = `value of ${name}`) => ({ name, secret: true, value });

const change = (
  item: LockerItem | null,
  { fields = [], removeFields = [], ...rest }: Partial<ItemChange>,
): LockerItem => changeItem(by, place, item, { fields, removeFields, ...rest });

const valuesOf = (item: LockerItem) => item.fields.map((field) => `${field.name}=${openField(cipher, item, field)}`);

describe('changing an item', () => {
  it('makes it, then sets and removes fields, and keeps those that are not named', () => {
    const made = change(null, {
      fields: [secret('b'), { name: 'a', secret: false, value: 'plain' }],
      legacyAlias: 'OLD',
    });
    assert.deepEqual(valuesOf(made), ['a=plain', 'b=value of b']);
    const next = change(made, { fields: [secret('c')], removeFields: ['a', 'none'] });
    assert.deepEqual(valuesOf(next), ['b=value of b', 'c=value of c']);
    assert.deepEqual([next.id, next.revision, next.legacyAlias], ['itm_1', 2, 'OLD']);
    assert.equal(change(next, { legacyAlias: null }).legacyAlias, null);
  });

  it('seals each value for its owner, vault, item and field: it opens in no other place', () => {
    const item = change(null, { fields: [secret('a'), secret('b')] });
    const [a, b] = item.fields;
    assert.ok(a && b);
    assert.ok(!JSON.stringify(item).includes('value of'));
    const others = [
      { ...place, owner: { kind: 'org', id: 'other' } },
      { ...place, owner: { kind: 'person', id: 'acme' } },
      { ...place, vault: 'other' },
      { ...place, name: 'other' },
    ] as const;
    for (const other of others) assert.throws(() => openField(cipher, other, a), { code: 'INTERNAL' });
    assert.throws(() => openField(cipher, item, { ...a, value: b.value }), { code: 'INTERNAL' });
    assert.throws(() => openField(createSecretCipher([Buffer.alloc(32, 2)]), item, a), { code: 'INTERNAL' });
  });

  it('bounds fields and their bytes, and takes each name once', () => {
    const many = Array.from({ length: MAX_FIELDS }, (_, index) => secret(`f${index}`, 'x'));
    const full = change(null, { fields: many });
    const big = (name: string) => secret(name, 'é'.repeat(16_384));
    const refused: [LockerItem | null, Partial<ItemChange>, RegExp][] = [
      [full, { fields: [secret('one-more')] }, /at most 20 fields/],
      [null, {}, /at least one field/],
      [change(null, { fields: [secret('a')] }), { removeFields: ['a'] }, /at least one field/],
      [null, { fields: [big('a'), big('b'), secret('c', 'x')] }, /at most 65536 bytes/],
      [null, { fields: [secret('a'), secret('a')] }, /a is named twice/],
      [full, { fields: [secret('f0')], removeFields: ['f0'] }, /f0 is named twice/],
    ];
    for (const [item, changes, message] of refused) {
      assert.throws(() => change(item, changes), { code: 'VALIDATION_FAILED', message });
    }
    assert.equal(change(null, { fields: [big('a'), big('b')] }).fields.length, 2);
  });
});

describe('a sealed item', () => {
  const sealed = () => sealItem(change(null, { fields: [secret('a'), secret('b')] }), by);

  it('stays sealed until every field has a new value, or is gone', () => {
    const item = sealed();
    assert.equal(sealItem(item, by), item);
    assert.notEqual(change(item, { legacyAlias: 'OLD' }).sealedAt, null);
    assert.notEqual(change(item, { removeFields: ['a'] }).sealedAt, null);
    for (const changes of [{ fields: [secret('a', 'new')] }, { fields: [secret('c', 'new')], removeFields: ['a'] }]) {
      assert.throws(() => change(item, changes), { code: 'ITEM_SEALED', message: /new values to (a, )?b as well/ });
    }
    const anew = change(item, { fields: [secret('a', 'new')], removeFields: ['b'] });
    assert.deepEqual([anew.sealedAt, valuesOf(anew)], [null, ['a=new']]);
  });

  it('keeps its sealing when services are bound and unbound', () => {
    const bound = bindService(sealed(), { serviceId: 'svc_1', service: 'shop', boundAt: by.at, boundBy: by.by });
    assert.notEqual(bound.sealedAt, null);
    assert.notEqual(unbindService(bound, 'svc_1', by).sealedAt, null);
  });
});

it('binds a service once, takes it away, and binds no more than it may', () => {
  const bind = (item: LockerItem, serviceId: string) =>
    bindService(item, { serviceId, service: 'shop', boundAt: by.at, boundBy: by.by });
  let item = change(null, { fields: [secret('a')] });
  for (let index = 0; index < MAX_BINDINGS; index += 1) item = bind(item, `svc_${index}`);
  assert.equal(bind(item, 'svc_0').bindings.length, MAX_BINDINGS);
  assert.throws(() => bind(item, 'svc_more'), { code: 'VALIDATION_FAILED' });
  assert.equal(unbindService(item, 'svc_0', by).bindings.length, MAX_BINDINGS - 1);
  assert.equal(unbindService(item, 'svc_none', by), item);
});
