import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { describe, it } from 'node:test';
import { type Command, CommanderError } from 'commander';
import { buildProgram } from '../../cli/program.ts';
import { projectRoot } from '../../infra/dev/project.ts';
import { commandsInBlocks, commandsInText, commandsOf } from './page-commands.ts';

/** Pages for people who use Fairlead. */
const PAGES = globSync(['README.md', '{cli,sdk,infra,api}/README.md', 'docs/**/*.md'], { cwd: projectRoot }).sort();

/** Which test runs the blocks of shell of a page, or of a folder of pages; or why none does. */
const RUN_BY: Readonly<Record<string, string | { readonly notRun: string }>> = {
  'README.md': 'test/e2e/readme-page.test.ts',
  'docs/audit-ledger.md': 'test/docs/audit-ledger-docs.test.ts',
  'docs/backups.md': 'test/e2e/databases-page.test.ts',
  'docs/coming-from-elsewhere.md': 'test/e2e/databases-page.test.ts',
  'docs/console.md': 'test/cli/commands.test.ts',
  'docs/databases.md': 'test/e2e/databases-page.test.ts',
  'docs/domains.md': 'test/docs/domains-docs.test.ts',
  'docs/identity': 'test/docs/identity-docs.test.ts',
  'docs/kubernetes.md': {
    notRun: 'a node takes the machine; workload-runtime.test.ts of kubernetes brings one up and down',
  },
  'docs/locker.md': 'test/e2e/locker.test.ts',
  'docs/logs.md': 'test/docs/logs-docs.test.ts',
  'docs/monitoring.md': 'test/docs/monitoring-docs.test.ts',
  'docs/object-store.md': { notRun: 'npm start -- --check fetches every tool' },
  'docs/operate.md': 'test/infra/image/platform-image.test.ts',
  'docs/pipeline.md': 'test/e2e/pipeline-page.test.ts',
  'docs/push-to-deploy.md': 'test/docs/push-to-deploy.test.ts',
  'docs/registry.md': 'test/docs/service-commands.test.ts',
  'docs/search-numbers.md': 'test/docs/site-registry.test.ts',
  'docs/site-registry.md': 'test/docs/site-registry.test.ts',
  'docs/status-page.md': 'test/docs/monitoring-docs.test.ts',
  'docs/your-service.md': 'test/docs/service-commands.test.ts',
  'sdk/README.md': 'test/sdk/package.test.ts',
};

/** Commands that a page names because they are refused. */
const REFUSED: ReadonlySet<string> = new Set(['db backup --type redis']);
/** A sentence may name a command without what it is given. */
const LEFT_OUT: ReadonlySet<string> = new Set(['commander.missingArgument', 'commander.missingMandatoryOptionValue']);
/** Before anything is loaded, the entry runs these. */
const OF_ENTRY: ReadonlySet<string | undefined> = new Set(['doctor', 'credentials']);

const program = (words: readonly string[]): readonly string[] | null => {
  if (words[0] === 'fairlead') return words.slice(1);
  return words[0] === 'npx' && words[1] === 'fairlead' ? words.slice(2) : null;
};

/** What stands for something that a person puts in: `<handle>`, `$AUDIT_URL`, `…`. */
const filledIn = (word: string): string =>
  word.replaceAll('$DAY', '2026-01-31').replaceAll(/<[^>]+>|\$\w+|…/g, 'https://x.example');

/** The program's own tables, which run nothing. */
function buildTables(): Command {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const surroundings = { stdin: Readable.from([]), stdout: nowhere, stderr: nowhere, env: {}, cwd: projectRoot };
  const nothing = async (): Promise<void> => undefined;
  return buildProgram({ perform: nothing, performAlone: nothing }, { json: false, surroundings });
}

/** Parses a command line by the program's own tables, and runs nothing. @returns why it is not taken; null for one that is */
async function refusal(words: readonly string[]): Promise<CommanderError | null> {
  try {
    await buildTables().parseAsync(words.map(filledIn), { from: 'user' });
    return null;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 || OF_ENTRY.has(words[0]) ? null : error;
  }
}

for (const name of PAGES) {
  const page = readFileSync(join(projectRoot, name), 'utf8');

  describe(name, () => {
    it('shows and names commands that the program takes', async () => {
      const wrong: string[] = [];
      for (const [commands, mayLeaveOut] of [
        [commandsInBlocks(page), false],
        [commandsInText(page), true],
      ] as const) {
        for (const { words, line } of commands) {
          const own = program(words) ?? [];
          const shown = own.join(' ');
          if (own.length === 0 || shown === '…' || shown === 'help exit-codes' || REFUSED.has(shown)) continue;
          const error = await refusal(own);
          if (error === null || (mayLeaveOut && LEFT_OUT.has(error.code))) continue;
          wrong.push(`${name}:${line}: fairlead ${shown}: ${error.message}`);
        }
      }
      assert.deepEqual(wrong, []);
    });

    it('shows and names scripts of the project with options that they have', () => {
      const wrong = [...commandsInBlocks(page), ...commandsInText(page)].flatMap(({ words, line }) => {
        const problem = scriptProblem(words);
        return problem === null ? [] : [`${name}:${line}: ${words.join(' ')}: ${problem}`];
      });
      assert.deepEqual(wrong, []);
    });

    it('has no block of shell that no test runs', () => {
      if (commandsInBlocks(page).length === 0) return;
      const test = RUN_BY[name] ?? RUN_BY[name.slice(0, name.lastIndexOf('/'))];
      assert.ok(test !== undefined, `no test runs the blocks of ${name}: write one, and name it in RUN_BY`);
      if (typeof test === 'string') assert.ok(existsSync(join(projectRoot, test)), test);
    });
  });
}

