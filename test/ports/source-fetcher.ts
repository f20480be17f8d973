import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { pack } from 'tar-stream';
import type { BuildSource } from '../../domain/deploys/build.ts';
import type { ArchiveStore, SourceFetcher } from '../../domain/deploys/source-ports.ts';
import { formatId } from '../../domain/ids.ts';
import { chunks, upTo } from './archive-store.ts';

/** A fetcher, the archives it reads, and what is to be fetched. */
export interface FetcherUnderTest {
  readonly fetcher: SourceFetcher;
  readonly archives: ArchiveStore;
  readonly repositories: {
    /** Address of one with {@link SUITE_COMMITS} on `main` and the first of them on `release/1.0`. */
    readonly app: string;
    /** Ids of those commits, oldest first. */
    readonly commits: readonly string[];
    /** Addresses of one without a commit, and of one that does not exist. */
    readonly empty: string;
    readonly absent: string;
  };
  /** A fetcher whose host does not answer, and an address there. */
  readonly unreachable: { readonly fetcher: SourceFetcher; readonly url: string };
  /** Absolute path of a directory for source. */
  readonly target: string;
  /** Puts a file at an absolute path. */
  put(path: string, text: string): Promise<void>;
  /** Text by path, links as `→ target`; null without a directory. */
  tree(directory: string): Promise<Readonly<Record<string, string>> | null>;
}

/** What each commit of the suite's repository changes. */
export const SUITE_COMMITS: readonly Readonly<Record<string, string | { readonly link: string }>>[] = [
  ...Array.from({ length: 5 }, (_, index) => ({ 'index.js': `version ${index}` })),
  { run: '#!/bin/sh', link: { link: 'index.js' } },
];

/** A gzip-compressed tar. */
export async function packed(files: Readonly<Record<string, string>>): Promise<Uint8Array> {
  const tar = pack();
  for (const [name, text] of Object.entries(files)) tar.entry({ name }, text);
  tar.finalize();
  const parts: Uint8Array[] = [];
  for await (const part of tar) parts.push(part as Uint8Array);
  return gzipSync(Buffer.concat(parts));
}

const git = (url: string, branch: string | null = null, commit: string | null = null): BuildSource =>
  ({ kind: 'git', url, branch, commit }) as const;
/** The org that the repositories of the suite belong to. */
export const SUITE_ORG = 'acme';
const of = (url: string) => ({ url, org: SUITE_ORG });
const never = new AbortController().signal;

