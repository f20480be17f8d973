import { posix } from 'node:path';
import { archiveStoreSuite, upTo } from '../../ports/archive-store.ts';
import { SUITE_COMMITS, sourceFetcherSuite } from '../../ports/source-fetcher.ts';
import { workspaceSuite } from '../../ports/workspace.ts';
import { createInMemoryArchiveStore } from './archive-store.ts';
import { createFileTree, treeOf } from './file-tree.ts';
import { createInMemoryRepository } from './repository.ts';
import { createInMemorySourceFetcher } from './source-fetcher.ts';
import { createInMemoryWorkspace } from './workspace.ts';

archiveStoreSuite(async (quota) => {
  let now = new Date();
  const store = createInMemoryArchiveStore({ now: () => now, ...(quota === undefined ? {} : { quota }) });
  return {
    store,
    async saveAt(time, content, bounds = upTo(1_000_000)) {
      now = time;
      const saved = await store.save(content, bounds);
      now = new Date();
      return saved;
    },
    kept: async () => store.ids(),
  };
});

workspaceSuite(async () => {
  const files = createFileTree();
  return {
    workspace: createInMemoryWorkspace({ files, root: '/data/builds' }),
    outside: '/data/outside',
    async plant(path, content) {
      const entry =
        'link' in content
          ? ({ kind: 'link', target: content.link } as const)
          : ({ kind: 'file', text: content.text, mode: 0o644 } as const);
      files.put(posix.normalize(path), entry);
    },
    async file(path) {
      const entry = files.at(path);
      return entry?.kind === 'file' ? { text: entry.text, mode: entry.mode } : null;
    },
    names: async (path) => files.names(path),
  };
});

const files = createFileTree();
const archives = createInMemoryArchiveStore({ now: () => new Date() });
const app = createInMemoryRepository();
const commits = SUITE_COMMITS.map((changes) => app.commit(changes));
app.point('release/1.0', commits[0] ?? '');
const repositories = new Map([
  ['https://git.example/app.git', app],
  ['https://git.example/empty.git', createInMemoryRepository()],
]);
const away = 'https://away.example/app.git';

sourceFetcherSuite('in memory', () => {
  const fetcher = createInMemorySourceFetcher({ files, archives, repositories, unreachable: new Set([away]) });
  return {
    fetcher,
    archives,
    repositories: {
      app: 'https://git.example/app.git',
      commits,
      empty: 'https://git.example/empty.git',
      absent: 'https://git.example/none.git',
    },
    unreachable: { fetcher, url: away },
    target: '/data/builds/bld_1',
    put: async (path, text) => files.put(path, { kind: 'file', text, mode: 0o644 }),
    tree: async (directory) => treeOf(files, directory),
  };
});
