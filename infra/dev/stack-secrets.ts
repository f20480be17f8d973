import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { FairleadError } from '../../domain/errors.ts';
import { GENERATED_SECRETS, INTERNAL_KEY } from '../../domain/services.ts';
import { writePrivateJson } from './data-folder.ts';
import { PART_ROWS } from './parts.ts';

/** Names the stack in labels of its containers and images. */
const STACK_ID = { name: 'STACK_ID', bytes: 4, encoding: 'hex' } as const;
const PART_SECRET = { bytes: 32, encoding: 'base64url' } as const;

/** What a stack makes once and keeps, by name: the keys of the services' table, those of its parts, its own id. */
const MADE = [
  ...GENERATED_SECRETS.map(({ variable, bytes, encoding }) => ({ name: variable, bytes, encoding })),
  ...PART_ROWS.flatMap(({ secrets }) => secrets.map((name) => ({ name, ...PART_SECRET }))),
  STACK_ID,
];

export interface StackSecrets {
  /** Identifies this stack's containers and images on the engine. */
  readonly stackId: string;
  /** The installation's own key. */
  readonly internalKey: string;
  /** Any secret by its name. @throws RangeError when there is none of that name */
  readonly secret: (name: string) => string;
  /** All of them but the stack's id, which is no secret. */
  readonly values: readonly string[];
  /** All of them by name, the stack's id among them. */
  readonly all: Readonly<Record<string, string>>;
}

/**
 * Reads the folder's secrets, making those it has not got yet (mode 0600). For who holds the folder's lock alone: a part
 * keeps a secret from its first start on, so that two who make one at once would lock each other out.
 */
export async function readSecrets(folder: string): Promise<StackSecrets> {
  const kept = await secretsIn(folder);
  const made = Object.fromEntries(
    MADE.map(({ name, bytes, encoding }) => [name, randomBytes(bytes).toString(encoding)]),
  );
  const all: Readonly<Record<string, string>> = { ...made, ...kept };
  if (MADE.some(({ name }) => kept[name] === undefined)) await writePrivateJson(pathIn(folder), all);
  const secret = (name: string): string => {
    const value = all[name];
    if (value === undefined) throw new RangeError(`a stack has no secret called ${name}`);
    return value;
  };
  const values = MADE.filter(({ name }) => name !== STACK_ID.name).map(({ name }) => secret(name));
  return { stackId: secret(STACK_ID.name), internalKey: secret(INTERNAL_KEY.variable), secret, values, all };
}

/** Those that the folder has, for who looks at them beside a stack: makes none. `secret` throws NOT_FOUND. */
export async function keptSecrets(folder: string): Promise<Pick<StackSecrets, 'secret'>> {
  const kept = await secretsIn(folder);
  const secret = (name: string): string => {
    const value = kept[name];
    if (value !== undefined) return value;
    throw new FairleadError('NOT_FOUND', `no stack of this version has started on ${folder} yet: run npm start`);
  };
  return { secret };
}

/** Gives a folder without a stack those of another one. */
export async function writeSecrets(folder: string, secrets: Readonly<Record<string, string>>): Promise<void> {
  await writePrivateJson(pathIn(folder), secrets);
}

const pathIn = (folder: string): string => join(folder, 'secrets.json');

async function secretsIn(folder: string): Promise<Readonly<Record<string, string>>> {
  const text = await readFile(pathIn(folder), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '{}';
    throw error;
  });
  return z.record(z.string(), z.string()).parse(JSON.parse(text));
}
