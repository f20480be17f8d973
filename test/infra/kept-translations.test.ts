import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { residentVariables, SERVICE_FLAGS } from '../../infra/dev/runtime-variables.ts';

async function sourceFolder() {
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-kept-'));
  const kept = join(folder, 'kept');
  const write = (text: string) => writeFile(join(folder, 'main.ts'), text);
  return {
    kept,
    write,
    run: async (variables: Readonly<Record<string, string>> = {}) => {
      const env = { ...process.env, ...residentVariables({}), KEPT_TRANSLATIONS: kept, ...variables };
      const { stdout } = await promisify(execFile)(process.execPath, [...SERVICE_FLAGS, join(folder, 'main.ts')], {
        env,
      });
      return stdout.trim();
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  };
}

const hello = (whom: string) => `interface Named { readonly name: string }
const named: Named = { name: '${whom}' };
console.log(named.name, new Error('here').stack?.split('\\n')[1]?.match(/main.ts:(.*?)\\)?$/)?.[1]);
`;

describe('kept translations of TypeScript', () => {
  it('are made by the first start, used by the next one, and made again for another source', async () => {
    await using source = await sourceFolder();
    await source.write(hello('one'));
    assert.equal(await source.run(), 'one 3:25', 'as in the source');
    const [first = '', ...others] = await readdir(source.kept);
    assert.deepEqual(others, []);
    const path = join(source.kept, first);
    await writeFile(path, (await readFile(path, 'utf8')).replace("'one'", "'kept'"));
    assert.match(await source.run(), /^kept /);
    await source.write(hello('two'));
    assert.match(await source.run(), /^two /);
    assert.equal((await readdir(source.kept)).length, 2);
  });

  it('are neither read nor written in a folder that others may write to', async () => {
    await using source = await sourceFolder();
    await source.write(hello('one'));
    await source.run();
    const [first = ''] = await readdir(source.kept);
    await writeFile(join(source.kept, first), "console.log('of somebody else')");
    await chmod(source.kept, 0o777);
    assert.match(await source.run(), /^one /);
    await source.write(hello('two'));
    assert.match(await source.run(), /^two /);
    assert.deepEqual(await readdir(source.kept), [first]);
  });

  it('are missed by nobody: a program runs where none can be kept', async () => {
    await using source = await sourceFolder();
    await source.write(hello('one'));
    assert.match(await source.run({ KEPT_TRANSLATIONS: '/dev/null/kept' }), /^one /);
    assert.match(await source.run({ KEPT_TRANSLATIONS: '' }), /^one /);
  });
});
