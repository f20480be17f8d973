import { REF_COMMITS, refReaderSuite } from '../../ports/git-hooks/ref-reader.ts';
import { createInMemoryRefs } from './ref-reader.ts';

const URL = 'https://git.example/acme/app';

refReaderSuite('this process', () => {
  const reader = createInMemoryRefs();
  const commits = REF_COMMITS.map(({ files, message }) => reader.commit(URL, 'refs/heads/main', files, message));
  reader.point(URL, 'refs/heads/release/1.0', commits[0] ?? '');
  reader.point(URL, 'refs/tags/v1.0', commits[0] ?? '');
  return { reader, url: URL, commits, absent: 'https://git.example/acme/none' };
});
