import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { stackCredentials } from '../../infra/dev/credentials.ts';
import { ENTRY } from '../cli/run-cli.ts';
import { readPage } from '../docs/read-page.ts';
import { runPage } from '../docs/run-page.ts';
import { connection, dataFolder, removeService } from './harness.ts';

const ROOT = join(import.meta.dirname, '../..');
const PAGES = ['databases.md', 'backups.md', 'coming-from-elsewhere.md'] as const;

/** Installs what the page says that `package.json` has, without a lockfile. */
const DOCKERFILE = `FROM node:24-alpine
WORKDIR /app
RUN npm install --no-audit --no-fund pg@8
COPY . .
USER 1001
EXPOSE 4000
ENV PORT=4000
CMD ["node", "server.js"]
`;

/**
 * The pages line by line, one after the other, on a whole stack: from a catalog to a row, to the row that is back, and to a dump
 * of another server that the service has.
 */
describe('docs/databases.md, docs/backups.md and docs/coming-from-elsewhere.md on a stack', {
  timeout: 460_000,
}, () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fairlead-databases-'));
    await mkdir(join(folder, 'bin'));
    await symlink(ENTRY, join(folder, 'bin/fairlead'));
  });
  after(async () => {
    await removeService('notes');
    await rm(folder, { recursive: true, force: true });
  });

  it('do what they say', async () => {
    const { api, key, edgePort } = await connection();
    const { postgres } = await stackCredentials(dataFolder(), {});
    const { port } = new URL(postgres?.address ?? '');
    const read = async (page: string) =>
      (await readFile(join(ROOT, 'docs', page), 'utf8'))
        .replaceAll(':8000', `:${edgePort}`)
        .replaceAll('--port 5532', `--port ${port}`);
    const pages = await Promise.all(PAGES.map(read));
    const steps = pages.map((page) => readPage(page));
    assert.deepEqual(
      steps.map(({ length }) => length > 0),
      PAGES.map(() => true),
      'each page shows something to run',
    );
    await writeService(join(folder, 'notes'), pages[0] ?? '');
    const variables = {
      PATH: `${folder}/bin:${join(ROOT, 'node_modules/.bin')}:${process.env.PATH ?? ''}`,
      ...{ FAIRLEAD_URL: api, FAIRLEAD_KEY: key },
      // A person types it.
      PGPASSWORD: postgres?.password ?? '',
    };
    await runPage(PAGES.join(', '), steps.flat(), { preamble: `cp -r ${folder}/notes .`, variables });
  });
});

/** The catalog and the server that the page shows. */
async function writeService(folder: string, page: string): Promise<void> {
  const shown = (file: string, comment: string): string => {
    const block = new RegExp(`\`\`\`\\w+\\n(${comment} notes/${file}\\n[\\s\\S]*?)\`\`\``).exec(page)?.[1];
    assert.ok(block, `the page shows notes/${file}`);
    return block;
  };
  await mkdir(folder);
  const catalog = shown('catalog-info.yaml', '#');
  await writeFile(
    join(folder, 'catalog-info.yaml'),
    catalog.replace('annotations:', 'annotations:\n    platform.io/dockerfile: Dockerfile'),
  );
  await writeFile(join(folder, 'server.js'), shown('server.js', '//'));
  await writeFile(join(folder, 'package.json'), JSON.stringify({ name: 'notes', type: 'module', private: true }));
  await writeFile(join(folder, 'Dockerfile'), DOCKERFILE);
}
