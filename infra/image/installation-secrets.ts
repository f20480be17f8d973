import { randomBytes } from 'node:crypto';
import { hashSync } from 'bcryptjs';
import { GENERATED_SECRETS } from '../../domain/services.ts';

/** Of the parts that `infra/docker/compose.yaml` runs beside the platform. */
const OF_PARTS = [
  'MONGO_PASSWORD',
  'TEMPORAL_DB_PASSWORD',
  'OBJECT_STORE_SECRET_KEY',
  'OBJECT_STORE_LINK_SECRET_KEY',
] as const;

/** Of the image registry: the worker's password, and the file by which the registry knows it. */
const REGISTRY_TOKEN = 'DOCKER_REGISTRY_TOKEN';
const REGISTRY_PASSWORDS = 'DOCKER_REGISTRY_PASSWORDS_BASE64';
const REGISTRY_USER = 'fairlead';
/** The least there is: the registry hashes at every request, and a password of 192 random bits cannot be guessed. */
const BCRYPT_ROUNDS = 4;

/** A `mongod` takes one in base64 alone. */
const MEMBER_KEY = 'MONGO_MEMBER_KEY';
const PART_BYTES = 24;
const KEY_BYTES = 32;
const STACK_ID_BYTES = 4;

/**
 * The keys and passwords of a new installation as lines of an environment file, made by this call and kept nowhere: whoever loses the
 * file loses what the keys seal. In hexadecimal, so that they stand in addresses and in files of every kind as they are.
 */
export function installationSecrets(): string {
  const keys = GENERATED_SECRETS.map(({ variable, bytes, encoding }) => [
    variable,
    randomBytes(bytes).toString(encoding),
  ]);
  const token = randomBytes(PART_BYTES).toString('hex');
  const registry = `${REGISTRY_USER}:${hashSync(token, BCRYPT_ROUNDS)}\n`;
  const passwords = OF_PARTS.map((variable) => [variable, randomBytes(PART_BYTES).toString('hex')]);
  const rows = [
    ...keys,
    ...passwords,
    [REGISTRY_TOKEN, token],
    // It has characters that compose takes for the name of a variable.
    [REGISTRY_PASSWORDS, Buffer.from(registry).toString('base64')],
    [MEMBER_KEY, randomBytes(KEY_BYTES).toString('base64')],
    ['STACK_ID', randomBytes(STACK_ID_BYTES).toString('hex')],
  ];
  return rows.map(([name, value]) => `${name}=${value}\n`).join('');
}

/** Every variable that it makes. */
export const INSTALLATION_SECRETS: readonly string[] = [
  ...GENERATED_SECRETS.map(({ variable }) => variable),
  ...OF_PARTS,
  REGISTRY_TOKEN,
  REGISTRY_PASSWORDS,
  MEMBER_KEY,
  'STACK_ID',
];
