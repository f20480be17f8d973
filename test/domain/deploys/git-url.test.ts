import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseBranchName, parseCommitId, parseGitUrl } from '../../../domain/deploys/git-url.ts';
import { FairleadError } from '../../../domain/errors.ts';

const PLATFORM = 'http://git.internal:3000';

/** text → the address git gets. */
const ACCEPTED: readonly (readonly [string, string])[] = [
  ['https://github.com/org/repo', 'https://github.com/org/repo'],
  ['https://GitHub.com/org/repo.git/', 'https://github.com/org/repo.git'],
  ['HTTPS://github.com/org/repo', 'https://github.com/org/repo'],
  ['https://git.example.com:8443/a/b/c.git', 'https://git.example.com:8443/a/b/c.git'],
  ['https://[2001:db8::1]/org/repo', 'https://[2001:db8::1]/org/repo'],
  ['http://git.internal:3000/org/repo.git', 'http://git.internal:3000/org/repo.git'],
  ['git@github.com:org/repo.git', 'https://github.com/org/repo.git'],
  ['github.com:org/repo.git', 'https://github.com/org/repo.git'],
  ['git@git.internal:org/repo.git', 'http://git.internal:3000/org/repo.git'],
  ['ssh://git@github.com/org/repo.git', 'https://github.com/org/repo.git'],
  ['ssh://git@git.example.com:2222/org/repo', 'https://git.example.com/org/repo'],
  ['git+ssh://git@github.com/org/repo', 'https://github.com/org/repo'],
];

const LOCAL: readonly (readonly [string, string])[] = [
  ['/srv/repos/app', '/srv/repos/app'],
  ['/srv/repos/../app/.', '/srv/app'],
  ['/srv/with blank/app', '/srv/with blank/app'],
  ['file:///srv/app.git', '/srv/app.git'],
  ['file://localhost/srv/with%20blank', '/srv/with blank'],
];

const REFUSED: readonly (readonly [string, RegExp])[] = [
  ['', /empty/],
  ['https://hunter2@github.com/org/repo', /GIT_TOKEN.*GITHUB_TOKEN/],
  ['https://user:hunter2@github.com/org/repo', /GIT_TOKEN/],
  ['ssh://git:hunter2@github.com/org/repo', /GIT_TOKEN/],
  ['git:hunter2@github.com:org/repo', /GIT_TOKEN/],
  ['file://user:hunter2@localhost/srv/app', /not a valid address/],
  ['http://github.com/org/repo', /begins with http:.*Use its https:.*start the platform with GIT_URL set to it$/],
  ['http://git.internal/org/repo', /begins with http:.*Use its https:.*start the platform with GIT_URL set to it$/],
  [
    'http://git.internal:3001/org/repo',
    /begins with http:.*Use its https:.*start the platform with GIT_URL set to it$/,
  ],
  ['ftp://github.com/org/repo', /ftp:\/\/ is not supported/],
  ['git://github.com/org/repo', /git:\/\/ is not supported/],
  ['javascript://x/y', /not supported/],
  ['ext::sh -c hunter2% >&2', /remote helper/],
  ['fd::17/foo', /remote helper/],
  ['-uhunter2', /option/],
  ['--upload-pack=touch /tmp/x', /option/],
  ['git@-oProxyCommand=x:repo', /valid/],
  ['https://github.com', /no repository/],
  ['https://github.com/', /no repository/],
  ['https://github.com/org/repo?token=hunter2', /query/],
  ['https://github.com/org/repo#main', /query or a fragment/],
  ['https://github.com/org/re\npo', /control/],
  ['https://github.com/org/repo\u0000', /control/],
  [' https://github.com/org/repo', /blanks/],
  ['repo', /absolute path/],
  ['../repo', /absolute path/],
  ['./repo:x', /absolute path/],
  ['~/repo', /absolute path/],
  ['https://', /not a valid address/],
  ['https://exa mple.com/org/repo', /not a valid address/],
  ['file://server/share', /this machine/],
  ['file:///srv/%zz', /percent/],
  ['file:///srv/%00x', /control/],
  [`https://github.com/${'a'.repeat(3_000)}`, /longer/],
];

describe('parseGitUrl', () => {
  for (const [text, url] of ACCEPTED) {
    it(`accepts ${text}`, () => {
      const parsed = parseGitUrl(text, PLATFORM);
      assert.equal(parsed.kind === 'http' && parsed.url, url);
      assert.equal(parsed.kind === 'http' && parsed.ofPlatform, url.startsWith(PLATFORM));
    });
  }

  for (const [text, path] of LOCAL) {
    it(`accepts the local ${text}`, () => assert.deepEqual(parseGitUrl(text, null), { kind: 'local', path }));
  }

  for (const [text, message] of REFUSED) {
    it(`refuses ${JSON.stringify(text.slice(0, 60))} and repeats no secret`, () => {
      assert.throws(
        () => parseGitUrl(text, PLATFORM),
        (error: unknown) =>
          error instanceof FairleadError &&
          error.code === 'SOURCE_REFUSED' &&
          message.test(error.message) &&
          !error.message.includes('hunter2'),
      );
    });
  }

  it('names host and port for the address guard', () => {
    const port = (text: string) => {
      const parsed = parseGitUrl(text, PLATFORM);
      return parsed.kind === 'http' ? `${parsed.hostname} ${parsed.port}` : '';
    };
    assert.equal(port('https://[::1]/a/b'), '::1 443');
    assert.equal(port('https://Example.com.:444/a/b'), 'example.com 444');
    assert.equal(port('http://git.internal:3000/a'), 'git.internal 3000');
    assert.equal(port('https://0x7f.1/a'), '127.0.0.1 443');
  });

  it('without a platform git host no http address is accepted', () => {
    assert.throws(() => parseGitUrl('http://git.internal:3000/org/repo', null), { code: 'SOURCE_REFUSED' });
  });
});

describe('parseBranchName', () => {
  for (const name of ['main', 'release/2.1', 'feature/a-b_c', 'ünï', 'a@b', 'refs/heads/main']) {
    it(`accepts ${name}`, () => assert.equal(parseBranchName(name), name.replace('refs/heads/', '')));
  }

  const bad = [
    '',
    '-x',
    '--upload-pack=x',
    'a b',
    'a..b',
    'a~1',
    'a^',
    'a:b',
    'a?',
    'a*',
    'a[',
    'a\\b',
    '/a',
    'a/',
    'a//b',
  ];
  for (const name of [
    ...bad,
    'a.',
    '.a',
    'a/.b',
    'a.lock',
    'a.lock/b',
    'a@{1}',
    '@',
    'HEAD',
    'a\u0007',
    'x'.repeat(300),
  ]) {
    it(`refuses ${JSON.stringify(name.slice(0, 30))}`, () => {
      assert.throws(() => parseBranchName(name), { code: 'SOURCE_REFUSED' });
    });
  }
});

describe('parseCommitId', () => {
  it('accepts full ids of both hash functions and abbreviations, in lower case', () => {
    for (const id of ['a'.repeat(40), 'B'.repeat(64), '5424DD9']) assert.equal(parseCommitId(id), id.toLowerCase());
  });

  it('refuses everything else', () => {
    for (const id of [
      '',
      'HEAD',
      'latest',
      '123456',
      'g'.repeat(40),
      `-${'a'.repeat(39)}`,
      'a'.repeat(41),
      `${'a'.repeat(40)}\n`,
    ]) {
      assert.throws(() => parseCommitId(id), { code: 'SOURCE_REFUSED' });
    }
  });
});
