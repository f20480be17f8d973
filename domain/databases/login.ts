import type { SecretCipher, SecretContext } from '../config/ports.ts';
import type { DatabaseTarget } from './database-name.ts';
import type { DatabaseEngine } from './engines.ts';
import type { DatabaseLogin } from './ports.ts';
import type { StoredLogin } from './record.ts';

/** Where a password belongs: to one user of one database. Sealed for it, it opens nowhere else. */
interface LoginPlace extends DatabaseTarget {
  readonly engine: DatabaseEngine;
}

export function loginContext({ service, environment, engine }: LoginPlace, user: string): SecretContext {
  return { service, environment, key: `DATABASE/${engine}/${user}` };
}

export function sealLogin(cipher: SecretCipher, place: LoginPlace, login: DatabaseLogin, issuedAt: Date): StoredLogin {
  const password = cipher.seal(login.password, loginContext(place, login.user));
  return { user: login.user, password, issuedAt };
}

/** @throws INTERNAL when no key of the installation opens it */
export function openLogin(cipher: SecretCipher, place: LoginPlace, { user, password }: StoredLogin): DatabaseLogin {
  return { user, password: cipher.open(password, loginContext(place, user)) };
}
