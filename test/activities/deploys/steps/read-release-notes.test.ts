import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readReleaseNotes } from '../../../../activities/deploys/steps/read-release-notes.ts';
import type { BuildRequest } from '../../../../domain/deploys/build.ts';
import { MOST_CHARACTERS } from '../../../../domain/deploys/release-notes.ts';
import type { CommitRange } from '../../../../domain/deploys/source-ports.ts';
import { FairleadError } from '../../../../domain/errors.ts';
import { CUT_MARK } from '../../../../domain/logs/cut-line.ts';
import { createInMemoryRepository } from '../../../support/in-memory/repository.ts';
import { useDeploy } from '../use-deploy.ts';

const URL = 'https://git.example/hello.git';
const CANARY = 'canary-4711-canary';
const SOURCE = { kind: 'git', url: URL, branch: null, commit: null } as const;
const TARGET = { buildId: 'bld_before', serviceId: 'svc_hello', environment: 'prod' } as const;

/** A repository of three commits, of which the first may have been deployed. */
async function useRepository(
  given: {
    readonly deployed?: string | null;
    readonly build?: Partial<BuildRequest>;
    readonly config?: Readonly<Record<string, string>>;
  } = {},
) {
  const deploy = await useDeploy({
    opened: true,
    service: { config: given.config ?? { API_TOKEN: CANARY } },
    build: { source: SOURCE, ...given.build },
  });
  const { parts, build } = deploy;
  const repository = createInMemoryRepository();
  parts.repositories.set(URL, repository);
  const commits = ['feat: begin', 'fix: a bug', 'feat: a thing'].map((subject, index) =>
    repository.commit({ 'index.js': String(index) }, 'main', subject),
  );
  const deployed = given.deployed === undefined ? commits[0] : given.deployed;
  await parts.serviceRegistry.declare({ id: 'svc_hello', name: 'hello', org: 'acme', serviceSince: parts.now() });
  if (deployed != null) {
    const manifest = { commit: deployed, sdkVersions: {}, deployedBy: 'usr_1' };
    await parts.serviceRegistry.putManifest({ ...TARGET, environment: build.environment }, manifest);
  }
  const facts = { appPath: '', commitSha: commits.at(-1) ?? '' };
  return { ...deploy, repository, commits, facts };
}

const notesOf = async (found: ReturnType<typeof readReleaseNotes>) => (await found).releaseNotes;

