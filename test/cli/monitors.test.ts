import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { FairleadError } from '../../domain/errors.ts';
import { checkSecretContext } from '../../domain/monitors/check-secret.ts';
import { incidentRecord } from '../ports/incidents/incident-store.ts';
import { deliveryRecord } from '../ports/notifications/notification-stores.ts';
import { addSubscribers } from '../support/page-delivery-parts.ts';
import { cipher, KEY, startMonitor, type TestMonitor } from '../support/start-monitor.ts';
import { runCli } from './run-cli.ts';

/** Nothing listens there: these commands need no builder. */
const API = { url: 'http://127.0.0.1:1' };

const GATUS = `
endpoints:
  - name: Front Page
    group: shop
    url: https://shop.example.com/health
    interval: 1m30s
    conditions: ["[STATUS] == 204", "[RESPONSE_TIME] < 300", "[BODY].status == UP", "[CERTIFICATE_EXPIRATION] > 48h"]
  - { name: db, url: "tcp://db.example.com:5432", interval: 2s }
  - { name: ping, url: "icmp://example.com" }
  - { name: off, url: "https://off.example.com", enabled: false }
`;

const KUMA = {
  version: '1.23.0',
  monitorList: [
    { name: 'Blog', type: 'keyword', url: 'https://blog.example.com', keyword: 'hello', interval: 30, active: true },
    { name: 'Job', type: 'push', interval: 3_600, active: 1 },
    {
      ...{ name: 'Orders DB', type: 'postgres', interval: 60, active: true },
      databaseConnectionString: 'postgres://user:hunter2@pg.example.com:6432/orders',
    },
    { name: 'Game', type: 'steam', hostname: 'game.example.com', port: 1, active: true },
    { name: 'Old', type: 'http', url: 'https://old.example.com', active: false },
  ],
};

