import { posix } from 'node:path';
import { archiveStoreSuite } from '../../ports/archive-store.ts';
import { workspaceSuite } from '../../ports/workspace.ts';
import { createInMemoryArchiveStore } from './archive-store.ts';
import { createFileTree } from './file-tree.ts';
import { createInMemoryWorkspace } from './workspace.ts';

archiveStoreSuite(async () => {
  let now = new Date();
  const store = createInMemoryArchiveStore({ now: () => now });
  return {
    store,
    async saveAt(time, content) {
      now = time;
      const saved = await store.save(content, 1_000_000);
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
