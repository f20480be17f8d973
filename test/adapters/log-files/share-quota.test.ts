import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createServiceLogs } from '../../../adapters/log-files/service-logs.ts';
import { linesOf, readAll, serviceLogLine, TARGET } from '../../ports/service-logs.ts';

let root: string;
let folders = 0;
before(async () => {
  root = await mkdtemp(join(tmpdir(), 'fairlead-share-quota-'));
});
after(() => rm(root, { recursive: true, force: true }));

const newFolder = () => join(root, `${++folders}`);

describe('the logs of all services', () => {
  it('are within their quota together: the largest gives way, and no log its newest file', async () => {
    const directory = newFolder();
    const limits = { fileBytes: 20_000, noteEveryBytes: 500 };
    const logs = createServiceLogs({ directory, limits, quotaBytes: 100_000 });
    const writer = await logs.takeOver();
    const noise = () => serviceLogLine(randomBytes(5_000).toString('hex'));
    const small = await writer.open({ ...TARGET, serviceId: 'svc_small' });
    for (let count = 0; count < 3; count += 1) await small.append([noise()]);
    const large = await writer.open(TARGET);
    for (let count = 0; count < 25; count += 1) await large.append([noise()]);
    await writer.look();
    const kept = async (id: string) => (await readAll(logs, undefined, { ...TARGET, serviceId: id })).lines.length;
    assert.equal(await kept('svc_small'), 3);
    const largeKept = await kept('svc_shop');
    assert.ok(largeKept >= 8 && largeKept < 25, `${largeKept} lines`);
    await small.close();
    await large.close();
  });

  it('of an org with many services take no room from an org within its share, also once they are silent', async () => {
    const directory = newFolder();
    const orgOf = async (serviceId: string) => (serviceId.startsWith('svc_many') ? 'many' : 'few');
    const logs = createServiceLogs({ directory, quotaBytes: 200_000, limits: { noteEveryBytes: 500 }, orgOf });
    const writer = await logs.takeOver();
    const noise = () => serviceLogLine(randomBytes(5_000).toString('hex'));
    const few = { ...TARGET, serviceId: 'svc_few' };
    let log = await writer.open(few);
    // Each in a file of its own, as of so many days.
    for (let file = 1; file <= 8; file += 1) {
      await log.append([noise()]);
      await log.close();
      await writeFile(join(directory, 'svc_few', 'prod', `${file + 1}.jsonl`), '');
      log = await writer.open(few);
    }
    const open: Awaited<ReturnType<typeof writer.open>>[] = [];
    for (let service = 0; service < 40; service += 1) {
      const one = await writer.open({ ...TARGET, serviceId: `svc_many${service}` });
      await one.append([noise(), noise()]);
      if (service % 2 === 0) await one.close();
      else open.push(one);
    }
    await writer.look();
    assert.equal((await readAll(logs, undefined, few)).lines.length, 8);
    let bytes = 0;
    for (const path of await readdir(directory, { recursive: true })) bytes += (await stat(join(directory, path))).size;
    const folders = 2 * 41 * 4_096;
    assert.ok(bytes <= 200_000 + folders, `${bytes} bytes`);
    // Who is open goes on, in its next file.
    for (const one of open) {
      await one.append(linesOf(1, 1));
      await one.close();
    }
    const last = await logs.last({ ...TARGET, serviceId: 'svc_many39' }, { count: 1, matches: () => true });
    assert.equal(last.lines[0]?.line.text, 'line 1');
    await log.close();
  });

  it('one that is silent is rotated by the look as well, once, and goes on where it was left', async () => {
    const directory = newFolder();
    let now = new Date();
    const logs = createServiceLogs({ directory, now: () => now });
    const writer = await logs.takeOver();
    const log = await writer.open(TARGET);
    const [line] = linesOf(1, 1);
    assert.ok(line);
    await log.append([line]);
    await log.close();
    const names = async () => (await readdir(join(directory, 'svc_shop', 'prod'))).sort();
    for (let day = 1; day <= 3; day += 1) {
      now = new Date(now.getTime() + 86_400_000);
      await writer.look();
      assert.deepEqual(await names(), ['1.jsonl.gz', '2.jsonl'], `day ${day}`);
    }
    const again = await writer.open(TARGET);
    assert.deepEqual(again.position('w1'), { out: line.at });
    await again.close();
  });

  it('one that cannot be compressed counts for the quota as well', async () => {
    const directory = newFolder();
    const folder = join(directory, 'svc_bad', 'prod');
    const logs = createServiceLogs({ directory, quotaBytes: 20_000 });
    const writer = await logs.takeOver();
    const log = await writer.open(TARGET);
    await log.append(linesOf(1, 50));
    // A folder in the place of a file that is to be compressed.
    await mkdir(join(folder, '2.jsonl'), { recursive: true });
    await writeFile(join(folder, '1.jsonl'), randomBytes(20_000));
    await writeFile(join(folder, '3.jsonl'), '');
    await assert.rejects(writer.look(), { code: 'EISDIR' });
    assert.deepEqual((await readdir(folder)).sort(), ['2.jsonl', '3.jsonl']);
    assert.equal((await readAll(logs)).lines.length, 50);
    await log.close();
  });
});
