import type { SealedSecret } from '../config/sealed-secret.ts';
import type { Page, PageRequest } from '../page.ts';
import type { AccessTokenClaims } from './claims.ts';
import type { AuthorizationCode, DeviceAuthorization, GrantRecord, SessionRecord } from './login.ts';
import type { CapturedMail, Mail } from './mail.ts';
import type { LinkPurpose, OneTimeLink } from './one-time-link.ts';
import type { RevocableClaims, Revocation } from './revocation.ts';
import type { KeySet, SigningKey, WithdrawnKey } from './signing-key.ts';
import type { Passkey, TotpFactor, UserRecord } from './user.ts';

/** Every method that takes something once is one conditional update: of many callers at once exactly one gets it. */

export type UserChanges = Partial<
  Pick<
    UserRecord,
    | 'firstName'
    | 'lastName'
    | 'avatar'
    | 'emailVerified'
    | 'platformRoles'
    | 'primaryOrg'
    | 'suspendedAt'
    | 'recoveryCodes'
  >
>;

export interface UserStore {
  /** @throws USER_EXISTS when the address is taken. */
  insert(user: UserRecord): Promise<void>;
  find(id: string): Promise<UserRecord | null>;
  /** Those of these ids that exist, in no order. */
  findMany(ids: readonly string[]): Promise<readonly UserRecord[]>;
  /** By the normalized address. */
  findByEmail(email: string): Promise<UserRecord | null>;
  /** Ordered by address; `query` is a prefix of it. With `platformRoles`, those alone who have one. */
  list(
    filter: { readonly query: string | null; readonly platformRoles?: true },
    page: PageRequest,
  ): Promise<Page<UserRecord>>;
  /** People who are suspended left out: the platform must keep one admin who can log in. */
  countWithPlatformRole(role: string): Promise<number>;
  /**
   * The user as it is afterwards; null when there is none, or, with `before`, when their platform roles are others by now:
   * of two who change what they both read, one changes nothing.
   */
  update(id: string, changes: UserChanges, before?: Pick<UserRecord, 'platformRoles'>): Promise<UserRecord | null>;
  /**
   * Sets a password and `endingLogins`, raises `passwordVersion` by one and clears `onboardingPending`, in one write. False
   * when the person's `passwordVersion` is another: of two who set one at once, the slower changes nothing.
   */
  setPassword(
    id: string,
    passwordVersion: number,
    /** Null for none: the person comes by a mailed link, and may set one then. */
    passwordHash: string | null,
    options?: {
      /** True removes second factors and recovery codes, in the same write. */
      readonly withoutFactors?: boolean;
      /** The session that goes on; null for none. */
      readonly keepSession?: string | null;
    },
  ): Promise<boolean>;
  /** Clears `endingLogins` unless another password was set since: what that one ends is its own matter. */
  loginsEnded(id: string, passwordVersion: number): Promise<void>;
  /** Puts a rehash in the place of `oldHash` unless the password was changed since. Clears nothing. */
  upgradePasswordHash(id: string, oldHash: string, newHash: string): Promise<void>;
  /**
   * Sets the initial password of a user whose marker names that org, raises `passwordVersion` and clears the marker.
   * False: not eligible.
   */
  consumeOnboarding(id: string, orgSlug: string, passwordHash: string): Promise<boolean>;
  clearOnboarding(id: string): Promise<void>;
  /** Null removes the generator there is; a new one takes the place of none or an unconfirmed one alone, else false. */
  setTotp(id: string, totp: TotpFactor | null): Promise<boolean>;
  /** Confirms a generator that is unconfirmed and still has that sealed secret. `since`: see TotpFactor. */
  confirmTotp(id: string, secret: SealedSecret, step: number, at: Date, since: Date): Promise<boolean>;
  /** Marks a time step as used; false when it, or a later one, was used before. */
  takeTotpStep(id: string, step: number): Promise<boolean>;
  /** Takes one recovery code out, by its SHA-256. */
  takeRecoveryCode(id: string, codeHash: string): Promise<boolean>;
  /**
   * False when the credential is somebody's already, there is no such person, or their `passwordVersion` is another: a
   * reset ends what was begun before it.
   */
  addPasskey(id: string, passkey: Passkey, passwordVersion: number): Promise<boolean>;
  /** By credential id, for a login that begins with the key. */
  findByPasskey(credentialId: string): Promise<UserRecord | null>;
  /** Records a use; false when the counter did not grow although it counts (a cloned authenticator). */
  usePasskey(id: string, credentialId: string, counter: number, at: Date): Promise<boolean>;
  removePasskey(id: string, credentialId: string): Promise<boolean>;
}

