/**
 * What `npm test -- --smoke` runs: for each module (a folder of `domain/`) the files that touch the most of it in the
 * least time, and one deploy on a stack. In all at most 90 seconds with the checks: so none on a time-skipping server, and
 * only the recordings of builds and of released versions are replayed.
 */
export const SMOKE: Readonly<Record<string, readonly string[]>> = {
  audit: ['test/activities/deploys/audit-build.test.ts'],
  'audit-ledger': ['test/api/audit-ledger/query.test.ts', 'test/domain/audit-ledger/hash.test.ts'],
  'authorized-orgs': ['test/activities/authorized-orgs/sharing.test.ts'],
  backups: ['test/domain/backups/rules.test.ts', 'test/support/in-memory/backup-stores.test.ts'],
  'platform-backup': [
    'test/domain/platform-backup/manifest.test.ts',
    'test/adapters/platform-backup/sealed-stream.test.ts',
  ],
  branding: ['test/api/identity/pages/brand.test.ts'],
  catalog: ['test/domain/catalog/parse-catalog.test.ts', 'test/api/catalog/services.test.ts'],
  config: ['test/adapters/crypto/secret-cipher.test.ts'],
  databases: [
    'test/domain/databases/database-name.test.ts',
    'test/activities/deploys/steps/provision-databases.test.ts',
  ],
  'git-hooks': ['test/api/git-hooks/accept-delivery.test.ts', 'test/activities/git-hooks/look-at-ref.test.ts'],
  'git-identities': ['test/domain/git-identities/git-host-name.test.ts'],
  grants: ['test/activities/grants/grants.test.ts'],
  deploys: [
    'test/domain/deploys/plan.test.ts',
    'test/activities/deploys/whole-deploy.test.ts',
    'test/replay/replay.test.ts',
    'test/e2e/deploy.test.ts',
  ],
  identity: ['test/api/identity/oauth/authorization-code.test.ts'],
  locker: ['test/api/locker/resolve.test.ts'],
  logs: ['test/domain/logs/redact.test.ts'],
  objects: ['test/support/in-memory/object-store.test.ts'],
  'oauth-clients': ['test/api/oauth-clients/provider.test.ts'],
  orgs: ['test/api/orgs/orgs.test.ts'],
  'custom-domains': [
    'test/api/custom-domains/domains.test.ts',
    'test/domain/custom-domains/domain-name.test.ts',
    'test/domain/custom-domains/certificates/renewal-time.test.ts',
  ],
  notifications: ['test/api/notifications/alerts.test.ts'],
  monitors: ['test/api/monitors/monitors.test.ts'],
  incidents: ['test/api/incidents/incidents.test.ts'],
  'status-page': ['test/domain/status-page/changelog-text.test.ts', 'test/domain/status-page/status-page.test.ts'],
  properties: ['test/api/properties/verify.test.ts', 'test/domain/properties/domain-name.test.ts'],
  'search-pulls': ['test/domain/search-pulls/rows.test.ts', 'test/api/search-pulls/search.test.ts'],
  passport: ['test/domain/passport/passport.test.ts'],
  registry: ['test/api/registry/registry.test.ts'],
  wallet: ['test/api/wallet/routes.test.ts'],
  'deploy-gate': ['test/domain/deploy-gate/pass-gate.test.ts'],
};
