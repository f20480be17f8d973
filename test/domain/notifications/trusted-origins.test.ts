import assert from 'node:assert/strict';
import { it } from 'node:test';
import { notificationsWorkerSection } from '../../../adapters/env/notifications.ts';
import { originsTrustedFor } from '../../../domain/notifications/trusted-origins.ts';

const listed = notificationsWorkerSection.WEBHOOK_TRUSTED_ORIGINS.parse(
  'http://hooks.internal:8080,acme=http://acme.internal,*=https://all.internal',
);

it("an origin without an org is the platform's and the operators'; with one it is that org's, with * everybody's", () => {
  const all = 'https://all.internal';
  assert.deepEqual(originsTrustedFor(listed, null, 'platform'), ['http://hooks.internal:8080', all]);
  assert.deepEqual(originsTrustedFor(listed, 'platform', 'platform'), ['http://hooks.internal:8080', all]);
  assert.deepEqual(originsTrustedFor(listed, 'acme', 'platform'), ['http://acme.internal', all]);
  assert.deepEqual(originsTrustedFor(listed, 'rival', 'platform'), [all]);
});

it('what is no origin is refused', () => {
  const refused = ['http://hooks.internal/path', 'acme=ftp://x', 'acme=', 'Acme=http://x.internal'];
  for (const text of refused) {
    assert.equal(notificationsWorkerSection.WEBHOOK_TRUSTED_ORIGINS.safeParse(text).success, false, text);
  }
});