/** A session that has expired is not found by anything. */
export interface SessionStore {
  insert(session: SessionRecord): Promise<void>;
  /** Also one that was revoked. */
  find(id: string): Promise<SessionRecord | null>;
  /** None that was revoked: what a cookie opens. */
  findBySecretHash(secretHash: string): Promise<SessionRecord | null>;
  /** Records a new full login in the session (step-up, `prompt=login`) and gives it another secret: the old one ends. */
  reauthenticate(id: string, login: Pick<SessionRecord, 'secretHash' | 'methods'>, at: Date): Promise<boolean>;
  /** Writes at most once a minute. */
  touch(id: string, at: Date): Promise<void>;
  /** Live ones, newest first. */
  listOfUser(userId: string, now: Date): Promise<readonly SessionRecord[]>;
  /** False when it was revoked before, or does not exist. */
  revoke(id: string, at: Date): Promise<boolean>;
  revokeAllOfUser(userId: string, at: Date): Promise<void>;
}

export interface GrantStore {
  insert(grant: GrantRecord): Promise<void>;
  /** Also one that was revoked; none that has expired. */
  find(id: string): Promise<GrantRecord | null>;
  /** Moves a live grant from `generation` to the next and keeps the reply for the grace. False: another was faster. */
  rotate(id: string, generation: number, lastReply: NonNullable<GrantRecord['lastReply']>, at: Date): Promise<boolean>;
  listOfUser(userId: string, now: Date): Promise<readonly GrantRecord[]>;
  /** False when it was revoked before, or does not exist. */
  revoke(id: string, at: Date): Promise<boolean>;
  /** Of a session, without those that outlive it; returns the ids revoked. */
  revokeOfSession(sessionId: string, at: Date): Promise<readonly string[]>;
  revokeAllOfUser(userId: string, at: Date): Promise<void>;
  revokeAllOfClient(clientId: string, at: Date): Promise<void>;
}

export interface AuthorizationCodeStore {
  insert(code: AuthorizationCode): Promise<void>;
  /** A redeemed one for as long as its grant may live, so that a replay is recognised; none that expired unused. */
  find(codeHash: string): Promise<AuthorizationCode | null>;
  /** Takes an unexpired, unredeemed code for that grant. */
  redeem(codeHash: string, grantId: string, at: Date): Promise<boolean>;
}

export interface DeviceAuthorizationStore {
  /** @throws CONFLICT when a living one has that user code. */
  insert(device: DeviceAuthorization): Promise<void>;
  findByUserCode(userCode: string, now: Date): Promise<DeviceAuthorization | null>;
  /** Also for a day after it expired, so that its device can be told. */
  findByDeviceCodeHash(deviceCodeHash: string): Promise<DeviceAuthorization | null>;
  /** Answers a pending, unexpired one: approved with who did it, or denied with null. */
  decide(userCode: string, approval: DeviceAuthorization['approval'], at: Date): Promise<boolean>;
  /** Records a poll; the record as it was before. A poll that came too early makes the interval 5 s longer; one after expiry changes nothing. */
  poll(deviceCodeHash: string, at: Date): Promise<DeviceAuthorization | null>;
  /** Takes an approved, unexpired one for that grant. */
  redeem(deviceCodeHash: string, grantId: string, at: Date): Promise<boolean>;
}

export interface ConsentStore {
  /** Scopes the person agreed to for the client. */
  find(userId: string, clientId: string): Promise<readonly string[]>;
  /** Adds to what was agreed to. */
  add(userId: string, clientId: string, scopes: readonly string[], at: Date): Promise<void>;
  remove(userId: string, clientId: string): Promise<boolean>;
  /** Forgets what anybody agreed to for the client. */
  removeAllOfClient(clientId: string): Promise<void>;
}

export interface OneTimeLinkStore {
  /** Of one purpose and user only the newest works: earlier ones are consumed. */
  insert(link: OneTimeLink): Promise<void>;
  find(tokenHash: string, purpose: LinkPurpose): Promise<OneTimeLink | null>;
  /** Takes an unexpired, unconsumed link: of many at once one gets it, the others null. */
  consume(tokenHash: string, purpose: LinkPurpose, at: Date): Promise<OneTimeLink | null>;
  /** Voids the open ones of a person, after a password change. */
  consumeAllOfUser(userId: string, at: Date): Promise<void>;
}

/** Failed attempts by key, counted in fixed windows; exact across processes. */
export interface AttemptStore {
  /** Counts one more and returns how many there are in the window now. */
  count(key: string, windowSeconds: number, at: Date): Promise<number>;
  /** How many there are in the current window, and when it ends. */
  read(key: string, at: Date): Promise<{ attempts: number; until: Date } | null>;
  /** Takes one back that turned out to be no failure, if its window still runs; never below zero. */
  forgive(key: string, at: Date): Promise<void>;
  clear(key: string): Promise<void>;
}

export interface RevocationStore {
  /** Of one kind and value the latest times stay. Seen by all at its end, and given up after 20 seconds. @throws UNAVAILABLE */
  add(revocation: Revocation): Promise<void>;
  /** Entries made at or after a moment, by `revokedAt`. */
  since(moment: Date): Promise<readonly Revocation[]>;
  /** True when an entry voids the token. */
  isRevoked(claims: RevocableClaims): Promise<boolean>;
}

