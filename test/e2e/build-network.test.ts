import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { portAttack } from '../support/port-attack.ts';
import { completed, logText, parts, trigger } from './harness.ts';
import { sampleService } from './sample-service.ts';

test('a build reaches no part of the stack, nor the metadata address', { timeout: 200_000 }, async () => {
  const addresses = Object.values(await parts()).map(({ address }) => address);
  const ports = new Set(
    addresses.flatMap((address) => [...address.matchAll(/:(\d+)\b/g)].map(([, port]) => Number(port))),
  );
  assert.ok(ports.size >= 6, addresses.join(' '));
  const instructions = 'RUN node attack.mjs';
  await using service = await sampleService('attacker', { instructions });
  await writeFile(join(service.repository.path, 'attack.mjs'), portAttack([...ports]));
  await service.commit({ instructions });
  const build = await completed((await trigger(service.name)).buildId);
  const log = await logText(build.id);
  assert.doesNotMatch(log, /REACHED/);
  assert.match(log, /metadata: HTTP\/1\.1 403 Forbidden/);
  assert.match(log, new RegExp(`tried ${ports.size * 9}, reached 0`));
});
