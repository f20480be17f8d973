import { createHmac, timingSafeEqual } from 'node:crypto';
import canonicalize from 'canonicalize';
import { z } from 'zod';
import { BACKUP_TIERS } from '../backups/backup.ts';
import { compareVersions } from '../compare-versions.ts';
import { FairleadError } from '../errors.ts';
import { parseJson } from '../parse-json.ts';

/** Of manifests and of what they name. A higher one is not read: it may mean what this version does not know. */
export const MANIFEST_FORMAT = 1;

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

export const manifestPartSchema = z.strictObject({
  /** `database/idp` or `folder/archives` */
  name: z.string().regex(/^(database|folder)\/[a-z-]+$/),
  /** In the folder of the backup. */
  file: z.string().regex(/^[a-z0-9.-]+$/),
  /** Of the file as it lies there, encrypted. */
  bytes: z.int().min(1),
  sha256,
});

export type ManifestPart = z.infer<typeof manifestPartSchema>;

const version = z.string().regex(/^\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?$/);

/** Which keys an installation has, without telling anything of use about them. */
export const keyNameSchema = z.strictObject({
  name: z.string().min(1),
  fingerprint: z.string().regex(/^[0-9a-f]{16}$/),
});

export type KeyName = z.infer<typeof keyNameSchema>;

const contentSchema = z.strictObject({
  format: z.literal(MANIFEST_FORMAT),
  id: z.string(),
  tier: z.enum(BACKUP_TIERS),
  startedAt: z.iso.datetime(),
  completedAt: z.iso.datetime(),
  /** Of the platform that made it. */
  version,
  parts: z.array(manifestPartSchema),
  keys: z.array(keyNameSchema),
  /** All of them, encrypted for the recovery key (a compact JWE). */
  sealedKeys: z.string().min(1),
});

const manifestSchema = contentSchema.extend({ mac: sha256 });

export type ManifestContent = z.infer<typeof contentSchema>;
export type Manifest = z.infer<typeof manifestSchema>;

/** What manifests of every version say: whose they are, and which files are theirs. */
const provenSchema = z.looseObject({
  format: z.int(),
  version,
  id: z.string(),
  tier: z.enum(BACKUP_TIERS),
  startedAt: z.iso.datetime(),
  parts: z.array(z.looseObject({ name: z.string(), file: z.string(), bytes: z.int() })),
});

/** A manifest that the platform wrote, of whatever version. */
export type ProvenManifest = z.infer<typeof provenSchema>;

const signedSchema = z.looseObject({ mac: sha256 });

/** The text of a manifest, with a MAC of all it says: who may write to the place of the backups makes none that restores. */
export function writeManifest(content: ManifestContent, manifestKey: Uint8Array): string {
  const mac = macOf(content, manifestKey).toString('hex');
  return `${JSON.stringify({ ...content, mac }, null, 2)}\n`;
}

/**
 * Reads a manifest that the platform wrote, in whatever version. Its MAC is looked at first: nothing else of it is believed, or shown, before.
 * @throws NOT_RESTORABLE for any other text
 */
export function proveManifest(text: string, manifestKey: Uint8Array): ProvenManifest {
  const signed = signedSchema.safeParse(parseJson(text));
  if (!signed.success) throw refused('Its manifest is not one of a backup of the platform');
  const { mac, ...content } = signed.data;
  if (!isMacOf(Buffer.from(mac, 'hex'), content, manifestKey)) {
    throw refused('Its manifest was changed, or belongs to another recovery key');
  }
  const proven = provenSchema.safeParse(signed.data);
  if (!proven.success) throw refused('Its manifest is of a format that this version does not know');
  return proven.data;
}

/**
 * @param own version, of the platform that reads it
 * @throws NOT_RESTORABLE naming what is wrong, for what this version cannot restore
 */
export function requireReadable(proven: ProvenManifest, own: string): Manifest {
  if (proven.format > MANIFEST_FORMAT || compareVersions(proven.version, own) > 0) {
    throw refused(
      `It was made by version ${proven.version} in format ${proven.format}, and this is ${own}: restore it by that version, or a later one`,
    );
  }
  const parsed = manifestSchema.safeParse(proven);
  if (!parsed.success) throw refused('Its manifest is damaged');
  return parsed.data;
}

/** False also for what has no canonical form, such as a number that is too large or a list that is too deep. */
function isMacOf(mac: Uint8Array, content: object, manifestKey: Uint8Array): boolean {
  try {
    return timingSafeEqual(mac, macOf(content, manifestKey));
  } catch {
    return false;
  }
}

function macOf(content: object, manifestKey: Uint8Array): Buffer {
  return createHmac('sha256', manifestKey)
    .update(`fairlead platform backup\n${canonicalize(content)}`)
    .digest();
}

/** By which a key is known to whoever holds the key of manifests, and to nobody else: some are words that people chose. */
function fingerprintOf(name: string, secret: string, manifestKey: Uint8Array): string {
  return createHmac('sha256', manifestKey).update(`key ${name}\n${secret}`).digest('hex').slice(0, 16);
}

export function namesOfKeys(keys: Readonly<Record<string, string>>, manifestKey: Uint8Array): readonly KeyName[] {
  return Object.entries(keys).map(([name, value]) => ({ name, fingerprint: fingerprintOf(name, value, manifestKey) }));
}

/**
 * @param keys as they were unsealed
 * @throws NOT_RESTORABLE naming the keys that are missing, or are not those of the installation
 */
export function requireKeys(
  { keys: wanted }: Pick<Manifest, 'keys'>,
  keys: Readonly<Record<string, string>>,
  manifestKey: Uint8Array,
): void {
  const found = new Map(namesOfKeys(keys, manifestKey).map(({ name, fingerprint }) => [name, fingerprint]));
  const bad = wanted.filter(({ name, fingerprint }) => found.get(name) !== fingerprint).map(({ name }) => name);
  if (bad.length > 0) throw refused(`These keys are missing or are other ones: ${bad.join(', ')}`);
}

function refused(reason: string): FairleadError {
  return new FairleadError('NOT_RESTORABLE', reason);
}
