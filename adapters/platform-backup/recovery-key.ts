import { randomBytes } from 'node:crypto';
import { CompactEncrypt, compactDecrypt, exportJWK, generateKeyPair, importJWK } from 'jose';
import { z } from 'zod';
import { FairleadError } from '../../domain/errors.ts';
import { parseJson } from '../../domain/parse-json.ts';
import { keyNameSchema, namesOfKeys } from '../../domain/platform-backup/manifest.ts';
import type { Recovery } from '../../domain/platform-backup/ports.ts';
import { openStream, sealStream } from './sealed-stream.ts';

/** ECDH-ES with X25519 and A256KW, and AES-256-GCM: JSON Web Encryption (RFC 7516, RFC 7518, RFC 8037). */
const WRAP = { alg: 'ECDH-ES+A256KW', enc: 'A256GCM' } as const;
const KEY_BYTES = 32;
const FORMAT = 1;
/** A sealed part begins with this line, and the key of it as a line. */
const MAGIC = 'fairlead-sealed-1';
const LONGEST_HEADER = 4_096;

const publicKeySchema = z.object({ kty: z.literal('OKP'), crv: z.literal('X25519'), x: z.string() });
const manifestKey = z.string().regex(/^[\w-]{43}$/);

/** Held by people, elsewhere than the platform: with it, and with a backup, there is everything. */
export const recoveryKeySchema = z.strictObject({
  format: z.literal(FORMAT),
  kind: z.literal('fairlead-recovery-key'),
  createdAt: z.iso.datetime(),
  privateKey: publicKeySchema.extend({ d: z.string() }),
  manifestKey,
});

export type RecoveryKey = z.infer<typeof recoveryKeySchema>;

/** What a platform keeps of a recovery key: it encrypts by it, and opens nothing. */
export const recipientSchema = z.strictObject({ format: z.literal(FORMAT), publicKey: publicKeySchema, manifestKey });

export type Recipient = z.infer<typeof recipientSchema>;

const recoverySchema = z.strictObject({
  recipient: recipientSchema,
  keys: z.array(keyNameSchema),
  sealedKeys: z.string().min(1),
});

const keysSchema = z.record(z.string(), z.string());

/** Makes a recovery key. @param now of its making */
export async function makeRecoveryKey(now: Date): Promise<RecoveryKey> {
  const { privateKey } = await generateKeyPair(WRAP.alg, { crv: 'X25519', extractable: true });
  return recoveryKeySchema.parse({
    format: FORMAT,
    kind: 'fairlead-recovery-key',
    createdAt: now.toISOString(),
    privateKey: pick(await exportJWK(privateKey)),
    manifestKey: randomBytes(KEY_BYTES).toString('base64url'),
  });
}

const pick = ({ kty, crv, x, d }: Awaited<ReturnType<typeof exportJWK>>) => ({ kty, crv, x, d });

/** @throws VALIDATION_FAILED for a text that is no recovery key */
export function readRecoveryKey(text: string): RecoveryKey {
  const { data } = recoveryKeySchema.safeParse(parseJson(text));
  if (data !== undefined) return data;
  throw new FairleadError('VALIDATION_FAILED', 'This is not a recovery key as `npm run recovery-key` writes one');
}

export function recipientOf({ privateKey, manifestKey }: RecoveryKey): Recipient {
  const { d: _, ...publicKey } = privateKey;
  return { format: FORMAT, publicKey, manifestKey };
}

/**
 * Encrypts the keys of an installation for its recovery key: the value of PLATFORM_RECOVERY, which the worker gets. It holds no key that
 * the worker could read, except that of manifests: it opens no backup, and makes ones that a restore believes. It is as secret as the keys.
 */
export async function sealInstallationKeys(
  recipient: Recipient,
  keys: Readonly<Record<string, string>>,
): Promise<string> {
  const names = namesOfKeys(keys, manifestKeyOf(recipient));
  const sealedKeys = await wrap(recipient, Buffer.from(JSON.stringify(keys)));
  return Buffer.from(JSON.stringify({ recipient, keys: names, sealedKeys })).toString('base64url');
}

/** @param value of PLATFORM_RECOVERY @throws VALIDATION_FAILED */
export function openRecovery(value: string): Recovery {
  const { data } = recoverySchema.safeParse(parseJson(Buffer.from(value, 'base64url').toString('utf8')));
  if (data === undefined) {
    throw new FairleadError('VALIDATION_FAILED', 'PLATFORM_RECOVERY is not a line that `npm run recovery-key` printed');
  }
  const { recipient, keys, sealedKeys } = data;
  return {
    ...{ keys, sealedKeys },
    manifestKey: manifestKeyOf(recipient),
    async *seal(body, context) {
      const key = randomBytes(KEY_BYTES);
      yield Buffer.from(`${MAGIC}\n${await wrap(recipient, key)}\n`);
      yield* sealStream(body, { key, context });
    },
  };
}

export function manifestKeyOf({ manifestKey: key }: Pick<Recipient, 'manifestKey'>): Buffer {
  return Buffer.from(key, 'base64url');
}

/** The keys of the installation. @throws NOT_RESTORABLE where the recovery key is another one */
export async function unsealInstallationKeys(
  recoveryKey: RecoveryKey,
  sealedKeys: string,
): Promise<Readonly<Record<string, string>>> {
  return keysSchema.parse(parseJson((await unwrap(recoveryKey, sealedKeys)).toString('utf8')));
}

/** What was sealed, as a stream. @throws NOT_RESTORABLE for another recovery key, another context, and anything that was changed */
export async function* openSealed(
  body: AsyncIterable<Uint8Array>,
  { recoveryKey, context }: { readonly recoveryKey: RecoveryKey; readonly context: string },
): AsyncGenerator<Buffer> {
  const pieces = body[Symbol.asyncIterator]();
  try {
    let begin = Buffer.alloc(0);
    let end = -1;
    while (end < 0) {
      const { value, done } = await pieces.next();
      if (done === true || begin.length > LONGEST_HEADER) throw damaged(context);
      begin = Buffer.concat([begin, value]);
      end = begin.indexOf('\n', MAGIC.length + 1);
    }
    const [magic, wrapped = ''] = begin.subarray(0, end).toString('utf8').split('\n');
    if (magic !== MAGIC) throw damaged(context);
    const key = await unwrap(recoveryKey, wrapped);
    const rest = begin.subarray(end + 1);
    yield* openStream(after(rest, pieces), { key, context });
  } finally {
    await pieces.return?.();
  }
}

async function* after(first: Uint8Array, rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield first;
  for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
}

async function wrap({ publicKey }: Recipient, plaintext: Uint8Array): Promise<string> {
  return await new CompactEncrypt(plaintext).setProtectedHeader(WRAP).encrypt(await importJWK(publicKey, WRAP.alg));
}

async function unwrap({ privateKey }: RecoveryKey, wrapped: string): Promise<Buffer> {
  try {
    const { plaintext } = await compactDecrypt(wrapped, await importJWK(privateKey, WRAP.alg), {
      keyManagementAlgorithms: [WRAP.alg],
      contentEncryptionAlgorithms: [WRAP.enc],
    });
    return Buffer.from(plaintext);
  } catch (cause) {
    throw new FairleadError('NOT_RESTORABLE', 'The recovery key is not the one that the backup was made for', {
      cause,
    });
  }
}

function damaged(context: string): FairleadError {
  return new FairleadError('NOT_RESTORABLE', `${context} is not a part of a backup of the platform`);
}
