import { createCipheriv, createHash, pbkdf2Sync, randomBytes } from 'node:crypto';
import { openS3 } from '../../adapters/s3/s3-client.ts';

export interface Keys {
  readonly accessKey: string;
  readonly secretKey: string;
}

/**
 * Makes a user of MinIO who may read objects and nothing else: who signs links needs no more. Idempotent; the secret key is
 * then the one that is given.
 * @throws Error with the status of an answer
 */
export async function ensureReader(endpoint: string, admin: Keys, reader: Keys): Promise<void> {
  const user = JSON.stringify({ secretKey: reader.secretKey, status: 'enabled' });
  await call(endpoint, admin, 'add-user', { accessKey: reader.accessKey }, sealed(user, admin.secretKey));
  const policy = { policyName: 'readonly', userOrGroup: reader.accessKey, isGroup: 'false' };
  await call(endpoint, admin, 'set-user-or-group-policy', policy, Buffer.alloc(0));
}

/** A call of MinIO's own API, which is signed as one of S3 is. */
async function call(
  endpoint: string,
  admin: Keys,
  operation: string,
  query: Readonly<Record<string, string>>,
  body: Buffer,
): Promise<void> {
  const { protocol, hostname, port, host } = new URL(endpoint);
  const path = `/minio/admin/v3/${operation}`;
  const s3 = await openS3({ endpoint, region: 'us-east-1', bucket: '', ...admin });
  try {
    const signer = await s3.config.signer();
    const headers = { host, 'x-amz-content-sha256': createHash('sha256').update(body).digest('hex') };
    const request = { method: 'PUT', protocol, hostname, port: Number(port), path, query: { ...query }, headers, body };
    const signed = await signer.sign(request);
    const address = `${endpoint}${path}?${new URLSearchParams(query)}`;
    const answer = await fetch(address, { method: 'PUT', headers: signed.headers, body });
    if (!answer.ok) throw new Error(`the object store answered ${operation} with ${answer.status}`);
  } finally {
    s3.destroy();
  }
}

const PBKDF2_AES_GCM = 2;
const ROUNDS = 8_192;
const LAST_FRAGMENT = 0x80;

/**
 * What MinIO's API takes instead of secrets in clear: salt, algorithm, nonce, and one fragment of a stream of AES-256-GCM.
 * See `EncryptData` in madmin-go and `EncWriter` in sio-go.
 */
function sealed(text: string, password: string): Buffer {
  const salt = randomBytes(32);
  const nonce = randomBytes(8);
  const key = pbkdf2Sync(password, salt, ROUNDS, 32, 'sha256');
  const seal = (number: number, data: string, associated: Buffer): Buffer => {
    const counter = Buffer.alloc(4);
    counter.writeUInt32LE(number);
    const cipher = createCipheriv('aes-256-gcm', key, Buffer.concat([nonce, counter])).setAAD(associated);
    return Buffer.concat([cipher.update(data), cipher.final(), cipher.getAuthTag()]);
  };
  const first = seal(0, '', Buffer.alloc(0));
  const fragment = seal(1, text, Buffer.concat([Buffer.of(LAST_FRAGMENT), first]));
  return Buffer.concat([salt, Buffer.of(PBKDF2_AES_GCM), nonce, fragment]);
}
