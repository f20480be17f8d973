import type { Db } from 'mongodb';
import { INDEXES as AUDIT_INDEXES } from './audit/indexes.ts';
import { ensureIndexes } from './ensure-indexes.ts';
import { INDEXES as WALLET_INDEXES } from './wallet/indexes.ts';

/** The indexes of the wallet and of the audit events it tells. @throws UNAVAILABLE */
export async function createWalletIndexes(db: Db): Promise<void> {
  await ensureIndexes(db, { ...WALLET_INDEXES, ...AUDIT_INDEXES });
}
