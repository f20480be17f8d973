import { introspect } from '../../../api/identity/oauth/introspection.ts';
import type { UserRecord } from '../../../domain/identity/user.ts';
import { claimsOf, type Seeded } from '../../api/identity/oauth/logins.ts';
import type { Random } from '../interleaving/random.ts';
import type { TestIdp } from '../start-idp.ts';

/** Tokens and logins that are watched at once, over the ends of sequences. */
const WATCHED = 40;
/** Tokens that are looked at after a step although it neither issued nor ended them, of each kind. */
const OTHERS = 2;

export interface Person {
  readonly user: UserRecord;
  suspended: boolean;
  admin: boolean;
}

export interface Client {
  seeded: Seeded;
}

/** A login as the model has it; `ended` says why it ended. */
export interface Login {
  readonly person: Person;
  readonly client: Client;
  readonly sessionId: string;
  readonly offline: boolean;
  refreshToken: string;
  previous: string[];
  ended: string | null;
}

/** A device that was connected and has not asked for its tokens yet: `login` is what it ends with, and never offline. */
export interface Device {
  readonly login: Login;
  readonly code: string;
  readonly expiresAtMs: number;
}

export interface Token {
  readonly text: string;
  readonly holder: Person | Client;
  readonly client: Client;
  /** As it was when the token was issued: a deleted client's successor is another one. */
  readonly askedBy: Seeded;
  readonly login: Login | null;
  readonly expiresAtMs: number;
  dead: string | null;
}

export type TokenModel = ReturnType<typeof createTokenModel>;

/** Which tokens live, as they are issued and ended, compared with what a provider says of them. */
export function createTokenModel({ deps }: Pick<TestIdp, 'deps'>, random: Random) {
  const pick = <T>(list: readonly T[]): T | undefined => list[random.below(list.length)];
  const violations: string[] = [];
  let tokens: Token[] = [];
  let logins: Login[] = [];
  let devices: Device[] = [];
  /** Tokens that were issued or ended by the step that is being played. */
  const changed = new Set<Token>();

  const isClient = (holder: Person | Client): holder is Client => 'seeded' in holder;
  const lives = (token: Token): boolean => token.dead === null && token.expiresAtMs > deps.now().getTime();

  function take(text: string | undefined, facts: Pick<Token, 'holder' | 'client' | 'login'>): void {
    if (text === undefined) throw new Error('no token came');
    const expiresAtMs = claimsOf(text).exp * 1000;
    const token = { ...facts, text, askedBy: facts.client.seeded, expiresAtMs, dead: null };
    tokens.push(token);
    changed.add(token);
    tokens = tokens.slice(-WATCHED);
  }

  function die(token: Token, why: string): void {
    token.dead = why;
    changed.add(token);
  }

  function kill(why: string, isMeant: (token: Token) => boolean): void {
    for (const token of tokens) if (token.dead === null && isMeant(token)) die(token, why);
  }

  const draw = (list: readonly Token[]): Token[] =>
    Array.from({ length: OTHERS }, () => pick(list)).filter((token) => token !== undefined);

  return {
    pick,
    violations,
    lives,
    take,
    die,
    kill,
    tokens: (): readonly Token[] => tokens,
    logins: (): readonly Login[] => logins,
    liveLogins: (): readonly Login[] => logins.filter(({ ended }) => ended === null),
    devices: (): readonly Device[] => devices,
    connect(device: Device): void {
      devices.push(device);
    },
    disconnect(device: Device): void {
      devices = devices.filter((one) => one !== device);
    },
    /** A login with the reply that it began with. */
    begin(of: Pick<Login, 'person' | 'client' | 'sessionId'>, body: Readonly<Record<string, string>>): void {
      const { person, client, sessionId } = of;
      const { access_token: text, refresh_token: refreshToken = '', scope = '' } = body;
      // Not every client may have it.
      const offline = scope.split(' ').includes('offline_access');
      const login = { person, client, sessionId, offline, refreshToken, previous: [], ended: null };
      logins = [...logins, login].slice(-WATCHED);
      take(text, { holder: person, client, login });
    },
    end(why: string, isMeant: (login: Login) => boolean): void {
      for (const login of [...logins, ...devices.map((device) => device.login)])
        if (isMeant(login)) login.ended ??= why;
      kill(why, ({ login }) => login !== null && isMeant(login));
    },
    expect(what: string, isExpected: boolean, { status, text }: { status: number; text: string }): void {
      if (status < 300 !== isExpected) violations.push(`${what}: ${status} ${text.slice(0, 200)}`);
    },
    /** With the next comparison all that are watched are looked at. */
    lookAtAll(): void {
      for (const token of tokens) changed.add(token);
    },
    /** Those that the step issued or ended, some of whom it was about, and some of all. */
    async compare(name: string, about: Person | Client | null): Promise<void> {
      const meant = tokens.filter(({ holder, client }) => about !== null && (holder === about || client === about));
      const drawn = [...draw(meant), ...draw(tokens)];
      const looked = new Set([...changed, ...drawn]);
      changed.clear();
      for (const token of looked) {
        const current = await deps.clients.find(token.askedBy.client.clientId);
        const active = current !== null && (await introspect(deps, current, token.text)).active;
        if (active === lives(token)) continue;
        const kind = isClient(token.holder) ? "a service's token" : "a person's token";
        violations.push(
          `after ${name}: ${kind} is ${active ? `alive, though ${token.dead ?? 'it expired'}` : 'dead, though nothing ended it'}`,
        );
      }
    },
  };
}
