import assert from 'node:assert/strict';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { PIPELINE_PAGE } from '../../infra/dev/pipeline-table.ts';
import { ENTRY } from '../cli/run-cli.ts';
import { readPage } from '../docs/read-page.ts';
import { runPage } from '../docs/run-page.ts';
import { connection, removeService } from './harness.ts';

const ROOT = join(import.meta.dirname, '../..');
const EXPRESS = join(ROOT, 'test/fixtures/apps/express-npm');
const SERVICES = ['prices', 'shop'];

/** The page line by line, on a whole stack: what a person has before it is two repositories with express. */
describe('docs/pipeline.md on a stack', { timeout: 890_000 }, () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fairlead-pipeline-'));
    await mkdir(join(folder, 'bin'));
    await symlink(ENTRY, join(folder, 'bin/fairlead'));
  });
  after(async () => {
    for (const service of SERVICES) await removeService(service);
    await rm(folder, { recursive: true, force: true });
  });

  it('does what it says', async () => {
    const { api, key, edgePort } = await connection();
    const page = (await readFile(PIPELINE_PAGE, 'utf8')).replaceAll('.localhost:8000', `.localhost:${edgePort}`);
    const steps = readPage(page);
    assert.ok(steps.length > 8, 'the page shows something to run');
    for (const service of SERVICES) await writeRepository(join(folder, service), service, page);
    const commits = SERVICES.map(
      (service) =>
        `cp -r ${folder}/${service} . && git -C ${service} init -q && git -C ${service} add -A && git -C ${service} -c user.name=a -c user.email=a@b.example commit -qm 'Begin'`,
    );
    const variables = {
      PATH: `${folder}/bin:${join(ROOT, 'node_modules/.bin')}:${process.env.PATH ?? ''}`,
      ...{ FAIRLEAD_URL: api, FAIRLEAD_KEY: key },
    };
    await runPage('pipeline.md', steps, { preamble: commits.join('\n'), variables });
  });
});

/** The server that the page shows for a service, with the packages of the sample. */
async function writeRepository(folder: string, service: string, page: string): Promise<void> {
  const server = new RegExp(`\`\`\`js\n(// ${service}/server\\.js\n[\\s\\S]*?)\`\`\``).exec(page)?.[1];
  assert.ok(server, `the page shows ${service}/server.js`);
  await cp(EXPRESS, folder, { recursive: true });
  await writeFile(join(folder, 'server.js'), server);
  for (const file of ['package.json', 'package-lock.json']) {
    const text = await readFile(join(folder, file), 'utf8');
    await writeFile(join(folder, file), text.replaceAll('express-npm', service));
  }
}
