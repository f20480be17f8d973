import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { workloadOf } from '../../activities/deploys/release-of-build.ts';
import { CONSUMED_ENGINES } from '../../domain/catalog/catalog.ts';
import { catalogFields } from '../../domain/catalog/catalog-json-schema.ts';
import { parseCatalog } from '../../domain/catalog/parse-catalog.ts';
import { POD_TIERS } from '../../domain/catalog/pod-tiers.ts';
import { isReservedVariable } from '../../domain/config/variable-names.ts';
import { consumedVariable } from '../../domain/databases/consumer.ts';
import { ENGINES } from '../../domain/databases/engines.ts';
import { INJECTED_VARIABLES } from '../../domain/service-addresses.ts';
import { runtimeVariables } from '../../infra/dev/runtime-variables.ts';
import { type RelyingParties, startRelyingParties } from '../interop/relying-parties.ts';
import { releaseRecord } from '../ports/records.ts';
import { freePort } from '../support/free-port.ts';
import { createInMemoryDeploys } from '../support/in-memory/deploys-deps.ts';
import { waitUntil } from '../support/wait-until.ts';

const PAGE = join(import.meta.dirname, '../../docs/your-service.md');

/** Cells of the rows of a table, by the name in the first one. */
const rowsOf = (section: string): [string, string][] =>
  [...section.matchAll(/^\| `([^`]+)` +\| (.*?) +\|$/gm)].map(([, name = '', text = '']) => [name, text]);

describe('docs/your-service.md', () => {
  let page: string;
  before(async () => {
    page = await readFile(PAGE, 'utf8');
  });
  const section = (title: string): string => page.split('\n## ').find((part) => part.startsWith(title)) ?? '';
  const block = (language: string): string => new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``).exec(page)?.[1] ?? '';

  it('has every field of the catalog file, described as the schema does', () => {
    const fields = catalogFields().filter(({ path }) => path !== 'spec' && path !== 'metadata.annotations');
    assert.ok(fields.length > 40);
    assert.deepEqual(
      rowsOf(section('catalog-info.yaml')),
      fields.map(({ path, description }) => [path, description]),
    );
  });

  it('shows a catalog file that a deploy takes without a warning', () => {
    const { catalog, warnings } = parseCatalog(block('yaml'), { enforceMinimumVersion: true });
    assert.deepEqual([catalog.name, catalog.podTier, warnings], ['my-app', 'small', []]);
  });

  it('has every variable that a workload is given', async () => {
    const platformUrls = Object.fromEntries(INJECTED_VARIABLES.map((name) => [name, 'http://platform.example']));
    const parts = createInMemoryDeploys({ platformUrls });
    await parts.services.upsert({ id: 'svc_shop', name: 'shop', org: 'acme' }, {});
    const release = releaseRecord({
      id: 'rel_shop',
      serviceId: 'svc_shop',
      service: 'shop',
      commitSha: 'c0ffee',
      config: {},
      secrets: {},
      dependencies: [{ service: 'service', url: 'http://service.prod.internal:7600', variable: '<SERVICE>_URL' }],
    });
    const { env } = await workloadOf(parts, release, 'bld_shop');
    const credential = ['IDP_CLIENT_ID', 'IDP_CLIENT_SECRET'];
    const access = { host: 'db', port: 1, database: 'd', generation: null, user: 'u', password: 'p', options: {} };
    const ofDatabase = [ENGINES.postgres, ENGINES.mongodb, ENGINES.redis, ENGINES.neo4j].flatMap(
      ({ variables, usual }) => Object.keys({ ...variables(access), ...usual(access) }),
    );
    const ofOther = CONSUMED_ENGINES.map((engine) =>
      consumedVariable({ service: 'a', engine }).replace('A_', '<SERVICE>_'),
    );
    const given = rowsOf(section('What it is given')).map(([name]) => name);
    assert.deepEqual(given.sort(), [...Object.keys(env), ...credential, ...ofDatabase, ...ofOther].sort());
  });

  it('says which of them cannot be set', () => {
    const part = section('What it is given');
    const names = rowsOf(part).map(([name]) => name);
    const [, free = ''] = /Names of the table above cannot be set, but for\s([^.]*?), nor can/.exec(part) ?? [];
    const named = [...free.matchAll(/`([^`]+)`/g)].map(([, name]) => name);
    const isFree = (name: string): boolean => !isReservedVariable(name.replace('<SERVICE>', 'SHOP_API'));
    assert.deepEqual(named.sort(), names.filter(isFree).sort());
  });

  it('has what each tier may take, and costs', () => {
    const cells = (name: string): string[] =>
      new RegExp(`^\\| ${name} +\\|(.*)\\|$`, 'm')
        .exec(section('Tiers'))?.[1]
        ?.split('|')
        .map((cell) => cell.trim()) ?? [];
    const size = (bytes: number): string => (bytes < 2 ** 30 ? `${bytes / 2 ** 20} MiB` : `${bytes / 2 ** 30} GiB`);
    const tiers = Object.entries(POD_TIERS);
    assert.deepEqual(['tier', 'CPU, at most', 'memory, at most', 'set aside', 'gas in a month'].map(cells), [
      tiers.map(([name]) => name),
      tiers.map(([, tier]) => String(tier.cpuLimitMillis / 1000)),
      tiers.map(([, tier]) => size(tier.memoryLimitBytes)),
      tiers.map(([, tier]) => `${tier.cpuRequestMillis}m, ${size(tier.memoryRequestBytes)}`),
      tiers.map(([, tier]) => tier.gasPerMonth.toLocaleString('en')),
    ]);
  });

  it('links to pages that are there', async () => {
    const links = [...page.matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, target = '']) => target);
    assert.ok(links.length > 0);
    for (const target of links) await readFile(join(dirname(PAGE), target));
  });

  describe('the service that signs people in', () => {
    let parties: RelyingParties;
    let folder: string;
    let address: string;
    let stopService = async (): Promise<void> => {};
    before(async () => {
      parties = await startRelyingParties();
      const port = await freePort();
      address = `http://127.0.0.1:${port}`;
      const { secret } = await parties.idp.seedClient('my-app-prod', {
        ...{ orgSlug: 'acme', service: 'my-app', environment: 'prod' },
        redirectUris: [`${address}/api/auth/callback`],
      });
      folder = await mkdtemp(join(tmpdir(), 'fairlead-your-service-'));
      await symlink(join(dirname(PAGE), '../node_modules'), join(folder, 'node_modules'));
      await writeFile(join(folder, 'package.json'), '{"type":"module"}');
      await writeFile(join(folder, 'server.js'), block('js'));
      const child = spawn(process.execPath, ['server.js'], {
        cwd: folder,
        env: {
          ...runtimeVariables(process.env),
          ...{ IDP_URL: parties.idp.issuer, IDP_CLIENT_ID: 'my-app-prod', IDP_CLIENT_SECRET: secret },
          ...{ PORT: String(port), GIT_COMMIT: 'c0ffee' },
        },
        stdio: 'inherit',
      });
      const ended = new Promise((resolve) => child.once('exit', resolve));
      stopService = async () => {
        child.kill();
        await ended;
      };
      await waitUntil('the service answers', async () => (await get('/health').catch(() => null))?.status === 200);
    });
    after(async () => {
      await stopService();
      await parties.stop();
      await rm(folder, { recursive: true, force: true });
    });

    const get = (path: string, cookie = ''): Promise<Response> =>
      fetch(new URL(path, address), { redirect: 'manual', headers: { cookie } });
    const cookieOf = (response: Response): string => response.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    const begin = async () => {
      const response = await get('/');
      assert.equal(response.status, 302);
      const { callback } = await parties.person.authorize(response.headers.get('location') ?? '');
      return { callback: callback.href, cookie: cookieOf(response) };
    };

    it('greets the person who signed in, and nobody before', async () => {
      const { callback, cookie } = await begin();
      const back = await get(callback, cookie);
      assert.deepEqual([back.status, back.headers.get('location')], [302, '/'], await back.text());
      assert.match(back.headers.getSetCookie()[0] ?? '', /HttpOnly; SameSite=Lax/);
      const greeted = await get('/', cookieOf(back));
      assert.equal(greeted.status, 200);
      assert.match(await greeted.text(), /^Hello, \S/);
      assert.equal((await get('/', 'session=guessed')).status, 302);
    });

    it('takes an answer once, and in the browser that began alone', async () => {
      const { callback, cookie } = await begin();
      const stolen = await get(callback);
      assert.deepEqual([stolen.status, stolen.headers.getSetCookie()], [400, []]);
      const other = await begin();
      assert.equal((await get(callback, other.cookie)).status, 400, 'the answer to another login');
      assert.equal((await get(callback, cookie)).status, 302);
      assert.equal((await get(callback, cookie)).status, 400);
    });

    it('tells its commit', async () => {
      assert.deepEqual(await (await get('/health')).json(), { status: 'ok', commit: 'c0ffee' });
    });
  });
});
