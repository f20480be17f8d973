import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { EnvironmentEntry, ServiceEntry } from '../../../domain/registry/service-entry.ts';
import { entryView, moduleViews } from '../../../domain/registry/views.ts';

const AT = new Date(0);
const TURNED = 'Cl\u202eerk\u0007';

it('shows titles and descriptions without what hides or turns text, also those that were kept before it was refused', () => {
  const title = TURNED;
  const place: EnvironmentEntry = {
    ...{ namespace: 'shop-prod', since: AT, epoch: 1, bindings: [] },
    announced: { buildId: 'bld_2', modules: [{ name: 'coming', title }] },
    registration: {
      ...{ buildId: 'bld_1', releaseId: 'rel_1', commit: null, port: 80, url: 'http://shop', healthEndpoint: '/' },
      ...{ routes: [], modules: [{ name: 'orders', title }], registeredAt: AT },
    },
    metadata: {
      roles: [
        { name: 'clerk', title, description: `Enters\u2066 orders\n\tand more` },
        { name: 'boss', title: null, description: null },
      ],
      registration: { title, description: TURNED, termsUrl: 'https://a.example/', privacyUrl: null },
    },
  };
  const entry = {
    ...{ id: 'svc_shop', name: 'shop', org: 'acme', changelog: null, revision: 1, updatedAt: AT, removedAt: null },
    environments: { prod: place },
  } as unknown as ServiceEntry;
  const [shown] = entryView(entry).environments;
  assert.deepEqual(shown?.metadata, {
    roles: [
      { name: 'clerk', title: 'Clerk', description: 'Enters orders\n\tand more' },
      { name: 'boss', title: null, description: null },
    ],
    registration: { title: 'Clerk', description: 'Clerk', termsUrl: 'https://a.example/', privacyUrl: null },
  });
  assert.deepEqual(shown?.registration?.modules, [{ name: 'orders', title: 'Clerk' }]);
  assert.deepEqual(
    moduleViews(entry).map((module) => module.title),
    ['Clerk', 'Clerk'],
  );
});
