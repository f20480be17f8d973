import { setPassword } from '../../../api/identity/login/set-password.ts';
import { REFRESH_GRACE_SECONDS } from '../../../domain/identity/login.ts';
import { addSeconds, DEVICE_CODE_SECONDS } from '../../../domain/identity/token-lifetimes.ts';
import { claimsOf, createLogins, type Seeded } from '../../api/identity/oauth/logins.ts';
import { visit } from '../../api/identity/visit.ts';
import type { Random } from '../interleaving/random.ts';
import type { TestIdp } from '../start-idp.ts';
import { type Client, createTokenModel, type Person } from './token-model.ts';

const PEOPLE = 14;
const SHOPS = 3;
const ROBOTS = 3;
const STEPS = 6;
/** After so many sequences all tokens that are watched are looked at. */
const COMPARED_EVERY = 10;
/** `iat` has whole seconds: what is issued within the second of a revocation of its person or client is void. */
const NEXT_SECOND_MS = 2_000;
/** Another process may know a client for a moment after it was deleted. */
const FORGETS_CLIENTS_MS = 5_000;
const DEVICE = 'urn:ietf:params:oauth:grant-type:device_code';
const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token';
const TARGET = 'reports-prod';

export interface Played {
  readonly steps: Readonly<Record<string, number>>;
  /** What the provider answered otherwise than the model, in words; empty when they agree. */
  readonly violations: readonly string[];
}

/**
 * People and clients that do at random what they may do at a real provider, and a small model of which tokens live then.
 * After each step the tokens that it issued or ended, and some others, are compared: none lives that the model has as dead,
 * and none is dead that it has as alive. All that are watched are compared now and then.
 */