export interface SigningKeyStore {
  /** Version 0 without keys before the first write. */
  read(): Promise<KeySet>;
  /** The withdrawn keys alone, as they are now. */
  readWithdrawn(): Promise<readonly WithdrawnKey[]>;
  /**
   * Replaces the keys of the set that has `expectedVersion`, and the withdrawn ones where they are given; false when
   * another was faster.
   */
  write(expectedVersion: number, keys: readonly SigningKey[], withdrawn?: readonly WithdrawnKey[]): Promise<boolean>;
}

/** Makes and opens key pairs; the private half is only ever seen sealed. */
export interface SigningKeyFactory {
  create(): Promise<SigningKey>;
}

/** Signs with the active key. */
export interface TokenSigner {
  /** @param type header `typ`: `at+jwt` for access tokens, `JWT` for ID tokens. */
  sign(claims: Readonly<Record<string, unknown>>, type: string): Promise<string>;
  /** Published keys: next, active and retiring. While the database is away, those that were last known. */
  publicKeys(): Promise<readonly PublicKey[]>;
  /**
   * Checks signature, algorithm, issuer, type and lifetime of one of our own access tokens; not audience, not revocation.
   * A key that was withdrawn more than a second ago verifies nothing. @throws OAUTH_INVALID_TOKEN; UNAVAILABLE
   */
  verifyOwn(token: string): Promise<AccessTokenClaims>;
  /** Reads the key set anew, after a rotation. */
  reload(): Promise<void>;
  /**
   * Does what is due for the keys; with `force` the next key signs from now on. `tell` hears before each write what is
   * about to be done: nothing is written when it throws, nor when another process was faster, and then it hears again.
   * @throws CONFLICT when that is too early; whatever `tell` throws
   */
  rotate(
    options: { readonly force: boolean },
    tell?: (planned: PlannedRotation) => Promise<void>,
  ): Promise<KeyRotation>;
  /** Takes a key out of use at once. Idempotent. @throws NOT_FOUND when there is no such key; UNAVAILABLE */
  withdraw(keyId: string): Promise<KeyWithdrawal>;
}

/** What a rotation is about to do, by ids of keys. */
export interface PlannedRotation {
  readonly activated: string | null;
  readonly retired: string | null;
  readonly removed: readonly string[];
  /** States of the keys that are made. */
  readonly create: readonly ('active' | 'next')[];
  /** Of the key set that it changes: names the change, however often it is begun. */
  readonly version: number;
}

/** What a withdrawal did, by ids of keys, and all keys there are afterwards. */
export interface KeyWithdrawal {
  /** The key that signs from now on in the place of the withdrawn one; null when that one did not sign. */
  readonly activated: string | null;
  readonly created: readonly string[];
  readonly keys: readonly SigningKey[];
}

/** What a rotation did, by ids of keys, and all keys there are afterwards. */
export interface KeyRotation {
  readonly activated: string | null;
  readonly retired: string | null;
  readonly removed: readonly string[];
  readonly created: readonly string[];
  readonly keys: readonly SigningKey[];
}

export interface PublicKey {
  readonly kty: 'RSA';
  readonly n: string;
  readonly e: string;
  readonly kid: string;
  readonly use: 'sig';
  readonly alg: 'RS256';
}

/** Argon2id (RFC 9106) in PHC string format. */
export interface PasswordHasher {
  hash(password: string): Promise<string>;
  /** Constant work: with null, a decoy is checked, so that an account that does not exist takes as long. */
  verify(password: string, passwordHash: string | null): Promise<boolean>;
  /** True when it was made with weaker parameters than today's. */
  isOutdated(passwordHash: string): boolean;
}

/** Random tokens and their hashes. */
export interface Tokens {
  /** 256 random bits in base64url, with a prefix that secret scanners know it by. */
  create(prefix: string): string;
  /** SHA-256 in hex. */
  hash(token: string): string;
  /** HMAC-SHA-256 in base64url with the provider's key, bound to `purpose`. */
  mac(purpose: string, text: string): string;
  /** Checks a MAC in constant time, with every key there is. */
  checkMac(purpose: string, text: string, mac: string): boolean;
  /** Letters of an alphabet, each drawn evenly. */
  letters(alphabet: string, length: number): string;
  /** Compares digests and other texts of a known length in constant time. */
  equals(presented: string, digest: string): boolean;
}

export interface MailSender {
  /** Hands the mail over. @throws UNAVAILABLE (retryable) when the mail server does not take it. */
  send(mail: Mail): Promise<void>;
  /** Captured mail, newest first; null when mail is really sent. */
  readonly outbox: {
    list(limit: number): Promise<readonly CapturedMail[]>;
    find(id: string): Promise<CapturedMail | null>;
  } | null;
}