/** What every {@link SourceFetcher} guarantees. */
export function sourceFetcherSuite(title: string, under: () => FetcherUnderTest): void {
  const commit = (index: number): string => under().repositories.commits.at(index) ?? '';
  const lines: string[] = [];
  const context = { org: SUITE_ORG, signal: never, onLine: (line: string) => void lines.push(line) };
  const fetch = (source: BuildSource) => under().fetcher.fetch(source, under().target, context);
  const fetched = () => under().tree(under().target);

  describe(`SourceFetcher: ${title}`, () => {
    it('fetches the default branch, a branch, and any commit, without .git', async () => {
      const { app } = under().repositories;
      assert.deepEqual(await fetch(git(app)), { commitSha: commit(-1), branch: 'main' });
      assert.deepEqual(await fetched(), { 'index.js': 'version 4', run: '#!/bin/sh', link: '→ index.js' });
      assert.deepEqual(await fetch(git(app, 'release/1.0')), { commitSha: commit(0), branch: 'release/1.0' });
      assert.deepEqual(await fetched(), { 'index.js': 'version 0' });
      lines.length = 0;
      assert.deepEqual(await fetch(git(app, 'main', commit(2))), { commitSha: commit(2), branch: 'main' });
      assert.deepEqual(await fetched(), { 'index.js': 'version 2' });
      assert.ok(
        lines.some((line) => line.includes(commit(2))),
        'the log says which commit it is',
      );
    });

    it('lists the subjects of the commits that one commit has and another has not, and leaves nothing behind', async () => {
      const { app: url } = under().repositories;
      const subjects = (since: string | null, until: string, limit = 10) =>
        under().fetcher.commitSubjects({ ...of(url), since, until, limit }, never);
      assert.deepEqual(await subjects(commit(2), commit(4)), ['change 5', 'change 4']);
      assert.deepEqual(await subjects(commit(0), commit(-1), 2), ['change 6', 'change 5']);
      assert.deepEqual(await subjects(null, commit(1)), ['change 2', 'change 1']);
      assert.deepEqual(await subjects(commit(3), commit(3)), []);
      assert.deepEqual(await subjects(commit(4), commit(1)), [], 'an older one is deployed');
      assert.deepEqual(await subjects('b'.repeat(40), commit(1)), [], 'the history was written anew');
      assert.deepEqual(await subjects(commit(1), 'b'.repeat(40)), []);
    });

    it('lists no subjects of what cannot be reached or does not exist', async () => {
      const { absent } = under().repositories;
      const { fetcher, url } = under().unreachable;
      const range = { since: null, until: commit(1), limit: 2 };
      await assert.rejects(under().fetcher.commitSubjects({ ...range, ...of(absent) }, never), {
        code: 'SOURCE_MISSING',
      });
      await assert.rejects(fetcher.commitSubjects({ ...range, ...of(url) }, never), { code: 'SOURCE_UNREACHABLE' });
      const reason = new Error('cancelled');
      const aborted = fetcher.commitSubjects({ ...range, ...of(url) }, AbortSignal.abort(reason));
      await assert.rejects(aborted, (error) => error === reason);
    });

    it('finds abbreviated commits, of heads and inside the history', async () => {
      const { app } = under().repositories;
      assert.equal((await fetch(git(app, null, commit(-1).slice(0, 8)))).commitSha, commit(-1));
      assert.equal((await fetch(git(app, 'gone', commit(3).slice(0, 10)))).commitSha, commit(3));
    });

    it('resolves heads', async () => {
      const { fetcher, repositories } = under();
      const head = (branch: string | null) => fetcher.resolveHead(of(repositories.app), branch, never);
      assert.deepEqual(await head(null), { commit: commit(-1), branch: 'main' });
      assert.deepEqual(await head('release/1.0'), { commit: commit(0), branch: 'release/1.0' });
    });

    it('names a missing commit, a missing branch with close ones, an empty repository and none at all', async () => {
      const { fetcher, repositories, target, tree } = under();
      const { app, empty, absent } = repositories;
      const notFound = { code: 'COMMIT_NOT_FOUND', retryable: false };
      await assert.rejects(fetch(git(app, 'main', 'a'.repeat(40))), notFound);
      await assert.rejects(fetch(git(app, null, 'abcdef123')), { ...notFound, message: /full id/ });
      const missing = { code: 'SOURCE_MISSING', message: /no branch release\/2\.0.*: release\/1\.0, main/ };
      await assert.rejects(fetch(git(app, 'release/2.0')), missing);
      await assert.rejects(fetcher.resolveHead(of(app), 'release/2.0', never), missing);
      const isEmpty = { code: 'SOURCE_MISSING', message: /is empty/ };
      await assert.rejects(fetch(git(empty)), isEmpty);
      await assert.rejects(fetch(git(empty, 'main')), isEmpty);
      await assert.rejects(fetch(git(absent)), { code: 'SOURCE_MISSING' });
      await assert.rejects(fetcher.resolveHead(of(absent), null, never), { code: 'SOURCE_MISSING' });
      assert.equal(await tree(target), null);
    });

    it('refuses addresses, branches and commits that are none, without repeating a credential', async () => {
      const { fetcher, repositories } = under();
      const { app } = repositories;
      const refused = { code: 'SOURCE_REFUSED', retryable: false };
      for (const url of ['ext::sh -c id', '--upload-pack=id', 'ftp://git.example/x.git', 'http://git.example/x.git']) {
        await assert.rejects(fetcher.resolveHead(of(url), null, never), refused, url);
        await assert.rejects(fetch(git(url)), refused, url);
      }
      await assert.rejects(fetcher.resolveHead(of(app), '--upload-pack=id', never), refused);
      await assert.rejects(fetch(git(app, '--upload-pack=id')), refused);
      await assert.rejects(fetch(git(app, null, 'HEAD; id')), refused);
      const failed = await fetch(git('https://me:hunter2@git.example/x.git')).catch((error: unknown) => error);
      assert.match(String(failed), /credentials/i);
      assert.ok(!String(failed).includes('hunter2'));
    });

    it('a host that does not answer may answer later', async () => {
      const { fetcher, url } = under().unreachable;
      const away = { code: 'SOURCE_UNREACHABLE', retryable: true };
      await assert.rejects(fetcher.resolveHead(of(url), null, never), away);
      await assert.rejects(fetcher.fetch(git(url), under().target, context), away);
    });

    it('removes what an earlier attempt left, also when this one fails', async () => {
      const { repositories, target, put, tree } = under();
      await put(`${target}/left/over`, 'of an earlier attempt');
      await fetch(git(repositories.app, 'release/1.0'));
      assert.deepEqual(await tree(target), { 'index.js': 'version 0' });
      await assert.rejects(fetch(git(repositories.app, 'main', 'a'.repeat(40))), { code: 'COMMIT_NOT_FOUND' });
      assert.equal(await tree(target), null);
    });

    it('unpacks uploaded archives, and refuses one that was changed, one that is none, and one that is gone', async () => {
      const { archives, target, tree } = under();
      const files = { 'index.js': 'version 4', 'src/deep/file.txt': 'text' };
      const content = await packed(files);
      const { id: archiveId, sha256 } = await archives.save(chunks(content), upTo(content.length));
      assert.deepEqual(await fetch({ kind: 'archive', archiveId, sha256 }), { commitSha: null, branch: null });
      assert.deepEqual(await fetched(), files);
      const changed = createHash('sha256').digest('hex');
      await assert.rejects(fetch({ kind: 'archive', archiveId, sha256: changed }), { code: 'ARCHIVE_INVALID' });
      assert.equal(await tree(target), null);
      const noArchive = await archives.save(chunks(gzipSync('no tar at all'.repeat(100))), upTo(10_000));
      const none = fetch({ kind: 'archive', archiveId: noArchive.id, sha256: noArchive.sha256 });
      await assert.rejects(none, { code: 'ARCHIVE_INVALID', retryable: false });
      const gone = fetch({ kind: 'archive', archiveId: formatId('archive', randomBytes(20)), sha256 });
      await assert.rejects(gone, { code: 'SOURCE_MISSING' });
    });

    it('a call that is aborted throws the reason and leaves nothing', async () => {
      const { fetcher, repositories, archives, target, tree } = under();
      const signal = AbortSignal.abort(new Error('called off'));
      const content = await packed({ file: 'text' });
      const { id: archiveId, sha256 } = await archives.save(chunks(content), upTo(content.length));
      for (const source of [git(repositories.app), { kind: 'archive', archiveId, sha256 } as const]) {
        await assert.rejects(fetcher.fetch(source, target, { ...context, signal }), /called off/, source.kind);
        assert.equal(await tree(target), null);
      }
      await assert.rejects(fetcher.resolveHead(of(repositories.app), null, signal), /called off/);
    });
  });
}