export async function createIdentityModel(idp: TestIdp, random: Random) {
  const { deps } = idp;
  const logins = createLogins(idp);
  const stepsTaken: Record<string, number> = {};
  const model = createTokenModel(idp, random);
  const { pick, violations, lives, take, die, kill, begin, end, expect } = model;

  await idp.seedOrg('acme');
  await logins.person({ org: 'acme', orgRoles: ['admin'] });
  const people: Person[] = [];
  for (let made = 0; made < PEOPLE; made += 1) {
    people.push({
      user: await logins.person({ org: 'acme', orgRoles: ['admin', 'member'] }),
      suspended: false,
      admin: true,
    });
  }
  const cli: Client = { seeded: { client: await found('fairlead-cli'), secret: '' } };
  const shops: Client[] = [];
  for (let made = 0; made < SHOPS; made += 1) shops.push({ seeded: await logins.client({ orgSlug: 'acme' }) });
  const robots: Client[] = [];
  for (let made = 0; made < ROBOTS; made += 1) robots.push({ seeded: await robot() });
  await logins.client({ clientId: TARGET, orgSlug: 'acme', service: 'reports', environment: 'prod' });

  async function found(clientId: string) {
    const client = await deps.clients.find(clientId);
    if (client === null) throw new Error(`no client ${clientId}`);
    return client;
  }

  function robot(clientId?: string): Promise<Seeded> {
    return logins.client({ ...(clientId && { clientId }), orgSlug: 'acme', allowedGrantTypes: ['client_credentials'] });
  }

  /** Whose tokens a step is about; null when there was nobody to take it. */
  type Step = () => Promise<Person | Client | null>;

  const signIn: Step = async () => {
    const person = pick(people);
    const client = pick([cli, ...shops]);
    if (person === undefined || client === undefined) return null;
    // An ID token is a signature more, and nobody revokes it: some ask for one.
    const openid = random.chance(0.2) ? ['openid'] : [];
    const scopes = [...openid, 'profile', 'email', ...(random.chance(0.4) ? ['offline_access'] : [])];
    const audience = [idp.issuer, client.seeded.client.clientId];
    const { form, sessionId } = await logins.seedCode(client.seeded, person.user, { scopes, audience });
    const answer = await logins.token(client.seeded, form);
    expect('a sign-in', !person.suspended, answer);
    if (answer.status >= 300) return person;
    begin({ person, client, sessionId }, answer.body);
    return person;
  };

  /** In the session of another login, or in one of its own. */
  const connectDevice: Step = async () => {
    const person = pick(people.filter(({ suspended }) => !suspended));
    if (person === undefined) return null;
    const other = pick(model.liveLogins().filter((login) => login.person === person && !login.offline));
    const sessionId = other?.sessionId ?? (await logins.seedSession(person.user)).id;
    const [code, now] = [deps.tokens.create('fldc_'), deps.now()];
    const expiresAt = addSeconds(now, DEVICE_CODE_SECONDS);
    await deps.devices.insert({
      deviceCodeHash: deps.tokens.hash(code),
      userCode: deps.tokens.letters('BCDFGHJKLMNPQRSTVWXZ', 8),
      clientId: cli.seeded.client.clientId,
      scopes: random.chance(0.5) ? ['profile', 'offline_access'] : ['profile'],
      audience: [idp.issuer],
      status: 'approved',
      approval: { userId: person.user.id, sessionId, methods: ['pwd'], authenticatedAt: now },
      ...{ intervalSeconds: 5, lastPolledAt: null, redeemedFor: null, address: '127.0.0.1', createdAt: now, expiresAt },
    });
    const login = { person, client: cli, sessionId, offline: false, refreshToken: '', previous: [], ended: null };
    model.connect({ login, code, expiresAtMs: expiresAt.getTime() });
    return person;
  };

  const pollDevice: Step = async () => {
    const device = pick(model.devices());
    if (device === undefined) return null;
    model.disconnect(device);
    const { login, code } = device;
    const isOpen = login.ended === null && device.expiresAtMs > deps.now().getTime();
    const answer = await logins.token(cli.seeded, { grant_type: DEVICE, device_code: code });
    expect(`a poll of a device (${login.ended ?? 'open'})`, isOpen, answer);
    if (answer.status < 300) begin(login, answer.body);
    return login.person;
  };

  const refresh: Step = async () => {
    const login = pick(model.logins());
    if (login === undefined) return null;
    const answer = await logins.refresh(login.client.seeded, login.refreshToken);
    expect(`a refresh of a login (${login.ended ?? 'alive'})`, login.ended === null, answer);
    if (answer.status >= 300) return login.person;
    login.previous.push(login.refreshToken);
    login.refreshToken = answer.body.refresh_token;
    take(answer.body.access_token, { holder: login.person, client: login.client, login });
    return login.person;
  };

  const refreshAgain: Step = async () => {
    const login = pick(model.liveLogins().filter(({ previous }) => previous.length > 0));
    const old = login === undefined ? undefined : pick(login.previous);
    if (login === undefined || old === undefined) return null;
    idp.advance((REFRESH_GRACE_SECONDS + 1) * 1000);
    expect('an old refresh token', false, await logins.refresh(login.client.seeded, old));
    end('a refresh token was used again', (one) => one === login);
    return login.person;
  };

  const exchange: Step = async () => {
    const subject = pick(model.tokens().filter(({ client, login }) => client === cli && login !== null));
    if (subject === undefined || subject.login === null) return null;
    const form = {
      grant_type: EXCHANGE,
      subject_token_type: ACCESS_TOKEN,
      subject_token: subject.text,
      audience: TARGET,
    };
    const isSubject = claimsOf(subject.text).act === undefined;
    const answer = await logins.token(cli.seeded, form);
    expect(`an exchange of a token (${subject.dead ?? 'alive'})`, isSubject && lives(subject), answer);
    if (answer.status < 300)
      take(answer.body.access_token, { holder: subject.holder, client: cli, login: subject.login });
    return subject.holder;
  };

  const askAsService: Step = async () => {
    const client = pick(robots);
    if (client === undefined) return null;
    const answer = await logins.token(client.seeded, { grant_type: 'client_credentials' });
    expect("a service's token", true, answer);
    take(answer.body.access_token, { holder: client, client, login: null });
    return client;
  };

  const revokeLogin: Step = async () => {
    const login = pick(model.liveLogins());
    if (login === undefined) return null;
    const form = { ...logins.credentials(login.client.seeded), token: login.refreshToken };
    expect('a revocation', true, await idp.call('POST', '/api/oauth/revoke', { form }));
    end('its login was revoked', (one) => one === login);
    return login.person;
  };

  const revokeToken: Step = async () => {
    const token = pick(model.tokens().filter(lives));
    if (token === undefined) return null;
    const form = { ...logins.credentials(token.client.seeded), token: token.text };
    expect('a revocation', true, await idp.call('POST', '/api/oauth/revoke', { form }));
    die(token, 'it was revoked');
    return token.holder;
  };

  const endSession: Step = async () => {
    const token = pick(
      model.tokens().filter((one) => lives(one) && one.login !== null && claimsOf(one.text).act === undefined),
    );
    const login = token?.login;
    if (token === undefined || login == null) return null;
    const headers = { authorization: `Bearer ${token.text}` };
    const answer = await idp.call('DELETE', `/api/v2/me/sessions/${login.sessionId}`, { headers });
    expect('the end of a session', true, answer);
    end('its session ended', (one) => one.sessionId === login.sessionId && !one.offline);
    return login.person;
  };

  const reset: Step = async () => {
    const person = pick(people);
    if (person === undefined) return null;
    const user = await deps.users.find(person.user.id);
    if (user === null) throw new Error('the person is gone');
    await setPassword(deps, visit(idp), user, `a sentence of ${random.below(1e9)} words`);
    end('the password was reset', (one) => one.person === person);
    idp.advance(NEXT_SECOND_MS);
    return person;
  };

  const suspend: Step = async () => {
    const person = pick(people);
    if (person === undefined) return null;
    person.suspended = !person.suspended;
    const path = `/api/v2/users/${person.user.id}/${person.suspended ? 'suspend' : 'restore'}`;
    expect(path, true, await idp.call('POST', path, { headers: idp.internal, json: {} }));
    if (person.suspended) end('the person was suspended', (one) => one.person === person);
    idp.advance(NEXT_SECOND_MS);
    return person;
  };

  const changeRole: Step = async () => {
    const person = pick(people);
    if (person === undefined) return null;
    person.admin = !person.admin;
    const roles = person.admin ? ['admin', 'member'] : ['member'];
    const path = `/api/v2/orgs/acme/members/${person.user.id}`;
    expect(
      'a change of roles',
      true,
      await idp.call('PUT', path, { headers: idp.internal, json: { roles, modules: [] } }),
    );
    if (!person.admin) kill('a role was taken', ({ holder }) => holder === person);
    idp.advance(NEXT_SECOND_MS);
    return person;
  };

  const replaceClient: Step = async () => {
    const client = pick([...shops, ...robots]);
    if (client === undefined) return null;
    const { clientId } = client.seeded.client;
    const path = `/api/internal/oauth-clients/${clientId}`;
    expect('the deletion of a client', true, await idp.call('DELETE', path, { headers: idp.internal }));
    end('its client was deleted', (one) => one.client === client);
    kill('its client was deleted', (one) => one.client === client);
    idp.advance(FORGETS_CLIENTS_MS);
    client.seeded = robots.includes(client)
      ? await robot(clientId)
      : await logins.client({ clientId, orgSlug: 'acme' });
    return client;
  };

  const wait: Step = async () => {
    idp.advance(random.below(600_000));
    return null;
  };

  const steps: readonly (readonly [number, string, Step])[] = [
    [6, 'sign-in', signIn],
    [3, 'connect a device', connectDevice],
    [3, 'poll a device', pollDevice],
    [6, 'refresh', refresh],
    [1, 'refresh again', refreshAgain],
    [3, 'exchange', exchange],
    [3, 'ask as a service', askAsService],
    [1, 'revoke a login', revokeLogin],
    [1, 'revoke a token', revokeToken],
    [1, 'end a session', endSession],
    [1, 'reset', reset],
    [2, 'suspend or restore', suspend],
    [2, 'change a role', changeRole],
    [1, 'replace a client', replaceClient],
    [1, 'wait', wait],
  ];
  const lots = steps.flatMap((step) => Array.from({ length: step[0] }, () => step));

  let sequences = 0;
  return {
    /** One sequence: it goes on from what the ones before left. */
    play: async (): Promise<void> => {
      for (let left = STEPS; left > 0 && violations.length === 0; left -= 1) {
        const [, name, step] = pick(lots) ?? [0, '', wait];
        const about = await step();
        stepsTaken[name] = (stepsTaken[name] ?? 0) + 1;
        await model.compare(name, about);
      }
      sequences += 1;
      if (sequences % COMPARED_EVERY === 0) {
        model.lookAtAll();
        await model.compare('everything', null);
      }
    },
    played: (): Played => ({ steps: stepsTaken, violations }),
  };
}
