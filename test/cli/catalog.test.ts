import assert from 'node:assert/strict';
import { mkdir, mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { runCli } from './run-cli.ts';

/** No platform is there to ask. */
const NOWHERE = { url: 'http://127.0.0.1:9' };

describe('catalog files on the command line', () => {
  let folder: string;
  beforeEach(async () => {
    folder = join(await mkdtemp(join(tmpdir(), 'fairlead-catalog-')), 'My_Shop');
    await mkdir(join(folder, 'src'), { recursive: true });
    await writeFile(join(folder, 'package.json'), '{"name":"template","dependencies":{"express":"5.0.0"}}');
    await writeFile(
      join(folder, 'src/index.js'),
      `import 'pg';\napp.get('/healthz', ok);\napp.listen(process.env.PORT);\n`,
    );
    await writeFile(join(folder, '.env.example'), 'COLOUR=blue\nAPI_KEY=canary-value-7\n');
  });
  afterEach(() => rm(dirname(folder), { recursive: true, force: true }));

  const run = (...args: string[]) => runCli(NOWHERE, args, { cwd: folder });
  const catalog = () => readFile(join(folder, 'catalog-info.yaml'), 'utf8');

  it('init writes what it found, shows it, and validate takes it', async () => {
    const { code, stdout, stderr } = await run('init');
    assert.equal(code, 0, stderr);
    const text = await catalog();
    assert.match(text, /^# yaml-language-server: \$schema=http:\/\/127\.0\.0\.1:9\/schemas\/catalog\.json\n/);
    for (const line of [
      'name: my-shop',
      'framework: express',
      'health-endpoint: /healthz',
      '- type: postgres',
      '- key: API_KEY',
    ]) {
      assert.ok(text.includes(line) && stdout.includes(line), line);
    }
    assert.ok(!(text + stdout + stderr).includes('canary'), 'no value of the example is taken');
    const valid = await run('validate');
    assert.deepEqual([valid.code, valid.stdout], [0, 'catalog-info.yaml is valid\n'], valid.stderr);
  });

  it('init quotes a name that YAML would read as a number or as null', async () => {
    await writeFile(join(folder, '.env.example'), 'NULL=\nTRUE=1\nCOLOUR=blue\n');
    const { code, stderr } = await run('init', '--name', '123');
    assert.equal(code, 0, stderr);
    assert.match(await catalog(), /name: "123"\n[\s\S]*- key: "NULL"\n[\s\S]*- key: "TRUE"\n[\s\S]*- key: COLOUR\n/);
    assert.equal((await run('validate')).code, 0);
  });

  it('leaves a file alone that is larger than what is read of it', async () => {
    const sparse = await open(join(folder, 'src/large.js'), 'w');
    await sparse.truncate(3 * 2 ** 30);
    await sparse.close();
    assert.equal((await run('init')).code, 0);
  });

  it('a key with codes for the terminal is refused, and moves no cursor', async () => {
    await writeFile(join(folder, 'catalog-info.yaml'), 'metadata:\n  name: shop\nspec:\n  "a\\e[2Jb": 1\n');
    const { code, stdout, stderr } = await run('validate');
    assert.equal(code, 2);
    assert.match(stderr, /4:3: spec.*text with a control character/);
    assert.ok(!`${stdout}${stderr}`.includes('\u001b'));
  });

  it('init replaces no file', async () => {
    await writeFile(join(folder, 'catalog-info.yaml'), 'metadata: { name: mine }\n');
    const { code, stderr } = await run('init');
    assert.equal(code, 2);
    assert.match(stderr, /already\.\nTo check it: `fairlead validate/);
    assert.equal(await catalog(), 'metadata: { name: mine }\n');
  });

  it('validate names the line and the column of every problem, and shows no default of a secret', async () => {
    await writeFile(
      join(folder, 'catalog-info.yaml'),
      'metadata:\n  name: My Shop\n  annotations:\n    platform.io/port: web\nspec:\n  config:\n    - key: A-B\n      default: [canary-9]\n',
    );
    const { code, stdout, stderr } = await run('validate');
    assert.equal(code, 2);
    assert.equal(stdout, '');
    assert.match(stderr, /CATALOG_INVALID catalog-info\.yaml:2:9: metadata\.name: expected a service name/);
    assert.match(stderr, /catalog-info\.yaml:4:23: metadata\.annotations\["platform\.io\/port"\]: expected a port/);
    assert.match(stderr, /catalog-info\.yaml:7:12: spec\.config\[0\]\.key/);
    assert.ok(!stderr.includes('canary'));
    const json = JSON.parse((await run('validate', '--json')).stdout);
    assert.deepEqual([json.success, json.error.details.length, json.error.details[0].line], [false, 4, 2]);
  });

  it('validate names problems in the order of their lines, and refuses a name that no deploy takes', async () => {
    const text =
      'metadata:\n  name: shop\nspec:\n  schedules: [{ name: nightly, cron: "61 * * * *" }]\n  auth: sso\n  config: 1\n';
    await writeFile(join(folder, 'catalog-info.yaml'), text);
    const { stderr } = await run('validate');
    assert.deepEqual(
      [...stderr.matchAll(/yaml:(\d+):/g)].map(([, line]) => line),
      ['4', '5', '6'],
      stderr,
    );
    await writeFile(join(folder, 'catalog-info.yaml'), `metadata:\n  name: ${'a'.repeat(41)}\n`);
    const long = await run('validate');
    assert.deepEqual([long.code, /1 to 40 lower-case letters/.test(long.stderr)], [2, true]);
  });

  it('validate holds the file to the conventions, as a deploy does', async () => {
    const spec = (lines: string) =>
      writeFile(join(folder, 'catalog-info.yaml'), `metadata:\n  name: shop\nspec:\n${lines}`);
    await spec('  routes: [{ path: /pay, gas: 1 }]\n');
    const warned = await run('validate');
    assert.deepEqual(
      [warned.code, /! catalog-info\.yaml:4:12: spec\.routes \(\/pay\): say with charge who pays/.test(warned.stdout)],
      [0, true],
    );
    await spec('  colour: red\n  dependencies: [{ service: notes, scopes: ["*"] }]\n');
    const refused = await run('validate');
    assert.deepEqual([refused.code, refused.stdout], [2, '']);
    assert.match(refused.stderr, /! spec\.colour is not a known section/, 'what is warned of is not hidden by it');
    assert.match(
      refused.stderr,
      /CONVENTION_CHECK_FAILED.*\ncatalog-info\.yaml:5:18: spec\.dependencies \(notes\): name the scopes/,
    );
  });

  it('validate shows what would be warned of, checks .platform.yaml as well, and says where neither is', async () => {
    await writeFile(join(folder, 'catalog-info.yaml'), 'metadata:\n  name: shop\nspec:\n  colour: red\n');
    const warned = await run('validate');
    assert.equal(warned.code, 0);
    assert.match(warned.stdout, /! spec\.colour is not a known section and is ignored/);
    await writeFile(join(folder, '.platform.yaml'), 'appPath: ../up\n');
    assert.match((await run('validate')).stderr, /PLATFORM_CONFIG_INVALID \.platform\.yaml:1:10: appPath/);
    const empty = join(folder, 'src');
    const missing = await runCli(NOWHERE, ['validate', empty]);
    assert.equal(missing.code, 3);
    assert.match(missing.stderr, /To write one: `fairlead init \/.+src`/, 'with the folder that was typed');
  });
});
