import type { BackedUpDatabase, BackupEngine, BackupTier } from './backup.ts';

/** How the archives of an engine are called. */
export const ARCHIVE_SUFFIX: Readonly<Record<BackupEngine, string>> = {
  mongodb: '.archive.gz',
  postgres: '.pgdump',
};

/** Stands in a key for the environment and the service of a database that belongs to none: no service is named like it. */
const NO_SERVICE = '_';

/**
 * Where an archive lies in the bucket: `{env}/{service}/{tier}/{db}-{timestamp}.archive.gz` or `.pgdump` (spec 2,
 * "Database backups", 2). The timestamp is the begin of the attempt that uploads it, in milliseconds.
 */
export function objectKey(
  { service, environment, engine, databaseName, tier }: BackedUpDatabase & { readonly tier: BackupTier },
  begun: Date,
): string {
  const timestamp = begun.toISOString().replaceAll(/[:.]/g, '-');
  const file = `${toSegment(databaseName)}-${timestamp}${ARCHIVE_SUFFIX[engine]}`;
  return [environment ?? NO_SERVICE, service ?? NO_SERVICE, tier, file].join('/');
}

/** The name under which a browser saves the archive. */
export function fileName(key: string): string {
  return key.slice(key.lastIndexOf('/') + 1);
}

/** A name in characters that every object store keeps: any other is written as `!` and its byte in hexadecimal. */
function toSegment(name: string): string {
  const bytes = new TextEncoder().encode(name);
  const written = [...bytes].map((byte) => {
    const character = String.fromCharCode(byte);
    return /[A-Za-z0-9_.-]/.test(character) ? character : `!${byte.toString(16).padStart(2, '0')}`;
  });
  return written.join('');
}
