import type { DatabasesDeps } from './deps.ts';

/**
 * Notes how large the database of a removed service is, which its server is asked for once. Idempotent; nothing of one that a
 * service has again, that is a login to a database of others, or whose server is not configured.
 * @throws UNAVAILABLE (retryable) while the server is away
 */
export async function measureKeptDatabase(
  { records, servers }: Pick<DatabasesDeps, 'records' | 'servers'>,
  id: string,
  signal: AbortSignal,
): Promise<void> {
  const record = await records.find(id);
  if (record === null || record.state !== 'kept' || record.consumes !== null) return;
  const listed = (await servers[record.engine]?.list(signal)) ?? [];
  const found = listed.find(({ database }) => database === record.database);
  if (found !== undefined) await records.noteKeptBytes(id, found.bytes);
}
