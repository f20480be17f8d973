import type { Db } from 'mongodb';
import { INDEXES as SHARING_INDEXES } from './authorized-orgs/indexes.ts';
import { INDEXES as BACKUPS_INDEXES } from './backups/indexes.ts';
import { INDEXES as CATALOG_INDEXES } from './catalog/indexes.ts';
import { INDEXES as CONFIG_INDEXES } from './config/indexes.ts';
import { CERTIFICATE_INDEXES } from './custom-domains/certificate-indexes.ts';
import { INDEXES as CUSTOM_DOMAINS_INDEXES } from './custom-domains/indexes.ts';
import { INDEXES as DATABASES_INDEXES } from './databases/indexes.ts';
import { INDEXES as DEPLOYS_INDEXES } from './deploys/indexes.ts';
import { ensureIndexes } from './ensure-indexes.ts';
import { INDEXES as GIT_HOOKS_INDEXES } from './git-hooks/indexes.ts';
import { INDEXES as GIT_IDENTITIES_INDEXES } from './git-identities/indexes.ts';
import { INDEXES as GRANTS_INDEXES } from './grants/indexes.ts';
import { INDEXES as PLATFORM_BACKUP_INDEXES } from './platform-backup/indexes.ts';

/** The indexes of every module of the builder. @throws UNAVAILABLE */
export async function createBuilderIndexes(db: Db): Promise<void> {
  await ensureIndexes(db, {
    ...BACKUPS_INDEXES,
    ...CATALOG_INDEXES,
    ...CERTIFICATE_INDEXES,
    ...CONFIG_INDEXES,
    ...CUSTOM_DOMAINS_INDEXES,
    ...DATABASES_INDEXES,
    ...DEPLOYS_INDEXES,
    ...GIT_IDENTITIES_INDEXES,
    ...GRANTS_INDEXES,
    ...GIT_HOOKS_INDEXES,
    ...PLATFORM_BACKUP_INDEXES,
    ...SHARING_INDEXES,
  });
}
