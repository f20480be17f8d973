import { SERVICE_ROWS, type StoringServiceName } from '../services.ts';

export type PartKind = 'database' | 'folder';

/** What a backup of the platform is made of: a database of a service, or a folder below DATA_DIR. */
export type PlatformPart =
  | { readonly kind: 'database'; readonly name: StoringServiceName }
  | { readonly kind: 'folder'; readonly name: PlatformFolder };

/**
 * Folders below DATA_DIR that nothing else can make again: uploaded sources, and audit events that the ledger has not got yet.
 * Routes and certificates are written anew from the databases; logs are not kept.
 */
export const PLATFORM_FOLDERS = ['archives', 'audit-outbox'] as const;

export type PlatformFolder = (typeof PLATFORM_FOLDERS)[number];

/** What others refer to is read after them: whatever a record names is there, and at worst something more. */
const REFERRED_TO: readonly string[] = ['idp', 'audit-ledger'];

/**
 * In the order in which they are read. The databases are not of one moment: who is referred to comes last. The provider has every client and
 * org that the builder's records name, and the ledger every event that a database or the outbox has sent.
 */
export function platformParts(): readonly PlatformPart[] {
  const databases = SERVICE_ROWS.flatMap(({ name, database }): readonly PlatformPart[] =>
    database === null ? [] : [{ kind: 'database', name: name as StoringServiceName }],
  );
  const folders = PLATFORM_FOLDERS.map((name): PlatformPart => ({ kind: 'folder', name }));
  const referring = databases.filter(({ name }) => !REFERRED_TO.includes(name));
  const referredTo = REFERRED_TO.flatMap((name) => databases.filter((part) => part.name === name));
  return [...referring, ...folders, ...referredTo];
}

/** As manifests name a part: `database/idp`. */
export function partName({ kind, name }: PlatformPart): string {
  return `${kind}/${name}`;
}

/** What a file of a backup is, to which its encryption is bound. @param id `pbk_…` */
export function partContext(id: string, name: string): string {
  return `${id}/${name}`;
}

/**
 * Collections that are read after the others of their database, in this order, where a database is not read as of one moment. The record of a
 * batch is written after what the batch is made of, and so it is read before that. A checkpoint, a batch or a lease says how long a chain was;
 * the chain itself is read after them, and is at least as long.
 */
export const READ_LAST: readonly string[] = [
  'batch_segments',
  'batch_namespaces',
  'batch_leaves',
  'batch_nodes',
  'audit_ledger_events',
];

/**
 * Collections that no backup has: who was signed in, and what was half done. A session or token that was revoked after the backup would be good
 * again; people sign in anew, and services get new tokens by themselves.
 */
export const LEFT_OUT: Readonly<Partial<Record<StoringServiceName, readonly string[]>>> = {
  idp: ['sessions', 'grants', 'authorization_codes', 'device_authorizations', 'one_time_links', 'attempts'],
};
