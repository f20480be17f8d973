import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createTokenVerifier } from '../../sdk/index.ts';
import { seedHeadless } from '../api/identity/embed/embed-fixture.ts';
import { createLogins } from '../api/identity/oauth/logins.ts';
import { freePort } from '../support/free-port.ts';
import { startApi } from '../support/start-api.ts';
import { KEY, startIdp, type TestIdp } from '../support/start-idp.ts';
import { PASSWORD, startPerson } from './person-at-browser.ts';
import { readPage } from './read-page.ts';
import { runPage } from './run-page.ts';

const ROOT = join(import.meta.dirname, '../..');
const FOLDER = join(ROOT, 'docs/identity');
const EMAIL = 'ada@acme.example';

type Person = Awaited<ReturnType<typeof startPerson>>;
type Variables = Readonly<Record<string, string>>;
/** Takes what is stopped again after the page. */
type Defer = (stop: () => Promise<void>) => void;

/** Every page runs against a provider of its own, as somebody would who reads that page first. */
describe('the pages of docs/identity', () => {
  let preamble: string;
  before(async () => {
    const [setUp] = readPage(await readFile(join(FOLDER, 'README.md'), 'utf8'));
    assert.ok(setUp, 'the index shows what to set');
    preamble = setUp.shell;
  });

  for (const [page, prepare] of Object.entries(pages())) {
    describe(page, () => {
      let idp: TestIdp;
      let person: Person;
      const stops: (() => Promise<void>)[] = [];
      before(async () => {
        idp = await startIdp();
        person = await startPerson(idp, EMAIL);
      });
      after(async () => {
        for (const stop of stops) await stop();
        await person.stop();
        await idp.stop();
      });

      it('does what it says, line by line', async () => {
        const steps = readPage(await readFile(join(FOLDER, page), 'utf8'));
        assert.ok(steps.length > 0, 'the page shows something to run');
        const variables = {
          PATH: `${join(ROOT, 'node_modules/.bin')}:${process.env.PATH ?? ''}`,
          IDP_URL: idp.issuer,
          BROWSER: person.command,
          ...(await prepare(idp, person, (stop) => stops.push(stop))),
        };
        await runPage(page, steps, { preamble, variables });
      });
    });
  }

  it('are all run, all linked from the index, and their links lead somewhere', async () => {
    const files = (await readdir(FOLDER)).filter((name) => name.endsWith('.md') && name !== 'README.md');
    assert.deepEqual(files.sort(), Object.keys(pages()).sort());
    const index = await readFile(join(FOLDER, 'README.md'), 'utf8');
    for (const file of files) assert.ok(index.includes(`](${file})`), `${file} is not in the index`);
    for (const file of ['README.md', ...files]) {
      const text = await readFile(join(FOLDER, file), 'utf8');
      for (const [, target = ''] of text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)) {
        await readFile(join(dirname(join(FOLDER, file)), target)).catch(() =>
          assert.fail(`${file} links to ${target}`),
        );
      }
    }
  });
});

