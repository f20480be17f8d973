import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmod, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { parseEnv } from 'node:util';
import { draftOf } from '../../cli/env-file.ts';
import { listFolder } from '../../cli/pack-folder.ts';
import { buildRecord, catalogRecord } from '../ports/records.ts';
import { KEY, startApi, type TestApi } from '../support/start-api.ts';
import { type CliResult, runCli } from './run-cli.ts';

const CANARY = 'canary value with "quotes" and $HOME';

/** The commands against a real builder. */
describe('fairlead config', () => {
  let api: TestApi;
  let folder: string;
  before(async () => {
    api = await startApi();
  });
  after(() => api.stop());
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fairlead-config-'));
    await writeFile(join(folder, 'catalog-info.yaml'), 'metadata:\n  name: shop\n');
    await api.services.remove((await api.services.find('shop'))?.id ?? '');
    await api.services.upsert({ id: 'svc_shop', name: 'shop', org: 'platform' }, {});
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const run = (args: readonly string[], stdin?: string): Promise<CliResult> =>
    runCli({ url: api.address }, ['config', ...args], {
      cwd: folder,
      env: { FAIRLEAD_KEY: KEY },
      ...(stdin === undefined ? {} : { stdin }),
    });
  const ok = async (args: readonly string[], stdin?: string): Promise<CliResult> => {
    const result = await run(args, stdin);
    assert.equal(result.code, 0, result.stderr);
    return result;
  };

  it('set stores plain values and secrets of the folder’s service, and says when they count', async () => {
    const set = await ok(['set', 'COLOUR=blue', 'EMPTY=', 'EQUALS=a=b', '--secret', 'API_KEY'], `${CANARY}\n`);
    assert.equal(set.stdout, 'Set COLOUR, EMPTY, EQUALS, API_KEY of shop in every environment\n');
    assert.match(set.stderr, /takes effect with the next deploy/);
    const list = await ok(['list']);
    assert.match(list.stdout, /^VARIABLE +VALUE +ENV +CHANGED +BY\n/);
    assert.match(list.stdout, /API_KEY +\*{8} +all +(?:now|\d+s ago) +internal/);
    assert.match(list.stdout, /EQUALS +a=b +all/);
    const texts = [set, list, await ok(['list', '--json']), await ok(['history']), await ok(['history', '--json'])];
    for (const { stdout, stderr } of texts) assert.ok(!(stdout + stderr).includes('canary'));
    assert.deepEqual((await ok(['-q'])).stdout.split('\n').filter(Boolean), ['API_KEY', 'COLOUR', 'EMPTY', 'EQUALS']);
  });

  it('import stores the variables of a file, what looks like a secret encrypted, and leaves out the platform’s', async () => {
    const lines = [
      '# of another platform',
      'COLOUR=blue',
      'GREETING="hello world" # quoted',
      'export STRIPE_API_KEY=value',
      'MAIL_URL=smtp://me:hunter22@mail.example',
      'SALT=grains',
      'EMPTY_TOKEN=',
      'PORT=3000',
      'NODE_ENV=production',
    ];
    await writeFile(join(folder, 'old.env'), lines.join('\n'));
    const { stdout, stderr } = await ok(['import', 'old.env', '--secret', 'SALT']);
    assert.match(
      stdout,
      /^Set COLOUR, EMPTY_TOKEN, GREETING, MAIL_URL, SALT, STRIPE_API_KEY of shop in every environment$/m,
    );
    assert.match(stderr, /Encrypted: MAIL_URL, SALT, STRIPE_API_KEY\n/);
    assert.match(stderr, /In clear: COLOUR, EMPTY_TOKEN, GREETING\./);
    assert.match(stderr, /Left out, .*: NODE_ENV, PORT\n/);
    for (const value of ['hunter22', 'grains']) assert.ok(!(stdout + stderr).includes(value));
    const { variables } = JSON.parse((await ok(['list', '--json'])).stdout).data;
    const rows = variables.map((row: Record<string, unknown>) => [row.name, row.secret, row.value]);
    assert.deepEqual(rows, [
      ['COLOUR', false, 'blue'],
      ['EMPTY_TOKEN', false, '********'],
      ['GREETING', false, 'hello world'],
      ['MAIL_URL', true, '********'],
      ['SALT', true, '********'],
      ['STRIPE_API_KEY', true, '********'],
    ]);
    await ok(['import', 'old.env', '--env', 'uat']);
    assert.match((await ok(['list'])).stdout, /COLOUR +blue +uat/);
    await writeFile(join(folder, 'marked.env'), '\ufeffFIRST=1\nSECOND=2\n');
    assert.match((await ok(['import', 'marked.env'])).stdout, /^Set FIRST, SECOND of shop/);
    await writeFile(join(folder, 'latin.env'), Buffer.from('PASSWORD=pässword\n', 'latin1'));
    for (const [args, why] of [
      [['import', 'none.env'], /none\.env cannot be read: ENOENT/],
      [['import', 'latin.env'], /latin\.env cannot be read: .*utf-8/],
      [['import', 'old.env', '--secret', 'NAME'], /has no variable NAME/],
      [['import', 'catalog-info.yaml'], /has no variable to store/],
    ] as const) {
      const refused = await run([...args]);
      assert.equal(refused.code, 2);
      assert.match(refused.stderr, why);
    }
  });

  it('import keeps what is a secret encrypted, also for one environment, and takes no value away', async () => {
    await ok(['set', 'REGION=eu', '--secret', 'PEPPER'], 'grains\n');
    const declared = { key: 'LEDGER', secret: true, required: false, default: null };
    const catalog = catalogRecord({ config: [declared] });
    await api.builds.create(
      buildRecord({ id: 'bld_shop', serviceId: 'svc_shop', service: 'shop', facts: { catalog } }),
    );
    await api.services.setLastBuild('svc_shop', 'bld_shop');
    const names = ['PEPPER', 'LEDGER', 'APP_KEY', 'OPENAI', 'REGION'];
    const values = ['hot', 'general', 'base64:abc', `sk-${'a'.repeat(24)}`, 'us'];
    const text = names.map((name, index) => `${name}=${values[index]}\n`).join('');
    await writeFile(join(folder, 'new.env'), text);
    const rows = async () => {
      const { variables } = JSON.parse((await ok(['list', '--json'])).stdout).data;
      return variables.map((row: Record<string, unknown>) => [row.name, row.secret, row.environment].join());
    };
    const secrets = ['APP_KEY', 'LEDGER', 'OPENAI', 'PEPPER'];
    assert.match((await ok(['import', 'new.env', '--env', 'uat'])).stderr, /In clear: REGION\./);
    const uat = [...secrets.map((name) => `${name},true,uat`), 'REGION,false,uat'];
    assert.deepEqual((await rows()).sort(), [...uat, 'PEPPER,true,', 'REGION,false,'].sort());
    await ok(['import', 'new.env']);
    const all = [...secrets.map((name) => `${name},true,`), 'REGION,false,'];
    assert.deepEqual((await rows()).sort(), [...uat, ...all].sort());

    await writeFile(join(folder, '.env.example'), 'PEPPER=\nREGION=\n');
    const example = await ok(['import', '.env.example']);
    assert.match(example.stdout, /^Set REGION of/);
    assert.match(example.stderr, /Left as they are, without a value in the file: PEPPER\n/);
    await ok(['pull']);
    assert.match(await readFile(join(folder, '.env.local'), 'utf8'), /^PEPPER=hot$/m);
  });

  it('import stores and shows nothing of a value of several lines that is not in quotes', async () => {
    const files = [
      'PRIVATE_KEY=-----BEGIN PRIVATE KEY-----\nMIIcanary==\n-----END PRIVATE KEY-----\n',
      'ACCOUNT={\n  "private_key": "-----BEGIN PRIVATE KEY-----\\nMIIcanary==\\n"\n}\nCOLOUR=blue\n\u001b[31mcanary=1\n',
    ];
    for (const [index, text] of files.entries()) {
      await writeFile(join(folder, 'old.env'), text);
      const { code, stdout, stderr } = await run(['import', 'old.env']);
      assert.deepEqual([code, /canary|BEGIN/.exec(stdout + stderr)], [index === 0 ? 2 : 0, null], stderr);
      assert.match(
        stderr,
        index === 0 ? /first line of a key alone in PRIVATE_KEY/ : /Left out: 2 lines that name no variable/,
      );
    }
    assert.deepEqual((await ok(['-q'])).stdout.split('\n').filter(Boolean), ['ACCOUNT', 'COLOUR']);
  });

  it('import follows no link out of the folder, reads no file without end, and repeats no value that is typed', async () => {
    const outside = await mkdtemp(join(tmpdir(), 'fairlead-outside-'));
    try {
      await writeFile(join(outside, 'credentials'), 'aws_secret_access_key = canary\n');
      await symlink(join(outside, 'credentials'), join(folder, '.env'));
      await symlink('/dev/zero', join(folder, 'zero.env'));
      await writeFile(join(folder, 'large.env'), `A=${'x'.repeat(1024 * 1024)}`);
      await writeFile(join(folder, 'own.env'), 'COLOUR=blue\n');
      await symlink('own.env', join(folder, 'linked.env'));
      for (const [args, why] of [
        [['.env'], /it is a link out of this folder/],
        [['zero.env'], /it is a link out of this folder/],
        [['/dev/zero'], /larger than 1 MiB/],
        [['large.env'], /larger than 1 MiB/],
        [['own.env', '--secret', 'TOKEN=canary'], /has no variable TOKEN\./],
      ] as const) {
        const { code, stdout, stderr } = await run(['import', ...args]);
        assert.deepEqual([code, (stdout + stderr).includes('canary')], [2, false], stderr);
        assert.match(stderr, why);
      }
      assert.equal((await ok(['-q'])).stdout, '');
      await ok(['import', 'linked.env']);
      assert.match((await ok(['import', join(outside, 'credentials')])).stderr, /Encrypted: aws_secret_access_key\n/);
    } finally {
      await rm(outside, { recursive: true });
    }
  });

  it('with --env a change is for that environment alone', async () => {
    await ok(['set', 'REGION=eu']);
    const set = await ok(['set', 'REGION=test', '--env', 'uat']);
    assert.equal(set.stdout, 'Set REGION of shop in uat\n');
    const prod = await ok(['set', 'REGION=live', '--env', 'prod']);
    assert.equal(prod.stdout, 'Set REGION of shop in prod\n', 'the default of --env, when it is typed');
    const rows = JSON.parse((await ok(['list', '--json'])).stdout).data.variables;
    assert.deepEqual(
      rows.map((row: { environment: string | null; value: string }) => [row.environment, row.value]),
      [
        [null, 'eu'],
        ['uat', 'test'],
        ['prod', 'live'],
      ],
    );
    assert.equal((await ok(['unset', 'REGION', '--env', 'uat'])).stdout, 'Removed REGION of shop in uat\n');
    assert.match(
      (await ok(['unset', 'REGION', '--env', 'uat'])).stderr,
      /There is no variable REGION that is set for uat alone/,
    );
  });

  it('refuses a value of a secret on the command line, and a word that is no assignment, without repeating either', async () => {
    for (const args of [['set', '--secret', `API_KEY=${CANARY}`], ['set', CANARY], ['set', '=x'], ['set']]) {
      const { code, stdout, stderr } = await run(args);
      assert.equal(code, 2, stderr);
      assert.ok(!(stdout + stderr).includes('canary'), stderr);
    }
    const reserved = await run(['set', 'PORT=80', 'FINE=1']);
    assert.match(reserved.stderr, /RESERVED_ENV_VAR/);
    assert.deepEqual((await api.services.find('shop'))?.config, {}, 'nothing of a refused change is stored');
    assert.match((await run(['list', '--service', 'nobody'])).stderr, /SERVICE_NOT_FOUND/);
  });

  it('a plain value under the name of a secret is stored, hidden, and remarked upon', async () => {
    const { stderr } = await ok(['set', 'DB_PASSWORD=hunter2hunter2']);
    assert.match(stderr, /DB_PASSWORD is stored in clear\. To encrypt it: `fairlead config set --secret DB_PASSWORD`/);
    assert.ok(!(await ok(['list'])).stdout.includes('hunter2'));
  });

  it('history tells the names of each change, those that were removed with a dash', async () => {
    await ok(['set', 'A=1', '--secret', 'S'], 'secret');
    await ok(['unset', 'A']);
    const { stdout } = await ok(['history']);
    const [, newest = '', oldest = ''] = stdout.split('\n');
    assert.match(newest, /internal +all +-A/);
    assert.match(oldest, /internal +all +A, S/);
  });

  describe('pull', () => {
    const file = () => join(folder, '.env.local');

    it('writes every value so that Node reads it back, for its owner alone', async () => {
      const values = { PLAIN: 'blue', LINES: 'one\ntwo', QUOTED: `it's "so"` };
      await ok(['set', ...Object.entries(values).map(([key, value]) => `${key}=${value}`), '--secret', 'S'], CANARY);
      const { stdout, stderr } = await ok(['pull']);
      assert.equal(stdout, 'Wrote 4 variables of shop in prod to .env.local\n');
      assert.ok(!(stdout + stderr).includes('canary'));
      assert.equal((await stat(file())).mode & 0o777, 0o600);
      assert.deepEqual({ ...parseEnv(await readFile(file(), 'utf8')) }, { ...values, S: CANARY });
      assert.deepEqual((await readdir(folder)).sort(), ['.env.local', 'catalog-info.yaml'], 'no draft is left');
    });

    it('escapes a dollar sign where a package would put a variable in its place', async () => {
      await ok(['set', '--secret', 'S'], CANARY);
      await writeFile(join(folder, 'package.json'), '{"dependencies":{"next":"15.0.0"}}');
      await ok(['pull']);
      assert.match(await readFile(file(), 'utf8'), /\\\$HOME/);
    });

    it('has the values of one environment', async () => {
      await ok(['set', 'REGION=eu', 'BOTH=1']);
      await ok(['set', 'REGION=test', '--env', 'uat']);
      await ok(['pull', '--env', 'uat', '--file', 'uat.env']);
      assert.deepEqual({ ...parseEnv(await readFile(join(folder, 'uat.env'), 'utf8')) }, { BOTH: '1', REGION: 'test' });
    });

    it('replaces its own file, and another’s only when that is agreed to', async () => {
      await ok(['set', 'A=1']);
      await writeFile(file(), 'MINE=1\n');
      const refused = await run(['pull']);
      assert.equal(refused.code, 2);
      assert.match(refused.stderr, /--yes/);
      assert.equal(await readFile(file(), 'utf8'), 'MINE=1\n');
      await ok(['pull', '--yes']);
      await chmod(file(), 0o644);
      await ok(['pull']);
      assert.equal((await stat(file())).mode & 0o777, 0o600);
    });

    it('writes through no link', async () => {
      await ok(['set', 'A=1']);
      const elsewhere = join(folder, 'elsewhere');
      await writeFile(elsewhere, 'kept');
      await symlink(elsewhere, file());
      await ok(['pull', '--yes']);
      assert.equal(await readFile(elsewhere, 'utf8'), 'kept');
      assert.equal((await stat(file())).isFile(), true);
    });

    it('what a kill leaves of the file is not uploaded, and git ignores it with the others of its kind', async () => {
      const left = draftOf(file());
      await writeFile(left, CANARY);
      const uploaded = async () => (await listFolder(folder)).map((entry) => entry.path);
      assert.deepEqual(await uploaded(), ['catalog-info.yaml']);
      execFileSync('git', ['init', '-q'], { cwd: folder });
      assert.deepEqual(await uploaded(), ['catalog-info.yaml']);
      await writeFile(join(folder, '.gitignore'), '.env*.local\n');
      const untracked = execFileSync('git', ['ls-files', '--others', '--exclude-standard'], { cwd: folder });
      assert.ok(!String(untracked).includes('.env'));
    });

    it('says when git would take the file', async () => {
      await ok(['set', 'A=1']);
      execFileSync('git', ['init', '-q'], { cwd: folder });
      assert.match((await ok(['pull'])).stderr, /git does not ignore \.env\.local/);
      await writeFile(join(folder, '.gitignore'), '.env.local\n');
      assert.ok(!(await ok(['pull'])).stderr.includes('git does not ignore'));
    });

    it('a folder that is not there is told, and --json has names, no values', async () => {
      await ok(['set', '--secret', 'S'], CANARY);
      const missing = await run(['pull', '--file', 'no/such/folder.env']);
      assert.equal(missing.code, 2);
      assert.match(missing.stderr, /cannot be written/);
      const { stdout } = await ok(['pull', '--json']);
      assert.deepEqual(JSON.parse(stdout).data, {
        service: 'shop',
        environment: 'prod',
        file: '.env.local',
        names: ['S'],
      });
    });
  });
});
