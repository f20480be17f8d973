import type { Db } from 'mongodb';
import { INDEXES as AUDIT_INDEXES } from './audit/indexes.ts';
import { ensureIndexes } from './ensure-indexes.ts';
import { INDEXES as PROPERTY_INDEXES } from './properties/indexes.ts';
import { INDEXES as SEARCH_PULL_INDEXES } from './search-pulls/indexes.ts';

/** The indexes of the site registry. @throws UNAVAILABLE */
export async function createSiteRegistryIndexes(db: Db): Promise<void> {
  await ensureIndexes(db, { ...PROPERTY_INDEXES, ...SEARCH_PULL_INDEXES, ...AUDIT_INDEXES });
}
