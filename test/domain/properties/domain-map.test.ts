import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { applyEntry, leaveMap, type MapEntry } from '../../../domain/properties/domain-map.ts';
import { changedProperty } from '../../../domain/properties/property.ts';
import { readDomainMap } from '../../../domain/properties/read-domain-map.ts';

const AT = new Date('2026-11-01T10:00:00Z');
const LATER = new Date('2026-11-02T10:00:00Z');
const entry = (changes: Partial<MapEntry> = {}): MapEntry => {
  return { domain: 'a.com', family: 'cars', role: 'main', ignored: false, reason: null, ...changes };
};
const first = applyEntry(null, entry(), { id: 'prp_1', at: AT });

describe('reading a domain map', () => {
  it('JSON or YAML, a list or a section, lines short or long', () => {
    const { entries, invalid } = readDomainMap(
      'domains:\n  - https://www.A.com/\n  - {domain: b.com, family: cars, role: main, ignored: true, reason: sold, more: 1}\n',
    );
    assert.deepEqual(invalid, []);
    assert.deepEqual(entries, [
      { domain: 'a.com', family: null, role: null, ignored: false, reason: null },
      { domain: 'b.com', family: 'cars', role: 'main', ignored: true, reason: 'sold' },
    ]);
    assert.equal(readDomainMap('["a.com", {"domain": "b.com"}]').entries.length, 2);
  });

  it('a bad line is left out and told, one that is there twice as well', () => {
    const { entries, invalid } = readDomainMap('["a.com", "www.a.com", "co.uk", 7, {"domain": "b.com", "family": 1}]');
    assert.deepEqual(
      entries.map(({ domain }) => domain),
      ['a.com'],
    );
    assert.deepEqual(
      invalid.map(({ text }) => text),
      ['a.com', 'co.uk', '7', '{"domain":"b.com","family":1}'],
    );
  });

  it('what is no map, has no domain, or would unpack to much, changes nothing', () => {
    const bomb = `a: &a [x.com]\nb: &b [*a, *a]\ndomains: [*b, *b]`;
    for (const text of ['', '{}', 'null', '<html>', '[]', '["co.uk"]', '{"domains": {}}', '{', bomb]) {
      assert.throws(() => readDomainMap(text), { code: 'DOMAIN_MAP_UNREADABLE' }, text);
    }
  });

  it('a map with very many keys, or megabytes of YAML, is refused within seconds', () => {
    const keys = Array.from({ length: 40_000 }, (_, index) => `k${index}: 1`).join('\n');
    const long = Array.from({ length: 600_000 }, (_, index) => `k${index}: 1`).join('\n');
    const before = process.cpuUsage();
    for (const text of [keys, long]) assert.throws(() => readDomainMap(text), { code: 'DOMAIN_MAP_UNREADABLE' });
    const { user } = process.cpuUsage(before);
    assert.ok(user < 5_000_000, `${user} µs of the processor`);
  });
});

describe('what the map says of a Property', () => {
  it('a new domain is added, and the same line again changes nothing', () => {
    assert.ok(first);
    assert.deepEqual(
      [first.family, first.role, first.map, first.ignored],
      ['cars', 'main', { seenAt: AT, leftAt: null }, null],
    );
    assert.equal(applyEntry(first, entry(), { id: 'prp_2', at: LATER }), null);
  });

  it('its own word about ignoring is taken back, a person’s is not', () => {
    assert.ok(first);
    const byMap = applyEntry(first, entry({ ignored: true, reason: 'sold' }), { id: '', at: LATER });
    assert.deepEqual(byMap?.ignored, { by: 'map', actor: null, reason: 'sold', at: LATER });
    assert.equal(byMap?.timeline.at(-1)?.event, 'ignored');
    assert.equal(applyEntry(byMap, entry(), { id: '', at: LATER })?.ignored, null);
    const unignored = changedProperty(first, { unignoredAt: AT }, { at: AT });
    assert.equal(applyEntry(unignored, entry({ ignored: true }), { id: '', at: LATER }), null);
    const ignored = { by: 'person', actor: 'usr_ada', reason: null, at: AT } as const;
    const byPerson = changedProperty(first, { ignored }, { at: AT });
    assert.equal(applyEntry(byPerson, entry(), { id: '', at: LATER }), null);
  });

  it('a domain that leaves is marked once, and comes back; one that no map had stays as it is', () => {
    assert.ok(first);
    const left = leaveMap(first, LATER);
    assert.deepEqual(left?.map, { seenAt: AT, leftAt: LATER });
    assert.ok(left);
    assert.equal(leaveMap(left, LATER), null);
    const back = applyEntry(left, entry(), { id: '', at: LATER });
    assert.deepEqual([back?.map, back?.timeline.at(-1)?.event], [{ seenAt: LATER, leftAt: null }, 'back-in-map']);
    assert.equal(leaveMap({ ...first, map: null }, LATER), null);
  });
});