/** What has to be there before each page, and the variables that the page asks its reader for. */
function pages(): Readonly<Record<string, (idp: TestIdp, person: Person, defer: Defer) => Promise<Variables>>> {
  return {
    'sign-in.md': async (idp) => {
      await member(idp);
      const port = await freePort();
      const callback = `http://127.0.0.1:${port}/api/auth/callback`;
      const { secret } = await shop(idp, { redirectUris: [callback] });
      return { CLIENT_ID: 'shop-prod', CLIENT_SECRET: secret, CALLBACK_PORT: String(port) };
    },
    'device.md': async (idp) => {
      await member(idp);
      return { CLIENT_ID: 'fairlead-cli' };
    },
    'service-to-service.md': async (idp) => {
      await idp.seedOrg('acme');
      const caller = await shop(idp, { allowedScopes: ['openid', 'orders:read'] });
      const orders = await idp.seedClient('orders-prod', { orgSlug: 'acme', service: 'orders', environment: 'prod' });
      return { CLIENT_ID: 'shop-prod', CLIENT_SECRET: caller.secret, ORDERS_SECRET: orders.secret };
    },
    'refresh-and-revoke.md': async (idp) => {
      const user = await member(idp);
      const client = await shop(idp);
      const { tokens } = await createLogins(idp).login(client, user);
      return { CLIENT_ID: 'shop-prod', CLIENT_SECRET: client.secret, REFRESH_TOKEN: tokens.refresh_token ?? '' };
    },
    'own-session.md': async (idp) => {
      const user = await member(idp);
      await shop(idp);
      const client = await idp.deps.clients.find('fairlead-cli');
      assert.ok(client !== null);
      const scopes = ['openid', 'profile', 'email', 'offline_access'];
      const { tokens } = await createLogins(idp).login({ client, secret: '' }, user, { scopes, audience: ['builder'] });
      return { LOGIN_TOKEN: tokens.access_token ?? '' };
    },
    'embedded-sign-up.md': async (idp, { browser }) => {
      const { clientId, secret } = await seedHeadless(idp, 'acme', { trustedInviteSignup: false }, { grant: false });
      await idp.seedUser(EMAIL, { password: PASSWORD, platformRoles: ['super_admin'] });
      await browser.logIn(EMAIL, PASSWORD);
      const session = `fl-session=${browser.cookies.get('fl-session')}`;
      return { CLIENT_ID: clientId, CLIENT_SECRET: secret, INTERNAL_KEY: KEY, ADMIN_SESSION: session };
    },
    'rotate-a-secret.md': async (idp) => {
      await idp.seedOrg('acme');
      const { secret } = await shop(idp);
      return { CLIENT_ID: 'shop-prod', CLIENT_SECRET: secret, INTERNAL_KEY: KEY };
    },
    'rotate-keys.md': async (idp) => {
      const { secret } = await idp.seedClient('shop-prod');
      // The page waits for the two minutes that a new key is published before it may sign.
      idp.advance(3 * 60_000);
      return { CLIENT_ID: 'shop-prod', CLIENT_SECRET: secret, INTERNAL_KEY: KEY };
    },
    'first-admin.md': async (idp, { command }) => {
      const folder = dirname(command);
      await writeFile(join(folder, 'first-admin-link'), `${idp.firstAdminUrl}\n`);
      return { DATA_DIR: folder, INTERNAL_KEY: KEY };
    },
    'people-and-orgs.md': async (idp, { command }, defer) => {
      await idp.seedClient('shop-prod');
      const idpUrl = idp.issuer;
      const verifier = createTokenVerifier({ idpUrl, audience: 'builder', revocations: { internalKey: KEY } });
      const api = await startApi({ verifier, issuer: idpUrl });
      defer(async () => {
        verifier.close();
        await api.stop();
      });
      // A desktop, whose browser the person is at, and the command line by its own name.
      const bin = join(dirname(command), 'bin');
      await mkdir(bin);
      await symlink(join(ROOT, 'cli/fairlead.mjs'), join(bin, 'fairlead'));
      for (const name of ['xdg-open', 'open']) await symlink(command, join(bin, name));
      const path = `${bin}:${join(ROOT, 'node_modules/.bin')}:${process.env.PATH ?? ''}`;
      return { PATH: path, DISPLAY: ':0', FAIRLEAD_URL: api.address, INTERNAL_KEY: KEY };
    },
    'verify-tokens.md': async (idp) => {
      const user = await member(idp);
      const client = await shop(idp);
      const { tokens } = await createLogins(idp).login(client, user);
      const port = String(await freePort());
      return {
        ...{ FAIRLEAD: ROOT, PORT: port, IDP_CLIENT_ID: 'shop-prod', IDP_CLIENT_SECRET: client.secret },
        ACCESS_TOKEN: tokens.access_token ?? '',
      };
    },
  };
}

async function member(idp: TestIdp) {
  await idp.seedOrg('acme');
  return idp.seedUser(EMAIL, { password: PASSWORD, org: 'acme', orgRoles: ['member'] });
}

const shop = (idp: TestIdp, fields: Parameters<TestIdp['seedClient']>[1] = {}) =>
  idp.seedClient('shop-prod', { name: 'The Shop', orgSlug: 'acme', service: 'shop', environment: 'prod', ...fields });
