import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { parseCatalog } from '../../domain/catalog/parse-catalog.ts';
import { projectRoot } from '../../infra/dev/project.ts';
import { ENTRY } from '../cli/run-cli.ts';
import { readPage, type Step } from '../docs/read-page.ts';
import { runPage } from '../docs/run-page.ts';
import { connection, copyApp, parts, removeService } from './harness.ts';

const SERVICE = 'my-app';

/** Commands that do not run here, and where they do. */
const ELSEWHERE: readonly (readonly [command: RegExp, where: string])[] = [
  [/^npm (start|test)/, 'this is a run of npm test, and starts a stack'],
  [/^npx fairlead cancel /, 'test/e2e/cli.test.ts: there has to be a build at work'],
  [
    /^npx fairlead lockfile /,
    'test/cli/commands.test.ts, and test/e2e/deploy-packages.test.ts: the source must lack one',
  ],
  [/^npx fairlead retry /, 'test/e2e/pipeline-page.test.ts: there has to be one that failed'],
  [/^npx fairlead (login|whoami|logout)/, 'test/e2e/identity-people.test.ts: there has to be a person'],
  [/^npx fairlead credentials/, 'test/infra/credentials.test.ts: they are those of the stack of this checkout'],
  [/^mongosh /, 'a program of others, which asks for the password'],
];

/** What stands here for what a person has. */
const INSTEAD: readonly (readonly [there: string | RegExp, here: string])[] = [
  ['https://github.com/you/your-app.git', 'file://$REPOSITORY'],
  ['<sha>', '$(git -C "$REPOSITORY" rev-parse HEAD)'],
  // It is followed until somebody ends it.
  [/^npx fairlead (tail .*-f)/, 'timeout 3 fairlead $1 || test $? = 124'],
  // A person types the value.
  [/^(npx fairlead config set .*--secret API_TOKEN)/, 'printf value-of-the-token | $1'],
  // The org of the stack, whose admin binds the item to the service.
  ['lk://acme/main/stripe', 'lk://platform/main/stripe'],
  [/^(?=.*--from-locker)/, 'fairlead locker bind lk://platform/main/stripe --service my-app; '],
  // In the folder of the service, as it says there.
  [/(npx fairlead config .*)/, '(cd "$REPOSITORY" && $1)'],
];

function asRun(line: string): string {
  const text = line.replace(/ +#.*$/, '');
  if (ELSEWHERE.some(([command]) => command.test(text))) return '';
  return INSTEAD.reduce((shown, [there, here]) => shown.replace(there, here), text);
}

describe('README.md on a stack', { timeout: 460_000 }, () => {
  let folder: string;
  let page: string;
  before(async () => {
    page = await readFile(join(projectRoot, 'README.md'), 'utf8');
    folder = await mkdtemp(join(tmpdir(), 'fairlead-readme-'));
    await mkdir(join(folder, 'bin'));
    await symlink(ENTRY, join(folder, 'bin/fairlead'));
    await mkdir(join(folder, SERVICE));
    await copyApp('own-dockerfile-user', join(folder, SERVICE), SERVICE);
    const catalog = join(folder, SERVICE, 'catalog-info.yaml');
    const auth = (yamlBlocks(page)[1] ?? '').replace(/^spec:\n/, '');
    await writeFile(catalog, `${(await readFile(catalog, 'utf8')).trimEnd()}\n${auth}`);
  });
  after(async () => {
    await removeService(SERVICE);
    await rm(folder, { recursive: true, force: true });
  });

  it('shows a catalog file that a deploy takes without a warning', () => {
    const { catalog, warnings } = parseCatalog(yamlBlocks(page)[0] ?? '', { enforceMinimumVersion: true });
    assert.deepEqual([catalog.name, catalog.port, warnings], [SERVICE, 3_000, []]);
  });

  it('shows commands that do what it says, in the order in which it shows them', async () => {
    const steps = readPage(page).map(({ shell, ...step }): Step => {
      return { ...step, shell: shell.split('\n').map(asRun).join('\n').concat('\n:\n') };
    });
    assert.ok(steps.length > 8);
    const { api, key } = await connection();
    const running = await parts();
    const git = 'git -c user.name=a -c user.email=a@b.example';
    // In a folder beside the repository, as on the page; npx runs the command of this checkout.
    const preamble = [
      `cp -r ${folder}/${SERVICE} . && mkdir here && cd ${SERVICE}`,
      `${git} init -q -b main && ${git} add -A && ${git} commit -qm Begin`,
      'export REPOSITORY=$PWD',
      'printf value | fairlead locker put lk://platform/main/stripe --secret key > ../put',
      'npx() { shift; fairlead "$@"; }',
      'cd ../here',
    ].join('\n');
    const variables = {
      PATH: `${folder}/bin:${join(projectRoot, 'node_modules/.bin')}:${process.env.PATH ?? ''}`,
      ...{ FAIRLEAD_URL: api, FAIRLEAD_KEY: key, FAIRLEAD_LOCKER_URL: running.locker?.address ?? '' },
    };
    await runPage('README.md', steps, { preamble, variables });
  });
});

const yamlBlocks = (page: string): readonly string[] =>
  [...page.matchAll(/^```yaml\n([\s\S]*?)^```$/gm)].map(([, text = '']) => text);