describe('release-notes', () => {
  it('are those of the CHANGELOG.md, and its repository is not asked', async () => {
    const { parts, attempt, facts, plant } = await useRepository();
    plant('CHANGELOG.md', `## 1.2.0\n- new, with API_TOKEN ${CANARY}\n`);
    const sources = { ...parts.sources, commitSubjects: () => assert.fail('not asked') };
    const step = attempt(facts);
    const notes = await notesOf(readReleaseNotes({ ...parts, sources }, step));
    assert.equal(notes?.version, '1.2.0');
    assert.match(notes?.notes ?? '', /^- new, with API_TOKEN/);
    assert.ok(!notes?.notes.includes(CANARY), 'no secret becomes public');
    assert.deepEqual(step.warnings, []);
  });

  it('of an empty CHANGELOG.md are none', async () => {
    const { parts, attempt, facts, plant } = await useRepository();
    plant('CHANGELOG.md', '# Changelog\n');
    assert.equal(await notesOf(readReleaseNotes(parts, attempt(facts))), null);
  });

  it('are the subjects since the last deploy, the same again', async () => {
    const { parts, attempt, facts } = await useRepository();
    const expected = { notes: '- feat: a thing\n- fix: a bug', version: null };
    for (let again = 1; again <= 2; again += 1) {
      assert.deepEqual(await notesOf(readReleaseNotes(parts, attempt(facts))), expected);
    }
  });

  it('are the newest subjects of a first deploy, and after an upload', async () => {
    for (const deployed of [null, `archive-${'ab'.repeat(20)}`, 'unknown', 'main']) {
      const { parts, attempt, facts } = await useRepository({ deployed });
      const notes = await notesOf(readReleaseNotes(parts, attempt(facts)));
      assert.equal(notes?.notes, '- feat: a thing\n- fix: a bug\n- feat: begin', String(deployed));
    }
  });

  it('are none of a commit that was deployed before, or of a history written anew', async () => {
    const { commits } = await useRepository();
    for (const deployed of [commits.at(-1) ?? '', 'b'.repeat(40)]) {
      const { parts, attempt, facts } = await useRepository({ deployed });
      const step = attempt(facts);
      assert.equal(await notesOf(readReleaseNotes(parts, step)), null);
      assert.deepEqual(step.warnings, []);
    }
  });

  it('ask for a bounded number of commits, and no secret stays in them', async () => {
    const { parts, attempt, facts } = await useRepository();
    let asked: CommitRange | null = null;
    const sources = {
      ...parts.sources,
      commitSubjects: async (range: CommitRange) => {
        asked = range;
        return [
          `leak ${CANARY}`,
          'token ghp_0123456789012345678901234567890123AB',
          ...Array.from({ length: 30 }, () => 'x'.repeat(200)),
        ];
      },
    };
    const { notes = '' } = (await notesOf(readReleaseNotes({ ...parts, sources }, attempt(facts)))) ?? {};
    assert.equal((asked as CommitRange | null)?.limit, 30);
    assert.match(notes, /^- leak \(REDACTED\)\n- token \(REDACTED\)\n/);
    assert.ok(!/canary|ghp_0123/.test(notes), notes.slice(0, 200));
    assert.ok(notes.length <= MOST_CHARACTERS);
  });

  /** What begins it is looked for in the notes; all of it is what the redaction looks for. */
  const ODD = 'kanary-`4711`-[x]<y>-kanary';
  const spread = (before: number) => `${'a '.repeat(before / 2)}${ODD} b`;
  const LEAKS: readonly [what: string, subject: string][] = [
    ['signs that are changed for plain text', `leak ${ODD} b`],
    ['its end behind the cut of the notes', spread(MOST_CHARACTERS - 10)],
    ['its end behind the cut of git', `leak ${ODD.slice(0, -3)}${CUT_MARK}`],
    ['a sign in it that nobody sees', `leak ${ODD.slice(0, 9)}\u200b${ODD.slice(9)}`.replaceAll(/[`[\]<>]/g, '')],
  ];
  for (const [what, subject] of LEAKS) {
    it(`hold no secret of a subject with ${what}`, async () => {
      const { parts, attempt, facts } = await useRepository({
        config: { API_TOKEN: what.startsWith('a sign') ? ODD.replaceAll(/[`[\]<>]/g, '') : ODD },
      });
      const sources = { ...parts.sources, commitSubjects: async () => [subject] };
      const { notes = '' } = (await notesOf(readReleaseNotes({ ...parts, sources }, attempt(facts)))) ?? {};
      assert.match(notes, /^- (leak|a a)/);
      assert.ok(!notes.includes('kanary'), notes.slice(-100));
    });
  }

  for (const hidden of ['', '\u200b']) {
    it(`hold no link that a redaction begins${hidden && ', of a token in pieces'}`, async () => {
      const { parts, attempt, facts } = await useRepository();
      const subject = `a ghp_${hidden}0123456789012345678901234567890123AB(javascript:alert(1))`;
      const sources = { ...parts.sources, commitSubjects: async () => [subject] };
      const notes = await notesOf(readReleaseNotes({ ...parts, sources }, attempt(facts)));
      assert.equal(notes?.notes, '- a (REDACTED)javascript:alert(1))');
    });
  }

  it('hold no secret of a CHANGELOG.md that is cut within it', async () => {
    const { parts, attempt, facts, plant } = await useRepository({ config: { API_TOKEN: ODD } });
    plant('CHANGELOG.md', `## 1.2.0\n${spread(MOST_CHARACTERS - 10)}\n`);
    const { notes = '' } = (await notesOf(readReleaseNotes(parts, attempt(facts)))) ?? {};
    assert.match(notes, /^a a/);
    assert.ok(!notes.includes('kanary'), notes.slice(-100));
  });

  const NOT_ASKED: readonly [what: string, build: Partial<BuildRequest>][] = [
    ['a deploy to uat', { environment: 'uat' }],
    ['an upload', { source: { kind: 'archive', archiveId: 'arc_1', sha256: 'ab'.repeat(32) } }],
  ];
  for (const [what, build] of NOT_ASKED) {
    it(`of ${what} are none, and its repository is not asked`, async () => {
      const { parts, attempt, facts } = await useRepository({ build });
      const sources = { ...parts.sources, commitSubjects: () => assert.fail('not asked') };
      assert.equal(await notesOf(readReleaseNotes({ ...parts, sources }, attempt(facts))), null);
    });
  }

  const away = (code: 'UNAVAILABLE' | 'SOURCE_UNREACHABLE' | 'SOURCE_REFUSED', message: string) =>
    new FairleadError(code, message, { retryable: true });
  for (const [what, failing] of [
    ['a git host that is away', { sources: away('SOURCE_UNREACHABLE', 'git is away') }],
    ['a repository that is too large', { sources: away('SOURCE_REFUSED', 'git is too large') }],
    ['a registry that is away', { registry: away('UNAVAILABLE', 'the registry is away') }],
  ] as const) {
    it(`of ${what} are none, with a warning, and the deploy goes on`, async () => {
      const { parts, attempt, facts } = await useRepository();
      const step = attempt(facts);
      const { sources, registry } = { sources: null, registry: null, ...failing };
      const changed = {
        ...parts,
        ...(sources === null ? {} : { sources: { ...parts.sources, commitSubjects: () => Promise.reject(sources) } }),
        ...(registry === null
          ? {}
          : { serviceRegistry: { ...parts.serviceRegistry, lastManifest: () => Promise.reject(registry) } }),
      };
      assert.equal(await notesOf(readReleaseNotes(changed, step)), null);
      assert.match(step.warnings.join(), /git log, and the changelog stays as it is: (git|the registry) is/);
    });
  }

  it('end with their caller', async () => {
    const { parts, attempt, facts } = await useRepository();
    const stopped = new AbortController();
    const reason = new Error('cancelled');
    const sources = {
      ...parts.sources,
      commitSubjects: () => {
        stopped.abort(reason);
        return Promise.reject(away('SOURCE_UNREACHABLE', 'git is away'));
      },
    };
    const step = attempt(facts, stopped.signal);
    await assert.rejects(readReleaseNotes({ ...parts, sources }, step), (error) => error === reason);
    assert.deepEqual(step.warnings, []);
  });
});
