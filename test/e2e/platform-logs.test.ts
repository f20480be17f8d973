import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { runCli } from '../cli/run-cli.ts';
import { waitUntil } from '../support/wait-until.ts';
import { connection, dataFolder } from './harness.ts';

/** What the programs of a real stack print, as a super admin reads it. */
describe('the platform’s logs on a real stack', () => {
  const run = async (...args: string[]) => {
    const { api, key } = await connection();
    return await runCli({ url: api }, ['platform', ...args], { env: { FAIRLEAD_KEY: key } });
  };

  it('list every program with its two outputs, and the rule by which they are rotated', async () => {
    const { code, stdout, stderr } = await run('logs', '--json');
    assert.equal(code, 0, stderr);
    const { files, rotation, totalBytes } = JSON.parse(stdout).data;
    assert.deepEqual(rotation, { enabled: true, maxSize: '50M', retain: 14, compress: true });
    assert.ok(totalBytes > 0);
    const names = new Set(files.map(({ part, stream }: Record<string, string>) => `${part}/${stream}`));
    for (const part of ['api', 'worker', 'edge', 'temporal']) {
      for (const stream of ['out', 'error']) assert.ok(names.has(`${part}/${stream}`), `${part}/${stream}`);
    }
  });

  it('show a request within seconds, by its level', async () => {
    const { api, key } = await connection();
    const id = `req-${process.pid}-${Date.now()}`;
    await fetch(`${api}/builds/none`, { headers: { 'x-internal-key': key, 'x-request-id': id } });
    await waitUntil('the request in the log', async () => {
      const { stdout } = await run('tail', '-n', '1000');
      return stdout.includes('/builds/none');
    });
    assert.doesNotMatch((await run('tail', '--level', 'error')).stdout, /"level":"info"/);
  });

  it('hold none of the keys of the installation', async () => {
    const secrets = JSON.parse(await readFile(join(dataFolder(), 'secrets.json'), 'utf8')) as Record<string, string>;
    const { STACK_ID: _id, ...keys } = secrets;
    assert.ok(Object.keys(keys).length > 3);
    const logs = join(dataFolder(), 'logs');
    const paths = (await readdir(logs, { recursive: true })).filter((path) => /\.log(\.gz)?$/.test(path));
    assert.ok(paths.length > 10);
    for (const path of paths) {
      const bytes = await readFile(join(logs, path));
      const text = (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
      for (const [name, value] of Object.entries(keys)) assert.ok(!text.includes(value), `${name} is in ${path}`);
    }
  });
});
