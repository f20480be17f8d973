import type { Clock } from '../clock.ts';
import type { SecretCipher } from '../config/ports.ts';
import { FairleadError } from '../errors.ts';
import { type DatabaseTarget, databaseName, nextUser } from './database-name.ts';
import { type DatabaseEngine, ENGINES } from './engines.ts';
import { openLogin, sealLogin } from './login.ts';
import type { DatabaseLogin, DatabaseRecords } from './ports.ts';
import { type DatabaseRecord, databaseId, type StoredLogin } from './record.ts';

/** Whose database it is to be. */
export interface DatabaseOwner extends DatabaseTarget {
  readonly serviceId: string;
  /** Slug of the org that owns the service. */
  readonly org: string;
}

export interface ClaimDeps {
  readonly records: DatabaseRecords;
  readonly cipher: SecretCipher;
  /** At least 128 random bits, of letters, digits, `-` and `_`. */
  readonly newPassword: () => string;
  /** 12 hexadecimal digits at random. */
  readonly newGeneration: () => string;
  readonly now: Clock;
}

export interface ClaimedDatabase {
  readonly record: DatabaseRecord;
  readonly login: DatabaseLogin;
  /** What people should know of it. */
  readonly notes: readonly string[];
}

/**
 * The record of a service's database, made when there is none, and the login that workloads are given. What a removed
 * service of that name left belongs to its org, and to nobody else.
 * @throws CONFLICT for a database that another org's service left, or that is being dropped; INTERNAL
 */
export async function claimDatabase(
  deps: ClaimDeps,
  engine: DatabaseEngine,
  owner: DatabaseOwner,
): Promise<ClaimedDatabase> {
  const stored = await deps.records.claim(newRecord(deps, engine, owner));
  const isOwn = stored.serviceId === owner.serviceId && stored.state === 'active';
  const notes = isOwn ? [] : [await adopt(deps, stored, owner)];
  try {
    return { record: stored, login: openLogin(deps.cipher, stored, stored.login), notes };
  } catch (error) {
    if (!(error instanceof FairleadError) || error.code !== 'INTERNAL') throw error;
  }
  const login = { user: stored.login.user, password: deps.newPassword() };
  const sealed = sealLogin(deps.cipher, stored, login, deps.now());
  if (!(await deps.records.replaceLogin(stored.id, stored.login, sealed))) throw isBeingChanged(stored);
  const lost = `The stored password of the database ${stored.database} cannot be read with the keys of this installation; it gets a new one.`;
  return { record: { ...stored, login: sealed }, login, notes: [...notes, lost] };
}

function newRecord(deps: ClaimDeps, engine: DatabaseEngine, owner: DatabaseOwner): DatabaseRecord {
  const { service, environment, serviceId, org } = owner;
  const database = databaseName(owner);
  const now = deps.now();
  const login = { user: nextUser(database, null), password: deps.newPassword() };
  const generation = ENGINES[engine].sharesKeys ? deps.newGeneration() : null;
  return {
    ...{ id: databaseId(engine, database), engine, database, serviceId, service, environment, org },
    ...{ generation, consumes: null, earlierServiceIds: [], waits: null, keptBytes: null },
    ...{ state: 'active', dropAfter: null, next: null, retiring: null, retired: null, mark: null, given: 0 },
    createdAt: now,
    login: sealLogin(deps.cipher, { service, environment, engine }, login, now),
  };
}

/** @returns what people are told */
async function adopt({ records }: ClaimDeps, stored: DatabaseRecord, owner: DatabaseOwner): Promise<string> {
  const { id, engine, database, state, dropAfter, serviceId, org } = stored;
  if (org !== owner.org || state === 'active') {
    const until = dropAfter === null ? '' : ` until ${dropAfter.toISOString()}`;
    throw new FairleadError(
      'CONFLICT',
      `The database ${database} belongs to another service, which had this name before${until}: choose another name.`,
    );
  }
  if (state === 'dropping' || !(await records.adopt(id, serviceId, owner))) throw isBeingChanged(stored);
  const what = ENGINES[engine].notBackedUp === null ? 'its data and its backups' : 'its data';
  return `The database ${database} of the removed service is in use again, with ${what}.`;
}

function isBeingChanged({ database }: DatabaseRecord): FairleadError {
  const text = `The database ${database} of an earlier service is being dropped, or another build changes it.`;
  return new FairleadError('CONFLICT', text, { retryable: true });
}

/** True for two forms of the same login. */
export function isSameLogin(one: StoredLogin, other: StoredLogin): boolean {
  return one.user === other.user && one.password.sealed === other.password.sealed;
}
