import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { MailJob, MailQueue } from '../../../../api/identity/mail/mail-queue.ts';
import { type Answer, startIdp, type TestIdp } from '../../../support/start-idp.ts';
import { type Headless, seedHeadless, signupBody } from '../embed/embed-fixture.ts';
import { createBrowser } from '../pages/browse.ts';

const PASSWORD = 'correct horse battery';
const NOBODY = 'nobody@example.com';
/** Personas have addresses of their own kind, which some forms refuse by the look of them. */
const NO_PERSONA = 'persona+nobody@acme.personas.invalid';

/** What an address may be, besides nobody's. The provider must not tell them apart. */
const KINDS = ['known', 'suspended', 'without a password', 'a member elsewhere', 'a persona'] as const;

/** Stores and ciphers whose calls take time that somebody outside could measure. */
const SPIED = [
  'users',
  'sessions',
  'links',
  'attempts',
  'memberships',
  'orgs',
  'clients',
  'grants',
  'hasher',
  'audit',
] as const;

describe('whether there is an account of an address', () => {
  let idp: TestIdp;
  let acme: Headless;
  let untrusted: Headless;
  const addresses = new Map<string, string>();
  /** Every call to what takes time, in order. */
  let work: string[] = [];
  /** Jobs that run after the reply; here, when the test says so. */
  let jobs: MailJob[] = [];
  before(async () => {
    idp = await startIdp({ trustedProxies: ['loopback'] });
    acme = await seedHeadless(idp, 'acme');
    untrusted = await seedHeadless(idp, 'rival', { trustedInviteSignup: false }, { grant: false });
    await idp.seedOrg('elsewhere');
    for (const [index, kind] of KINDS.entries()) {
      const email = kind === 'a persona' ? 'persona+ada@acme.personas.invalid' : `person-${index}@example.com`;
      addresses.set(kind, await seed(kind, email));
    }
    watch();
  });
  after(() => idp.stop());
  beforeEach(() => {
    jobs = [];
  });

  async function seed(kind: (typeof KINDS)[number], email: string): Promise<string> {
    await idp.seedUser(email, {
      org: kind === 'a member elsewhere' ? 'elsewhere' : 'acme',
      ...(kind === 'without a password' ? {} : { password: PASSWORD }),
      fields: {
        ...(kind === 'suspended' ? { suspendedAt: idp.deps.now() } : {}),
        ...(kind === 'a persona' ? { isPersona: true } : {}),
      },
    });
    return email;
  }

  function watch(): void {
    for (const name of SPIED) {
      const spy = new Proxy(idp.deps[name] as object, {
        get: (target, key) => {
          const member = Reflect.get(target, key);
          if (typeof member !== 'function') return member;
          return (...args: unknown[]) => {
            // Once a minute for a client, whoever it asks about.
            if (key !== 'touchSecret') work.push(`${name}.${String(key)}`);
            return member.apply(target, args);
          };
        },
      });
      Object.assign(idp.deps, { [name]: spy });
    }
    const held: Pick<MailQueue, 'add'> = { add: (job) => jobs.push(job) > 0 };
    Object.assign(idp.deps, { mailQueue: held });
  }

  let calls = 0;
  /** From another address each time, so that no limit is what is compared. */
  const fresh = (): Record<string, string> => {
    calls += 1;
    return { 'x-forwarded-for': `10.77.${calls >> 8}.${calls & 255}` };
  };

  /** All that somebody outside sees or measures: status, names and values of headers, body, and the work until then. */
  async function observe(ask: () => Promise<Pick<Answer, 'status' | 'headers' | 'text'>>, email: string) {
    work = [];
    const { status, headers, text } = await ask();
    const done = work;
    const random = /(name="csrf" value=")[^"]*|(fl-csrf=)[^;]*|(fl-login=)[^;]*|(nonce[-=]"?)[\w+/=-]+|req_\w+/g;
    const shown = [...headers].filter(
      ([name]) => !['date', 'x-request-id', 'content-length'].includes(name) && !name.startsWith('ratelimit'),
    );
    const plain = (value: string) => value.replaceAll(email, 'THE ADDRESS').replaceAll(random, '$1$2$3$4…');
    return { status, headers: shown.map(([name, value]) => [name, plain(value)]), text: plain(text), work: done };
  }

  const embed = (of: () => Headless, name: string, more: Record<string, unknown>) => async (email: string) =>
    of().call(name, { ...more, email }, { ...of().headers, ...fresh() });

  /** A form of the pages, filled in by a browser that was never there before. */
  const page = (path: string, action: string, more: Record<string, string>) => async (email: string) => {
    const browser = createBrowser(idp);
    const opened = await browser.open(path);
    work = [];
    const answer = await browser.submit(opened, action, { email, ...more }, fresh());
    return { status: answer.status, headers: answer.headers, text: answer.html };
  };

  const ways: Readonly<Record<string, (email: string) => Promise<Pick<Answer, 'status' | 'headers' | 'text'>>>> = {
    'the login page': page('/login', '/login', { password: 'wrong password' }),
    'asking for a link on the login page': page('/login', '/login/link', { password: '' }),
    'the page of a forgotten password': page('/login/forgot', '/login/forgot', {}),
    'the headless login': embed(() => acme, 'login', { password: 'wrong password' }),
    'the headless link': embed(() => acme, 'magic-link', {}),
    'the headless confirmation': embed(() => acme, 'send-confirmation', {}),
    'the headless forgotten password': embed(() => acme, 'forgot-password', { sendEmail: true }),
    'a first password': embed(() => acme, 'set-initial-password', { orgSlug: 'acme', password: PASSWORD }),
    'a first password, of a client that is not trusted': embed(() => untrusted, 'set-initial-password', {
      orgSlug: 'acme',
      password: PASSWORD,
    }),
    'a sign-up of a client that is not trusted': embed(() => untrusted, 'signup', signupBody('acme', NOBODY)),
  };

  for (const [way, ask] of Object.entries(ways)) {
    it(`is not told by ${way}: neither by the answer nor by the work it takes`, async () => {
      // The first request of a client fills caches that others find filled.
      await ask('warm-up@example.com');
      const nobody = await observe(() => ask(NOBODY), NOBODY);
      assert.ok(nobody.work.length + jobs.length > 0, 'the work was seen');
      const noPersona = await observe(() => ask(NO_PERSONA), NO_PERSONA);
      for (const [kind, email] of addresses) {
        const like = kind === 'a persona' ? noPersona : nobody;
        assert.deepEqual(await observe(() => ask(email), email), like, `${way}: ${kind}`);
      }
    });
  }

  it('is told by what happens after the reply alone: only who is there gets mail, and a persona none', async () => {
    const before = idp.mailbox.length;
    for (const email of [NOBODY, ...addresses.values()]) await ways['the headless link']?.(email);
    assert.equal(idp.mailbox.length, before, 'nothing is sent before the reply');
    assert.equal(jobs.length, addresses.size + 1, 'the same job waits for everybody');
    for (const job of jobs) await job.run();
    const to = idp.mailbox.slice(before).map((mail) => mail.to);
    assert.deepEqual(to.includes(addresses.get('known') ?? ''), true);
    for (const kind of ['suspended', 'a persona']) assert.equal(to.includes(addresses.get(kind) ?? ''), false, kind);
    assert.equal(to.includes(NOBODY), false);
  });

  it('a client that is not there and a wrong secret get one answer, after the same work', async () => {
    const ask = (clientId: string) => async () =>
      idp.call('POST', '/api/oauth/token', {
        form: { grant_type: 'client_credentials', client_id: clientId, client_secret: 'flcs_wrong' },
        headers: fresh(),
      });
    const known = await observe(ask('acme-prod'), 'acme-prod');
    assert.equal(known.status, 401);
    assert.deepEqual(await observe(ask('no-such-client'), 'no-such-client'), known);
  });
});