const manifest = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>;
};

/** Null for what is fine, and for what is no script of this project. */
function scriptProblem([first, second = '', ...rest]: readonly string[]): string | null {
  if (first !== 'npm' || !/^(?:run|test|start)$/.test(second)) return null;
  const name = second === 'run' ? rest[0] : second;
  if (name === undefined || !Object.hasOwn(manifest.scripts, name)) return 'there is no such script';
  const options = rest.filter((word) => /^--\w/.test(word)).map((word) => word.slice(2));
  if (options.length === 0) return null;
  const source = readFileSync(join(projectRoot, 'infra/dev', `${name}.ts`), 'utf8');
  const isTaken = (option: string): boolean =>
    source.includes(`'--${option}'`) || new RegExp(`^ +'?${option}'?: \\{ type: `, 'm').test(source);
  const unknown = options.filter((option) => !isTaken(option));
  return unknown.length === 0 ? null : `${unknown.join()} is no option of it`;
}

describe('cli/README.md', () => {
  const all = buildTables();
  const page = readFileSync(join(projectRoot, 'cli/README.md'), 'utf8');

  it('has a row for each command', () => {
    const rows = page.slice(0, page.indexOf('\n\n', page.indexOf('| command')));
    const named = new Set([...rows.matchAll(/`([a-z-]+)/g)].map(([, name]) => name));
    const missing = all.commands.map((command) => command.name()).filter((name) => !named.has(name));
    assert.deepEqual(missing, []);
  });

  it('names each command that asks before it does something', () => {
    const section = /## Commands that cannot be undone\n([\s\S]*?)\n## /.exec(page)?.[1] ?? '';
    const asking = all.commands.flatMap((group) => {
      const asks = (command: Command) => command.options.some(({ long }) => long === '--yes');
      return group.commands.filter(asks).map((command) => `${group.name()} ${command.name()}`);
    });
    const named = (path: string): boolean =>
      path.endsWith(' reset-second-factor') ? section.includes('reset-second-factor') : section.includes(`\`${path}`);
    assert.ok(asking.length > 15, asking.join());
    assert.deepEqual(
      // To deny a grant takes nothing away: it asks nobody, and takes the option as the other decisions do.
      asking.filter((path) => !named(path) && path !== 'grants deny'),
      [],
    );
  });
});

it('commands are read as a shell reads them', () => {
  assert.deepEqual(commandsOf(`printf 'a b' | X=1 fairlead config set --secret KEY --service 'my app' > out # why`), [
    ['printf', 'a b'],
    ['fairlead', 'config', 'set', '--secret', 'KEY', '--service', 'my app'],
  ]);
  assert.deepEqual(commandsOf('fairlead deploy shop || echo "ended with $?"'), [
    ['fairlead', 'deploy', 'shop'],
    ['echo', 'ended with $?'],
  ]);
  const page = 'See `npm start`.\n\n```sh\nfairlead a \\\n  b\nfairlead c\n```\n';
  assert.deepEqual(commandsInBlocks(page), [
    { words: ['fairlead', 'a', 'b'], line: 4 },
    { words: ['fairlead', 'c'], line: 6 },
  ]);
  assert.deepEqual(commandsInText(page), [{ words: ['npm', 'start'], line: 1 }]);
});

/** A line of prose about code. */
const COMMENT = /^\s*(?:\/\*\*|\*|\/\/).*$/gm;

describe('messages of the program and the platform', () => {
  const sources = globSync('{activities,adapters,api,cli,domain,infra,sdk,web,workers,workflows}/**/*.ts', {
    cwd: projectRoot,
  });

  it('propose no command without the options that it cannot do without', () => {
    const needing = withMandatoryOptions(buildTables(), 'fairlead');
    assert.ok(needing.some(([name]) => name === 'fairlead git connect'));
    const wrong = sources.flatMap((source) => {
      const text = readFileSync(join(projectRoot, source), 'utf8').replaceAll(COMMENT, '');
      return needing.flatMap(([name, flags]) => {
        const named = [...text.matchAll(new RegExp(`${name}(?![\\w-])[^]{0,160}`, 'g'))];
        return named.flatMap(([shown]) =>
          flags.filter((flag) => !shown.includes(flag)).map((flag) => `${source}: ${name} without ${flag}`),
        );
      });
    });
    assert.deepEqual(wrong, []);
  });
});

/** Each command with options that it refuses to run without, by how it is typed. */
function withMandatoryOptions(command: Command, typed: string): readonly (readonly [string, readonly string[]])[] {
  const flags = command.options.flatMap(({ mandatory, long }) => (mandatory && long ? [long] : []));
  const below = command.commands.flatMap((one) => withMandatoryOptions(one, `${typed} ${one.name()}`));
  return flags.length === 0 ? below : [[typed, flags], ...below];
}
