import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MOST_BINDINGS } from '../../../domain/registered-limits.ts';
import {
  applyChange,
  attachWalkthrough,
  createNamespace,
  declare,
  type EntryChange,
  newEntry,
  putBinding,
  putChangelog,
  register,
  removeBinding,
  removeEntry,
} from '../../../domain/registry/change-entry.ts';
import type { ServiceEntry } from '../../../domain/registry/service-entry.ts';

const NOON = new Date('2026-05-04T12:00:00Z');
const LATER = new Date('2026-05-04T13:00:00Z');
const HELLO = { id: 'svc_hello', name: 'hello', org: 'acme', serviceSince: NOON };
const REGISTRATION = {
  ...{ buildId: 'bld_1', releaseId: 'rel_1', commit: 'c0ffee', port: 4000, url: 'https://hello.example' },
  ...{ healthEndpoint: '/health', routes: [], modules: [] },
};
const QUEUE = { kind: 'queue', name: 'mail', port: 4000, path: '/mail', cron: null } as const;
const NIGHT = { kind: 'schedule', name: 'night', port: 4000, path: '/night', cron: '0 2 * * *' } as const;
const CHANGELOG = { notes: '- new', version: null, commit: null, deployedAt: NOON, walkthroughUrl: null };

const after = (...changes: EntryChange[]): ServiceEntry =>
  changes.reduce((entry, change) => applyChange(entry, change, NOON), newEntry(HELLO, NOON));
const prod = (epoch: number) => ({ environment: 'prod', epoch }) as const;

describe('changes of an entry of the registry', () => {
  it('each change counts the revision up once, and the same change again does not', () => {
    const changes: [string, EntryChange][] = [
      ['declare', declare({ ...HELLO, org: 'rival' })],
      ['namespace', createNamespace('uat')],
      ['register', register(prod(1), REGISTRATION)],
      ['binding', putBinding(prod(1), QUEUE)],
      ['changelog', putChangelog(CHANGELOG)],
      ['remove', removeEntry],
    ];
    for (const [name, change] of changes) {
      const once = applyChange(newEntry(HELLO, NOON), change, NOON);
      assert.equal(once.revision, 2, name);
      assert.equal(applyChange(once, change, LATER), once, name);
    }
  });

  it('a registration of other content is a new one; the time of the same one stays', () => {
    const before = after(register(prod(1), REGISTRATION));
    const same = applyChange(before, register(prod(2), { ...REGISTRATION }), LATER);
    assert.deepEqual(same.environments.prod?.registration?.registeredAt, NOON);
    const other = applyChange(before, register(prod(2), { ...REGISTRATION, port: 5000 }), LATER);
    assert.deepEqual(other.environments.prod?.registration, { ...REGISTRATION, port: 5000, registeredAt: LATER });
  });

  it('a write of an older deploy is refused, whatever it writes; other environments have their own order', () => {
    const entry = after(register(prod(5), REGISTRATION), putBinding(prod(5), QUEUE));
    for (const late of [register(prod(4), REGISTRATION), putBinding(prod(4), NIGHT), removeBinding(prod(4), QUEUE)]) {
      assert.throws(() => applyChange(entry, late, LATER), { code: 'CONFLICT' });
    }
    const uat = applyChange(entry, putBinding({ environment: 'uat', epoch: 1 }, NIGHT), LATER);
    assert.deepEqual(uat.environments.uat?.bindings, [{ ...NIGHT, namespace: 'hello-uat' }]);
  });

  it('a binding is named by kind and name, says its namespace, and goes alone', () => {
    const twin = { ...NIGHT, kind: 'queue', cron: null } as const;
    const entry = after(...[NIGHT, QUEUE, twin].map((binding) => putBinding(prod(1), binding)));
    const bindings = () => entry.environments.prod?.bindings.map(({ kind, name }) => `${kind} ${name}`);
    assert.deepEqual(bindings(), ['queue mail', 'queue night', 'schedule night']);
    assert.ok(entry.environments.prod?.bindings.every(({ namespace }) => namespace === 'hello-prod'));
    const left = applyChange(entry, removeBinding(prod(1), NIGHT), NOON);
    assert.deepEqual(
      left.environments.prod?.bindings.map(({ kind, name }) => `${kind} ${name}`),
      ['queue mail', 'queue night'],
    );
  });

  it('refuses more bindings than a catalog can mean', () => {
    const many = Array.from({ length: MOST_BINDINGS }, (_, index) =>
      putBinding(prod(1), { ...QUEUE, name: `q${index}` }),
    );
    const full = after(...many);
    assert.throws(() => applyChange(full, putBinding(prod(1), NIGHT), NOON), { code: 'VALIDATION_FAILED' });
    assert.equal(applyChange(full, putBinding(prod(1), { ...QUEUE, name: 'q0' }), NOON), full);
  });

  it('a walkthrough is attached without touching notes and time, and stays when new notes come without one', () => {
    const url = 'https://hello.example/tour';
    assert.throws(() => after(attachWalkthrough(url)), { code: 'NOT_FOUND' });
    const attached = applyChange(after(putChangelog(CHANGELOG)), attachWalkthrough(url), LATER);
    const walkthrough = { walkthroughUrl: url, walkthroughUpdatedAt: LATER };
    assert.deepEqual(attached.changelog, { ...CHANGELOG, ...walkthrough });
    const next = { ...CHANGELOG, notes: '- newer', deployedAt: LATER };
    assert.deepEqual(applyChange(attached, putChangelog(next), LATER).changelog, { ...next, ...walkthrough });
  });

  it('a changelog of an earlier deploy does not replace that of a later one', () => {
    const entry = after(putChangelog({ ...CHANGELOG, deployedAt: LATER }));
    assert.throws(() => applyChange(entry, putChangelog(CHANGELOG), LATER), { code: 'CONFLICT' });
  });

  it('a removed entry has nothing left but its id, its name and when it went', () => {
    const entry = after(
      register(prod(1), REGISTRATION),
      putBinding(prod(1), QUEUE),
      putChangelog(CHANGELOG),
      removeEntry,
    );
    assert.deepEqual([entry.environments, entry.changelog, entry.removedAt], [{}, null, NOON]);
  });
});