describe('fairlead monitors, incidents and alerts', () => {
  let monitor: TestMonitor;
  let folder: string;
  before(async () => {
    monitor = await startMonitor();
    folder = await mkdtemp(join(tmpdir(), 'fairlead-monitors-'));
    for (const [serviceName, environment] of [
      ['shop', 'prod'],
      ['shop', 'uat'],
    ] as const) {
      const body = { serviceName, org: 'acme', environment, url: `https://${serviceName}-${environment}.example.com/` };
      await monitor.call('POST', '/api/pulse/register', body);
    }
  });
  after(async () => {
    await monitor.stop();
    await rm(folder, { recursive: true });
  });

  const run = (...words: readonly string[]) =>
    runCli(API, words, { cwd: folder, env: { FAIRLEAD_KEY: KEY, FAIRLEAD_MONITOR_URL: monitor.address } });
  async function ok(...words: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await run(...words);
    assert.equal(code, 0, `${words.join(' ')}: ${stderr}`);
    return stdout;
  }

  it('lists all environments, or the one that is named, and shows one by its name there', async () => {
    const all = await ok('monitors');
    for (const row of [/shop +prod +pending/, /shop +uat +pending/]) assert.match(all, row);
    assert.doesNotMatch(await ok('monitors', '-e', 'uat'), /prod/);
    assert.match(await ok('monitors', '--find', 'nothing'), /No monitor was found/);
    assert.match(await ok('monitors', 'show', 'shop'), /Target +https:\/\/shop-prod\.example\.com\/[\s\S]*90 +no data/);
    const { data } = JSON.parse(await ok('monitors', 'show', 'shop', '-e', 'uat', '--json'));
    assert.equal(data.target, 'https://shop-uat.example.com/');
    const missing = await run('monitors', 'show', 'nobody');
    assert.equal(missing.code, 3);
    assert.match(missing.stderr, /There is no monitor nobody in prod/);
  });

  it('adds each kind of target, and says what is none', async () => {
    const targets = {
      'https://api.example.com/v1?x=1': 'http',
      'wss://ws.example.com/feed': 'websocket',
      'tcp://db.example.com:6379': 'tcp',
      'tls://shop.example.com': 'tls',
      'dns://example.com/MX': 'dns',
      'postgres://pg.example.com': 'postgres',
      'mongodb://mongo.example.com:27018': 'mongodb',
    };
    for (const [target, kind] of Object.entries(targets)) {
      const { data } = JSON.parse(await ok('monitors', 'add', `a-${kind}`, target, '--interval', '30s', '--json'));
      assert.deepEqual([data.check.kind, data.intervalSeconds, data.unmanaged], [kind, 30, true]);
    }
    const { data } = JSON.parse(await ok('monitors', 'show', 'a-dns', '--json'));
    assert.equal(data.target, 'example.com MX');
    const flags = ['--expect-status', '404', '--expect-body', 'gone', '--latency', '250', '--public', '--json'];
    const http = JSON.parse(await ok('monitors', 'add', 'gone', 'https://gone.example.com', ...flags)).data;
    const { expectStatus, expectBodyContains, latencyBudgetMs } = http.check;
    assert.deepEqual([expectStatus, expectBodyContains, latencyBudgetMs, http.isPublic], [404, 'gone', 250, true]);
    for (const target of ['gopher://example.com', 'tcp://example.com', 'nonsense', 'constructor://example.com']) {
      assert.equal((await run('monitors', 'add', 'bad', target)).code, 2, target);
    }
  });

  it('prints the address of a heartbeat once, which a job then calls', async () => {
    const url = (await ok('monitors', 'add', 'nightly', 'heartbeat:3600', '--grace', '10m', '--quiet')).trim();
    assert.equal((await fetch(url, { method: 'POST' })).status, 200);
    assert.ok(!(await ok('monitors', 'show', 'nightly', '--json')).includes(url));
  });

  it('pauses, resumes, and removes what was added by hand once that is confirmed', async () => {
    assert.match(await ok('monitors', 'pause', 'shop'), /Paused shop/);
    assert.match(await ok('monitors', '--state', 'paused'), /shop/);
    assert.match(await ok('monitors', 'resume', 'shop'), /Resumed shop/);
    assert.equal((await run('monitors', 'remove', 'gone')).code, 2);
    assert.match(await ok('monitors', 'remove', 'gone', '--yes'), /Removed gone/);
    assert.equal((await run('monitors', 'remove', 'shop', '--yes')).code, 6);
  });

  it('lets a monitor fail for a time from now on', async () => {
    assert.match(
      await ok('monitors', 'maintenance', 'a-tcp', '2h', '--note', 'moving'),
      /a-tcp may fail until 20\d\d-/,
    );
    const { data } = JSON.parse(await ok('monitors', 'show', 'a-tcp', '--json'));
    const [{ from, to, note }] = data.maintenance;
    assert.deepEqual([data.state, Date.parse(to) - Date.parse(from), note], ['maintenance', 7_200_000, 'moving']);
    assert.equal((await run('monitors', 'maintenance', 'a-tcp', 'soon')).code, 2);
    // As long as the API takes, and no longer.
    assert.equal((await run('monitors', 'maintenance', 'a-tcp', '32d')).code, 2);
    await ok('monitors', 'maintenance', 'a-tcp', '31d');
    assert.match(await ok('monitors', 'end-maintenance', 'a-tcp', '--planned'), /The maintenance of a-tcp is over/);
    assert.doesNotMatch(await ok('monitors', 'show', 'a-tcp'), /maintenance/i);
  });

  it('lets monitors fail again and again, by days of the week or month, or a line of cron, until that is ended', async () => {
    const repeat = (...words: readonly string[]) => ok('monitors', 'repeat-maintenance', '90m', ...words);
    const zone = ['--zone', 'Europe/Berlin'];
    const printed = await repeat('a-tcp', 'a-tls', '--weekly', 'sun', '--at', '03:30', ...zone, '--note', 'moving');
    assert.match(printed, /a-tcp may fail again and again: 30 3 \* \* sun Europe\/Berlin[\s\S]*a-tls may fail/);
    const [id = ''] = (await repeat('a-tcp', '--monthly', '1,15', '--at', '22:00', '--quiet')).trim().split('\n');
    await repeat('a-tcp', '--cron', '0 1 * * mon-fri');
    const { data } = JSON.parse(await ok('monitors', 'show', 'a-tcp', '--json'));
    assert.deepEqual(
      data.recurringMaintenance.map(({ cron, timeZone, minutes }: Record<string, unknown>) => [
        cron,
        timeZone,
        minutes,
      ]),
      [
        ['30 3 * * sun', 'Europe/Berlin', 90],
        ['0 22 1,15 * *', 'UTC', 90],
        ['0 1 * * mon-fri', 'UTC', 90],
      ],
    );
    assert.match(await ok('monitors', 'show', 'a-tcp'), new RegExp(`Maintenance +.*${id}`));
    assert.match(await ok('monitors', 'end-repeat', 'a-tcp', id), /comes no more/);
    assert.doesNotMatch(await ok('monitors', 'show', 'a-tcp'), new RegExp(id));
    assert.equal((await run('monitors', 'end-repeat', 'a-tcp', id)).code, 3);
    for (const words of [['--weekly', 'sun'], ['--at', '03:30'], ['--cron', '0 3 * * *', '--at', '03:30'], []]) {
      assert.equal((await run('monitors', 'repeat-maintenance', '90m', 'a-tcp', ...words)).code, 2, words.join(' '));
    }
  });

  it('sets the objective of a monitor, shows what is left of its budget, and takes it away', async () => {
    assert.match(await ok('monitors', 'objective', 'shop', '99.9%'), /shop has to be up 99\.9 % over 30 days\n/);
    const shown = await ok('monitors', 'show', 'shop');
    assert.match(shown, /Objective +99\.9 % over 30 days: 43m ?12s down allowed, 43m ?12s left/);
    assert.match(await ok('monitors', 'objective', 'shop', '99.95', '--days', '7'), /99\.95 % over 7 days/);
    assert.match(await ok('monitors', 'objective', 'shop', '--none'), /shop has no objective\n/);
    assert.doesNotMatch(await ok('monitors', 'show', 'shop'), /Objective/);
    for (const words of [['shop'], ['shop', '100'], ['shop', '99', '--none'], ['shop', '99', '--days', '5']])
      assert.equal((await run('monitors', 'objective', ...words)).code, 2, words.join(' '));
  });

  it('reports a month as a table, as CSV and as JSON', async () => {
    await ok('monitors', 'objective', 'shop', '99.5');
    assert.match(await ok('monitors', 'report'), /shop +prod +no data +99\.5 % +0 %\n/);
    const csv = await ok('monitors', 'report', '2026-10', '--csv');
    assert.match(csv, /^"monitor","environment","org","uptimePercent",.*\r?\n/);
    assert.match(csv, /"shop","prod","acme","","99\.5","","0","0","0","mon_/);
    const { data } = JSON.parse(await ok('monitors', 'report', '--json'));
    assert.ok(data.items.length >= 2);
    const wrong = await run('monitors', 'report', '2026-13');
    assert.match(wrong.stderr, /a month, such as 2026-11/);
  });

  it('sets the interval of a monitor, which a deploy leaves, and resets it', async () => {
    assert.match(await ok('monitors', 'interval', 'shop', '5m'), /shop is checked every 300 s; deploys say 30 s/);
    const body = { serviceName: 'shop', org: 'acme', environment: 'prod', url: 'https://shop-prod.example.com/' };
    await monitor.call('POST', '/api/pulse/register', body);
    assert.match(await ok('monitors', 'show', 'shop'), /Checked +every 300 s; deploys say 30 s/);
    assert.match(await ok('monitors', 'interval', 'shop', '--reset'), /shop is checked every 30 s\n/);
    for (const words of [['shop'], ['shop', '5m', '--reset'], ['shop', '1s']]) {
      assert.equal((await run('monitors', 'interval', ...words)).code, 2, words.join(' '));
    }
  });

  it('imports a configuration of Gatus, once, and says what it leaves out', async () => {
    await writeFile(join(folder, 'gatus.yaml'), GATUS);
    const first = await run('monitors', 'import', 'gatus.yaml');
    assert.equal(first.code, 0, first.stderr);
    assert.match(first.stdout, /2 added, 0 there already/);
    assert.match(first.stderr, /shop Front Page: left out \[CERTIFICATE_EXPIRATION\] > 48h/);
    assert.match(
      first.stderr,
      /ping: icmp:\/\/example\.com is nothing that is checked here[\s\S]*off: it is switched off/,
    );
    const { data } = JSON.parse(await ok('monitors', 'show', 'shop-front-page', '--json'));
    const { expectStatus, latencyBudgetMs, json } = data.check;
    assert.deepEqual(
      [expectStatus, latencyBudgetMs, json, data.intervalSeconds],
      [204, 300, { path: '$.status', equals: 'UP' }, 90],
    );
    assert.match(await ok('monitors', 'import', 'gatus.yaml'), /0 added, 2 there already/);
  });

  it('imports a backup of Uptime Kuma, and no password of it', async () => {
    await writeFile(join(folder, 'kuma.json'), JSON.stringify(KUMA));
    const { stdout, stderr, code } = await run('monitors', 'import', 'kuma.json');
    assert.equal(code, 0, stderr);
    assert.match(stdout, /3 added/);
    assert.match(stderr, /Game: the type steam is not checked here[\s\S]*Old: it is paused/);
    const { data } = JSON.parse(await ok('monitors', 'show', 'orders-db', '--json'));
    assert.deepEqual([data.check.host, data.check.port], ['pg.example.com', 6_432]);
    assert.ok(!JSON.stringify(data).includes('hunter2'));
  });

  it('sends headers, whose secrets are read from stdin, and lists, replaces and removes these', async () => {
    const env = { FAIRLEAD_KEY: KEY, FAIRLEAD_MONITOR_URL: monitor.address };
    const set = (stdin: string, ...words: readonly string[]) =>
      runCli(API, ['monitors', 'set-secret', ...words], { cwd: folder, env, stdin });
    assert.match(await ok('monitors', 'secrets'), /There is none\. Set one: .*set-secret <name> --host <host>/);
    const made = await set('Bearer s3cret\n', 'paid-token', '--host', 'paid.example.com');
    assert.deepEqual(
      [made.code, /Set paid-token: checks send it to paid\.example\.com\n/.test(made.stdout)],
      [0, true],
    );
    const flags = ['--header', 'X-Tenant: acme', '--header-secret', 'Authorization=paid-token'];
    await ok('monitors', 'add', 'paid', 'https://paid.example.com/', ...flags);
    assert.match(await ok('monitors', 'show', 'paid'), /Sends +X-Tenant: acme, Authorization: \(secret paid-token\)/);
    assert.match(await ok('monitors', 'secrets'), /paid-token +paid\.example\.com +1 /);
    assert.equal((await run('monitors', 'remove-secret', 'paid-token', '--yes')).code, 6);
    assert.match(await ok('monitors', 'headers', 'paid', '--header', 'X-A: b:c'), /paid is sent X-A: b:c\n/);
    assert.match(await ok('monitors', 'headers', 'paid', '--none'), /without headers of its own/);
    assert.equal((await run('monitors', 'remove-secret', 'paid-token')).code, 2, 'nobody could be asked');
    assert.match(await ok('monitors', 'remove-secret', 'paid-token', '--yes'), /Removed paid-token/);
    for (const words of [['paid'], ['paid', '--none', '--header', 'X-A: b'], ['paid', '--header', 'nonsense']]) {
      assert.equal((await run('monitors', 'headers', ...words)).code, 2, words.join(' '));
    }
    const both = await run('monitors', 'headers', 'paid', '--none', '--header', 'X-A: b');
    assert.match(both.stderr, /Headers were given, and --none as well/);
    const typed = await run('monitors', 'headers', 'paid', '--header', 'Authorization: Bearer s3cret');
    assert.equal(typed.code, 2);
    assert.match(typed.stderr, /credential: its value is set as a secret[\s\S]*--header-secret Authorization=<name>/);
    assert.doesNotMatch(typed.stderr, /s3cret/);
    assert.equal((await run('monitors', 'add', 'db', 'tcp://db.example.com:1', '--header', 'X-A: b')).code, 2);
    const empty = await set('', 'paid-token', '--host', 'paid.example.com');
    assert.equal(empty.code, 2);
    assert.match(empty.stderr, /No value was given for the secret paid-token/);
    assert.doesNotMatch(empty.stderr, /--secret/, 'an option that this command does not have');
    assert.equal((await set('x', 'paid-token')).code, 2);
  });

  it('imports headers of others: values that may be credentials become secrets, and what cannot be sent is left out', async () => {
    const endpoints = [
      {
        name: 'gat',
        url: 'https://gat.example.com/x',
        headers: { Authorization: 'Bearer s3cret', Accept: 'text/plain' },
      },
      { name: 'env', url: 'https://env.example.com', headers: { 'X-Token': '$TOKEN' } },
      { name: 'plain', url: 'http://plain.example.com', headers: { 'X-Token': 's3cret' } },
      { name: 'host', url: 'https://host.example.com', headers: { Host: 'other.example.com' } },
      { name: 'sock', url: 'wss://sock.example.com', headers: { 'X-Token': 's3cret' } },
    ];
    await writeFile(join(folder, 'sending.yaml'), JSON.stringify({ endpoints }));
    const login = {
      authMethod: 'basic',
      basic_auth_user: 'ann',
      basic_auth_pass: 's3cret',
      headers: '{"X-A":"s3cret"}',
    };
    const monitorList = [{ name: 'Kum', type: 'http', url: 'https://kum.example.com', ...login }];
    await writeFile(join(folder, 'sending.json'), JSON.stringify({ monitorList }));
    for (const file of ['sending.yaml', 'sending.json']) {
      const { code, stdout, stderr } = await run('monitors', 'import', file);
      assert.equal(code, 0, stderr);
      assert.match(stdout, /1 added, 0 there already/);
      assert.doesNotMatch(stdout + stderr, /s3cret/);
      if (file === 'sending.json') continue;
      assert.match(stderr, /env: its header X-Token has a variable[\s\S]*set-secret <name> --host env\.example\.com/);
      assert.match(stderr, /plain: it sends X-Token by plain http/);
      assert.match(stderr, /host: Host is set by the check itself/);
      assert.match(stderr, /sock: only checks over HTTP send headers/);
    }
    const check = async (name: string) => JSON.parse(await ok('monitors', 'show', name, '--json')).data.check;
    assert.deepEqual((await check('gat')).headers, [
      { name: 'Accept', value: 'text/plain' },
      { name: 'Authorization', secret: 'gat-prod-authorization' },
    ]);
    assert.deepEqual((await check('kum')).headers, [
      { name: 'X-A', secret: 'kum-prod-x-a' },
      { name: 'Authorization', secret: 'kum-prod-authorization' },
    ]);
    const hosts = (await monitor.checkSecrets.find('platform')).secrets.map((each) => [each.name, ...each.hosts]);
    assert.deepEqual(hosts, [
      ['gat-prod-authorization', 'gat.example.com'],
      ['kum-prod-authorization', 'kum.example.com'],
      ['kum-prod-x-a', 'kum.example.com'],
    ]);
  });

  it('replaces no secret by an import, keeps each value of a file once, and goes on after what cannot be taken over', async () => {
    const mine = 'twin-prod-x-a';
    const env = { FAIRLEAD_KEY: KEY, FAIRLEAD_MONITOR_URL: monitor.address };
    const set = ['monitors', 'set-secret', mine, '--host', 'mine.example.com'];
    assert.equal((await runCli(API, set, { cwd: folder, env, stdin: 'mine' })).code, 0);
    const before = await monitor.checkSecrets.find('platform');
    const url = 'https://twin.example.com';
    const endpoints = [
      { name: 'bad', url: 'https://[', headers: { 'X-A': '$TOKEN' } },
      { name: 'worse', url: 'https://[', headers: { 'X-A': 's3cret' } },
      { name: 'long', url, headers: { Accept: 'a'.repeat(1_001) } },
      { name: 'longer', url, headers: { 'X-A': 's3cret'.repeat(1_000) } },
      { name: 'twin', url, headers: { 'X-A': 's3cret-1', X_A: 's3cret-2' } },
      { name: 'next', url, headers: { 'X-A': 's3cret-1' } },
    ];
    await writeFile(join(folder, 'twins.yaml'), JSON.stringify({ endpoints }));
    const { code, stdout, stderr } = await run('monitors', 'import', 'twins.yaml');
    assert.equal(code, 0, stderr);
    assert.match(stdout, /2 added, 0 there already/);
    assert.match(
      stderr,
      /long: the value of its header Accept is too long[\s\S]*longer: the value of its header X-A is too/,
    );
    assert.match(stderr, /bad: only checks over HTTP send headers here[\s\S]*worse: only checks over HTTP/);
    assert.doesNotMatch(stdout + stderr, /s3cret/);
    const { secrets } = await monitor.checkSecrets.find('platform');
    const known = (name: string) => secrets.find((each) => each.name === name);
    assert.deepEqual(
      known(mine),
      before.secrets.find(({ name }) => name === mine),
    );
    const sentBy = async (name: string) => JSON.parse(await ok('monitors', 'show', name, '--json')).data.check.headers;
    assert.deepEqual(await sentBy('twin'), [
      { name: 'X-A', secret: 'twin-prod-x-a-2' },
      { name: 'X_A', secret: 'twin-prod-x-a-3' },
    ]);
    assert.deepEqual(await sentBy('next'), [{ name: 'X-A', secret: 'twin-prod-x-a-2' }]);
    const opened = ['twin-prod-x-a-2', 'twin-prod-x-a-3'].map((name) => {
      const { hosts, sealed } = known(name) ?? assert.fail(name);
      return [hosts, cipher.open(sealed, checkSecretContext('platform', { name, hosts }))];
    });
    assert.deepEqual(opened, [
      [['twin.example.com'], 's3cret-1'],
      [['twin.example.com'], 's3cret-2'],
    ]);
    for (const name of ['twin', 'next']) await ok('monitors', 'remove', name, '--yes');
    for (const { name } of secrets) if (name.startsWith('twin-')) await ok('monitors', 'remove-secret', name, '--yes');
  });

  it('imports a login of older backups of Kuma, and says which logins no check has', async () => {
    const login = { basic_auth_user: 'ann', basic_auth_pass: 's3cret' };
    const monitorList = [
      { name: 'Older', type: 'http', url: 'https://older.example.com', ...login },
      { name: 'Off', type: 'http', url: 'https://off.example.com', ...login, authMethod: null },
      { name: 'Windows', type: 'http', url: 'https://windows.example.com', ...login, authMethod: 'ntlm' },
    ];
    await writeFile(join(folder, 'logins.json'), JSON.stringify({ monitorList }));
    const { code, stdout, stderr } = await run('monitors', 'import', 'logins.json');
    assert.equal(code, 0, stderr);
    assert.match(stdout, /2 added/);
    assert.match(stderr, /Windows: it logs in by ntlm, which no check does here\. It is left out/);
    const sentBy = async (name: string) => JSON.parse(await ok('monitors', 'show', name, '--json')).data.check.headers;
    assert.deepEqual(await sentBy('older'), [{ name: 'Authorization', secret: 'older-prod-authorization' }]);
    assert.equal(await sentBy('off'), undefined);
    for (const name of ['older', 'off']) await ok('monitors', 'remove', name, '--yes');
    await ok('monitors', 'remove-secret', 'older-prod-authorization', '--yes');
  });

  it('exports names of secrets and no value; an import leaves out what sends one that is not set', async () => {
    await ok('monitors', 'export', 'secrets.json');
    const text = await readFile(join(folder, 'secrets.json'), 'utf8');
    assert.doesNotMatch(text, /s3cret/);
    const monitors = JSON.parse(text).monitors.filter(
      ({ name }: { name: string }) => name === 'gat' || name === 'paid',
    );
    await writeFile(join(folder, 'secrets.json'), JSON.stringify({ version: 1, monitors }));
    const other = await startMonitor();
    try {
      const env = { FAIRLEAD_KEY: KEY, FAIRLEAD_MONITOR_URL: other.address };
      const again = () => runCli(API, ['monitors', 'import', 'secrets.json'], { cwd: folder, env });
      const first = await again();
      assert.equal(first.code, 0, first.stderr);
      assert.match(first.stdout, /1 added, 0 there already/);
      assert.match(
        first.stderr,
        /gat: it sends the secret gat-prod-authorization, which is not set: .*--host gat\.example\.com/,
      );
      const words = ['monitors', 'set-secret', 'gat-prod-authorization', '--host', 'gat.example.com'];
      await runCli(API, words, { cwd: folder, env, stdin: 'Bearer x' });
      assert.match((await again()).stdout, /1 added, 1 there already/);
    } finally {
      await other.stop();
    }
    for (const name of ['gat', 'kum']) await ok('monitors', 'remove', name, '--yes');
  });

  it('exports what was added by hand, which another installation imports', async () => {
    await ok('monitors', 'export', 'ours.json');
    const { monitors } = JSON.parse(await readFile(join(folder, 'ours.json'), 'utf8'));
    assert.ok(monitors.some(({ name }: { name: string }) => name === 'a-tls'));
    assert.ok(!monitors.some(({ name }: { name: string }) => name === 'shop'), 'a deploy registers it');
    const other = await startMonitor();
    try {
      const env = { FAIRLEAD_KEY: KEY, FAIRLEAD_MONITOR_URL: other.address };
      const { code, stdout, stderr } = await runCli(API, ['monitors', 'import', 'ours.json'], { cwd: folder, env });
      assert.equal(code, 0, stderr);
      assert.match(stdout, new RegExp(`${monitors.length} added`));
    } finally {
      await other.stop();
    }
  });

  it('waits where the monitor takes no more for now, and goes on', async () => {
    let calls = 0;
    const addLimit = () => {
      calls += 1;
      if (calls === 2) throw new FairleadError('RATE_LIMITED', 'wait for a minute');
    };
    const other = await startMonitor({ changes: { addLimit } });
    await writeFile(join(folder, 'gatus.yaml'), GATUS);
    const env = { FAIRLEAD_KEY: KEY, FAIRLEAD_MONITOR_URL: other.address };
    const { code, stdout, stderr } = await runCli(API, ['monitors', 'import', 'gatus.yaml'], { cwd: folder, env });
    await other.stop();
    assert.deepEqual([code, calls], [0, 3]);
    assert.match(stdout, /2 added/);
    assert.match(stderr, /goes on in the next one/);
  });

  it('gives a heartbeat another address', async () => {
    const url = (await ok('monitors', 'add', 'rotated', 'heartbeat:60', '--quiet')).trim();
    const next = (await ok('monitors', 'rotate-token', 'rotated', '--quiet')).trim();
    assert.match(next, /\/api\/heartbeats\/mon_/);
    assert.notEqual(next, url);
    for (const address of [url, next]) assert.equal((await fetch(address, { method: 'POST' })).status, 200);
    const { stdout, stderr } = await run('monitors', 'rotate-token', 'rotated', '--overlap', '0');
    assert.match(stdout, /The job of rotated calls this/);
    assert.match(stderr, /counts no more/);
    assert.equal((await fetch(next, { method: 'POST' })).status, 404);
    assert.equal((await run('monitors', 'rotate-token', 'shop')).code, 6);
  });

  it('refuses a file that is none of these', async () => {
    await writeFile(join(folder, 'other.yaml'), 'a: [1');
    assert.match((await run('monitors', 'import', 'other.yaml')).stderr, /neither YAML nor JSON/);
    await writeFile(join(folder, 'other.yaml'), 'a: 1');
    assert.match((await run('monitors', 'import', 'other.yaml')).stderr, /has no monitors/);
    assert.equal((await run('monitors', 'import', 'missing.yaml')).code, 2);
  });

  it('writes, acknowledges, updates and resolves incidents', async () => {
    assert.match(await ok('incidents', '--open'), /No incident is open/);
    const id = (await ok('incidents', 'open', 'Mail is slow', 'We look into it', '--quiet')).trim();
    assert.match(await ok('incidents', 'acknowledge', id), /Acknowledged inc_/);
    assert.match(await ok('incidents', 'update', id, 'A full disk', '--status', 'monitoring'), /Updated/);
    assert.match(await ok('incidents'), /Mail is slow +acknowledged/);
    assert.match(await ok('incidents', 'show', id), /investigating: We look into it[\s\S]*monitoring: A full disk/);
    assert.match(await ok('incidents', 'resolve', id, '--note', 'Space was made'), /Resolved/);
    assert.match(await ok('incidents', 'show', id), /resolved: Space was made/);
    assert.equal((await run('incidents', 'resolve', id)).code, 6);
    assert.equal((await run('incidents', 'show', 'inc_none')).code, 3);
  });

  it('adds a chat by the secret that stdin has, and shows its host alone', async () => {
    const secret = 'https://chat.example.com/s3cret';
    const env = { FAIRLEAD_KEY: KEY, FAIRLEAD_MONITOR_URL: monitor.address };
    const add = (stdin: string, ...words: readonly string[]) =>
      runCli(API, ['alerts', 'add-chat', ...words], { cwd: folder, env, stdin });
    const slack = await add(`${secret}\n`, 'slack');
    assert.equal(slack.code, 0, slack.stderr);
    assert.match(slack.stdout, /What concerns no org is told to chat\.example\.com \(chn_/);
    assert.equal((await add('1:s3cret\n', 'telegram', '--room', '-100')).code, 0);
    assert.equal((await add(`${secret}\ns3cret\n`, 'ntfy', '--token')).code, 0);
    const all = await ok('alerts');
    for (const row of [/slack +chat\.example\.com/, /telegram +api\.telegram\.org/, /ntfy +chat\.example\.com/])
      assert.match(all, row);
    assert.doesNotMatch(all, /s3cret/);
    assert.equal((await add('', 'pagerduty')).code, 2);
    assert.equal((await add('x', 'irc')).code, 2);
    for (const id of (await ok('alerts', '--quiet')).trim().split('\n')) await ok('alerts', 'remove', id);
  });

  it('lists what was given up, of channels and of subscribers, and has it tried once more', async () => {
    assert.match(await ok('alerts', 'deliveries'), /No notice is dead/);
    const notice = deliveryRecord().notification;
    const facts = { state: 'dead', lastProblem: 'The mail server did not take the mail', attempts: 20 } as const;
    await monitor.deliveries.insert(deliveryRecord({ id: 'to-channel', org: null, channelId: 'chn_1', ...facts }));
    const id = 'page/inc_1/opened/subscribers/0';
    const page = { org: '~page/platform', channelId: 'subscribers/0', createdAt: new Date() };
    await monitor.deliveries.insert(
      deliveryRecord({ id, ...page, ...facts, notification: { ...notice, subject: 'Outage of shop' } }),
    );
    const { stdout, stderr } = await run('alerts', 'deliveries');
    assert.match(stdout, /Outage of shop +subscribers +20 times/);
    assert.match(stdout, / chn_1 +20 times .* to-channel/);
    assert.match(stderr, /subscribers\/0: The mail server did not take the mail/);
    assert.deepEqual((await ok('alerts', 'deliveries', '--quiet')).trim().split('\n'), [id, 'to-channel']);
    assert.match(await ok('alerts', 'deliveries', '--state', 'held'), /No notice is held/);
    monitor.delivered.length = 0;
    assert.match(await ok('alerts', 'replay', id), /tried once more/);
    assert.deepEqual(monitor.delivered, [id]);
    assert.equal((await run('alerts', 'replay', 'none')).code, 3);
    for (const each of [id, 'to-channel']) await monitor.deliveries.note(each, { state: 'delivered' });
  });

  it('lists who reads the status page by mail, exports them as CSV, and forgets them', async (t) => {
    assert.match(await ok('subscribers'), /0 subscribers/);
    await addSubscribers(monitor.subscribers, 'platform', 2, new Date('2026-11-01T10:00:00Z'));
    const asked = t.mock.method(monitor.subscribers, 'list');
    assert.match(await ok('subscribers'), /reader-0@example\.com +2026-11-01[\s\S]*2 subscribers/);
    assert.equal(asked.mock.callCount(), 1, 'how many there are comes with the list');
    const few = JSON.parse(await ok('subscribers', '--limit', '1', '--json')).data;
    assert.deepEqual([few.items.length, few.total], [1, 2]);
    assert.match(await ok('subscribers', 'export'), /^"address","confirmedAt"\r?\n"reader-/);
    const [id = ''] = (await ok('subscribers', '--quiet')).trim().split('\n');
    assert.match(await ok('subscribers', 'remove', id), /Removed sub_/);
    assert.equal((await run('subscribers', 'remove', id)).code, 3);
    assert.equal((await run('subscribers', 'remove')).code, 2);
    assert.equal((await run('subscribers', 'remove', '--all')).code, 2, 'nobody could be asked');
    assert.match(await ok('subscribers', 'remove', '--all', '--yes'), /Removed 1/);
  });

  it('sets whom outages are told step by step, shows it, and ends it', async () => {
    assert.match(await ok('alerts', 'escalation'), /\(critical\)\n +every channel is told at once/);
    for (const address of ['https://a.example.com/x', 'https://b.example.com/x']) await ok('alerts', 'add', address);
    const [first = '', second = ''] = (await ok('alerts', '--quiet')).trim().split('\n');
    const repeat = ['--repeat', '2', '--repeat-after', '30m'];
    const set = await ok('alerts', 'escalate', 'critical', first, `2h:${second},${first}`, ...repeat);
    assert.match(set, /1\. at once: webhook https:\/\/\S+ chn_/);
    assert.match(set, /2\. 2 h later: webhook \S+ chn_\S+, webhook/);
    assert.match(set, /all of it 2 times more, 30 min after the last step/);
    assert.equal(await ok('alerts', 'escalation'), set);
    const { data } = JSON.parse(await ok('alerts', 'escalation', '--json'));
    assert.deepEqual([data.critical.steps[1].waitMinutes, data.warning], [120, null]);
    for (const words of [[`10m:${first}`], [first, second], [first, `soon:${second}`], [first, `5m:`]]) {
      const { code, stderr } = await run('alerts', 'escalate', 'critical', ...words);
      assert.deepEqual([code, /is no step/.test(stderr)], [2, true], words.join(' '));
    }
    assert.match((await run('alerts', 'escalate', 'critical', first, '--repeat', '2')).stderr, /--repeat-after/);
    assert.match((await run('alerts', 'escalate', 'critical', 'chn_none')).stderr, /chn_none is no channel/);
    assert.equal((await run('alerts', 'escalate', 'urgent', first)).code, 2);
    const at = new Date('2026-11-01T10:00:00Z');
    const policy = { steps: [{ waitMinutes: 0, channelIds: [first] }], repeat: { times: 1, waitMinutes: 15 } };
    const told = [{ step: 0, at, channelIds: [first] }];
    await monitor.incidents.insert(incidentRecord({ id: 'inc_told', escalation: { policy, told } }));
    const shown = await ok('incidents', 'show', 'inc_told');
    assert.match(shown, new RegExp(`2026-11-01 10:00:00 step 1 told: ${first}\\n`));
    assert.match(shown, /2026-11-01 10:15:00 the next step, unless acknowledged/);
    await ok('alerts', 'remove', second);
    assert.match(await ok('alerts', 'escalation'), new RegExp(`${second} \\(removed\\)`));
    assert.match(await ok('alerts', 'end-escalation', 'critical'), /\(critical\)\n +every channel is told at once/);
    await ok('alerts', 'remove', first);
  });

  it('adds channels, tests and removes them', async () => {
    monitor.delivered.length = 0;
    assert.match(await ok('alerts'), /Nobody is told/);
    assert.match(await ok('alerts', 'add', 'ops@example.com'), /confirm/);
    // Operators hear nothing of outages of services: whoever adds a channel without an org is told so.
    const operators = await run('alerts', 'add', 'https://hooks.example.com/x');
    assert.match(operators.stdout, /^What concerns no org is told to .*\n.*whsec_/);
    assert.match(operators.stderr, /Outages of a service are told to its org.*--org <slug>/);
    assert.match((await run('alerts')).stderr, /Operators are told what concerns no org/);
    const ofOrg = await run('alerts', 'add', 'https://hooks.example.com/y', '--org', 'acme');
    assert.match(ofOrg.stdout, /^Outages of acme are told to .*\n.*whsec_/);
    assert.doesNotMatch(ofOrg.stderr, /operators/);
    const [acme = ''] = (await ok('alerts', '--org', 'acme', '--quiet')).trim().split('\n');
    await ok('alerts', 'remove', acme);
    const all = await ok('alerts');
    for (const row of [/mail +ops@example\.com +operators +unconfirmed/, /webhook +https\S+ +operators +active/])
      assert.match(all, row);
    assert.equal(monitor.delivered.length, 1, 'the mail that asks the address');
    await ok('alerts', 'test');
    assert.equal(monitor.delivered.length, 2, 'the webhook alone');
    const [id = ''] = (await ok('alerts', '--quiet')).trim().split('\n');
    const hours = ['--zone', 'Europe/Berlin', '--days', 'fri,sat'];
    assert.match(
      await ok('alerts', 'quiet', id, '22:00-07:00', ...hours),
      /is quiet 22:00-07:00 Europe\/Berlin fri,sat/,
    );
    assert.match(await ok('alerts'), /22:00-07:00 Europe\/Berlin fri,sat/);
    assert.equal(JSON.parse(await ok('alerts', 'quiet', id, '00:00-06:30', '--json')).data.quiet.timeZone, 'UTC');
    assert.match((await run('alerts', 'quiet', id, 'nights')).stderr, /Write them as 22:00-07:00/);
    assert.match((await run('alerts', 'quiet', id, '22:00-07:00', '--days', 'sonntag')).stderr, /weekdays/);
    for (const [passes, note] of [
      ['critical', /at the end\. What is critical is told at once/],
      ['warning', /at the end\. Warnings and what is critical are told at once/],
    ] as const) {
      assert.match((await run('alerts', 'quiet', id, '22:00-07:00', '--passes', passes)).stderr, note);
    }
    assert.match(await ok('alerts', 'end-quiet', id), /told everything at once/);
    assert.doesNotMatch(await ok('alerts'), /06:30/);
    for (const id of (await ok('alerts', '--quiet')).trim().split('\n')) await ok('alerts', 'remove', id);
    assert.match(await ok('alerts'), /Nobody is told/);
    assert.equal((await run('alerts', 'add', 'nobody')).code, 2);
  });
});
