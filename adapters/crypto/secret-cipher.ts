import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import type { SecretCipher, SecretContext } from '../../domain/config/ports.ts';
import { FairleadError } from '../../domain/errors.ts';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * AES-256-GCM with the service, the environment and the variable's name as associated data (spec 2, "Configuration
 * variables and secrets", 2). `keys` are 32 bytes each: the first seals, all open, so a key is rotated by putting a new
 * one in front.
 * @param variable names the keys in errors
 */
export function createSecretCipher(keys: readonly Uint8Array[], variable = 'CONFIG_ENCRYPTION_KEY'): SecretCipher {
  const byId = new Map(keys.map((key) => [keyIdOf(key), key] as const));
  const [current] = [...byId];
  if (current === undefined || keys.some((key) => key.length !== 32)) {
    throw new FairleadError('VALIDATION_FAILED', `${variable} must hold one or more keys of 32 bytes`);
  }
  const [currentId, currentKey] = current;
  return {
    keyId: currentId,
    seal(plaintext, context) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', currentKey, nonce).setAAD(ASSOCIATED_DATA.current(context));
      const ciphertext = Buffer.concat([cipher.update(plaintext, 'utf8'), cipher.final()]);
      const sealed = Buffer.concat([nonce, ciphertext, cipher.getAuthTag()]).toString('base64url');
      return { keyId: currentId, sealed };
    },
    open({ keyId, sealed }, context) {
      const key = byId.get(keyId);
      if (key === undefined) {
        const message = `Secret ${context.key} was sealed with key ${keyId}, which ${variable} does not list`;
        throw new FairleadError('INTERNAL', message);
      }
      return openWith(key, Buffer.from(sealed, 'base64url'), context);
    },
  };
}

function openWith(key: Uint8Array, bytes: Buffer, context: SecretContext): string {
  for (const associatedData of Object.values(ASSOCIATED_DATA)) {
    const plaintext = decrypt(key, bytes, associatedData(context));
    if (plaintext !== null) return plaintext;
  }
  const message = `Secret ${context.key} of ${context.service} cannot be decrypted: it was changed, or belongs elsewhere`;
  throw new FairleadError('INTERNAL', message);
}

/** Null when the ciphertext was altered, or sealed with other associated data. */
function decrypt(key: Uint8Array, bytes: Buffer, associatedData: Buffer): string | null {
  if (bytes.length < NONCE_BYTES + TAG_BYTES) return null;
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
    .setAAD(associatedData)
    .setAuthTag(bytes.subarray(-TAG_BYTES));
  const ciphertext = bytes.subarray(NONCE_BYTES, -TAG_BYTES);
  try {
    return Buffer.concat([decipher.update(ciphertext), decipher.final()]).toString('utf8');
  } catch {
    return null;
  }
}

/** First 8 hex digits of the key's SHA-256: names a key without telling anything of use about it. */
function keyIdOf(key: Uint8Array): string {
  return createHash('sha256').update(key).digest('hex').slice(0, 8);
}

/**
 * The associated data of each version; the current one seals. Version 1 had no environment: what it sealed opens in
 * every environment of its service until it is written again. JSON keeps the parts apart whatever they hold.
 */
const ASSOCIATED_DATA = {
  current: ({ service, environment, key }: SecretContext) => asJson([service, environment ?? null, key]),
  version1: ({ service, key }: SecretContext) => asJson([service, key]),
};

function asJson(parts: readonly (string | null)[]): Buffer {
  return Buffer.from(JSON.stringify(parts), 'utf8');
}
